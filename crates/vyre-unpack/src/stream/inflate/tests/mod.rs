//! The decoder has the verdict and the output of zlib on valid, hand-made and damaged streams, and never writes beside its output.
#![expect(clippy::unwrap_used, reason = "a failure is a failed test")]

mod damage;
mod outputs;
mod refusals;
mod writer;

use zlib_rs::{DeflateConfig, DeflateFlush, Inflate, InflateFlush, ReturnCode, Status, Strategy};

use super::*;

/// Bytes around each output that must stay as they are.
const CANARY: [u8; 64] = [0xa5; 64];
/// Room for the output of zlib that is larger than those of the streams here.
const LARGE_ROOM: usize = 1 << 20;

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
        ((self.next() >> 11) % bound as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// The number of cases of a random test: the share of `all` that `VYRE_CASES_PERCENT` asks for.
fn cases(all: usize) -> usize {
    let percent = std::env::var("VYRE_CASES_PERCENT").map_or(100, |value| value.trim().parse().unwrap());
    (all * percent / 100).max(10)
}

/// Result of zlib.
struct Expected {
    /// Size of the stream, if zlib accepts it.
    consumed: Option<usize>,
    /// The output, or what comes before the damage.
    output: Vec<u8>,
}

/// Decodes with zlib. The output must be less than `room`.
fn zlib(stream: &[u8], room: usize) -> Expected {
    let mut output = vec![0; room];
    let mut decoder = Inflate::new(false, 15);
    let status = decoder.decompress(stream, &mut output, InflateFlush::Finish);
    let consumed = (status == Ok(Status::StreamEnd)).then_some(decoder.total_in() as usize);
    output.truncate(decoder.total_out() as usize);
    assert!(output.len() < room, "the output is larger than {room} bytes");
    Expected { consumed, output }
}

/// Decodes into an output of this size between canaries. Returns the bytes that were produced, too.
fn inflate_between_canaries(stream: &[u8], room: usize, fast: fast::Decode) -> (WholeInflate, Vec<u8>) {
    let mut memory = Memory { tables: Tables::new(), literals: Symbols::new(), distances: Symbols::new() };
    let mut output = [&CANARY[..], &vec![0x5a; room], &CANARY].concat();
    let result = memory.inflate(0, stream, &mut output[CANARY.len()..][..room], fast);
    let (before, rest) = output.split_at(CANARY.len());
    let (output, after) = rest.split_at(room);
    assert!(before == CANARY && after == CANARY, "bytes beside the output of {room} bytes were written");
    let produced = if let WholeInflate::Done { produced, .. } = result { produced } else { 0 };
    (result, output[..produced].to_vec())
}

/// Decodes a stream into an output of this size, and compares with zlib.
#[track_caller]
fn check_room(stream: &[u8], expected: &Expected, room: usize) {
    let fits = expected.output.len() <= room;
    for decode in [fast::fastest(), fast::portable] {
        let (result, output) = inflate_between_canaries(stream, room, decode);
        match (result, expected.consumed) {
            (WholeInflate::Done { consumed, .. }, Some(size)) => {
                assert!(fits && consumed == size && output == expected.output, "{result:?}, {room} bytes");
            }
            (WholeInflate::OutputFull, _) => assert!(!fits, "{result:?}, {room} bytes"),
            (WholeInflate::Failed, None) => {}
            (WholeInflate::Failed | WholeInflate::Done { .. }, _) => {
                panic!("{result:?} with {room} bytes, but zlib uses {:?} of {stream:02x?}", expected.consumed)
            }
        }
    }
}

/// Decodes a stream into outputs of several sizes, and compares with zlib. Returns true if the stream is valid.
#[track_caller]
fn check(stream: &[u8], random: &mut Random) -> bool {
    let expected = zlib(stream, LARGE_ROOM);
    let size = expected.output.len();
    for room in [size, size + 1 + random.below(1_000), size.saturating_sub(1), random.below(size + 1)] {
        check_room(stream, &expected, room);
    }
    expected.consumed.is_some()
}

/// Text, noise, runs, copies at all distances, and bytes of little entropy.
fn content(random: &mut Random, size: usize) -> Vec<u8> {
    let words: Vec<Vec<u8>> =
        (0..40).map(|_| (0..=random.below(10)).map(|_| b'a' + random.below(26) as u8).collect()).collect();
    let mut bytes = Vec::with_capacity(size);
    let kind = random.below(6);
    while bytes.len() < size {
        match if kind == 5 { random.below(5) } else { kind } {
            0 => {
                let word = random.below(words.len()).min(random.below(words.len()));
                bytes.extend_from_slice(&words[word]);
            }
            1 => bytes.push(random.next() as u8),
            2 => {
                let byte = random.next() as u8;
                bytes.resize(bytes.len() + 1 + random.below(700), byte);
            }
            3 => {
                let distance = 1 + random.below(bytes.len().clamp(1, 32 << 10));
                for _ in 0..3 + random.below(300) {
                    bytes.push(bytes.len().checked_sub(distance).map_or(7, |from| bytes[from]));
                }
                bytes.push(random.next() as u8);
            }
            _ => bytes.push((random.next() as u8) >> (2 * random.below(4))),
        }
    }
    bytes.truncate(size);
    bytes
}

/// A stream of zlib with these parameters.
fn compress(bytes: &[u8], level: i32, strategy: Strategy, mem_level: i32) -> Vec<u8> {
    let config = DeflateConfig { window_bits: -15, strategy, mem_level, ..DeflateConfig::new(level) };
    let mut stream = vec![0; 2 * bytes.len() + 1_000];
    let (stream, code) = zlib_rs::compress_slice(&mut stream, bytes, config);
    assert_eq!(code, ReturnCode::Ok);
    stream.to_vec()
}

/// A stream of zlib with random parameters.
fn compress_anyhow(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let strategies = [Strategy::Default, Strategy::Filtered, Strategy::HuffmanOnly, Strategy::Rle, Strategy::Fixed];
    let (level, strategy, mem_level) =
        (random.below(10) as i32, random.one_of(&strategies), 1 + random.below(9) as i32);
    if random.one_in(3) { compress_in_parts(random, bytes) } else { compress(bytes, level, strategy, mem_level) }
}

/// A stream of zlib whose blocks end now and then.
fn compress_in_parts(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zlib_rs::Deflate::new(random.below(10) as i32, false, 15);
    let mut stream = vec![0; 2 * bytes.len() + 10_000];
    let mut rest = bytes;
    while !rest.is_empty() {
        let (part, after) = rest.split_at((1 + random.below(3_000)).min(rest.len()));
        let flush = random.one_of(&[
            DeflateFlush::NoFlush,
            DeflateFlush::SyncFlush,
            DeflateFlush::FullFlush,
            DeflateFlush::Block,
        ]);
        let start = encoder.total_out() as usize;
        encoder.compress(part, &mut stream[start..], flush).unwrap();
        rest = after;
    }
    let start = encoder.total_out() as usize;
    assert_eq!(encoder.compress(&[], &mut stream[start..], DeflateFlush::Finish), Ok(Status::StreamEnd));
    stream.truncate(encoder.total_out() as usize);
    stream
}
