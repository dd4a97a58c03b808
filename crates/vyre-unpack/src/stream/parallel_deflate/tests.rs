//! Parallel decoding gives what sequential decoding gives, on whole and on damaged streams.
#![expect(clippy::unwrap_used, reason = "a failure is a failed test")]

use std::io::Write as _;

use flate2::{Compress, Compression, FlushCompress};

use super::*;
use crate::limits::Limits;

/// Reproducible random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Words that repeat at all distances.
fn text(random: &mut Random, length: usize) -> Vec<u8> {
    let words: Vec<Vec<u8>> = (0..600)
        .map(|_| (0..2 + random.below(9)).map(|_| b'a' + random.below(26) as u8).chain([b' ']).collect())
        .collect();
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let word = random.below(600).min(random.below(600));
        bytes.extend_from_slice(&words[word]);
    }
    bytes.truncate(length);
    bytes
}

fn noise(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.next() as u8).collect()
}

/// Text, noise, runs, and compressed text, which has block starts in stored blocks.
fn mixture(random: &mut Random, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let part = 10_000 + random.below(90_000);
        bytes.extend(match random.below(5) {
            0 => noise(random, part),
            1 => vec![random.next() as u8; part],
            2 => libdeflate(&text(random, 3 * part), 6),
            _ => text(random, part),
        });
    }
    bytes.truncate(length);
    bytes
}

fn libdeflate(data: &[u8], level: i32) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(level).unwrap());
    let mut stream = vec![0; compressor.deflate_compress_bound(data.len())];
    let size = compressor.deflate_compress(data, &mut stream).unwrap();
    stream.truncate(size);
    stream
}

