//! Values, operators and casts.

use vyre_ir::{BinOp, DataType, ReduceOp, UnOp};

/// Value of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    U32(u32),
    I32(i32),
    Bool(bool),
    U64([u32; 2]),
    Vec2([u32; 2]),
    Vec4([u32; 4]),
}

impl Value {
    /// Zero of a type. No value has type bytes.
    pub(super) fn zero(ty: DataType) -> Value {
        Value::from_words(ty, [0; 4])
    }

    /// Value with these words in memory.
    pub(super) fn from_words(ty: DataType, words: [u32; 4]) -> Value {
        let [a, b, _, _] = words;
        match ty {
            DataType::I32 => Value::I32(a.cast_signed()),
            DataType::Bool => Value::Bool(a != 0),
            DataType::U64 => Value::U64([a, b]),
            DataType::Vec2U32 => Value::Vec2([a, b]),
            DataType::Vec4U32 => Value::Vec4(words),
            _ => Value::U32(a),
        }
    }

    /// Words of the value in memory; those beyond its size are 0.
    pub(super) fn words(self) -> [u32; 4] {
        match self {
            Value::U32(a) => [a, 0, 0, 0],
            Value::I32(a) => [a.cast_unsigned(), 0, 0, 0],
            Value::Bool(a) => [u32::from(a), 0, 0, 0],
            Value::U64([a, b]) | Value::Vec2([a, b]) => [a, b, 0, 0],
            Value::Vec4(words) => words,
        }
    }

    /// Value of a `U32` operand. Validation guarantees the type.
    pub(super) fn u32(self) -> u32 {
        self.words()[0]
    }

    /// True if a condition holds.
    pub(super) fn holds(self) -> bool {
        self.words().iter().any(|&word| word != 0)
    }

    pub(super) fn cast(self, target: DataType) -> Value {
        let words = self.words();
        let first = words[0];
        match target {
            DataType::I32 => Value::I32(first.cast_signed()),
            DataType::Bool => Value::Bool(self.holds()),
            DataType::U64 => match self {
                Value::I32(value) => Value::U64([first, if value < 0 { u32::MAX } else { 0 }]),
                _ => Value::U64([words[0], words[1]]),
            },
            DataType::Vec2U32 => match self {
                Value::U32(_) | Value::I32(_) | Value::Bool(_) => Value::Vec2([first; 2]),
                _ => Value::Vec2([words[0], words[1]]),
            },
            DataType::Vec4U32 => match self {
                Value::Vec4(_) => self,
                _ => Value::Vec4([first; 4]),
            },
            _ => Value::U32(first),
        }
    }
}

pub(super) fn binary(op: BinOp, a: u32, b: u32) -> u32 {
    match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div => a.checked_div(b).unwrap_or(0),
        BinOp::Mod => a.checked_rem(b).unwrap_or(0),
        BinOp::BitAnd => a & b,
        BinOp::BitOr => a | b,
        BinOp::BitXor => a ^ b,
        BinOp::Shl => a << (b & 31),
        BinOp::Shr => a >> (b & 31),
        BinOp::Eq => u32::from(a == b),
        BinOp::Ne => u32::from(a != b),
        BinOp::Lt => u32::from(a < b),
        BinOp::Gt => u32::from(a > b),
        BinOp::Le => u32::from(a <= b),
        BinOp::Ge => u32::from(a >= b),
        BinOp::And => u32::from(a != 0 && b != 0),
        BinOp::Or => u32::from(a != 0 || b != 0),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::AbsDiff => a.abs_diff(b),
        BinOp::MulHi => ((u64::from(a) * u64::from(b)) >> 32) as u32,
    }
}

pub(super) fn unary(op: UnOp, a: u32) -> u32 {
    match op {
        UnOp::Negate => a.wrapping_neg(),
        UnOp::BitNot => !a,
        UnOp::LogicalNot => u32::from(a == 0),
        UnOp::Popcount => a.count_ones(),
        UnOp::Clz => a.leading_zeros(),
        UnOp::Ctz => a.trailing_zeros(),
        UnOp::ReverseBits => a.reverse_bits(),
    }
}

pub(super) fn combine(op: ReduceOp, a: u32, b: u32) -> u32 {
    match op {
        ReduceOp::Add => a.wrapping_add(b),
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
        ReduceOp::And => a & b,
        ReduceOp::Or => a | b,
        ReduceOp::Xor => a ^ b,
    }
}
