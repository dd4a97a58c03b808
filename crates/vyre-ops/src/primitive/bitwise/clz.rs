//! `primitive.bitwise.clz`: number of leading zero bits.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.clz",
    version: 1,
    summary: "The number of zero bits above the highest one bit; 32 for 0.",
    laws: &[Law::Bounded { max: 32 }],
    examples: &[Example::new(&[0], 32), Example::new(&[1], 31)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.clz())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.leading_zeros())
}