fn flate2(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A stream whose blocks are ended and aligned now and then.
fn flushed(data: &[u8], random: &mut Random) -> Vec<u8> {
    let mut encoder = Compress::new(Compression::new(6), false);
    let mut stream = Vec::with_capacity(data.len() * 2 + 1_000);
    for part in data.chunks(20_000) {
        let flush = [FlushCompress::None, FlushCompress::Sync, FlushCompress::Full][random.below(3)];
        encoder.compress_vec(part, &mut stream, flush).unwrap();
    }
    encoder.compress_vec(&[], &mut stream, FlushCompress::Finish).unwrap();
    stream
}

/// A plan with pieces so small that short streams have many.
const SMALL: Plan = Plan { pieces: 4, piece: 6_000, room: 300_000 };
/// A plan for streams with blocks of up to 100 KB.
const WIDE: Plan = Plan { pieces: 4, piece: 40_000, room: 300_000 };

fn budget() -> Budget {
    Budget::new(Limits { memory: 256 << 20, ..Limits::default() })
}

/// Decodes a stream in parallel and sequentially into outputs of this size. Returns true if the parallel decoder decoded it.
fn agrees(stream: &[u8], room: usize, plan: Plan) -> bool {
    let (mut expected, mut found) = (vec![0xaa; room], vec![0x55; room]);
    let sequential = inflate_whole(stream, &mut expected);
    let Some(parallel) = Inflater::new(stream, plan, &budget()).run(&mut found) else { return false };
    assert_eq!(parallel, sequential);
    if let WholeInflate::Done { produced, .. } = sequential {
        assert!(expected[..produced] == found[..produced]);
    }
    true
}

#[test]
fn streams_of_all_encoders_and_levels_are_decoded_in_parallel() {
    let mut random = Random(1);
    let data = text(&mut random, 1_200_000);
    let all_levels = (1..=12).map(|level| libdeflate(&data, level)).chain((1..=9).map(|level| flate2(&data, level)));
    for (number, stream) in all_levels.enumerate() {
        for extra in [0, 1, 100_000] {
            assert!(agrees(&stream, data.len() + extra, WIDE), "{number}");
        }
        let followed = [&stream[..], &stream, b"something else"].concat();
        assert!(agrees(&followed, data.len(), WIDE), "{number}");
    }
}

#[test]
fn mixtures_of_blocks_are_decoded_as_sequentially() {
    let mut random = Random(2);
    let mut in_parallel = 0;
    for _ in 0..12 {
        let length = 300_000 + random.below(500_000);
        let data = mixture(&mut random, length);
        for stream in [libdeflate(&data, 6), flate2(&data, 6), flate2(&data, 0), flushed(&data, &mut random)] {
            let pieces = 2 + random.below(6);
            let plan = Plan { pieces, piece: 2_000 + random.below(20_000), ..SMALL };
            in_parallel += usize::from(agrees(&stream, data.len() + random.below(2) * 70_000, plan));
            agrees(&stream, random.below(data.len()), plan);
        }
    }
    assert!(in_parallel >= 24, "{in_parallel}");
}

#[test]
fn damaged_streams_are_decoded_as_sequentially() {
    let mut random = Random(3);
    let data = mixture(&mut random, 400_000);
    let mut in_parallel = 0;
    for stream in [libdeflate(&data, 6), flate2(&data, 9), flushed(&data, &mut random)] {
        for _ in 0..60 {
            let mut damaged = stream.clone();
            let at = random.below(damaged.len());
            match random.below(3) {
                0 => damaged.truncate(at),
                1 => damaged[at] ^= 1 << random.below(8),
                // Bytes of another place, which may be valid blocks.
                _ => {
                    let from = random.below(damaged.len() - 3_000);
                    let to = random.below(damaged.len() - 3_000);
                    damaged.copy_within(from..from + 3_000, to);
                }
            }
            in_parallel += usize::from(agrees(&damaged, data.len() + 50_000, SMALL));
        }
    }
    assert!(in_parallel > 100, "{in_parallel}");
}

/// Distances that reach before the start of the stream are errors, whatever the dictionary of the piece is.
#[test]
fn the_start_of_the_stream_is_its_end_of_history() {
    let mut random = Random(4);
    let data = text(&mut random, 300_000);
    let mut encoder = Compress::new(Compression::new(6), false);
    let mut stream = Vec::with_capacity(data.len());
    let history = &data[..40_000];
    encoder.compress_vec(history, &mut stream, FlushCompress::Sync).unwrap();
    let start = stream.len();
    encoder.compress_vec(&data[40_000..], &mut stream, FlushCompress::Finish).unwrap();
    // The history is replaced by empty blocks of the same size, and by a short one.
    let empty = [0, 0, 0, 0xff, 0xff].repeat(start / 5);
    assert!(matches!(
        inflate_whole(&[&empty[..], &stream[start..]].concat(), &mut vec![0; 400_000]),
        WholeInflate::Failed
    ));
    agrees(&[&empty[..], &stream[start..]].concat(), 400_000, SMALL);
    agrees(&stream[start..], 400_000, SMALL);
}

#[test]
fn outputs_beyond_the_room_of_a_piece_are_decoded() {
    let mut random = Random(5);
    let mut data = text(&mut random, 600_000);
    data.resize(6_000_000, 7);
    data.extend(text(&mut random, 600_000));
    for stream in [libdeflate(&data, 6), flate2(&data, 6)] {
        for room in [40_000, 300_000] {
            assert!(agrees(&stream, data.len(), Plan { room, ..WIDE }));
        }
    }
}

#[test]
fn little_memory_is_sequential() {
    let mut random = Random(6);
    let data = text(&mut random, 300_000);
    let stream = libdeflate(&data, 6);
    let little = Budget::new(Limits { memory: 1 << 10, ..Limits::default() });
    let mut output = vec![0; data.len()];
    assert_eq!(Inflater::new(&stream, SMALL, &little).run(&mut output), None);
}

#[test]
fn large_streams_have_plans() {
    assert!(
        Plan::new(100 << 20, 400 << 20, MIN_THREADS - 1).is_none()
            && Plan::new(MIN_INPUT_BYTES - 1, 4 << 20, 16).is_none()
    );
    for threads in [MIN_THREADS, 4, 16, 1_000] {
        for input in [MIN_INPUT_BYTES, 9 << 20, 1 << 30] {
            for output in [0, input, 4 * input, 2_000 * input] {
                let plan = Plan::new(input, output, threads).unwrap();
                assert!(plan.pieces <= threads && plan.pieces > 1, "{plan:?}");
                assert!((64 << 10..=MAX_PIECE_BYTES).contains(&plan.piece), "{plan:?}");
                assert!(plan.room >= plan.piece && plan.room <= MAX_PIECE_OUTPUT, "{plan:?}");
            }
        }
    }
}

#[test]
fn block_starts_are_found() {
    let mut random = Random(7);
    let data = text(&mut random, 400_000);
    // A stream of known block starts: each part ends at a byte, after an empty stored block.
    let mut encoder = Compress::new(Compression::new(6), false);
    let mut stream = Vec::with_capacity(data.len());
    let mut starts = Vec::new();
    for part in data.chunks(20_000) {
        encoder.compress_vec(part, &mut stream, FlushCompress::Full).unwrap();
        starts.push(stream.len() as u64 * 8);
    }
    encoder.compress_vec(&[], &mut stream, FlushCompress::Finish).unwrap();
    for (before, &start) in starts.iter().zip(&starts[1..starts.len() - 1]) {
        let found = find_block(&stream, before + 1..start + 1, &[]);
        assert!(found.is_some_and(|found| found <= start), "{found:?} {start}");
        assert_eq!(find_block(&stream, start..start + 1, &[]), Some(start));
        assert_ne!(find_block(&stream, start..start + 1, &[start]), Some(start));
    }
    let random_bytes = noise(&mut random, 1 << 20);
    let mut wrong = 0;
    let mut from = 0;
    while let Some(found) = find_block(&random_bytes, from..bit_len(&random_bytes), &[]) {
        wrong += 1;
        from = found + 1;
    }
    assert!(wrong <= 2, "{wrong} in 2^23 bits of noise");
}
