//! Value types, buffer access modes, calling conventions and op signatures.
//!
//! The set of variants, their sizes and their meaning are permanent; variants may be added, never changed.

use std::fmt;

/// The type of a value, of a buffer element or of a cast target.
///
/// ```
/// use vyre_ir::DataType;
///
/// assert_eq!(DataType::U32.min_bytes(), 4);
/// assert_eq!(DataType::U64.min_bytes(), 8);
/// assert_eq!(DataType::Bytes.min_bytes(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DataType {
    /// Unsigned 32-bit integer; arithmetic is modulo 2^32.
    U32,
    /// Signed 32-bit integer, two's complement.
    I32,
    /// Unsigned 64-bit integer, stored as two `u32` components: low, then high.
    U64,
    /// Two `u32` components.
    Vec2U32,
    /// Four `u32` components.
    Vec4U32,
    /// A bool, stored as a word: 0 is false, 1 is true.
    Bool,
    /// A byte buffer of variable length, packed into little-endian words. Never the type of a value.
    Bytes,
}

impl DataType {
    /// Every stable type, in the order of the specification.
    pub const ALL: [DataType; 7] = [
        DataType::U32,
        DataType::I32,
        DataType::U64,
        DataType::Vec2U32,
        DataType::Vec4U32,
        DataType::Bool,
        DataType::Bytes,
    ];

    /// Minimum number of bytes that a value of this type occupies in a buffer.
    #[must_use]
    pub const fn min_bytes(self) -> usize {
        match self {
            DataType::U32 | DataType::I32 | DataType::Bool => 4,
            DataType::U64 | DataType::Vec2U32 => 8,
            DataType::Vec4U32 => 16,
            DataType::Bytes => 0,
        }
    }

    /// Unit of a buffer's length in bytes: the size of an element, or of a word for a `Bytes` buffer.
    #[must_use]
    pub const fn element_bytes(self) -> usize {
        match self {
            DataType::Bytes => 4,
            DataType::U32 | DataType::I32 | DataType::Bool | DataType::U64 | DataType::Vec2U32 | DataType::Vec4U32 => {
                self.min_bytes()
            }
        }
    }

    /// Number of components, which [`Expr::Extract`](crate::Expr::Extract) and [`Expr::Pack`](crate::Expr::Pack) call
    /// lanes; 0 for scalar types and `Bytes`.
    #[must_use]
    pub const fn components(self) -> u32 {
        match self {
            DataType::U64 | DataType::Vec2U32 => 2,
            DataType::Vec4U32 => 4,
            DataType::U32 | DataType::I32 | DataType::Bool | DataType::Bytes => 0,
        }
    }

    /// Name of the type in the text format and in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DataType::U32 => "u32",
            DataType::I32 => "i32",
            DataType::U64 => "u64",
            DataType::Vec2U32 => "vec2u32",
            DataType::Vec4U32 => "vec4u32",
            DataType::Bool => "bool",
            DataType::Bytes => "bytes",
        }
    }

    /// The type with this [`name`](DataType::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<DataType> {
        Some(match name {
            "u32" => DataType::U32,
            "i32" => DataType::I32,
            "u64" => DataType::U64,
            "vec2u32" => DataType::Vec2U32,
            "vec4u32" => DataType::Vec4U32,
            "bool" => DataType::Bool,
            "bytes" => DataType::Bytes,
            _ => return None,
        })
    }

    /// True if a value of this type can be cast to `target`.
    ///
    /// Every cast between value types is defined, except from two components to four.
    #[must_use]
    pub const fn casts_to(self, target: DataType) -> bool {
        use DataType::{Bytes, U64, Vec2U32, Vec4U32};
        match (self, target) {
            (Bytes, Bytes) => true,
            (Bytes, _) | (_, Bytes) => false,
            (U64 | Vec2U32, Vec4U32) => false,
            _ => true,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Access mode of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BufferAccess {
    /// Loads only.
    ReadOnly,
    /// Loads, stores and atomics.
    ReadWrite,
    /// Loads only; small constants of at most 64 KB.
    Uniform,
    /// Memory shared by the invocations of one workgroup: loads, stores and atomics of scope workgroup, no binding
    /// slot.
    Workgroup,
}

impl BufferAccess {
    /// Every access mode, in the order of the specification.
    pub const ALL: [BufferAccess; 4] =
        [BufferAccess::ReadOnly, BufferAccess::ReadWrite, BufferAccess::Uniform, BufferAccess::Workgroup];

    /// Name of the mode in the text format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BufferAccess::ReadOnly => "read",
            BufferAccess::ReadWrite => "read_write",
            BufferAccess::Uniform => "uniform",
            BufferAccess::Workgroup => "workgroup",
        }
    }

    /// The mode with this [`name`](BufferAccess::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<BufferAccess> {
        BufferAccess::ALL.into_iter().find(|access| access.name() == name)
    }

    /// True if a `Store` may target the buffer.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        matches!(self, BufferAccess::ReadWrite | BufferAccess::Workgroup)
    }

    /// True if the buffer is an input when the program is called as an op.
    #[must_use]
    pub const fn is_input(self) -> bool {
        matches!(self, BufferAccess::ReadOnly | BufferAccess::Uniform)
    }
}

impl fmt::Display for BufferAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A versioned calling contract between the host and an op. It fixes the roles of buffers, not their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Convention {
    /// Input (read), output (read-write), parameters (uniform).
    #[default]
    V1,
    /// [`V1`](Convention::V1) and a lookup table (read).
    V2 {
        /// Binding slot of the lookup table.
        lookup_binding: u32,
    },
}

/// The input and output types of an op.
///
/// ```
/// use vyre_ir::{DataType, OpSignature};
///
/// let signature = OpSignature { inputs: vec![DataType::U32, DataType::U32], output: DataType::U32 };
/// assert_eq!(signature.min_input_bytes(), 8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpSignature {
    /// The type of each input, in the order of the arguments.
    pub inputs: Vec<DataType>,
    /// The type of the result.
    pub output: DataType,
}

impl OpSignature {
    /// Minimum number of bytes of all inputs.
    #[must_use]
    pub fn min_input_bytes(&self) -> usize {
        self.inputs.iter().map(|ty| ty.min_bytes()).sum()
    }
}

impl fmt::Display for OpSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (position, input) in self.inputs.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{input}")?;
        }
        write!(f, ") -> {}", self.output)
    }
}
