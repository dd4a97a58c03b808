//! PTX of the CUDA backend for a kernel.

use vyre::kernel::{Kernel, PassPipeline};

/// Target of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The compute capability, as in `sm_90`; `None` is the default of the backend.
    pub(super) sm: Option<u32>,
    /// True if the kernel can be cancelled.
    pub(super) cancellable: bool,
}

/// Passes that the CUDA backend runs.
#[cfg(feature = "cuda")]
pub(super) fn standard_passes() -> anyhow::Result<PassPipeline> {
    Ok(vyre::cuda::passes())
}

/// Translates a kernel to PTX, terminated by a newline.
#[cfg(feature = "cuda")]
pub(super) fn translate(kernel: &Kernel, target: Target) -> anyhow::Result<Vec<u8>> {
    use anyhow::Context as _;
    use vyre::cuda::PtxTarget;

    let mut ptx_target = PtxTarget::default().with_cancel(target.cancellable);
    if let Some(sm) = target.sm {
        ptx_target = ptx_target.with_sm(sm);
    }
    let ptx =
        vyre::cuda::translate(kernel, ptx_target).context("the CUDA backend cannot translate the kernel to PTX")?;
    let mut text = ptx.text;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// Fails: this build has no CUDA backend.
#[cfg(not(feature = "cuda"))]
pub(super) fn standard_passes() -> anyhow::Result<PassPipeline> {
    Err(no_backend())
}

/// Fails: this build has no CUDA backend.
#[cfg(not(feature = "cuda"))]
pub(super) fn translate(_kernel: &Kernel, _target: Target) -> anyhow::Result<Vec<u8>> {
    Err(no_backend())
}

#[cfg(not(feature = "cuda"))]
fn no_backend() -> anyhow::Error {
    anyhow::anyhow!(
        "this build has no CUDA backend; build `vyre-cli` with its feature `cuda`, or use `--target kernel`"
    )
}
