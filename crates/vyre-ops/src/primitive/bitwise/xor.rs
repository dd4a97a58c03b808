//! `primitive.bitwise.xor`: the bits in which the operands differ.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.xor",
    version: 1,
    summary: "The bits in which the operands differ.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Identity(0),
        Law::Diagonal(0),
        Law::UndoneBy("primitive.bitwise.xor"),
    ],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left ^ right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left ^ right)
}
