//! Decoder of LZ4 blocks at the speed of liblz4, with the rules of the reference decoder in [`block`](super::block).
//!
//! It is our own because lz4_flex takes up to 1.4 times as long as liblz4, and liblz4 accepts matches with the offset 0, which the rules
//! forbid. Far from the ends of both buffers it copies whole words and may write beyond the end of a copy, where later bytes of the output
//! come. The last sequences are decoded with exact copies.
#![expect(unsafe_code, reason = "words are copied at addresses that are checked once for each sequence")]

/// Distance from the end of the input at which a sequence with short lengths is inside: a token, 16 bytes for up to 14 literals, and an
/// offset.
const INPUT_MARGIN: usize = 32;
/// Distance from the end of the output at which a sequence with short lengths is inside: 14 literals, and 32 bytes for a match of up to 18.
const OUTPUT_MARGIN: usize = 64;
/// Bytes that the copy of a long run may write beyond its end.
const OVERSHOOT: usize = 32;
/// Length of the shortest match.
const MIN_MATCH: usize = 4;
/// Value of four bits of the token after which bytes with the rest of the length follow.
const LONG: usize = 15;
/// For each offset below 8, its smallest multiple that is at least 8.
const WORD_DISTANCE: [usize; 8] = [8, 8, 8, 9, 8, 10, 12, 14];

/// Decodes a block into `all[start..]`. Matches may refer to the bytes from `lowest` on. Returns the size of the output. None if the rules
/// forbid the block, or if the output is larger than the room. The bytes after the output, and all bytes from `start` on if there is none, are
/// unspecified.
pub(in crate::formats) fn decode(input: &[u8], all: &mut [u8], lowest: usize, start: usize) -> Option<usize> {
    if lowest > start || start > all.len() {
        return None;
    }
    let (next, written) = decode_most(input, all, lowest, start)?;
    decode_rest(input, all, lowest, next, written).map(|end| end - start)
}

/// Copies a word, whose bytes are all read before any is written.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of the size of `W`. `W` has no invalid values.
#[inline(always)]
unsafe fn copy_word<W: Copy>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller guarantees it; the accesses need no alignment.
    unsafe { to.cast::<W>().write_unaligned(from.cast::<W>().read_unaligned()) }
}

/// Copies at least `length` bytes in words, from the lowest address on. Writes up to a word less one byte more.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of `length` bytes and a word less one byte. They are different buffers, or `to` is at least a
/// word behind `from`. `W` has no invalid values.
#[inline(always)]
unsafe fn copy_words<W: Copy>(from: *const u8, to: *mut u8, length: usize) {
    let mut done = 0;
    while done < length {
        // SAFETY: `done` is less than `length`.
        unsafe { copy_word::<W>(from.add(done), to.add(done)) };
        done += size_of::<W>();
    }
}

/// Copies at least `length` bytes from `offset` bytes before `to`, where `offset` is less than 16.
///
/// # Safety
///
/// `to` is valid for reads of the `offset` bytes before it, and for reads and writes of `length + 15` bytes. `offset` is 1 to 15.
#[inline(never)]
unsafe fn copy_near(to: *mut u8, offset: usize, length: usize) {
    // SAFETY: the words of 8 bytes are inside of what the caller guarantees, and are copied from at least 8 bytes before.
    unsafe {
        let from = to.sub(offset).cast_const();
        if offset >= 8 {
            copy_words::<u64>(from, to, length);
            return;
        }
        for at in 0..8 {
            *to.add(at) = *from.add(at);
        }
        if length > 8 {
            // The first 8 bytes repeat the bytes before them, so the distance may be a multiple of the offset.
            let next = to.add(8);
            copy_words::<u64>(next.sub(WORD_DISTANCE[offset]).cast_const(), next, length - 8);
        }
    }
}

/// Reads the bytes of a length that follow the token, from `at` on. Returns the sum, and the address after the bytes.
///
/// # Safety
///
/// `at` is in a buffer that ends at `end`, or is `end`.
#[inline(always)]
unsafe fn read_length(mut at: *const u8, end: *const u8) -> Option<(usize, *const u8)> {
    // A sum of bytes of a buffer cannot overflow: 255 times its size is less than 2^64, and on 32-bit systems a buffer of more than
    // 16 MiB, all of it 255, would be needed; the sum saturates there.
    let mut length = 0_usize;
    loop {
        if at >= end {
            return None;
        }
        // SAFETY: `at` is before the end of the buffer.
        let (byte, next) = unsafe { (*at, at.add(1)) };
        at = next;
        length = length.saturating_add(usize::from(byte));
        if byte != 255 {
            return Some((length, at));
        }
    }
}

