//! `primitive.bitwise.shr`: logical shift to the right.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.shr",
    version: 1,
    summary: "The value shifted right by `count & 31` bits, with zeros brought in.",
    laws: &[Law::RightIdentity(0), Law::LeftAbsorbing(0), Law::AtMost(0)],
    examples: &[Example::new(&[0x8000_0000, 31], 1), Example::new(&[6, 33], 3)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["value", "count"], |_, value, count| value >> count)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, count| value.wrapping_shr(count))
}
