//! `primitive.math.mul`: product.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.mul",
    version: 1,
    summary: "The product modulo 2^32.",
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Identity(1),
        Law::Absorbing(0),
        Law::DistributesOver("primitive.math.add"),
        Law::DistributesOver("primitive.math.sub"),
    ],
    examples: &[Example::new(&[0x1_0001, 0x1_0001], 0x0002_0001)],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left * right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.wrapping_mul(right))
}
