//! `primitive.compare.logical_not`: logical negation.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.logical_not",
    version: 1,
    summary: "1 for 0, else 0.",
    laws: &[Law::Bounded { max: 1 }],
    examples: &[Example::new(&[0], 1), Example::new(&[9], 0)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.is_zero())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| u32::from(value == 0))
}
