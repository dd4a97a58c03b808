//! Headers of blocks with dynamic Huffman codes (RFC 1951, section 3.2.7), checked for the codes that encoders write.
//!
//! | Bits | Field |
//! |---|---|
//! | 1 | last block |
//! | 2 | type; 2 is a block with dynamic codes |
//! | 5 | number of literal and length codes, minus 257; at most 29 |
//! | 5 | number of distance codes, minus 1; at most 29 |
//! | 4 | number of code length codes, minus 4 |
//! | 3 each | lengths of the code length codes, in an order of their own |
//! | | lengths of the other codes, in code length codes |
//!
//! Random bits rarely pass: the code of code lengths and that of literals must be complete.

use super::bits::{PEEK_BITS, bit_len, peek};

/// Bits before the lengths of the code length codes.
const FIXED_BITS: u64 = 17;
/// Order of the lengths of the code length codes.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Length of the longest code length code.
const MAX_LENGTH_CODE: u32 = 7;
/// Length of the longest other code.
const MAX_CODE: u32 = 15;
/// Symbol of the end of a block.
const END_OF_BLOCK: usize = 256;

/// Share of the code space that four lengths of 3 bits use, in units of 2^-7.
static SHARES: [u16; 4096] = shares();

const fn shares() -> [u16; 4096] {
    let mut shares = [0; 4096];
    let mut lengths = 0;
    while lengths < 4096 {
        let mut shift = 0;
        while shift < 12 {
            let length = lengths >> shift & 7;
            if length > 0 {
                shares[lengths] += 128 >> length;
            }
            shift += 3;
        }
        lengths += 1;
    }
    shares
}

/// True if a block that is not the last one may start at this bit, by the header without the lengths of its codes.
pub(super) fn has_plausible_start(input: &[u8], bit: u64) -> bool {
    let word = peek(input, bit);
    word & 7 == 4 && word >> 3 & 31 < 30 && word >> 8 & 31 < 30 && has_complete_length_code(input, bit)
}

/// True if the code of code lengths of the block at this bit is complete.
pub(super) fn has_complete_length_code(input: &[u8], bit: u64) -> bool {
    let count = (peek(input, bit) >> 13 & 15) as u32 + 4;
    let mut lengths = peek(input, bit + FIXED_BITS) & ((1 << (3 * count)) - 1);
    let mut share = 0;
    while lengths != 0 {
        share += SHARES[(lengths & 4095) as usize];
        lengths >>= 12;
    }
    share == 1 << MAX_LENGTH_CODE
}

/// True if a block with dynamic codes starts at this bit, is not the last one, and has complete codes.
pub(super) fn is_at(input: &[u8], bit: u64) -> bool {
    has_plausible_start(input, bit) && has_complete_codes(input, bit).unwrap_or(false)
}

/// True if the codes of the block at this bit are complete. None if they are no codes at all.
fn has_complete_codes(input: &[u8], bit: u64) -> Option<bool> {
    let word = peek(input, bit);
    let literals = (word >> 3 & 31) as usize + 257;
    let distances = (word >> 8 & 31) as usize + 1;
    let count = (word >> 13 & 15) as usize + 4;
    let mut next = bit + FIXED_BITS;
    let mut lengths_of_lengths = [0; 19];
    for &symbol in &LENGTH_ORDER[..count] {
        lengths_of_lengths[symbol] = (peek(input, next) & 7) as u8;
        next += 3;
    }
    let table = length_table(&lengths_of_lengths);
    let mut lengths = [0_u8; 286 + 30 + 2];
    let lengths = &mut lengths[..literals + distances];
    let mut filled = 0;
    while filled < lengths.len() {
        let word = peek(input, next);
        let (symbol, bits) = table[(word & 127) as usize];
        let extra = word >> bits;
        let (value, repeats, more) = match symbol {
            0..=15 => (symbol, 1, 0),
            16 => (*lengths[..filled].last()?, 3 + (extra & 3) as usize, 2),
            17 => (0, 3 + (extra & 7) as usize, 3),
            _ => (0, 11 + (extra & 127) as usize, 7),
        };
        next += u64::from(bits) + more;
        lengths.get_mut(filled..filled + repeats)?.fill(value);
        filled += repeats;
    }
    let (literals, distances) = lengths.split_at(literals);
    let is_complete = |lengths: &[u8]| share_of(lengths) == 1 << MAX_CODE;
    // A block with one distance has an incomplete code, and one without any has none.
    let is_single = distances.iter().all(|&length| length <= 1) && share_of(distances) <= 1 << (MAX_CODE - 1);
    let is_inside = next + u64::from(PEEK_BITS) <= bit_len(input);
    Some(is_inside && literals[END_OF_BLOCK] > 0 && is_complete(literals) && (is_complete(distances) || is_single))
}

/// Share of the code space that codes of these lengths use, in units of 2^-15.
fn share_of(lengths: &[u8]) -> u32 {
    lengths.iter().filter(|&&length| length > 0).map(|&length| 1 << (MAX_CODE - u32::from(length))).sum()
}

/// Symbol and length of the code that each 7 bits start with. The code must be complete.
fn length_table(lengths: &[u8; 19]) -> [(u8, u32); 128] {
    let mut table = [(0, 1); 128];
    let mut code = 0_u32;
    for length in 1..=MAX_LENGTH_CODE {
        for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &of)| u32::from(of) == length) {
            let reversed = (code.reverse_bits() >> (32 - length)) as usize;
            for entry in table.iter_mut().skip(reversed).step_by(1 << length) {
                *entry = (symbol as u8, length);
            }
            code += 1;
        }
        code <<= 1;
    }
    table
}
