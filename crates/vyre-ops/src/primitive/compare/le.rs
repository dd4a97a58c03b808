//! `primitive.compare.le`: less than or equal.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.le",
    version: 1,
    summary: "1 where the left operand is at most the right one, unsigned, else 0.",
    laws: &[
        Law::Diagonal(1),
        Law::Bounded { max: 1 },
        Law::ConverseOf("primitive.compare.ge"),
        Law::ComplementOf("primitive.compare.gt"),
    ],
    examples: &[Example::new(&[4, 4], 1)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.le(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left <= right))
}