/// Decodes sequences while both ends are far. Returns the offsets of the next sequence in the input and in the output. None if the rules forbid
/// the block.
///
/// Callers guarantee that `lowest` is at most `start`, and `start` at most the size of `all`.
#[inline(never)]
fn decode_most(input: &[u8], all: &mut [u8], lowest: usize, start: usize) -> Option<(usize, usize)> {
    assert!(lowest <= start && start <= all.len(), "callers guarantee it");
    if input.len() < INPUT_MARGIN || all.len() - start < OUTPUT_MARGIN {
        return Some((0, start));
    }
    let inputs = input.as_ptr_range();
    let outputs = all.as_mut_ptr_range();
    let last_input = inputs.end.wrapping_sub(INPUT_MARGIN);
    let last_output = outputs.end.wrapping_sub(OUTPUT_MARGIN);
    let low = outputs.start.addr() + lowest;
    let (mut from, mut to) = (inputs.start, outputs.start.wrapping_add(start));
    // SAFETY: each address is inside of its buffer, as the comments say, and no address is behind the end of a buffer.
    unsafe {
        while from <= last_input && to <= last_output {
            let token = usize::from(*from);
            let literals = token >> 4;
            let (next, end);
            if literals < LONG {
                // 31 bytes of the input are left, and 64 of the room.
                copy_word::<u128>(from.add(1), to);
                // 17 bytes of the input are left then, and 50 of the room.
                (next, end) = (from.add(1 + literals), to.add(literals));
            } else {
                let (more, bytes) = read_length(from.add(1), inputs.end)?;
                let literals = more.saturating_add(LONG);
                if literals > (inputs.end.addr() - bytes.addr()).saturating_sub(OVERSHOOT)
                    || literals > (outputs.end.addr() - to.addr()).saturating_sub(OUTPUT_MARGIN)
                {
                    break;
                }
                copy_words::<[u128; 2]>(bytes, to, literals);
                // 32 bytes of the input are left then, and 64 of the room.
                (next, end) = (bytes.add(literals), to.add(literals));
            }
            let offset = usize::from(u16::from_le_bytes(next.cast::<[u8; 2]>().read_unaligned()));
            // One comparison refuses 0 too.
            if offset.wrapping_sub(1) >= end.addr() - low {
                return None;
            }
            let first = end.sub(offset).cast_const();
            let length = token & LONG;
            if length < LONG && offset >= 8 {
                copy_word::<u64>(first, end);
                copy_word::<u64>(first.add(8), end.add(8));
                copy_word::<u16>(first.add(16), end.add(16));
                (from, to) = (next.add(2), end.add(length + MIN_MATCH));
                continue;
            }
            let (mut length, mut after) = (length + MIN_MATCH, next.add(2));
            if length == LONG + MIN_MATCH {
                let (more, rest) = read_length(after, inputs.end)?;
                (length, after) = (length.saturating_add(more), rest);
                if length > (outputs.end.addr() - end.addr()).saturating_sub(OVERSHOOT) {
                    break;
                }
            }
            // The room has `length` bytes and 32 more.
            if offset >= 16 {
                copy_words::<u128>(first, end, length);
            } else {
                copy_near(end, offset, length);
            }
            (from, to) = (after, end.add(length));
        }
    }
    Some((from.addr() - inputs.start.addr(), to.addr() - outputs.start.addr()))
}

/// Decodes the sequences from `next` on with exact copies. Returns the end of the output. None if the rules forbid the block.
fn decode_rest(input: &[u8], all: &mut [u8], lowest: usize, mut next: usize, mut written: usize) -> Option<usize> {
    while let Some(&token) = input.get(next) {
        next += 1;
        let literals = exact_length(input, &mut next, usize::from(token >> 4))?;
        let bytes = input.get(next..next.checked_add(literals)?)?;
        all.get_mut(written..)?.get_mut(..literals)?.copy_from_slice(bytes);
        next += literals;
        written += literals;
        if next == input.len() {
            break;
        }
        let offset = usize::from(u16::from_le_bytes(*input.get(next..)?.first_chunk()?));
        next += 2;
        let length = exact_length(input, &mut next, usize::from(token) & LONG)?.saturating_add(MIN_MATCH);
        if offset == 0 || offset > written - lowest || length > all.len() - written {
            return None;
        }
        let (first, end) = (written - offset, written + length);
        while written < end {
            // Each copy at least doubles the bytes that repeat.
            let part = (written - first).min(end - written);
            all.copy_within(first..first + part, written);
            written += part;
        }
    }
    Some(written)
}

