//! `checksum.crc32`: CRC-32 of gzip, zip and PNG (RFC 1952; reflected polynomial `0xedb88320`).
//!
//! A CRC is the remainder of a polynomial over GF(2), so the words of a range are distributed over the invocations and the remainders
//! are added (Walma, "Pipelined cyclic redundancy check calculation", 2007). Of `N` invocations, each takes every `N`th word: its state is
//! multiplied by `x^(32 N)` for each word, by eight lookups in tables of nibbles in workgroup memory. In the end each state is multiplied
//! by the power that its last word lacks.
//!
//! Zeros before a message change no remainder of the state 0. So the range is padded at its front to a multiple of `N` words, and the
//! initial state is a prefix of four bytes that leads to it from the state 0.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, reduce};
use vyre_ir::{DataType, Expr, Program, ReduceOp};

use super::range::{Buffers, Range};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "checksum.crc32",
    summary: "CRC-32 of ranges of bytes, as in gzip and zip.",
    canonical: || program(1),
    alternatives: &[
        ProgramVariant { name: "cooperative_32", build: || program(32) },
        ProgramVariant { name: "cooperative_256", build: || program(256) },
    ],
    ..BUFFER_OP
};

/// The polynomial without its highest power. Bit 31 is the coefficient of `x^0`.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// Number of values of a nibble.
const NIBBLE_VALUES: u32 = 16;

/// Number of entries of the tables: one table for each nibble of a word.
const TABLE_WORDS: u32 = 8 * NIBBLE_VALUES;

/// Word that leads from the state 0 to the initial state, which has all bits set.
const PREFIX: u32 = {
    let mut state = u32::MAX;
    let mut power = 0;
    while power < 32 {
        // A set bit 31 shows that the polynomial was subtracted.
        state = if state >> 31 == 1 { (state ^ POLYNOMIAL) << 1 | 1 } else { state << 1 };
        power += 1;
    }
    state
};

/// The polynomial `x^power` modulo the polynomial of the CRC.
const fn power_of_x(power: u32) -> u32 {
    let mut value = 1 << 31;
    let mut done = 0;
    while done < power {
        value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
        done += 1;
    }
    value
}

/// Builds the program for workgroups of this number of invocations, which must be a power of two.
fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    let basis = p.workgroup("basis", 32, DataType::U32);
    let table = p.workgroup("table", TABLE_WORDS, DataType::U32);
    p.entry(|b| {
        let range = buffers.open(b);
        let lane = b.let_("lane", local_id(0));
        build_table(b, &basis, &table, &lane, invocations);

        let row = 4 * invocations;
        let rest = b.let_("rest", &range.size % row);
        let rows = b.let_("rows", &range.size / row + (rest + 4u32 + (row - 1)) / row);
        let padding = b.let_("padding", &rows * row - &range.size - 4u32);
        let state = b.let_("state", 0u32);
        let own = b.let_("own", &lane << 2u32);
        // The prefix ends at the latest in the second row.
        let irregular = b.let_("irregular", rows.min(2u32));
        b.for_("row", 0u32, &irregular, |b, number| {
            let place = b.let_("place", number * row + &own);
            let word = first_words(b, &buffers, &range, &padding, &place);
            let next = multiply_by_table(&table, &state) ^ &word;
            b.assign(&state, next);
        });
        let begin = b.let_("regular", &range.begin + &own - &padding - 4u32);
        b.for_("row", &irregular, &rows, |b, number| {
            let word = b.load_word(&buffers.data, &begin + number * row);
            let next = multiply_by_table(&table, &state) ^ &word;
            b.assign(&state, next);
        });
        let sum = if invocations == 1 {
            b.let_("sum", multiply_by_table(&table, &state))
        } else {
            multiply_by_lacking_power(b, &state, &lane, invocations);
            b.let_("sum", reduce(ReduceOp::Xor, &state))
        };
        buffers.finish(b, &range, !&sum, 0u32);
    })
}

