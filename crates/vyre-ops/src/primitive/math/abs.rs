//! `primitive.math.abs`: absolute value.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.abs",
    version: 1,
    summary: "The absolute value of the word read as `I32`; 0x80000000 stays as it is.",
    laws: &[Law::Idempotent, Law::Bounded { max: 0x8000_0000 }, Law::AtMost(0)],
    examples: &[
        Example::new(&[0xffff_ffff], 1),
        Example::new(&[0x8000_0000], 0x8000_0000),
        Example::new(&[0x7fff_ffff], 0x7fff_ffff),
    ],
    canonical: program,
    reference: Some(reference),
    ..word::UNARY_OP
};

fn program() -> Program {
    word::unary_program("value", |body, value| {
        let value = body.let_("value", value);
        (&value >> 31u32).select(-&value, &value)
    })
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::unary(arguments, |value| value.cast_signed().wrapping_abs().cast_unsigned())
}
