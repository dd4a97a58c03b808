//! `primitive.math.mul`: product.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.mul",
    version: 1,
    summary: "The product modulo 2^32.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[
        Law::Commutative,
        Law::Associative,
        Law::Identity(1),
        Law::Absorbing(0),
        Law::DistributesOver("primitive.math.add"),
        Law::DistributesOver("primitive.math.sub"),
    ],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["left", "right"], |_, left, right| left * right)
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |left, right| left.wrapping_mul(right))
}
