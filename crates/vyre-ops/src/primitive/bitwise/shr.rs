//! `primitive.bitwise.shr`: logical shift to the right.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.shr",
    version: 1,
    summary: "The value shifted right by `count & 31` bits, with zeros brought in.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::RightIdentity(0), Law::LeftAbsorbing(0), Law::AtMost(0)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["value", "count"], |_, value, count| value >> count)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, count| value.wrapping_shr(count))
}
