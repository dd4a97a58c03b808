//! `primitive.compare.lt`: less than.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.compare.lt",
    version: 1,
    summary: "1 where the left operand is less than the right one, unsigned, else 0.",
    laws: &[
        Law::Diagonal(0),
        Law::Bounded { max: 1 },
        Law::RightAbsorbing(0),
        Law::ConverseOf("primitive.compare.gt"),
        Law::ComplementOf("primitive.compare.ge"),
        Law::AtMost(1),
    ],
    examples: &[Example::new(&[1, 0x8000_0000], 1)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left.lt(right))
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| u32::from(left < right))
}
