//! Streams that exceed the limits.

use vyre_runtime::{CancelToken, RunOptions};

use super::encode::{Lz4Options, gzip, lz4, one_of_each, skippable, zstd};
use super::{BZIP2, GZIP, LZ4, ProblemKind, StreamFormat, ZSTD, decode_within, detect, only_problem, text};
use crate::formats::zstd::SCANS;
use crate::limits::{Budget, Limit, LimitExceeded, Limits};
use crate::stream::{Output, Step, StepEnd, Threads, decode_on_host, decode_steps};

/// The limit that stops a stream, and the number of bytes of output before it.
fn stopped(format: &'static StreamFormat, stream: &[u8], limits: Limits) -> (Limit, usize) {
    let decoded = decode_within(format, stream, limits);
    let (_, kind) = only_problem(&decoded);
    let ProblemKind::Limit(LimitExceeded { limit, requested, allowed }) = kind else { panic!("{format:?} {kind:?}") };
    assert!(requested > allowed);
    (*limit, decoded.bytes.len())
}

#[test]
fn each_limit_stops_each_format() {
    let data = text(300_000);
    for (format, stream) in one_of_each(&data) {
        let exactly = Limits { entry: 300_000, total: 300_000, ..Limits::default() };
        assert_eq!(decode_within(format, &stream, exactly).problems, [], "{format:?}");
        for most in [0, 1, 65_536, 299_999] {
            let (limit, length) = stopped(format, &stream, Limits { total: most, ..Limits::default() });
            assert!(limit == Limit::Total && length as u64 <= most, "{format:?}");
            let (limit, length) = stopped(format, &stream, Limits { entry: most, ..Limits::default() });
            assert!(limit == Limit::Entry && length as u64 <= most, "{format:?}");
        }
    }
    let zeros = vec![0; 17 << 20];
    for (format, stream) in one_of_each(&zeros) {
        let ratio = (zeros.len() / stream.len()) as u64;
        let (limit, _) = stopped(format, &stream, Limits { ratio: ratio / 2, ..Limits::default() });
        assert_eq!(limit, Limit::Ratio, "{format:?}");
        let decoded = decode_within(format, &stream, Limits { ratio: ratio + 1, ..Limits::default() });
        assert_eq!(decoded.problems, [], "{format:?}");
        assert!(decoded.bytes == zeros);
    }
}

#[test]
fn damage_before_the_limit_is_reported_as_damage() {
    let data = text(300_000);
    for (format, mut stream) in one_of_each(&data) {
        if format == BZIP2 {
            continue;
        }
        let position = stream.len() / 3;
        stream.truncate(position);
        let decoded = decode_within(format, &stream, Limits { total: 200_000, ..Limits::default() });
        let (_, kind) = only_problem(&decoded);
        match kind {
            // A stated size is checked first.
            ProblemKind::Limit(_) => assert!([ZSTD, LZ4].contains(&format), "{format:?}"),
            kind => assert!(matches!(kind, ProblemKind::Truncated { .. }), "{format:?} {kind:?}"),
        }
    }
}

/// A gzip member of 2 GiB of zeros with a wrong CRC.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::Compress::new(flate2::Compression::new(9), false);
    let zeros = vec![0; 1 << 20];
    let mut first = Vec::with_capacity(1 << 16);
    encoder.compress_vec(&zeros, &mut first, flate2::FlushCompress::Full).unwrap();
    let mut stream = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    for _ in 0..2_048 {
        stream.extend_from_slice(&first);
    }
    // The last block is empty.
    stream.extend_from_slice(&[3, 0]);
    stream.extend_from_slice(&[0; 4]);
    stream.extend_from_slice(&(2_u32 << 30).to_le_bytes());
    stream
}

#[test]
fn a_bomb_allocates_no_more_than_the_limit() {
    let bomb = bomb();
    assert!(bomb.len() < 4 << 20);
    for size in [None, Some(0), Some(1_000), Some(u32::MAX)] {
        let mut bomb = bomb.clone();
        if let Some(size) = size {
            let position = bomb.len() - 4;
            bomb[position..].copy_from_slice(&u32::to_le_bytes(size));
        }
        // Pieces for several threads are part of the memory for buffers.
        let for_buffers = Limits::default().memory as usize * rayon::current_num_threads();
        let tables = rayon::current_num_threads() << 16;
        for (threads, most) in [(Threads::One, 64 << 20), (Threads::All, for_buffers.max(64 << 20) + tables)] {
            let budget = Budget::new(Limits { total: 64 << 20, ratio: 5_000, ..Limits::default() });
            let mut problems = Vec::new();
            let decode = || problems = decode_on_host(GZIP, &bomb, &budget, threads).problems;
            let memory = allocation_counter::measure(decode);
            assert!(memory.bytes_max < most as u64 + 100_000, "{}", memory.bytes_max);
            assert!(
                matches!(&problems[..], [problem] if matches!(problem.kind, ProblemKind::Limit(_))),
                "{problems:?}"
            );
            assert_eq!(budget.reserved_output(), 0);
        }
    }
}

#[test]
fn memory_stays_within_the_limit_for_all_formats() {
    let zeros = vec![0; 20 << 20];
    for (format, stream) in one_of_each(&zeros) {
        let budget = Budget::new(Limits { total: 8 << 20, ..Limits::default() });
        let memory = allocation_counter::measure(|| drop(decode_on_host(format, &stream, &budget, Threads::All)));
        // Decoders have memory of their own, and half of the output may exist twice while it grows.
        assert!(memory.bytes_max < 17 << 20, "{format:?} {}", memory.bytes_max);
    }
}

