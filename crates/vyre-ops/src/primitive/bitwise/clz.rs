//! `primitive.bitwise.clz`: number of leading zero bits.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.clz",
    version: 1,
    summary: "The number of zero bits above the highest one bit; 32 for 0.",
    inputs: word::UNARY,
    output: DataType::U32,
    laws: &[Law::Bounded { max: 32 }],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.clz())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.leading_zeros())
}
