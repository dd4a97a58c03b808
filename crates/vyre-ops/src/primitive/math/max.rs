//! `primitive.math.max`: larger operand.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.max",
    version: 1,
    summary: "The larger operand, unsigned.",
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
    examples: &[Example::new(&[u32::MAX, 1], u32::MAX)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.max(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.max(right))
}
