//! `primitive.math.min`: smaller operand.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.min",
    version: 1,
    summary: "The smaller operand, unsigned.",
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Idempotent,
        Law::Identity(u32::MAX),
        Law::Absorbing(0),
        Law::DistributesOver("primitive.math.max"),
        Law::AtMost(0),
        Law::AtMost(1),
    ],
    examples: &[Example::new(&[u32::MAX, 1], 1)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.min(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.min(right))
}
