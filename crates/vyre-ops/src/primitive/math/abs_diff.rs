//! `primitive.math.abs_diff`: distance.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.abs_diff",
    version: 1,
    summary: "The distance of the operands, unsigned.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::Commutative, Law::Identity(0), Law::Diagonal(0)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.abs_diff(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.abs_diff(right))
}
