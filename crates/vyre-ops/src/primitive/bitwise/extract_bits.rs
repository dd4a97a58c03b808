//! `primitive.bitwise.extract_bits`: a field of bits.
//!
//! `extract_bits(value, packed)`: bits 0 to 4 of `packed` are the offset, bits 5 to 9 the count; the others are
//! ignored. A field that reaches beyond bit 31 ends there, and a count of 0 gives 0.

use vyre_ir::{DataType, Program};

use crate::primitive::word;
use crate::{Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.extract_bits",
    version: 1,
    summary: "`(packed >> 5) & 31` bits of the value from bit `packed & 31` on, moved to bit 0.",
    inputs: word::BINARY,
    output: DataType::U32,
    laws: &[Law::Absorbing(0), Law::Bounded { max: 0x7fff_ffff }, Law::AtMost(0)],
    inlinable: true,
    canonical: program,
    stages: &[],
    alternatives: &[],
    reference: Some(reference),
};

fn program() -> Program {
    word::binary_program(["value", "packed"], |body, value, packed| {
        let packed = body.let_("packed", packed);
        let offset = &packed & 31u32;
        let count = (&packed >> 5u32) & 31u32;
        let mask = (1u32 << count) - 1u32;
        (value >> offset) & mask
    })
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, packed| {
        let (offset, count) = (packed % 32, packed / 32 % 32);
        let field = (u64::from(value) >> offset) % (1 << count);
        field as u32
    })
}
