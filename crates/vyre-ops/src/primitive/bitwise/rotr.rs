//! `primitive.bitwise.rotr`: rotation to the right.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.rotr",
    version: 1,
    summary: "The value rotated right by `count & 31` bits.",
    laws: &[
        Law::RightIdentity(0),
        Law::LeftAbsorbing(0),
        Law::LeftAbsorbing(u32::MAX),
        Law::UndoneBy("primitive.bitwise.rotl"),
    ],
    examples: &[Example::new(&[0x8000_0001, 4], 0x1800_0000), Example::new(&[0x1234_5678, 0], 0x1234_5678)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["value", "count"], |body, value, count| {
        let value = body.let_("value", value);
        let count = body.let_("count", count);
        // Shifts count modulo 32, so this holds for a count of 0 and for counts from 32 on.
        (&value >> &count) | (&value << (32u32 - &count))
    })
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, count| value.rotate_right(count & 31))
}
