//! PTX of a kernel: its target, its parameters and its launch requirements.

/// Maximum number of blocks of a launch on each axis.
pub(crate) const MAX_BLOCKS: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// Target of the translation to PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PtxTarget {
    /// Compute capability, as in `sm_90`: one of [`PtxTarget::KNOWN_SM`].
    pub sm: u32,
    /// True if the kernel ends early when the word at [`PtxParameter::Cancel`] is not 0.
    pub can_cancel: bool,
}

impl Default for PtxTarget {
    fn default() -> PtxTarget {
        PtxTarget { sm: PtxTarget::DEFAULT_SM, can_cancel: false }
    }
}

impl PtxTarget {
    /// Supported compute capabilities, ascending.
    pub const KNOWN_SM: [u32; 8] = [70, 72, 75, 80, 86, 87, 89, 90];
    /// Default compute capability.
    pub const DEFAULT_SM: u32 = 90;

    /// Sets the compute capability.
    #[must_use]
    pub fn with_sm(self, sm: u32) -> PtxTarget {
        PtxTarget { sm, ..self }
    }

    /// Makes the kernel cancellable, or not.
    #[must_use]
    pub fn with_cancel(self, can_cancel: bool) -> PtxTarget {
        PtxTarget { can_cancel, ..self }
    }
}

/// Parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PtxParameter {
    /// Address of a buffer (64 bits), aligned to 16 bytes. The number is the buffer's position among the bound buffers,
    /// which are all buffers of the program outside workgroup memory.
    Address(usize),
    /// Number of elements of a buffer (32 bits), by the same position.
    Length(usize),
    /// Number of workgroups of the whole grid on an axis (32 bits).
    Workgroups(usize),
    /// Position of the launch's first workgroup on an axis (32 bits). It is not 0 if the grid needs several launches.
    FirstWorkgroup(usize),
    /// Address of the cancel word in device memory (64 bits). The kernel ends early when the word is not 0.
    Cancel,
}

/// PTX of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ptx {
    /// PTX text.
    pub text: String,
    /// Threads of a block on each axis.
    pub block: [u32; 3],
    /// Workgroups of a block, which are neighbours on the x axis. A grid of `[x, y, z]` workgroups needs
    /// `[x.div_ceil(groups_per_block), y, z]` blocks.
    pub groups_per_block: u32,
    /// Dynamic shared memory of a launch, in bytes. 0 if the text declares all shared memory.
    pub dynamic_shared_bytes: u32,
    /// Parameters, in order.
    pub parameters: Vec<PtxParameter>,
}

impl Ptx {
    /// Name of the kernel in the text.
    pub const ENTRY: &str = "vyre_main";
}

impl PtxParameter {
    /// Name of the parameter in the text.
    pub(crate) fn name(self) -> String {
        let axis_name = |axis: usize| ['x', 'y', 'z'][axis];
        match self {
            PtxParameter::Address(position) => format!("buffer_{position}"),
            PtxParameter::Length(position) => format!("length_{position}"),
            PtxParameter::Workgroups(axis) => format!("workgroups_{}", axis_name(axis)),
            PtxParameter::FirstWorkgroup(axis) => format!("first_workgroup_{}", axis_name(axis)),
            PtxParameter::Cancel => "cancel".to_owned(),
        }
    }

    /// Type of the parameter in the text.
    pub(crate) fn declared_type(self) -> &'static str {
        match self {
            PtxParameter::Address(_) => ".u64 .ptr .global .align 16",
            PtxParameter::Cancel => ".u64 .ptr .global .align 4",
            PtxParameter::Length(_) | PtxParameter::Workgroups(_) | PtxParameter::FirstWorkgroup(_) => ".u32",
        }
    }

    /// Reports whether the parameter is a 64-bit address. All others have 32 bits.
    pub(crate) fn is_address(self) -> bool {
        matches!(self, PtxParameter::Address(_) | PtxParameter::Cancel)
    }
}
