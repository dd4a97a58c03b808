//! `primitive.math.negate`: two's complement.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.negate",
    version: 1,
    summary: "0 minus the value, modulo 2^32.",
    laws: &[Law::Involution],
    examples: &[Example::new(&[1], u32::MAX), Example::new(&[0x8000_0000], 0x8000_0000)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| -value)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.wrapping_neg())
}