/// Fills the tables of the products with `x^(32 N)`: first the products of single bits, then their sums.
fn build_table(b: &mut Body<'_>, basis: &Handle, table: &Handle, lane: &Var, invocations: u32) {
    b.for_("step", 0u32, 32u32.div_ceil(invocations), |b, step| {
        let bit = b.let_("bit", step * invocations + lane);
        b.if_(bit.lt(32u32), |b| {
            let product = b.let_("product", power_of_x(32 * invocations));
            b.for_("power", &bit, 31u32, |b, _| times_x(b, &product));
            b.store(basis, &bit, &product);
        });
    });
    b.barrier();
    b.for_("step", 0u32, TABLE_WORDS.div_ceil(invocations), |b, step| {
        let entry = b.let_("entry", step * invocations + lane);
        b.if_(entry.lt(TABLE_WORDS), |b| {
            let first = b.let_("first", (&entry >> 4u32) << 2u32);
            let sum = (0u32..4)
                .fold(Expr::from(0u32), |sum, bit| sum ^ (basis.load(&first + bit) & -((&entry >> bit) & 1u32)));
            b.store(table, &entry, sum);
        });
    });
    b.barrier();
}

/// The product of a state with `x^(32 N)`.
fn multiply_by_table(table: &Handle, state: &Var) -> Expr {
    (0u32..8).fold(Expr::from(0u32), |sum, nibble| {
        let value = (state >> (4 * nibble)) & 15u32;
        sum ^ table.load(value + nibble * NIBBLE_VALUES)
    })
}

/// Multiplies by `x`.
fn times_x(b: &mut Body<'_>, value: &Var) {
    b.assign(value, (value >> 1u32) ^ (-(value & 1u32) & POLYNOMIAL));
}

/// Multiplies the state of an invocation by the power that its last word lacks: `x^32` for the last invocation, and 32 more for each
/// before it.
fn multiply_by_lacking_power(b: &mut Body<'_>, state: &Var, lane: &Var, invocations: u32) {
    let words = b.let_("lacking", invocations - lane);
    for bit in 0..=invocations.trailing_zeros() {
        b.if_((&words >> bit) & 1u32, |b| {
            let factor = b.let_("factor", power_of_x(32 << bit));
            let product = b.let_("product", 0u32);
            b.for_("coefficient", 0u32, 32u32, |b, coefficient| {
                b.assign(&product, &product ^ (&factor & -((state >> (31u32 - coefficient)) & 1u32)));
                times_x(b, &factor);
            });
            b.assign(state, &product);
        });
    }
}

/// A word of the padded range at a byte position where it may contain padding or the prefix.
fn first_words(b: &mut Body<'_>, buffers: &Buffers, range: &Range, padding: &Var, place: &Var) -> Var {
    let word = b.let_("word", 0u32);
    let after = b.let_("after", place - padding);
    let before = b.let_("before", padding - place);
    b.if_(after.lt(4u32), |b| b.assign(&word, PREFIX >> (&after << 3u32)));
    b.if_((&before - 1u32).lt(3u32), |b| b.assign(&word, PREFIX << (&before << 3u32)));
    let message = b.let_("message", padding + 4u32);
    b.if_else(
        place.ge(&message),
        |b| {
            let bytes = b.load_word(&buffers.data, &range.begin + place - &message);
            b.assign(&word, &bytes);
        },
        |b| {
            let missing = b.let_("missing", &message - place);
            b.if_(missing.lt(4u32), |b| {
                let bytes = b.load_word(&buffers.data, &range.begin);
                b.assign(&word, &word | (bytes << (&missing << 3u32)));
            });
        },
    );
    word
}

/// Host reference of `checksum.crc32`.
#[must_use]
pub fn crc32_on_host(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in data {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let carry = crc & 1;
            crc >>= 1;
            if carry == 1 {
                crc ^= 0xedb8_8320;
            }
        }
    }
    !crc
}
