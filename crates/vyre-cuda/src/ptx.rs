//! Kernels as PTX, with what a launch must know.

use vyre_kernel::{Kernel, PassPipeline};
use vyre_runtime::Error;

use crate::emit::emit;

/// What PTX is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PtxTarget {
    /// The compute capability, as in `sm_90`: one of [`PtxTarget::KNOWN_SM`].
    pub sm: u32,
    /// Whether the kernel ends early when the word that [`PtxParameter::Cancel`] points to is not 0.
    pub can_cancel: bool,
}

impl Default for PtxTarget {
    fn default() -> PtxTarget {
        PtxTarget { sm: PtxTarget::DEFAULT_SM, can_cancel: false }
    }
}

impl PtxTarget {
    /// What PTX can be written for, ascending.
    pub const KNOWN_SM: [u32; 8] = [70, 72, 75, 80, 86, 87, 89, 90];
    /// What PTX is written for unless something else is said.
    pub const DEFAULT_SM: u32 = 90;

    /// The same for a compute capability.
    #[must_use]
    pub fn with_sm(self, sm: u32) -> PtxTarget {
        PtxTarget { sm, ..self }
    }

    /// The same with kernels that can be cancelled, or not.
    #[must_use]
    pub fn with_cancel(self, can_cancel: bool) -> PtxTarget {
        PtxTarget { can_cancel, ..self }
    }
}

/// What a launch passes to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PtxParameter {
    /// The address of a buffer (64 bits), aligned to 16 bytes; by its position among the buffers of the program that are no
    /// workgroup memory.
    Address(usize),
    /// The number of elements of a buffer (32 bits), in the same way.
    Length(usize),
    /// The number of workgroups of the whole grid on an axis (32 bits).
    Workgroups(usize),
    /// The position of the first workgroup of this launch on an axis (32 bits), where a grid takes several.
    FirstWorkgroup(usize),
    /// The address of a word in the memory of the device (64 bits): the kernel ends early when it is not 0.
    Cancel,
}

/// A kernel as PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ptx {
    /// The text.
    pub text: String,
    /// The threads of a block on each axis.
    pub block: [u32; 3],
    /// How many workgroups a block runs side by side; they are neighbours on the x axis. So a grid of `[x, y, z]` workgroups
    /// is launched with `[x.div_ceil(groups_per_block), y, z]` blocks.
    pub groups_per_block: u32,
    /// The bytes of shared memory that a launch must ask for; 0 where the text says how much there is.
    pub dynamic_shared_bytes: u32,
    /// What a launch passes, in order.
    pub parameters: Vec<PtxParameter>,
}

impl Ptx {
    /// The name of the kernel.
    pub const ENTRY: &str = "vyre_main";
}

/// The passes that kernels go through before they become PTX.
#[must_use]
pub fn passes() -> PassPipeline {
    PassPipeline::standard_with_unrolling()
}

/// A kernel as PTX.
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
/// # Ok::<(), text::ParseError>(())
/// ```
///
/// # Errors
///
/// [`Error::Backend`] for a target that is not one of [`PtxTarget::KNOWN_SM`], [`Error::ResourceExceeded`] for a kernel that
/// no GPU can run.
pub fn translate(kernel: &Kernel, target: PtxTarget) -> Result<Ptx, Error> {
    if !PtxTarget::KNOWN_SM.contains(&target.sm) {
        let message = format!("no PTX can be written for sm_{}; it can for {:?}", target.sm, PtxTarget::KNOWN_SM);
        return Err(Error::Backend { message });
    }
    emit(kernel, target)
}
