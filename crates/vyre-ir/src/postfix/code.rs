//! Codes of statements and expressions and numbers of operators and types. The wire format stores them, so they are
//! permanent: a new one is appended, and no number is changed or reused.

use crate::{AtomicOp, AtomicScope, BinOp, BufferAccess, DataType, ReduceOp, UnOp};

/// Declares the codes of statements and expressions.
macro_rules! codes {
    ($($name:ident = $value:literal,)+) => {
        $(pub(crate) const $name: u8 = $value;)+
    };
}

codes! {
    END = 0x00,
    LET = 0x01,
    ASSIGN = 0x02,
    STORE = 0x03,
    IF = 0x04,
    LOOP = 0x05,
    RETURN = 0x06,
    BLOCK = 0x07,
    BARRIER = 0x08,
    BREAK = 0x09,
    LIT_U32 = 0x20,
    LIT_I32 = 0x21,
    LIT_FALSE = 0x22,
    LIT_TRUE = 0x23,
    VAR = 0x24,
    LOAD = 0x25,
    BUF_LEN = 0x26,
    INVOCATION_ID = 0x27,
    WORKGROUP_ID = 0x28,
    LOCAL_ID = 0x29,
    NUM_WORKGROUPS = 0x2a,
    BIN_OP = 0x2b,
    UN_OP = 0x2c,
    CALL = 0x2d,
    SELECT = 0x2e,
    CAST = 0x2f,
    ATOMIC = 0x30,
    EXTRACT = 0x31,
    PACK = 0x32,
    BROADCAST = 0x33,
    SHUFFLE = 0x34,
    REDUCE = 0x35,
    SCAN_EXCLUSIVE = 0x36,
    SCAN_INCLUSIVE = 0x37,
    BALLOT = 0x38,
    WORKGROUP_ATOMIC = 0x39,
}

/// True for the codes that a name follows.
pub(crate) const fn has_name(code: u8) -> bool {
    matches!(code, LET | ASSIGN | STORE | LOOP | VAR | LOAD | BUF_LEN | CALL | ATOMIC | WORKGROUP_ATOMIC)
}

/// True for the codes that the number of an operator or type follows.
pub(crate) const fn has_detail(code: u8) -> bool {
    matches!(code, BIN_OP | UN_OP | CAST | ATOMIC | WORKGROUP_ATOMIC | PACK | REDUCE | SCAN_EXCLUSIVE | SCAN_INCLUSIVE)
}

/// Code of an atomic.
pub(crate) const fn atomic(scope: AtomicScope) -> u8 {
    match scope {
        AtomicScope::Storage => ATOMIC,
        AtomicScope::Workgroup => WORKGROUP_ATOMIC,
    }
}

/// Flags of an atomic.
pub(crate) const HAS_EXPECTED: u8 = 1;
pub(crate) const HAS_VALUE: u8 = 2;

/// Flag of a buffer.
pub(crate) const IS_OUTPUT: u8 = 1;

/// A value that is encoded as one byte.
pub(crate) trait Coded: Copy + PartialEq + 'static {
    /// Every value and its number.
    const NUMBERS: &'static [(Self, u8)];

    fn number(self) -> u8 {
        Self::NUMBERS.iter().find(|(value, _)| *value == self).map_or(u8::MAX, |(_, number)| *number)
    }

    fn from_number(number: u8) -> Option<Self> {
        // Numbers are positions in their table, unless a table has a gap.
        let at_position = Self::NUMBERS.get(usize::from(number)).filter(|(_, candidate)| *candidate == number);
        let found = at_position.or_else(|| Self::NUMBERS.iter().find(|(_, candidate)| *candidate == number));
        found.map(|(value, _)| *value)
    }
}

impl Coded for DataType {
    const NUMBERS: &'static [(DataType, u8)] = &[
        (DataType::U32, 0),
        (DataType::I32, 1),
        (DataType::U64, 2),
        (DataType::Vec2U32, 3),
        (DataType::Vec4U32, 4),
        (DataType::Bool, 5),
        (DataType::Bytes, 6),
    ];
}

impl Coded for BufferAccess {
    const NUMBERS: &'static [(BufferAccess, u8)] = &[
        (BufferAccess::ReadOnly, 0),
        (BufferAccess::ReadWrite, 1),
        (BufferAccess::Uniform, 2),
        (BufferAccess::Workgroup, 3),
    ];
}

/// Takes the numbers of operators from their declarations.
macro_rules! operator_numbers {
    ($($operator:ty),+) => {
        $(
            impl Coded for $operator {
                const NUMBERS: &'static [($operator, u8)] = <$operator>::WIRE_NUMBERS;
            }
        )+
    };
}

operator_numbers!(BinOp, UnOp, AtomicOp, ReduceOp);

#[cfg(test)]
mod tests {
    use super::*;

    fn covers<T: Coded + std::fmt::Debug>(all: &[T]) {
        assert_eq!(all.len(), T::NUMBERS.len());
        for &value in all {
            assert_eq!(T::from_number(value.number()), Some(value));
        }
    }

    #[test]
    fn every_value_has_a_unique_number() {
        covers(&DataType::ALL);
        covers(&BufferAccess::ALL);
        covers(BinOp::ALL);
        covers(UnOp::ALL);
        covers(AtomicOp::ALL);
        covers(ReduceOp::ALL);
    }
}
