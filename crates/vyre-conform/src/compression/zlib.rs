//! zlib as the oracle of `compression.deflate`, and streams that it makes.

use std::sync::Arc;

use vyre_ops::compression::{CompressedBlock, CompressionOps};
use vyre_ops::find;
use vyre_runtime::{Device, RunOptions};
use zlib_rs::{DeflateConfig, Inflate, InflateFlush, ReturnCode, Status, Strategy, compress_bound, compress_slice};

use super::check::{Checker, Verdict};

/// The output of zlib, if it accepts the stream, the stream has no bytes after its end, and the output fits the room.
#[must_use]
pub fn decode(stream: &[u8], room: usize) -> Option<Vec<u8>> {
    // One byte more than the room, so that zlib need not be called again to see the end.
    let mut output = vec![0; room + 1];
    let mut decoder = Inflate::new(false, 15);
    let status = decoder.decompress(stream, &mut output, InflateFlush::Finish);
    let is_whole = status == Ok(Status::StreamEnd) && decoder.total_in() == stream.len() as u64;
    output.truncate(decoder.total_out() as usize);
    (is_whole && output.len() <= room).then_some(output)
}

/// A stream of zlib, its description, and its content.
#[derive(Clone, Debug)]
pub struct ZlibStream {
    /// Content and parameters.
    pub what: String,
    /// The stream.
    pub stream: Vec<u8>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Random bytes (splitmix64).
#[must_use]
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let word = |index: u64| {
        let mut word = (seed << 32 | index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    };
    (0..count as u64).map(|index| word(index) as u8).collect()
}

/// Data of different compressibility: text, runs, repetitions at the maximum distance, zeros, and noise.
fn contents(size: usize) -> [(&'static str, Vec<u8>); 5] {
    let noise = random_bytes(size as u64, size);
    let words = [&b"let "[..], b"mut ", b"value", b" = ", b"self.", b"next", b"();\n", b"    ", b"// ", b"while "];
    let text = noise.iter().flat_map(|byte| words[usize::from(byte % 10)]).copied().take(size).collect();
    let runs = noise.iter().flat_map(|&byte| vec![byte; 1 + usize::from(byte) * 3]).take(size).collect();
    let distant = (0..size).map(|index| noise[index % 32_768]).collect();
    [("text", text), ("runs", runs), ("distant", distant), ("zeros", vec![0; size]), ("noise", noise)]
}

/// All levels, all strategies, and small windows.
fn configs() -> Vec<DeflateConfig> {
    let raw = |level| DeflateConfig { window_bits: -15, ..DeflateConfig::new(level) };
    let mut configs: Vec<DeflateConfig> = (0..=9).map(raw).collect();
    for strategy in [Strategy::Filtered, Strategy::HuffmanOnly, Strategy::Rle, Strategy::Fixed] {
        configs.push(DeflateConfig { strategy, ..raw(6) });
    }
    configs.extend([-9, -12].map(|window_bits| DeflateConfig { window_bits, mem_level: 1, ..raw(9) }));
    configs
}

/// Streams of contents of these sizes, with all parameters of zlib.
#[must_use]
pub fn streams(sizes: &[usize]) -> Vec<ZlibStream> {
    every_nth_stream(sizes, 1)
}

/// Every nth of [`streams`], without compressing the others.
fn every_nth_stream(sizes: &[usize], n: usize) -> Vec<ZlibStream> {
    let mut streams = Vec::new();
    let mut number = 0;
    for &size in sizes {
        for (kind, bytes) in contents(size) {
            for config in configs() {
                number += 1;
                if number % n != 0 {
                    continue;
                }
                let mut stream = vec![0; compress_bound(size) + 64];
                let (stream, code) = compress_slice(&mut stream, &bytes, config);
                assert_eq!(code, ReturnCode::Ok, "zlib fails");
                let what = format!("{size} bytes of {kind}, {config:?}");
                streams.push(ZlibStream { what, stream: stream.to_vec(), bytes: bytes.clone() });
            }
        }
    }
    streams
}

/// Streams for tests of this number of seeds. Interpreters have few seeds, and a stream takes them long.
#[must_use]
pub fn streams_for(seeds: u64) -> Vec<ZlibStream> {
    if seeds < 100 {
        streams(&[100]).into_iter().step_by(9).collect()
    } else {
        streams(&[0, 1, 2, 5, 100, 3000, 20_000])
    }
}

/// Runs streams of zlib with all programs. None may be refused.
///
/// # Errors
///
/// The first stream that is refused or decoded wrongly.
pub fn check_none_refused(checker: &mut Checker<'_>, streams: &[ZlibStream]) -> Result<(), String> {
    let op = find("compression.deflate").ok_or("the library has no op `compression.deflate`")?;
    let judged: Vec<_> = streams
        .iter()
        .map(|ZlibStream { stream, bytes, .. }| {
            let block = CompressedBlock { bytes: stream, room: bytes.len() as u32, is_stored: false };
            (block, Verdict { code: 0, bytes: bytes.clone() })
        })
        .collect();
    checker.check(op, &judged)
}

/// Runs streams of zlib with all programs, prints their number, and panics if one is refused.
#[track_caller]
pub fn expect_none_refused(device: &Arc<dyn Device>, options: &RunOptions, streams: &[ZlibStream]) {
    let checked = check_none_refused(&mut Checker::new(device, options), streams);
    checked.unwrap_or_else(|message| panic!("compression.deflate on {}: {message}", device.name()));
    println!("{} streams of zlib, none refused", streams.len());
}

/// Runs long streams with the canonical program: of all contents and parameters of zlib in turn, some of them of 1 and 4 MiB. None may be
/// refused. Compression without optimisation takes most of the time.
#[track_caller]
pub fn expect_long_streams(device: Arc<dyn Device>) {
    let op = find("compression.deflate").expect("is in the library");
    let canonical = op.programs().next().expect("is the canonical program");
    let mut streams = every_nth_stream(&[65_535, 65_536, 200_000], 7);
    streams.extend(every_nth_stream(&[1 << 20, 4 << 20], 31));
    let blocks: Vec<_> = streams
        .iter()
        .map(|ZlibStream { stream, bytes, .. }| CompressedBlock {
            bytes: stream,
            room: bytes.len() as u32,
            is_stored: false,
        })
        .collect();
    let done = CompressionOps::new(device).run(op, &canonical, &blocks).expect("the device works");
    let mut refused = 0;
    for (number, (stream, status)) in streams.iter().zip(done.statuses()).enumerate() {
        refused += u32::from(status.code != 0);
        assert!(done.bytes(number) == &stream.bytes[..], "{}: {status:?}", stream.what);
    }
    println!("{} streams of {} bytes, {refused} refused", streams.len(), done.into_output().len());
    assert_eq!(refused, 0);
}
