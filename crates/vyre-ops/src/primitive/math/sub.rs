//! `primitive.math.sub`: difference.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.sub",
    version: 1,
    summary: "The difference modulo 2^32.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::RightIdentity(0), Law::Diagonal(0), Law::UndoneBy("primitive.math.add")],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left - right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.wrapping_sub(right))
}
