//! `primitive.bitwise.and`: the bits that both operands have.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.and",
    version: 1,
    summary: "The bits that both operands have.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Idempotent,
        Law::Identity(u32::MAX),
        Law::Absorbing(0),
        Law::DistributesOver("primitive.bitwise.or"),
        Law::DistributesOver("primitive.bitwise.xor"),
        Law::AtMost(0),
        Law::AtMost(1),
    ],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left & right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left & right)
}
