//! Symbols of a block, with all checks.

use super::Stop;
use super::bits::BitReader;
use super::tables::{DISTANCE_BITS, END, EXCEPTIONAL, LITERAL, LITERAL_BITS, SUBTABLE, Tables};

/// Bits of the longest match: two codes of 15 bits, 5 and 13 extra bits.
const MATCH_BITS: u32 = 48;

/// Decodes symbols up to the end of the block, or until `until` bytes were produced: [`Stop::NearEnd`] then.
pub(super) fn decode(
    tables: &Tables,
    bits: &mut BitReader<'_>,
    output: &mut [u8],
    produced: &mut usize,
    until: usize,
) -> Stop {
    while *produced < until {
        if bits.left < MATCH_BITS {
            bits.refill();
        }
        let mut entry = tables.literal(bits.buffer);
        if entry & (EXCEPTIONAL | SUBTABLE) == EXCEPTIONAL | SUBTABLE {
            bits.remove(LITERAL_BITS);
            entry = tables.literal_in_subtable(entry, bits.buffer);
        }
        let length = value(entry, bits.buffer);
        bits.remove(entry & 63);
        if entry & LITERAL != 0 {
            if bits.is_overrun() {
                return Stop::Failed;
            }
            let Some(byte) = output.get_mut(*produced) else { return Stop::OutputFull };
            *byte = (entry >> 16) as u8;
            *produced += 1;
            continue;
        }
        if entry & EXCEPTIONAL != 0 {
            return if entry & END != 0 && !bits.is_overrun() { Stop::BlockEnd } else { Stop::Failed };
        }
        entry = tables.distance(bits.buffer);
        if entry >> 16 == 0 {
            bits.remove(DISTANCE_BITS);
            match tables.distance_in_subtable(entry, bits.buffer) {
                Some(found) => entry = found,
                None => return Stop::Failed,
            }
        }
        let distance = value(entry, bits.buffer);
        bits.remove(entry & 63);
        if bits.is_overrun() {
            return Stop::Failed;
        }
        let stop = copy(output, produced, distance, length);
        if stop != Stop::NearEnd {
            return stop;
        }
    }
    Stop::NearEnd
}

/// Base of a length or distance, and the extra bits behind its code.
#[inline(always)]
fn value(entry: u32, bits: u64) -> usize {
    let extra = (bits & ((1 << (entry & 63)) - 1)) >> (entry >> 8 & 63);
    (entry >> 16) as usize + extra as usize
}

/// Copies a match to the end of the output so far: [`Stop::NearEnd`] then.
pub(super) fn copy(output: &mut [u8], produced: &mut usize, distance: usize, length: usize) -> Stop {
    let at = *produced;
    let Some(from) = at.checked_sub(distance) else { return Stop::Failed };
    let Some(end) = at.checked_add(length).filter(|&end| end <= output.len()) else { return Stop::OutputFull };
    if distance >= length {
        output.copy_within(from..from + length, at);
    } else {
        for to in at..end {
            output[to] = output[to - distance];
        }
    }
    *produced = end;
    Stop::NearEnd
}
