//! `primitive.bitwise.reverse_bits`: the bits in reverse.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.reverse_bits",
    version: 1,
    summary: "Bit i becomes bit 31 - i.",
    laws: &[Law::Involution],
    examples: &[Example::new(&[1], 0x8000_0000)],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |_, value| value.reverse_bits())
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.reverse_bits())
}
