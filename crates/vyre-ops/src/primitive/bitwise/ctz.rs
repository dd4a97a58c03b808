//! `primitive.bitwise.ctz`: number of trailing zero bits.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.ctz",
    version: 1,
    summary: "The number of zero bits below the lowest one bit; 32 for 0.",
    laws: &[Law::Bounded { max: 32 }],
    examples: &[Example::new(&[0], 32), Example::new(&[0x8000_0000], 31)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.ctz())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.trailing_zeros())
}
