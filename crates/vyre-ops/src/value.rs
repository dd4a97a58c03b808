//! Arguments and results of host references.

use std::fmt;

use vyre_ir::DataType;
use vyre_ir::spelling::counted;

/// A value of one of the types that expressions have.
///
/// ```
/// use vyre_ir::DataType;
/// use vyre_ops::Value;
///
/// let value = Value::U64(0x1_0000_0002);
/// assert_eq!(value.to_words(), [2, 1]);
/// assert_eq!(Value::from_words(DataType::U64, &[2, 1]), Ok(value));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A `U32`.
    U32(u32),
    /// An `I32`.
    I32(i32),
    /// A `Bool`.
    Bool(bool),
    /// A `U64`.
    U64(u64),
    /// A `Vec2U32`, component 0 first.
    Vec2U32([u32; 2]),
    /// A `Vec4U32`, component 0 first.
    Vec4U32([u32; 4]),
}

/// A mismatch between values and a type or a signature. The caller's fault, unless the variant says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// The number of arguments is wrong.
    ArgumentCount {
        /// Number of inputs of the op.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// The type of an argument differs from the signature.
    ArgumentType {
        /// Position of the argument, from 0.
        position: usize,
        /// The type in the signature.
        expected: DataType,
        /// The type of the argument.
        found: DataType,
    },
    /// The type of the result of a reference differs from the signature. The fault of the op.
    ResultType {
        /// The type in the signature.
        expected: DataType,
        /// The type of the result.
        found: DataType,
    },
    /// The number of bytes differs from the size of the type.
    Size {
        /// The type.
        ty: DataType,
        /// Number of bytes.
        found: usize,
    },
    /// No value has this type.
    NotAValueType {
        /// The type.
        ty: DataType,
    },
    /// The op is an op over buffers and takes no values.
    OverBuffers,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::ArgumentCount { expected, found } => {
                write!(f, "the op takes {} and got {found}", counted(expected, "argument"))
            }
            ValueError::ArgumentType { position, expected, found } => {
                write!(f, "argument {position} is `{found}` where the op takes `{expected}`")
            }
            ValueError::ResultType { expected, found } => {
                write!(f, "the result is `{found}` where the signature says `{expected}`")
            }
            ValueError::Size { ty, found } => {
                write!(f, "a value of type `{ty}` has {} bytes, not {found}", ty.min_bytes())
            }
            ValueError::NotAValueType { ty } => write!(f, "`{ty}` is not the type of a value"),
            ValueError::OverBuffers => write!(f, "the op works on buffers and takes no values"),
        }
    }
}

impl std::error::Error for ValueError {}

impl Value {
    /// The type of the value.
    #[must_use]
    pub const fn data_type(&self) -> DataType {
        match self {
            Value::U32(_) => DataType::U32,
            Value::I32(_) => DataType::I32,
            Value::Bool(_) => DataType::Bool,
            Value::U64(_) => DataType::U64,
            Value::Vec2U32(_) => DataType::Vec2U32,
            Value::Vec4U32(_) => DataType::Vec4U32,
        }
    }

    /// Words of the value in a buffer, the lowest first.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        match *self {
            Value::U32(value) => vec![value],
            Value::I32(value) => vec![value.cast_unsigned()],
            Value::Bool(value) => vec![u32::from(value)],
            Value::U64(value) => vec![value as u32, (value >> 32) as u32],
            Value::Vec2U32(components) => components.to_vec(),
            Value::Vec4U32(components) => components.to_vec(),
        }
    }

    /// Decodes a value of a type from words. As in a load, a `Bool` other than 0 is true.
    ///
    /// # Errors
    ///
    /// The number of words differs from the size of the type, or no value has this type.
    pub fn from_words(ty: DataType, words: &[u32]) -> Result<Value, ValueError> {
        match (ty, words) {
            (DataType::U32, &[word]) => Ok(Value::U32(word)),
            (DataType::I32, &[word]) => Ok(Value::I32(word.cast_signed())),
            (DataType::Bool, &[word]) => Ok(Value::Bool(word != 0)),
            (DataType::U64, &[low, high]) => Ok(Value::U64(u64::from(high) << 32 | u64::from(low))),
            (DataType::Vec2U32, &[x, y]) => Ok(Value::Vec2U32([x, y])),
            (DataType::Vec4U32, &[x, y, z, w]) => Ok(Value::Vec4U32([x, y, z, w])),
            _ if ty.min_bytes() == 0 => Err(ValueError::NotAValueType { ty }),
            _ => Err(ValueError::Size { ty, found: words.len().saturating_mul(4) }),
        }
    }

    /// Bytes of the value in a buffer: its words, each little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_words().into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// Decodes a value of a type from bytes.
    ///
    /// # Errors
    ///
    /// The number of bytes differs from the size of the type, or no value has this type.
    pub fn from_bytes(ty: DataType, bytes: &[u8]) -> Result<Value, ValueError> {
        let (words, rest) = bytes.as_chunks::<4>();
        if ty.min_bytes() != 0 && (!rest.is_empty() || bytes.len() != ty.min_bytes()) {
            return Err(ValueError::Size { ty, found: bytes.len() });
        }
        let words: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
        Value::from_words(ty, &words)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::U32(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::I32(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Value {
        Value::U64(value)
    }
}

impl From<[u32; 2]> for Value {
    fn from(components: [u32; 2]) -> Value {
        Value::Vec2U32(components)
    }
}

impl From<[u32; 4]> for Value {
    fn from(components: [u32; 4]) -> Value {
        Value::Vec4U32(components)
    }
}
