//! `checksum.adler32`: Adler-32, the checksum of zlib streams (RFC 1950, section 8.2).
//!
//! The low half is 1 plus the sum of the bytes, the high half the sum of all low halves, modulo 65,521. Of `N` invocations, each sums
//! every `N`th word: the bytes, and their sums so far, which weight a byte by the number of rows after it. The weight within a row is
//! added in the end. Zeros before the range count nothing, so the range is padded at its front to a multiple of `N` words.

use vyre_ir::Program;
use vyre_ir::ReduceOp;
use vyre_ir::build::{Body, ProgramBuilder, Var, local_id, reduce};

use super::range::{Buffers, Range};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "checksum.adler32",
    summary: "Adler-32 of ranges of bytes, as in zlib.",
    canonical: || program(1),
    alternatives: &[
        ProgramVariant { name: "cooperative_32", build: || program(32) },
        ProgramVariant { name: "cooperative_256", build: || program(256) },
    ],
    ..BUFFER_OP
};

/// The largest prime below 2^16.
const MODULUS: u32 = 65_521;

/// Number of rows after which sums are reduced: `65_521 * 2_048 + 1_020 * 2_048^2 / 2` and what is there before is below 2^32.
const ROWS_WITHOUT_REDUCTION: u32 = 2_048;

/// Sums of the words of an invocation.
struct Sums {
    /// Sum of the bytes.
    bytes: Var,
    /// Sum of the sums after each row.
    rows: Var,
    /// Sum of the bytes, each weighted by its position in its word.
    positions: Var,
}

impl Sums {
    /// Adds a word.
    fn add(&self, b: &mut Body<'_>, word: &Var) {
        let even = b.let_("even", word & 0x00ff_00ffu32);
        let odd = b.let_("odd", (word >> 8u32) & 0x00ff_00ffu32);
        let both = b.let_("both", &even + &odd);
        b.assign(&self.bytes, &self.bytes + ((&both + (&both >> 16u32)) & 0xffffu32));
        b.assign(&self.rows, &self.rows + &self.bytes);
        let weighted = (&odd & 0xffffu32) + ((&even >> 16u32) << 1u32) + (&odd >> 16u32) * 3u32;
        b.assign(&self.positions, &self.positions + weighted);
    }

    /// Reduces all sums.
    fn reduce(&self, b: &mut Body<'_>) {
        for sum in [&self.bytes, &self.rows, &self.positions] {
            b.assign(sum, sum % MODULUS);
        }
    }
}

/// Builds the program for workgroups of this number of invocations.
fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    p.entry(|b| {
        let range = buffers.open(b);
        let own = b.let_("own", local_id(0) << 2u32);
        let row = 4 * invocations;
        let rows = b.let_("rows", &range.size / row + (&range.size % row).ne(0u32));
        let padding = b.let_("padding", &rows * row - &range.size);
        let [bytes, row_sums, positions] = ["bytes", "row_sums", "positions"].map(|name| b.let_(name, 0u32));
        let sums = Sums { bytes, rows: row_sums, positions };
        let first = first_word(b, &buffers, &range, &padding, &own);
        b.if_(&rows, |b| sums.add(b, &first));
        let begin = b.let_("regular", &range.begin + &own - &padding);
        b.for_("part", 0u32, &rows / ROWS_WITHOUT_REDUCTION + 1u32, |b, part| {
            let from = b.let_("from", part * ROWS_WITHOUT_REDUCTION);
            let count = b.let_("count", (&rows - &from).min(ROWS_WITHOUT_REDUCTION));
            b.for_("step", part.is_zero(), &count, |b, step| {
                let word = b.load_word(&buffers.data, &begin + (&from + step) * row);
                sums.add(b, &word);
            });
            sums.reduce(b);
        });
        // A byte counts once for each row from its own to the last, less its position in the row.
        let less = b.let_("less", (&own * &sums.bytes + &sums.positions) % MODULUS);
        let high = b.let_("high", (&sums.rows * row + MODULUS - &less) % MODULUS);
        let [low, high] = [&sums.bytes, &high].map(|sum| match invocations {
            1 => b.let_("all", sum),
            _ => b.let_("all", reduce(ReduceOp::Add, sum)),
        });
        let low = b.let_("low", (&low + 1u32) % MODULUS);
        let high = b.let_("sum", (&high + &range.size % MODULUS) % MODULUS);
        buffers.finish(b, &range, (&high << 16u32) | &low, 0u32);
    })
}

/// The word of the first row at a byte position, where it may contain padding.
fn first_word(b: &mut Body<'_>, buffers: &Buffers, range: &Range, padding: &Var, place: &Var) -> Var {
    let word = b.let_("word", 0u32);
    b.if_else(
        place.ge(padding),
        |b| {
            let bytes = b.load_word(&buffers.data, &range.begin + place - padding);
            b.assign(&word, &bytes);
        },
        |b| {
            let missing = b.let_("missing", padding - place);
            b.if_(missing.lt(4u32), |b| {
                let bytes = b.load_word(&buffers.data, &range.begin);
                b.assign(&word, &bytes << (&missing << 3u32));
            });
        },
    );
    word
}

/// Host reference of `checksum.adler32`.
#[must_use]
pub fn adler32_on_host(data: &[u8]) -> u32 {
    let (mut low, mut high) = (1u32, 0u32);
    for &byte in data {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 16 | low
}
