//! Programs and buffer declarations.

use std::fmt;

use super::node::Node;
use crate::{BufferAccess, DataType, Name};

/// A buffer that a program uses.
///
/// ```
/// use vyre_ir::{BufferAccess, BufferDecl, DataType};
///
/// let data = BufferDecl::storage("data", 0, BufferAccess::ReadWrite, DataType::U32);
/// assert_eq!(data.access, BufferAccess::ReadWrite);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferDecl {
    /// The name by which statements and expressions refer to the buffer.
    pub name: Name,
    /// Binding slot; unused for workgroup buffers.
    pub binding: u32,
    /// Access mode.
    pub access: BufferAccess,
    /// The type of an element.
    pub element: DataType,
    /// The number of elements of a workgroup buffer; 0 for every other buffer, whose size is known at dispatch.
    pub count: u32,
    /// True if element 0 is the result when the program is called as an op. At most one buffer is the output.
    pub is_output: bool,
}

impl BufferDecl {
    /// A buffer that the host binds.
    #[must_use]
    pub fn storage(name: impl Into<Name>, binding: u32, access: BufferAccess, element: DataType) -> BufferDecl {
        BufferDecl { name: name.into(), binding, access, element, count: 0, is_output: false }
    }

    /// A read-only buffer.
    #[must_use]
    pub fn read(name: impl Into<Name>, binding: u32, element: DataType) -> BufferDecl {
        BufferDecl::storage(name, binding, BufferAccess::ReadOnly, element)
    }

    /// A read-write buffer.
    #[must_use]
    pub fn read_write(name: impl Into<Name>, binding: u32, element: DataType) -> BufferDecl {
        BufferDecl::storage(name, binding, BufferAccess::ReadWrite, element)
    }

    /// A small buffer of constants.
    #[must_use]
    pub fn uniform(name: impl Into<Name>, binding: u32, element: DataType) -> BufferDecl {
        BufferDecl::storage(name, binding, BufferAccess::Uniform, element)
    }

    /// A read-write buffer that holds the result.
    #[must_use]
    pub fn output(name: impl Into<Name>, binding: u32, element: DataType) -> BufferDecl {
        BufferDecl { is_output: true, ..BufferDecl::read_write(name, binding, element) }
    }

    /// A buffer shared by the invocations of a workgroup, of `count` elements.
    #[must_use]
    pub fn workgroup(name: impl Into<Name>, count: u32, element: DataType) -> BufferDecl {
        BufferDecl { count, ..BufferDecl::storage(name, 0, BufferAccess::Workgroup, element) }
    }
}

/// A compute program with one entry point. The size of the grid is given at dispatch.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// The buffers, each with a unique name.
    pub buffers: Vec<BufferDecl>,
    /// The number of invocations of a workgroup on each axis.
    pub workgroup_size: [u32; 3],
    /// Statements that every invocation runs.
    pub entry: Vec<Node>,
}

impl Program {
    /// Creates a program.
    #[must_use]
    pub fn new(buffers: Vec<BufferDecl>, workgroup_size: [u32; 3], entry: Vec<Node>) -> Program {
        Program { buffers, workgroup_size, entry }
    }

    /// The first buffer with this name.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&BufferDecl> {
        self.buffers.iter().find(|buffer| buffer.name == *name)
    }

    /// The buffer that holds the result when the program is called as an op.
    #[must_use]
    pub fn output(&self) -> Option<&BufferDecl> {
        self.buffers.iter().find(|buffer| buffer.is_output)
    }

    /// The number of invocations of a workgroup.
    #[must_use]
    pub fn workgroup_invocations(&self) -> u64 {
        self.workgroup_size.iter().fold(1, |product: u64, &axis| product.saturating_mul(u64::from(axis)))
    }
}

/// Prints the text form, which is unique for each program.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints the text form.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::print(self))
    }
}
