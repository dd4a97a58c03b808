//! `primitive.math.div`: quotient.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.div",
    version: 1,
    summary: "The unsigned quotient, rounded down; 0 where the divisor is 0.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::RightIdentity(1), Law::Absorbing(0), Law::AtMost(0)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["dividend", "divisor"], |_, dividend, divisor| dividend / divisor)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |dividend, divisor| dividend.checked_div(divisor).unwrap_or(0))
}
