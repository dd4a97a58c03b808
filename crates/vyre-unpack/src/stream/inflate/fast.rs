//! Symbols of a block, far from the ends of the input and of the output.
//!
//! Checks of the input and of the output are made once for several symbols. Entries are looked up before the bit buffer is refilled, so that
//! both take place at the same time, and matches are copied in parts of 16 bytes.
//!
//! | Place | Bits in the buffer, at least |
//! |---|---|
//! | before a symbol | 28 |
//! | after a literal, and a refill | 56 |
//! | after three literals | 34 |
//! | after a length | 8: as many as the table of distances decides |
//! | after a refill and a distance | 28 |
#![expect(unsafe_code, reason = "bounds checks of each access take a tenth of the time")]

use std::hint::cold_path;

use super::Stop;
use super::bits::{BitReader, REFILLED_BITS};
use super::checked;
use super::tables::{DISTANCE_BITS, END, EXCEPTIONAL, LITERAL, SUBTABLE, Tables};

/// Bytes of input that two refills read.
const INPUT_MARGIN: usize = 16;
/// Bytes behind a match that its copy may overwrite, and room for three literals.
const OUTPUT_MARGIN: usize = 32;
/// Bytes of output that there must be before the first symbol.
pub(super) const MIN_PRODUCED: usize = PART_BYTES;
/// Bytes that are copied at a time.
const PART_BYTES: usize = 16;

/// Decodes symbols up to the end of the block, or until the end of the input or of the output is near. That is at once if there are less than
/// [`MIN_PRODUCED`] bytes of output.
pub(super) type Decode = fn(&Tables, &mut BitReader<'_>, &mut [u8], &mut usize) -> Stop;

/// The fastest decoder for this processor.
pub(super) fn fastest() -> Decode {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        return |tables, bits, output, produced| {
            // SAFETY: the processor has BMI2.
            unsafe { decode_with_bmi2(tables, bits, output, produced) }
        };
    }
    portable
}

/// The decoder for all processors.
pub(super) fn portable(tables: &Tables, bits: &mut BitReader<'_>, output: &mut [u8], produced: &mut usize) -> Stop {
    decode_with(Portable, tables, bits, output, produced)
}

/// [`decode_with`] compiled for BMI2: shifts by a variable number of bits take one instruction instead of three.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn decode_with_bmi2(tables: &Tables, bits: &mut BitReader<'_>, output: &mut [u8], produced: &mut usize) -> Stop {
    decode_with(Bmi2(()), tables, bits, output, produced)
}

/// Instructions of a processor.
trait Processor: Copy {
    /// The lowest bits of a word, as many as the lowest byte of `count` says: less than 64.
    fn low_bits(self, word: u64, count: u32) -> u64;

    /// Base of a length or distance, and the extra bits behind its code.
    #[inline(always)]
    fn value(self, entry: u32, bits: u64) -> usize {
        (entry >> 16) as usize + (self.low_bits(bits, entry) >> (entry >> 8 & 63)) as usize
    }
}

/// Instructions that all processors have.
#[derive(Clone, Copy)]
struct Portable;

impl Processor for Portable {
    #[inline(always)]
    fn low_bits(self, word: u64, count: u32) -> u64 {
        word & ((1 << (count & 63)) - 1)
    }
}

/// BMI2. A value must exist only if the processor has it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl Processor for Bmi2 {
    #[inline(always)]
    fn low_bits(self, word: u64, count: u32) -> u64 {
        // SAFETY: the processor has BMI2, because `self` exists.
        unsafe { std::arch::x86_64::_bzhi_u64(word, count) }
    }
}

/// The bit buffer of a [`BitReader`] without checks.
struct FastBits {
    buffer: u64,
    /// The number of bits in the buffer, in the lowest 6 bits. The others are not specified, which saves masking the entries.
    left: u32,
    next: *const u8,
}

