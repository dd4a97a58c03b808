//! `primitive.compare.logical_not`: logical negation.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.logical_not",
    version: 1,
    summary: "1 for 0, else 0.",
    inputs: word::UNARY,
    output: DataType::U32,
    laws: &[Law::Bounded { max: 1 }],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.is_zero())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| u32::from(value == 0))
}
