//! Translation of kernels to PTX.

use vyre_kernel::{Kernel, PassPipeline};
use vyre_runtime::Error;

use crate::emit::emit;
use crate::ptx::{Ptx, PtxTarget};

/// Returns the optimization passes of the translation to PTX.
#[must_use]
pub fn passes() -> PassPipeline {
    PassPipeline::standard_with_unrolling()
}

/// Translates a kernel to PTX.
///
/// ```
/// use vyre_cuda::{PtxTarget, passes, translate};
/// use vyre_ir::{OpTable, text};
/// use vyre_kernel::lower;
///
/// let source = "workgroup_size 8; buffer b: read_write u32 @0; entry { b[invocation_id.x] = 7; }";
/// let parsed = text::parse(source)?;
/// let ops = OpTable::default();
/// let mut kernel = lower(&parsed.validate(&ops).expect("breaks no rule")).expect("lowers");
/// passes().run(&mut kernel).expect("passes keep the rules");
/// let ptx = translate(&kernel, PtxTarget::default()).expect("a GPU can run it");
/// assert_eq!((ptx.block, ptx.groups_per_block), ([128, 1, 1], 16));
/// # Ok::<(), text::ParseErrors>(())
/// ```
///
/// # Errors
///
/// [`Error::UnsupportedTarget`] for a target that is not one of [`PtxTarget::KNOWN_SM`], [`Error::ResourceExceeded`] for a kernel that
/// no GPU can run.
pub fn translate(kernel: &Kernel, target: PtxTarget) -> Result<Ptx, Error> {
    if !PtxTarget::KNOWN_SM.contains(&target.sm) {
        return Err(Error::UnsupportedTarget { target: format!("sm_{}", target.sm) });
    }
    emit(kernel, target)
}
