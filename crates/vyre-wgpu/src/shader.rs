//! Translation of kernels to shaders.

use naga::ResourceBinding;
use naga::back::{glsl, hlsl, msl, spv, wgsl};
use naga::proc::BoundsCheckPolicies;
use vyre_kernel::{Kernel, PassPipeline};
use vyre_runtime::Error;
use vyre_runtime::shell::on_large_stack;

use crate::emit::{
    BUFFER_GROUP, BoundBuffer, DISPATCH_BINDING, DISPATCH_GROUP, ENTRY_POINT, Emitted, ShaderFeatures, emit,
};

/// Shader language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShaderLanguage {
    /// The WebGPU shading language.
    Wgsl,
    /// SPIR-V 1.3, for Vulkan 1.1 and newer; the only binary language.
    SpirV,
    /// The Metal shading language, version 2.4.
    Msl,
    /// HLSL, the language of DirectX, shader model 6.0.
    Hlsl,
    /// The OpenGL shading language, version 4.30.
    Glsl,
}

impl ShaderLanguage {
    /// All languages.
    pub const ALL: [ShaderLanguage; 5] =
        [ShaderLanguage::Wgsl, ShaderLanguage::SpirV, ShaderLanguage::Msl, ShaderLanguage::Hlsl, ShaderLanguage::Glsl];

    /// Name of naga's writer for the language, in errors.
    const fn writer(self) -> &'static str {
        match self {
            ShaderLanguage::Wgsl => "naga's WGSL writer",
            ShaderLanguage::SpirV => "naga's SPIR-V writer",
            ShaderLanguage::Msl => "naga's MSL writer",
            ShaderLanguage::Hlsl => "naga's HLSL writer",
            ShaderLanguage::Glsl => "naga's GLSL writer",
        }
    }

    /// The name by which users select it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ShaderLanguage::Wgsl => "wgsl",
            ShaderLanguage::SpirV => "spirv",
            ShaderLanguage::Msl => "msl",
            ShaderLanguage::Hlsl => "hlsl",
            ShaderLanguage::Glsl => "glsl",
        }
    }
}

/// Translated shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shader {
    /// Text of the shader.
    Text(String),
    /// The bytes of a SPIR-V module, little endian.
    Binary(Vec<u8>),
}

/// Optimization passes of the translation to shaders.
///
/// Strength reduction of divisions is omitted: drivers choose the sequence for their hardware, and a language without
/// high-word products gains nothing.
#[must_use]
pub fn passes() -> PassPipeline {
    let names: Vec<&str> = PassPipeline::standard().names().filter(|name| *name != "strength").collect();
    // The names come from a pipeline, so all of them are known.
    PassPipeline::of(names).unwrap_or_default()
}

/// Translates a kernel to a shader that needs no optional features.
///
/// Devices also use 64-bit integers, for high-word products, if the adapter has them.
///
/// ```
/// use vyre_ir::{OpTable, text};
/// use vyre_kernel::lower;
/// use vyre_wgpu::{Shader, ShaderLanguage, passes, translate};
///
/// let source = "workgroup_size 64; buffer b: read_write u32 @0; entry { b[invocation_id.x] = 7; }";
/// let parsed = text::parse(source)?;
/// let ops = OpTable::default();
/// let mut kernel = lower(&parsed.validate(&ops).expect("breaks no rule")).expect("lowers");
/// passes().run(&mut kernel).expect("passes keep the rules");
/// let Shader::Text(wgsl) = translate(&kernel, ShaderLanguage::Wgsl).expect("every kernel is a shader") else { panic!() };
/// assert!(wgsl.contains("@workgroup_size(64, 1, 1)"), "{wgsl}");
/// # Ok::<(), text::ParseErrors>(())
/// ```
///
/// # Errors
///
/// [`Error::Compile`] if the module is invalid or a writer rejects it.
pub fn translate(kernel: &Kernel, language: ShaderLanguage) -> Result<Shader, Error> {
    let features = ShaderFeatures {
        int64: false,
        uniform_loads: language == ShaderLanguage::Wgsl,
        split_blocks: language == ShaderLanguage::Msl,
    };
    on_large_stack("shader-writer", || write(&emit(kernel, features)?, language))
}

