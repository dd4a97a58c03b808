//! `primitive.math.add`: sum.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.add",
    version: 1,
    summary: "The sum modulo 2^32.",
    laws: &[Law::Commutative, Law::Associative, Law::Identity(0), Law::UndoneBy("primitive.math.sub")],
    examples: &[Example::new(&[u32::MAX, 2], 1)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left + right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.wrapping_add(right))
}