impl FastBits {
    /// Fills the buffer with at least 56 bits, and advances by at most 7 bytes.
    ///
    /// # Safety
    ///
    /// 8 bytes must be readable from `next` on.
    #[inline(always)]
    unsafe fn refill(&mut self) {
        // SAFETY: these are the 8 bytes, and there are at most 7 bytes between `next` and its new value.
        unsafe {
            self.buffer |= u64::from_le_bytes(self.next.cast::<[u8; 8]>().read()) << (self.left & 63);
            self.next = self.next.add(7).sub((self.left >> 3 & 7) as usize);
        }
        self.left |= REFILLED_BITS;
    }

    /// Removes the bits of an entry, and returns the buffer before.
    #[inline(always)]
    fn remove(&mut self, entry: u32) -> u64 {
        let before = self.buffer;
        self.buffer >>= entry & 63;
        self.left = self.left.wrapping_sub(entry);
        before
    }
}

/// Writes a byte.
///
/// # Safety
///
/// `at` must be in the output.
#[inline(always)]
unsafe fn write(output: &mut [u8], at: usize, byte: u8) {
    debug_assert!(at < output.len());
    // SAFETY: the byte is in the output.
    unsafe { *output.get_unchecked_mut(at) = byte };
}

/// Copies `N` bytes within the output. They may overlap.
///
/// # Safety
///
/// The bytes from `from` on and from `to` on must be in the output.
#[inline(always)]
unsafe fn copy_part<const N: usize>(output: &mut [u8], from: usize, to: usize) {
    debug_assert!(from.max(to) + N <= output.len());
    let bytes = output.as_mut_ptr();
    // SAFETY: both parts are in the output. The bytes are read before they are written.
    unsafe { bytes.add(to).cast::<[u8; N]>().write(bytes.add(from).cast::<[u8; N]>().read()) };
}

/// Copies a match of any distance. At most [`OUTPUT_MARGIN`] bytes behind it are overwritten.
///
/// # Safety
///
/// The distance must be from 1 to `at`, and the output must have [`OUTPUT_MARGIN`] bytes behind the match.
#[inline(always)]
unsafe fn copy_match(output: &mut [u8], mut at: usize, distance: usize, length: usize) {
    let end = at + length;
    debug_assert!(distance > 0 && distance <= at && end + OUTPUT_MARGIN <= output.len());
    let mut from = at - distance;
    if distance >= PART_BYTES {
        while at < end {
            // SAFETY: `from < at < end`, and 32 bytes from `end` on are in the output.
            unsafe {
                copy_part::<PART_BYTES>(output, from, at);
                copy_part::<PART_BYTES>(output, from + PART_BYTES, at + PART_BYTES);
            }
            at += 2 * PART_BYTES;
            from += 2 * PART_BYTES;
        }
    } else if distance == 1 {
        // `end` is in the output, and `from` is.
        let byte = output[from];
        output[at..end].fill(byte);
    } else {
        // Bytes behind those of the distance are not there yet: the next parts overwrite them.
        let step = distance.min(8);
        while at < end {
            // SAFETY: `from < at < end`, and 32 bytes from `end` on are in the output.
            unsafe { copy_part::<8>(output, from, at) };
            at += step;
            from += step;
        }
    }
}

