//! Shaders of the wgpu backend for a kernel.

use vyre::kernel::{Kernel, PassPipeline};

/// A shader language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Wgsl,
    SpirV,
    Msl,
    Hlsl,
    Glsl,
}

impl Language {
    /// Its name.
    fn name(self) -> &'static str {
        match self {
            Language::Wgsl => "WGSL",
            Language::SpirV => "SPIR-V",
            Language::Msl => "MSL",
            Language::Hlsl => "HLSL",
            Language::Glsl => "GLSL",
        }
    }

    /// Its name, if its shaders are binary.
    pub(super) fn binary(self) -> Option<&'static str> {
        (self == Language::SpirV).then_some(self.name())
    }
}

/// Passes that the wgpu backend runs.
#[cfg(feature = "wgpu")]
pub(super) fn standard_passes() -> anyhow::Result<PassPipeline> {
    Ok(vyre::gpu::passes())
}

/// Translates a kernel to a shader. Text is terminated by a newline.
#[cfg(feature = "wgpu")]
pub(super) fn translate(kernel: &Kernel, language: Language) -> anyhow::Result<Vec<u8>> {
    use anyhow::Context as _;
    use vyre::gpu::{Shader, ShaderLanguage};

    let shader_language = match language {
        Language::Wgsl => ShaderLanguage::Wgsl,
        Language::SpirV => ShaderLanguage::SpirV,
        Language::Msl => ShaderLanguage::Msl,
        Language::Hlsl => ShaderLanguage::Hlsl,
        Language::Glsl => ShaderLanguage::Glsl,
    };
    let failed = || format!("the GPU backend cannot translate the kernel to {}", language.name());
    Ok(match vyre::gpu::translate(kernel, shader_language).with_context(failed)? {
        Shader::Text(mut text) => {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.into_bytes()
        }
        Shader::Binary(bytes) => bytes,
    })
}

/// Fails: this build has no wgpu backend.
#[cfg(not(feature = "wgpu"))]
pub(super) fn standard_passes() -> anyhow::Result<PassPipeline> {
    Err(no_backend())
}

/// Fails: this build has no wgpu backend.
#[cfg(not(feature = "wgpu"))]
pub(super) fn translate(_kernel: &Kernel, _language: Language) -> anyhow::Result<Vec<u8>> {
    Err(no_backend())
}

#[cfg(not(feature = "wgpu"))]
fn no_backend() -> anyhow::Error {
    anyhow::anyhow!("this build has no GPU backend; build `vyre-cli` with its feature `wgpu`, or use `--target kernel`")
}
