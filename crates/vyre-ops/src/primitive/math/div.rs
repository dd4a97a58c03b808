//! `primitive.math.div`: quotient.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.div",
    version: 1,
    summary: "The unsigned quotient, rounded down; 0 where the divisor is 0.",
    laws: &[Law::RightIdentity(1), Law::Absorbing(0), Law::AtMost(0)],
    examples: &[Example::new(&[7, 2], 3), Example::new(&[7, 0], 0)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["dividend", "divisor"], |_, dividend, divisor| dividend / divisor)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |dividend, divisor| dividend.checked_div(divisor).unwrap_or(0))
}
