//! `primitive.bitwise.or`: the bits that an operand has.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.or",
    version: 1,
    summary: "The bits that at least one operand has.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Idempotent,
        Law::Identity(0),
        Law::Absorbing(u32::MAX),
        Law::DistributesOver("primitive.bitwise.and"),
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
    word::binary_program(["left", "right"], |_, left, right| left | right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left | right)
}
