//! `primitive.bitwise.xor`: the bits in which the operands differ.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.xor",
    version: 1,
    summary: "The bits in which the operands differ.",
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Identity(0),
        Law::Diagonal(0),
        Law::UndoneBy("primitive.bitwise.xor"),
    ],
    examples: &[Example::new(&[0b1100, 0b1010], 0b0110)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left ^ right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left ^ right)
}
