//! `primitive.math.abs_diff`: distance.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.abs_diff",
    version: 1,
    summary: "The distance of the operands, unsigned.",
    laws: &[Law::Commutative, Law::Identity(0), Law::Diagonal(0)],
    examples: &[Example::new(&[1, u32::MAX], 0xffff_fffe)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.abs_diff(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.abs_diff(right))
}