/// A length: four bits of the token and, if all are set, the bytes from `next` on.
fn exact_length(input: &[u8], next: &mut usize, bits: usize) -> Option<usize> {
    let mut length = bits;
    let mut is_whole = bits < LONG;
    while !is_whole {
        let byte = *input.get(*next)?;
        *next += 1;
        length = length.saturating_add(byte.into());
        is_whole = byte != 255;
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::block::{BlockEnd, decode_after};
    use super::decode;

    /// Value of the bytes around the room.
    const CANARY: u8 = 0xc5;
    /// Number of bytes after the room.
    const AFTER: usize = 80;

    /// Decodes with both decoders and compares verdict, output, history and the bytes after the room. Returns the size of the output.
    fn compare(block: &[u8], history: &[u8], room: usize) -> Result<Option<usize>, TestCaseError> {
        let mut exact = vec![0; room];
        let BlockEnd { code, produced } = decode_after(history, block, &mut exact);
        let mut buffer = [history, &vec![0x5a; room], &[CANARY; AFTER]].concat();
        let (before, end) = (history.len(), history.len() + room);
        let found = decode(block, &mut buffer[..end], 0, before);
        prop_assert_eq!(found, (code == 0).then_some(produced));
        prop_assert_eq!(&buffer[..before], history);
        prop_assert!(buffer[end..].iter().all(|&byte| byte == CANARY));
        if let Some(size) = found {
            prop_assert!(buffer[before..before + size] == exact[..produced]);
        }
        // A part of the history is out of reach.
        let lowest = before.min(3);
        let BlockEnd { code, produced } = decode_after(&history[lowest..], block, &mut exact);
        let found = decode(block, &mut buffer[..end], lowest, before);
        prop_assert_eq!(found, (code == 0).then_some(produced));
        Ok(found)
    }

    /// Bytes of a length above what four bits of a token hold.
    fn length_bytes(length: usize) -> impl Iterator<Item = u8> {
        let rest = length.checked_sub(15);
        let bytes = rest.map(|rest| std::iter::repeat_n(255, rest / 255).chain([(rest % 255) as u8]));
        bytes.into_iter().flatten()
    }

    /// A block of sequences, each of literals, an offset, and the length of the match less 4.
    fn block_of(sequences: &[(Vec<u8>, u16, usize)], last: &[u8]) -> Vec<u8> {
        let mut block = Vec::new();
        for (literals, offset, length) in sequences {
            block.push((literals.len().min(15) << 4 | length.min(&15)) as u8);
            block.extend(length_bytes(literals.len()));
            block.extend(literals);
            block.extend(offset.to_le_bytes());
            block.extend(length_bytes(*length));
        }
        block.push((last.len().min(15) << 4) as u8);
        block.extend(length_bytes(last.len()));
        block.extend(last);
        block
    }

    /// Sequences whose offsets are mostly valid, near and far, with all kinds of lengths.
    fn sequences() -> impl Strategy<Value = Vec<(Vec<u8>, u16, usize)>> {
        let literals = prop_oneof![vec(any::<u8>(), 0..20), vec(any::<u8>(), 0..700)];
        let offset = prop_oneof![8 => 1..40_u16, 4 => 1..400_u16, 1 => 0..u16::MAX];
        let length = prop_oneof![4 => 0..20_usize, 2 => 0..80_usize, 1 => 0..1500_usize];
        vec((literals, offset, length), 0..30)
    }

    proptest! {
        #[test]
        fn any_bytes_have_the_verdict_of_the_rules(
            block in vec(prop_oneof![any::<u8>(), 0..4_u8], 0..400),
            history in vec(any::<u8>(), 0..40),
            room in 0..900_usize,
        ) {
            compare(&block, &history, room)?;
        }

        #[test]
        fn sequences_have_the_output_of_the_rules(
            sequences in sequences(),
            last in vec(any::<u8>(), 0..40),
            history in vec(any::<u8>(), 0..60),
            missing in 0..200_usize,
            damage in any::<(prop::sample::Index, u8)>(),
        ) {
            let mut block = block_of(&sequences, &last);
            let size = compare(&block, &history, 64 << 10)?;
            if let Some(size) = size {
                // Exactly enough room, and too little.
                prop_assert_eq!(compare(&block, &history, size)?, Some(size));
                if size > 0 {
                    prop_assert_eq!(compare(&block, &history, size - 1)?, None);
                    compare(&block, &history, size.saturating_sub(missing))?;
                }
            }
            let at = damage.0.index(block.len());
            block[at] = damage.1;
            compare(&block, &history, 64 << 10)?;
            compare(&block[..at], &history, 8 << 10)?;
        }
    }

    #[test]
    fn blocks_of_liblz4_are_decoded() {
        let text: Vec<u8> =
            (0..9_000_u32).flat_map(|number| (number * number % 1013).to_string().into_bytes()).collect();
        for data in [&text[..], &[7; 70_000], &b"abcdefghijk".repeat(3_000), b"", b"a"] {
            for level in [1, 20] {
                let mut block = Vec::new();
                lzzzz::lz4::compress_to_vec(data, &mut block, level).expect("it compresses");
                let mut output = vec![0; data.len()];
                assert_eq!(decode(&block, &mut output, 0, 0), Some(data.len()));
                assert!(output == data);
            }
        }
    }
}
