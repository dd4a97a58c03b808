//! `primitive.math.negate`: two's complement.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.negate",
    version: 1,
    summary: "0 minus the value, modulo 2^32.",
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
    word::unary_program("value", |_, value| -value)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.wrapping_neg())
}
