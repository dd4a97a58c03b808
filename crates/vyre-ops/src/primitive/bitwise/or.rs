//! `primitive.bitwise.or`: the bits that an operand has.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.or",
    version: 1,
    summary: "The bits that at least one operand has.",
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
    examples: &[Example::new(&[0b1100, 0b1010], 0b1110)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left | right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left | right)
}