fn write(emitted: &Emitted, language: ShaderLanguage) -> Result<Shader, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::compile(language.writer(), error.to_string());
    let Emitted { module, info, bound, .. } = emitted;
    match language {
        ShaderLanguage::Wgsl => {
            let text = wgsl::write_string(module, info, wgsl::WriterFlags::empty());
            text.map(Shader::Text).map_err(|error| failed(&error))
        }
        ShaderLanguage::SpirV => {
            let options = spv::Options {
                lang_version: (1, 3),
                flags: spv::WriterFlags::empty(),
                bounds_check_policies: BoundsCheckPolicies::default(),
                zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
                force_loop_bounding: false,
                emit_int_div_checks: false,
                ..spv::Options::default()
            };
            let words = spv::write_vec(module, info, &options, None).map_err(|error| failed(&error))?;
            Ok(Shader::Binary(words.into_iter().flat_map(u32::to_le_bytes).collect()))
        }
        ShaderLanguage::Msl => {
            let options = msl::Options {
                lang_version: (2, 4),
                per_entry_point_map: [(ENTRY_POINT.to_owned(), msl_slots(bound))].into_iter().collect(),
                // A program may have more buffers than Metal has slots.
                fake_missing_bindings: true,
                zero_initialize_workgroup_memory: false,
                force_loop_bounding: false,
                emit_int_div_checks: false,
                ..msl::Options::default()
            };
            let text = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
            text.map(|(text, _)| Shader::Text(text)).map_err(|error| failed(&error))
        }
        ShaderLanguage::Hlsl => {
            let options = hlsl::Options {
                shader_model: hlsl::ShaderModel::V6_0,
                fake_missing_bindings: true,
                zero_initialize_workgroup_memory: false,
                restrict_indexing: false,
                force_loop_bounding: false,
                ..hlsl::Options::default()
            };
            let mut text = String::new();
            let pipeline = hlsl::PipelineOptions::default();
            let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
            writer.write(module, info, None).map_err(|error| failed(&error))?;
            Ok(Shader::Text(text))
        }
        ShaderLanguage::Glsl => {
            let options = glsl::Options {
                version: glsl::Version::Desktop(430),
                binding_map: slots(bound).filter_map(|(at, slot)| Some((at, u8::try_from(slot).ok()?))).collect(),
                zero_initialize_workgroup_memory: false,
                ..glsl::Options::default()
            };
            let pipeline = glsl::PipelineOptions {
                shader_stage: naga::ShaderStage::Compute,
                entry_point: ENTRY_POINT.to_owned(),
                multiview: None,
            };
            let mut text = String::new();
            let policies = BoundsCheckPolicies::default();
            let mut writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
                .map_err(|error| failed(&error))?;
            writer.write().map_err(|error| failed(&error))?;
            Ok(Shader::Text(text))
        }
    }
}

/// Slots of languages without bind groups: the buffers by binding, then the dispatch block.
fn slots(bound: &[BoundBuffer]) -> impl Iterator<Item = (ResourceBinding, usize)> {
    let buffer = |binding: usize| (ResourceBinding { group: BUFFER_GROUP, binding: binding as u32 }, binding);
    let dispatch = ResourceBinding { group: DISPATCH_GROUP, binding: DISPATCH_BINDING };
    (0..bound.len()).map(buffer).chain([(dispatch, bound.len())])
}

fn msl_slots(bound: &[BoundBuffer]) -> msl::EntryPointResources {
    let target = |(at, slot): (ResourceBinding, usize)| {
        let mutable = at.group == BUFFER_GROUP && bound.get(slot).is_some_and(|bound| !bound.read_only);
        let target = msl::BindTarget { buffer: Some(u8::try_from(slot).ok()?), mutable, ..msl::BindTarget::default() };
        Some((at, target))
    };
    msl::EntryPointResources {
        resources: slots(bound).filter_map(target).collect(),
        ..msl::EntryPointResources::default()
    }
}