#[test]
fn stated_sizes_are_not_allocated() {
    // A frame that states 3 GiB, with one block of one byte.
    let mut frame = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    frame.extend_from_slice(&[0b1000_0000, 0x50]);
    frame.extend_from_slice(&(3_u32 << 30).to_le_bytes());
    for header in [[0b0000_1001_u8, 0, 0], [0b0000_1011, 0, 0]] {
        let frame = [&frame[..], &header, b"x"].concat();
        let budget = Budget::new(Limits { ratio: u64::MAX, ..Limits::default() });
        let mut decoded = None;
        let memory =
            allocation_counter::measure(|| decoded = Some(decode_on_host(ZSTD, &frame, &budget, Threads::All)));
        assert!(memory.bytes_max < 1 << 20, "{}", memory.bytes_max);
        let decoded = decoded.unwrap();
        assert_eq!(only_problem(&decoded), (0, &ProblemKind::Size { expected: 3 << 30, found: 1 }));
        assert_eq!(&decoded.bytes[..], b"x");
    }
    let mut frame = lz4(b"abc", Lz4Options::all().last().unwrap());
    frame[6..14].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    frame[14] = (xxhash_rust::xxh32::xxh32(&frame[4..14], 0) >> 8) as u8;
    let unlimited = Limits { entry: u64::MAX, total: u64::MAX, ratio: u64::MAX, ..Limits::default() };
    let decoded = decode_within(LZ4, &frame, unlimited);
    assert_eq!(only_problem(&decoded), (0, &ProblemKind::Size { expected: 1 << 40, found: 3 }));
    let (limit, length) = stopped(LZ4, &frame, Limits::default());
    assert_eq!((limit, length), (Limit::Entry, 0));
}

#[test]
fn output_before_the_limit_is_kept() {
    let part = text(100_000);
    let limits = Limits { total: 250_000, ..Limits::default() };
    for stream in [gzip(&part, 6), zstd(&part, 3, true, true)] {
        let format = detect(&stream).unwrap();
        let decoded = decode_within(format, &stream.repeat(3), limits);
        assert!(decoded.bytes == part.repeat(2));
        let (offset, kind) = only_problem(&decoded);
        assert!(matches!(kind, ProblemKind::Limit(_)));
        assert!(offset as usize >= 2 * stream.len());
    }
}

#[test]
fn tiny_frames_are_scanned_a_bounded_number_of_times() {
    // Frames that suit parallel decoding, and now and then one that does not.
    let tiny = zstd(&[5; 40], 19, true, false);
    let unsized_frame = zstd(&[5; 40], 19, false, false);
    let mut stream = Vec::new();
    for _ in 0..3 {
        stream.extend_from_slice(&tiny.repeat(900_000 / tiny.len()));
        stream.extend_from_slice(&unsized_frame);
        stream.extend_from_slice(&skippable(1, &[]).repeat(1_000));
    }
    let frames = 3 * (900_000 / tiny.len() + 1);
    let budget = Budget::new(Limits::default());
    let before = SCANS.get();
    let decoded = decode_on_host(ZSTD, &stream, &budget, Threads::All);
    assert_eq!(decoded.problems, []);
    assert!(decoded.bytes.iter().all(|&byte| byte == 5));
    assert_eq!(decoded.blocks.units, frames as u64);
    let scans = SCANS.get() - before;
    assert!(scans <= 2 * frames, "{scans} scans of {frames} frames");
}

/// The output space of a step must be zeroed.
#[test]
fn output_space_does_not_grow_with_preceding_streams() {
    const STREAMS: u64 = 10_000;
    let budget = Budget::new(Limits::default());
    let input = vec![0; STREAMS as usize];
    let mut output = Output::new(&budget, input.len());
    let mut room = 0;
    for at in 0..input.len() {
        let step = |_: &[u8], output: &mut [u8]| {
            room += output.len() as u64;
            Step { consumed: 1, produced: 1_000, end: StepEnd::Finished }
        };
        assert_eq!(decode_steps(&input, at, &mut output, "stream", step), Ok(at + 1));
    }
    assert_eq!(output.len() as u64, 1_000 * STREAMS);
    assert!(room <= STREAMS * (64 << 10), "{room}");
}

#[test]
fn cancellation_truncates_streams() {
    let data = text(3 << 20);
    for (format, stream) in one_of_each(&data) {
        let cancel = CancelToken::default();
        let mut options = RunOptions::default();
        options.cancel = Some(cancel.clone());
        let budget = Budget::new(Limits::default()).with_run_options(options);
        assert_eq!(decode_on_host(format, &stream, &budget, Threads::All).bytes.len(), data.len());
        cancel.cancel();
        let decoded = decode_on_host(format, &stream, &budget, Threads::All);
        assert!(decoded.bytes.is_empty() && !decoded.problems.is_empty(), "{format:?} {:?}", decoded.problems);
    }
    // In the middle of a stream, after some steps.
    let cancel = CancelToken::default();
    let mut options = RunOptions::default();
    options.cancel = Some(cancel.clone());
    let budget = Budget::new(Limits { ratio: u64::MAX, ..Limits::default() }).with_run_options(options);
    let mut output = Output::new(&budget, 1);
    let mut steps = 0;
    let end = decode_steps(&[0], 0, &mut output, "stream", |_, output| {
        steps += 1;
        if steps == 20 {
            cancel.cancel();
        }
        Step { consumed: 0, produced: output.len(), end: StepEnd::More }
    });
    assert!(end.is_err() && steps == 20 && output.len() < 100 << 20, "{steps} steps, {} bytes", output.len());
}
