//! `primitive.compare.eq`: equality.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.eq",
    version: 1,
    summary: "1 where the operands are equal, else 0.",
    laws: &[Law::Diagonal(1), Law::Bounded { max: 1 }, Law::Commutative, Law::ComplementOf("primitive.compare.ne")],
    examples: &[Example::new(&[4, 4], 1)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.eq(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left == right))
}
