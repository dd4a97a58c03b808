//! Blocks of the LZ4 block format, each decoded by one invocation, byte by byte.
//!
//! The encoder is a greedy one with a hash table of one entry per slot. It is part of the workload: the blocks must not
//! depend on the installed version of liblz4.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::workload::{NativeCode, Peer, Scale, Throughput, Workload, workgroups};
use crate::data::{packed, prose};

/// Bytes that a block decodes to.
const BLOCK_BYTES: usize = 16_384;

const DECODE: &str = "\
// A sequence is a token, literals and a match: the offset of the match back from here (two bytes) and its length. The high half of
// the token is the number of literals, the low half the length of the match less 4. The value 15 continues in the bytes that
// follow, up to the first that is not 255. The last sequence may end after its literals.
workgroup_size 64;

buffer source: read u32 @0; // bytes of all blocks, four a word
buffer starts: read u32 @1; // offsets of the blocks in bytes, and the end of the last one
buffer out: read_write u32 @2; // 4096 words a block

entry {
    let block = invocation_id.x;
    if block + 1 >= len(starts) {
        return;
    }
    let at = starts[block];
    let end = starts[block + 1];
    let to = block * 16384;
    for sequence in at..end {
        if at >= end {
            break;
        }
        let token = source[at >> 2] >> ((at & 3) << 3) & 255;
        at = at + 1;

        let literals = token >> 4;
        if literals == 15 {
            for more in at..end {
                let byte = source[at >> 2] >> ((at & 3) << 3) & 255;
                at = at + 1;
                literals = literals + byte;
                if byte != 255 {
                    break;
                }
            }
        }
        for k in 0..literals {
            let byte = source[at >> 2] >> ((at & 3) << 3) & 255;
            let shift = (to & 3) << 3;
            out[to >> 2] = out[to >> 2] & ~(255 << shift) | byte << shift;
            at = at + 1;
            to = to + 1;
        }
        if at >= end {
            break;
        }

        let distance = source[at >> 2] >> ((at & 3) << 3) & 255;
        at = at + 1;
        distance = distance | (source[at >> 2] >> ((at & 3) << 3) & 255) << 8;
        at = at + 1;
        let length = token & 15;
        if length == 15 {
            for more in at..end {
                let byte = source[at >> 2] >> ((at & 3) << 3) & 255;
                at = at + 1;
                length = length + byte;
                if byte != 255 {
                    break;
                }
            }
        }
        for k in 0..length + 4 {
            let from = to - distance;
            let byte = out[from >> 2] >> ((from & 3) << 3) & 255;
            let shift = (to & 3) << 3;
            out[to >> 2] = out[to >> 2] & ~(255 << shift) | byte << shift;
            to = to + 1;
        }
    }
}
";

/// 2,048 blocks, 32 MiB.
pub(super) fn blocks(scale: Scale) -> Workload {
    let blocks = scale.of(2_048);
    let mut source = Vec::new();
    let mut starts = vec![0];
    for block in prose(8, blocks * BLOCK_BYTES).chunks(BLOCK_BYTES) {
        encode(block, &mut source);
        starts.push(source.len() as u32);
    }
    Workload {
        name: "lz4",
        program: DECODE.to_owned(),
        grid: workgroups(blocks, 64),
        buffers: vec![packed(&source), starts, vec![0; blocks * BLOCK_BYTES / 4]],
        results: &[2],
        updates: &[],
        throughput: Throughput::Bytes((blocks * BLOCK_BYTES) as u64),
        peers: vec![
            Peer::same(2.5, native_words),
            Peer { name: "bytes and block copies", code: NativeCode::Bytes(native_bytes), goal: None },
        ],
    }
}

fn native_words(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [source, starts, out] = buffers else { return };
    let blocks = out.par_chunks_mut(BLOCK_BYTES / 4).zip(starts.par_windows(2));
    pool.install(|| {
        blocks.for_each(|(out, block)| decode_words(source, block[0] as usize, block[1] as usize, out));
    });
}

/// Algorithm of the program, for one block.
fn decode_words(source: &[u32], mut at: usize, end: usize, out: &mut [u32]) {
    let byte_of = |words: &[u32], at: usize| words[at / 4] >> (at % 4 * 8) & 255;
    let put = |out: &mut [u32], to: usize, byte: u32| {
        let shift = to % 4 * 8;
        let word = &mut out[to / 4];
        *word = *word & !(255 << shift) | byte << shift;
    };
    let mut to = 0;
    while at < end {
        let token = byte_of(source, at);
        at += 1;
        let mut next = || {
            let byte = byte_of(source, at);
            at += 1;
            byte
        };
        let literals = length(token >> 4, &mut next);
        for at in at..at + literals as usize {
            put(out, to, byte_of(source, at));
            to += 1;
        }
        at += literals as usize;
        if at >= end {
            break;
        }
        let mut next = || {
            let byte = byte_of(source, at);
            at += 1;
            byte
        };
        let distance = (next() | next() << 8) as usize;
        let length = length(token & 15, &mut next) + 4;
        for _ in 0..length {
            put(out, to, byte_of(out, to - distance));
            to += 1;
        }
    }
}

