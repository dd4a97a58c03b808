//! `primitive.bitwise.not`: one's complement.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.not",
    version: 1,
    summary: "Every bit inverted.",
    laws: &[Law::Involution],
    examples: &[Example::new(&[0xffff_0000], 0x0000_ffff)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| !value)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| !value)
}
