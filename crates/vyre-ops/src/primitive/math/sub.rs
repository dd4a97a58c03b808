//! `primitive.math.sub`: difference.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.sub",
    version: 1,
    summary: "The difference modulo 2^32.",
    laws: &[Law::RightIdentity(0), Law::Diagonal(0), Law::UndoneBy("primitive.math.add")],
    examples: &[Example::new(&[1, 2], u32::MAX)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left - right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.wrapping_sub(right))
}
