//! `primitive.math.max`: larger operand.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.max",
    version: 1,
    summary: "The larger operand, unsigned.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Idempotent,
        Law::Identity(0),
        Law::Absorbing(u32::MAX),
        Law::DistributesOver("primitive.math.min"),
        Law::AtLeast(0),
        Law::AtLeast(1),
    ],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.max(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.max(right))
}