#[inline(always)]
fn decode_with<P: Processor>(
    processor: P,
    tables: &Tables,
    reader: &mut BitReader<'_>,
    output: &mut [u8],
    produced: &mut usize,
) -> Stop {
    let input = reader.input.as_ptr_range();
    let (Some(input_limit), Some(output_limit)) =
        (reader.input.len().checked_sub(INPUT_MARGIN), output.len().checked_sub(OUTPUT_MARGIN))
    else {
        return Stop::NearEnd;
    };
    let mut at = *produced;
    if reader.next > input_limit || at > output_limit || at < MIN_PRODUCED {
        return Stop::NearEnd;
    }
    let mut bits = FastBits { buffer: reader.buffer, left: reader.left, next: input.start.wrapping_add(reader.next) };
    let input_limit = input.start.wrapping_add(input_limit);
    // SAFETY: `next` is at most `input_limit`, from which on there are 16 bytes.
    unsafe { bits.refill() };
    let mut entry = tables.literal(bits.buffer);
    // Each iteration begins with an entry whose bits are still in the buffer, and with `MIN_PRODUCED <= at <= output_limit`. It has at most two
    // refills, of which the second one reads up to 15 bytes behind `next`, and writes at most three literals before it compares `at` again.
    let stop = loop {
        if bits.next > input_limit {
            break Stop::NearEnd;
        }
        let mut before = bits.remove(entry);
        if entry & LITERAL != 0 {
            // SAFETY: `at <= output_limit`.
            unsafe { write(output, at, (entry >> 16) as u8) };
            at += 1;
            entry = tables.literal(bits.buffer);
            // SAFETY: the first refill of the iteration.
            unsafe { bits.refill() };
            before = bits.remove(entry);
            if entry & LITERAL != 0 {
                // SAFETY: `at <= output_limit + 1`.
                unsafe { write(output, at, (entry >> 16) as u8) };
                at += 1;
                entry = tables.literal(bits.buffer);
                before = bits.remove(entry);
                if entry & LITERAL != 0 {
                    // SAFETY: `at <= output_limit + 2`.
                    unsafe { write(output, at, (entry >> 16) as u8) };
                    at += 1;
                    entry = tables.literal(bits.buffer);
                    if at > output_limit {
                        break Stop::NearEnd;
                    }
                    continue;
                }
            }
        }
        if entry & EXCEPTIONAL != 0 {
            cold_path();
            if entry & SUBTABLE != 0 {
                entry = tables.literal_in_subtable(entry, bits.buffer);
                before = bits.remove(entry);
            }
            if entry & LITERAL != 0 {
                // SAFETY: `at <= output_limit + 2`.
                unsafe { write(output, at, (entry >> 16) as u8) };
                at += 1;
                // SAFETY: the second refill of the iteration.
                unsafe { bits.refill() };
                entry = tables.literal(bits.buffer);
                if at > output_limit {
                    break Stop::NearEnd;
                }
                continue;
            }
            if entry & EXCEPTIONAL != 0 {
                break if entry & END != 0 { Stop::BlockEnd } else { Stop::Failed };
            }
        }
        let length = processor.value(entry, before);
        entry = tables.distance(bits.buffer);
        // SAFETY: the second refill of the iteration.
        unsafe { bits.refill() };
        before = bits.remove(entry);
        let mut distance = processor.value(entry, before);
        let end = at + length;
        // One comparison for a distance that is too short for parts, for one beyond the start, and for an entry without a base.
        let from = at.wrapping_sub(distance);
        if from <= at - PART_BYTES {
            if end > output_limit {
                cold_path();
                break checked::copy(output, &mut at, distance, length);
            }
            entry = tables.literal(bits.buffer);
            // SAFETY: `from < at`, and the output has 32 bytes from `at` on, because `at < end <= output_limit`.
            unsafe {
                copy_part::<PART_BYTES>(output, from, at);
                copy_part::<PART_BYTES>(output, from + PART_BYTES, at + PART_BYTES);
            }
            if length > 2 * PART_BYTES {
                // SAFETY: the distance is at least 16 and at most `at`, and there are 32 bytes behind `end`.
                unsafe { copy_match(output, at + 2 * PART_BYTES, distance, length - 2 * PART_BYTES) };
            }
        } else {
            if entry >> 16 == 0 {
                cold_path();
                bits.remove(DISTANCE_BITS);
                match tables.distance_in_subtable(entry, bits.buffer) {
                    Some(found) => entry = found,
                    None => break Stop::Failed,
                }
                before = bits.remove(entry);
                distance = processor.value(entry, before);
            }
            if distance > at || end > output_limit {
                cold_path();
                break checked::copy(output, &mut at, distance, length);
            }
            entry = tables.literal(bits.buffer);
            // SAFETY: distances are at least 1, this one is at most `at`, and there are 32 bytes behind `end`.
            unsafe { copy_match(output, at, distance, length) };
        }
        at = end;
    };
    reader.buffer = bits.buffer;
    reader.left = bits.left & 63;
    reader.next = bits.next as usize - input.start as usize;
    *produced = at;
    stop
}
