//! `primitive.bitwise.shl`: shift to the left.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.shl",
    version: 1,
    summary: "The value shifted left by `count & 31` bits, with zeros brought in.",
    laws: &[Law::RightIdentity(0), Law::LeftAbsorbing(0)],
    examples: &[Example::new(&[1, 31], 0x8000_0000), Example::new(&[3, 33], 6)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["value", "count"], |_, value, count| value << count)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, count| value.wrapping_shl(count))
}