/// Decodes a length from half of a token and the bytes that follow.
fn length(half: u32, mut next: impl FnMut() -> u32) -> u32 {
    let mut length = half;
    if half == 15 {
        loop {
            let byte = next();
            length += byte;
            if byte != 255 {
                break;
            }
        }
    }
    length
}

fn native_bytes(buffers: &mut [Vec<u8>], pool: &ThreadPool) {
    let [source, starts, out] = buffers else { return };
    let starts: Vec<usize> = vyre_runtime::words(starts).into_iter().map(|start| start as usize).collect();
    let blocks = out.par_chunks_mut(BLOCK_BYTES).zip(starts.par_windows(2));
    pool.install(|| blocks.for_each(|(out, block)| decode_bytes(&source[block[0]..block[1]], out)));
}

/// Usual decoder on bytes: runs that do not overlap are copied at once.
fn decode_bytes(source: &[u8], out: &mut [u8]) {
    let (mut at, mut to) = (0, 0);
    while at < source.len() {
        let token = u32::from(source[at]);
        at += 1;
        let mut next = || {
            let byte = u32::from(source[at]);
            at += 1;
            byte
        };
        let literals = length(token >> 4, &mut next) as usize;
        out[to..to + literals].copy_from_slice(&source[at..at + literals]);
        at += literals;
        to += literals;
        if at >= source.len() {
            break;
        }
        let mut next = || {
            let byte = u32::from(source[at]);
            at += 1;
            byte
        };
        let distance = (next() | next() << 8) as usize;
        let length = length(token & 15, &mut next) as usize + 4;
        let from = to - distance;
        if distance >= length {
            out.copy_within(from..from + length, to);
        } else {
            for at in 0..length {
                out[to + at] = out[from + at];
            }
        }
        to += length;
    }
}

/// Minimum length of a match.
const MIN_MATCH_BYTES: usize = 4;

/// Encodes a block of fewer than 2^16 bytes. The candidate for a match is the last position with the same hash of four bytes.
fn encode(block: &[u8], source: &mut Vec<u8>) {
    const SLOTS: usize = 1 << 13;
    // One more than the last position of each hash; 0 for none.
    let mut positions = vec![0; SLOTS];
    let (mut at, mut first_literal) = (0, 0);
    while at + MIN_MATCH_BYTES <= block.len() {
        let four = block[at..at + MIN_MATCH_BYTES].iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let slot = four.wrapping_mul(0x9e37_79b1) as usize >> 19;
        let candidate = std::mem::replace(&mut positions[slot], at + 1);
        let matching = |from: usize| block[from..].iter().zip(&block[at..]).take_while(|(a, b)| a == b).count();
        let length = if candidate == 0 { 0 } else { matching(candidate - 1) };
        if length < MIN_MATCH_BYTES {
            at += 1;
            continue;
        }
        let distance = at - (candidate - 1);
        let literals = &block[first_literal..at];
        let extra = length - MIN_MATCH_BYTES;
        source.push((literals.len().min(15) << 4 | extra.min(15)) as u8);
        encode_length(literals.len(), source);
        source.extend(literals);
        source.extend([distance as u8, (distance >> 8) as u8]);
        encode_length(extra, source);
        at += length;
        first_literal = at;
    }
    let literals = &block[first_literal..];
    if !literals.is_empty() {
        source.push((literals.len().min(15) << 4) as u8);
        encode_length(literals.len(), source);
        source.extend(literals);
    }
}

/// Encodes the rest of a length that does not fit into half of a token.
fn encode_length(length: usize, source: &mut Vec<u8>) {
    if let Some(mut rest) = length.checked_sub(15) {
        while rest >= 255 {
            source.push(255);
            rest -= 255;
        }
        source.push(rest as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_blocks_decode_to_their_contents() {
        let prose = prose(9, BLOCK_BYTES);
        let long_runs = [vec![7; 5_000], prose[..700].to_vec(), [1, 2, 3].repeat(900), vec![0; 19]].concat();
        for block in [prose.as_slice(), &long_runs, &prose[..3], b"aaaaaaaaaaaaaaaaaaaa", &[]] {
            let mut source = Vec::new();
            encode(block, &mut source);
            let mut out = vec![0; block.len()];
            decode_bytes(&source, &mut out);
            assert!(out == block);
            let mut out = vec![0; block.len().div_ceil(4)];
            decode_words(&packed(&source), 0, source.len(), &mut out);
            assert!(out == packed(block));
        }
    }
}
