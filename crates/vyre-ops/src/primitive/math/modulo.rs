//! `primitive.math.mod`: remainder.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.mod",
    version: 1,
    summary: "The unsigned remainder; 0 where the divisor is 0.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::Absorbing(0), Law::Diagonal(0), Law::LeftProjection, Law::AtMost(0), Law::AtMost(1)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["dividend", "divisor"], |_, dividend, divisor| dividend % divisor)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |dividend, divisor| dividend.checked_rem(divisor).unwrap_or(0))
}
