//! `primitive.bitwise.extract_bits`: a field of bits.
//!
//! `extract_bits(value, packed)`: bits 0 to 4 of `packed` are the offset, bits 5 to 9 the count; the others are
//! ignored. A field that reaches beyond bit 31 ends there, and a count of 0 gives 0.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.extract_bits",
    version: 1,
    summary: "`(packed >> 5) & 31` bits of the value from bit `packed & 31` on, moved to bit 0.",
    laws: &[Law::Absorbing(0), Law::Bounded { max: 0x7fff_ffff }, Law::AtMost(0)],
    examples: &[
        // Offset 8, count 12.
        Example::new(&[0x1234_5678, 12 << 5 | 8], 0x456),
        // Offset 24, count 31: only 8 bits are left.
        Example::new(&[0x1234_5678, 31 << 5 | 24], 0x12),
        // A count of 0; bits from 10 on are ignored.
        Example::new(&[u32::MAX, 4], 0),
        Example::new(&[0x1234_5678, 0xffff_fc00 | 8 << 5], 0x78),
    ],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
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
