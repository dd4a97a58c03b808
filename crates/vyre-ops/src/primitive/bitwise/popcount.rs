//! `primitive.bitwise.popcount`: number of one bits.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.popcount",
    version: 1,
    summary: "The number of one bits.",
    inputs: word::UNARY,
    output: DataType::U32,
    laws: &[Law::Bounded { max: 32 }, Law::AtMost(0)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.popcount())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.count_ones())
}
