//! `primitive.compare.select`: a value or nothing.
//!
//! `select(value, cond)`: the value comes first, the condition second.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.select",
    version: 1,
    summary: "The value where the condition is not 0, else 0.",
    laws: &[
        Law::Associative,
        Law::Idempotent,
        Law::RightIdentity(1),
        Law::RightIdentity(u32::MAX),
        Law::Absorbing(0),
        Law::AtMost(0),
    ],
    examples: &[Example::new(&[7, 0x8000_0000], 7), Example::new(&[7, 0], 0)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["value", "cond"], |_, value, cond| cond.select(value, 0u32))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, cond| if cond == 0 { 0 } else { value })
}
