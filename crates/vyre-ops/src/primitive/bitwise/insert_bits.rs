//! `primitive.bitwise.insert_bits`: replacement of a field of bits.
//!
//! `insert_bits(packed, original)`: bits 0 to 4 of `packed` are the offset, bits 5 to 9 the count, bits 10 to 31 the
//! new bits. Counts beyond 22 insert zeros above them. A field that reaches beyond bit 31 ends there, and a count of 0
//! changes nothing.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.bitwise.insert_bits",
    version: 1,
    summary: "`packed >> 10` put over `(packed >> 5) & 31` bits of the original from bit `packed & 31` on.",
    laws: &[Law::LeftIdentity(0), Law::RightProjection],
    examples: &[
        // Offset 8, count 12, new bits 0xabc.
        Example::new(&[0xabc << 10 | 12 << 5 | 8, 0x1234_5678], 0x123a_bc78),
        // New bits beyond the count and beyond bit 31 are dropped.
        Example::new(&[0xfff << 10 | 4 << 5 | 8, 0], 0xf00),
        Example::new(&[0x3 << 10 | 2 << 5 | 31, 0], 0x8000_0000),
        // A count of 0; a count beyond the 22 new bits.
        Example::new(&[0xffff_fc00, 0x1234_5678], 0x1234_5678),
        Example::new(&[0xffff_fc00 | 31 << 5, u32::MAX], 0x803f_ffff),
    ],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["packed", "original"], |body, packed, original| {
        let packed = body.let_("packed", packed);
        let offset = body.let_("offset", &packed & 31u32);
        let count = (&packed >> 5u32) & 31u32;
        let mask = body.let_("mask", ((1u32 << count) - 1u32) << &offset);
        (original & !&mask) | (((&packed >> 10u32) << &offset) & &mask)
    })
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |packed, original| {
        let (offset, count, new_bits) = (packed % 32, packed / 32 % 32, packed / 1024);
        (0..32).fold(0, |result, bit| {
            let inserted = bit >= offset && bit - offset < count;
            let source = if inserted { new_bits >> (bit - offset) } else { original >> bit };
            result | (source & 1) << bit
        })
    })
}
