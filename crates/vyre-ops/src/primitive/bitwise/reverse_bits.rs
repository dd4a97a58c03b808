//! `primitive.bitwise.reverse_bits`: the bits in reverse.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.reverse_bits",
    version: 1,
    summary: "Bit i becomes bit 31 - i.",
    inputs: word::UNARY,
    output: DataType::U32,
    laws: &[Law::Involution],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.reverse_bits())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.reverse_bits())
}
