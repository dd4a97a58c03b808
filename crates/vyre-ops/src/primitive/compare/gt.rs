//! `primitive.compare.gt`: greater than.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.gt",
    version: 1,
    summary: "1 where the left operand is greater than the right one, unsigned, else 0.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Diagonal(0),
        Law::Bounded { max: 1 },
        Law::LeftAbsorbing(0),
        Law::ConverseOf("primitive.compare.lt"),
        Law::ComplementOf("primitive.compare.le"),
        Law::AtMost(0),
    ],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.gt(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left > right))
}
