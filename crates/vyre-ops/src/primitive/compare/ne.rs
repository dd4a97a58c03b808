//! `primitive.compare.ne`: inequality.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.ne",
    version: 1,
    summary: "1 where the operands differ, else 0.",
    laws: &[Law::Diagonal(0), Law::Bounded { max: 1 }, Law::Commutative, Law::ComplementOf("primitive.compare.eq")],
    examples: &[Example::new(&[4, 4], 0)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.ne(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left != right))
}
