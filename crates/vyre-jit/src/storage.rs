//! Storage classes of kernel values and slots.
//!
//! A kernel value that does not fit the lifetime of a register is spilled to the scratch memory of the thread. [`Plan`] has the
//! layout of that memory.
//!
//! [`Plan`]: crate::plan::Plan

use vyre_kernel::Type;

/// Storage class of a value or slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorageClass {
    /// A register of the invocation that runs. Its lifetime is one iteration of the invocation loop.
    InvocationRegister,
    /// A register of the workgroup.
    WorkgroupRegister,
    /// An array in scratch memory with one element per invocation. The offset counts words of one invocation.
    InvocationArray { offset: u32 },
    /// A slot or value that is spilled because of register pressure. It belongs to the SIMD group that runs, or to the workgroup if
    /// it is shared. The offset counts words; each word has room for a SIMD group.
    Spilled { offset: u32, shared: bool },
}

/// Number of 32-bit words that a value takes in scratch memory. A bool takes a whole word.
pub(crate) fn storage_words(ty: Type) -> u32 {
    match ty {
        Type::Bool | Type::U32 => 1,
        Type::Vec2 => 2,
        Type::Vec4 => 4,
    }
}
