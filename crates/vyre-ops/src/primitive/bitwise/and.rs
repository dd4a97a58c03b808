//! `primitive.bitwise.and`: the bits that both operands have.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.and",
    version: 1,
    summary: "The bits that both operands have.",
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
    examples: &[Example::new(&[0b1100, 0b1010], 0b1000)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left & right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left & right)
}
