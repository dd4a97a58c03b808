//! `primitive.bitwise.popcount`: number of one bits.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.popcount",
    version: 1,
    summary: "The number of one bits.",
    laws: &[Law::Bounded { max: 32 }, Law::AtMost(0)],
    examples: &[Example::new(&[u32::MAX], 32)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.popcount())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.count_ones())
}
