//! `primitive.compare.ge`: greater than or equal.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.ge",
    version: 1,
    summary: "1 where the left operand is at least the right one, unsigned, else 0.",
    laws: &[
        Law::Diagonal(1),
        Law::Bounded { max: 1 },
        Law::ConverseOf("primitive.compare.le"),
        Law::ComplementOf("primitive.compare.lt"),
    ],
    examples: &[Example::new(&[3, 4], 0)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.ge(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left >= right))
}
