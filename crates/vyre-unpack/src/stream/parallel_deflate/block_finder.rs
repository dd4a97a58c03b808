//! Search for block starts in a Deflate stream, at any bit offset.
//!
//! The start of a block with dynamic codes is a header whose codes are complete. The start of a stored block is ambiguous,
//! because the bits between its header and its length are padding. The block after it starts at a byte, so its start is taken
//! instead, if another stored block or a block with dynamic codes follows. Blocks with fixed codes have nothing to be
//! recognized by.
//!
//! A start may be wrong with a probability of about 10^-9 for each bit. The decoder verifies each start.

use std::ops::Range;

use super::bits::{bit_len, peek};
use super::dynamic_header;

/// Bits that are searched for one kind of block before the other.
const WINDOW_BITS: u64 = 16 << 13;
/// Bit offsets that one word of input decides.
const WORD_OFFSETS: u64 = 48;

/// Finds the first block start in a range of bits, apart from the rejected ones. A start after a stored block may be beyond the range.
pub(super) fn find_block(input: &[u8], range: Range<u64>, rejected: &[u64]) -> Option<u64> {
    let end = range.end.min(bit_len(input));
    let mut from = range.start;
    while from < end {
        let to = from.saturating_add(WINDOW_BITS).min(end);
        let dynamic = find_dynamic(input, from..to, rejected);
        let stored = find_after_stored(input, from..dynamic.unwrap_or(to), rejected);
        let found = [dynamic, stored].into_iter().flatten().min();
        if found.is_some() {
            return found;
        }
        from = to;
    }
    None
}

/// Finds the first block with dynamic codes.
fn find_dynamic(input: &[u8], range: Range<u64>, rejected: &[u64]) -> Option<u64> {
    let mut from = range.start & !7;
    while from < range.end {
        let word = peek(input, from);
        // Bit n is set if the header at bit n has the type, and plausible numbers of literals and of distances.
        let is_dynamic = !word & !(word >> 1) & word >> 2;
        let many_literals = word >> 4 & word >> 5 & word >> 6 & word >> 7;
        let many_distances = word >> 9 & word >> 10 & word >> 11 & word >> 12;
        let mut candidates = is_dynamic & !many_literals & !many_distances & ((1 << WORD_OFFSETS) - 1);
        while candidates != 0 {
            let bit = from + u64::from(candidates.trailing_zeros());
            candidates &= candidates - 1;
            if dynamic_header::has_complete_length_code(input, bit)
                && range.contains(&bit)
                && dynamic_header::is_at(input, bit)
                && !rejected.contains(&bit)
            {
                return Some(bit);
            }
        }
        from += WORD_OFFSETS;
    }
    None
}

/// Finds the first stored block whose length is in the range and that a recognizable block follows. Returns the start of that one.
fn find_after_stored(input: &[u8], range: Range<u64>, rejected: &[u64]) -> Option<u64> {
    let bytes = (range.start.div_ceil(8).max(8) as usize)..((range.end >> 3) as usize).min(input.len());
    let lengths = input.get(bytes.start..)?.windows(4).take(bytes.len());
    for (at, window) in (bytes.start..).zip(lengths) {
        let Some(size) = stored_size(window) else { continue };
        // The header and the padding are zeros.
        if input[at - 1] >> 5 != 0 {
            continue;
        }
        let next = at + 4 + size;
        let bit = next as u64 * 8;
        let is_stored =
            input.get(next) == Some(&0) && input.get(next + 1..).is_some_and(|rest| stored_size(rest).is_some());
        if (is_stored || dynamic_header::is_at(input, bit)) && !rejected.contains(&bit) {
            return Some(bit);
        }
    }
    None
}

/// Size of the stored block whose length is at the start of these bytes.
fn stored_size(bytes: &[u8]) -> Option<usize> {
    let &[low, high, not_low, not_high] = bytes.first_chunk()?;
    (low == !not_low && high == !not_high).then_some(usize::from(u16::from_le_bytes([low, high])))
}
