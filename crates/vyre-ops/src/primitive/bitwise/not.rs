//! `primitive.bitwise.not`: one's complement.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.not",
    version: 1,
    summary: "Every bit inverted.",
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
    word::unary_program("value", |_, value| !value)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| !value)
}
