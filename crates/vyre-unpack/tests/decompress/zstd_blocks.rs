//! Counts of zstd blocks by type, against a parser of block headers that shares no code with the library.

use std::collections::BTreeMap;

use vyre_unpack::{HostReason, Options, Route, Summary, ZstdBlockCounts};

use crate::collect::{noise, open_with, text};
use crate::device::on_device;
use crate::zip::{Part, build};

/// Numbers of raw, RLE and compressed blocks.
type Types = [u64; 3];

/// Numbers of blocks of a frame of libzstd, by type.
fn types(frame: &[u8]) -> Types {
    let descriptor = frame[4];
    let is_single_segment = descriptor >> 5 & 1;
    assert_eq!(descriptor & 3, 0, "the frame has no dictionary");
    let content_size = [usize::from(is_single_segment), 2, 4, 8][usize::from(descriptor >> 6)];
    let mut at = 5 + usize::from(1 - is_single_segment) + content_size;
    let mut types = [0; 3];
    loop {
        let header = u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], 0]);
        let kind = (header >> 1 & 3) as usize;
        types[kind] += 1;
        at += 3 + if kind == 1 { 1 } else { (header >> 3) as usize };
        if header & 1 == 1 {
            return types;
        }
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
    zstd_safe::compress(&mut frame, bytes, 3).unwrap();
    frame
}

/// A frame of raw blocks of one byte.
fn raw_blocks(count: u32) -> Vec<u8> {
    // A window of 1 MiB, and no content size.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50];
    for number in 0..count {
        let is_last = u32::from(number + 1 == count);
        frame.extend(&(1 << 3 | is_last).to_le_bytes()[..3]);
        frame.push(number as u8);
    }
    frame
}

/// A frame of RLE blocks of 1000 bytes.
fn rle_blocks(count: u32) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50];
    for number in 0..count {
        let is_last = u32::from(number + 1 == count);
        frame.extend(&(1000 << 3 | 1 << 1 | is_last).to_le_bytes()[..3]);
        frame.push(number as u8);
    }
    frame
}

fn counts(summary: &Summary) -> Types {
    let ZstdBlockCounts { raw, rle, compressed, .. } = summary.blocks.zstd;
    assert_eq!(raw + rle + compressed, summary.blocks.zstd.total());
    [raw, rle, compressed]
}

/// Text, runs and noise: libzstd writes blocks of all types into one frame.
fn of_all_types() -> Vec<u8> {
    let frame = compressed(&[text(400_000), vec![7; 600_000], noise(400_000, 1)].concat());
    assert!(types(&frame).iter().all(|&count| count > 0), "{:?}", types(&frame));
    frame
}

#[test]
fn blocks_of_a_stream_are_counted_by_type() {
    let mixed = of_all_types();
    let [raw, rle, other] = types(&mixed);
    let noisy = compressed(&noise(300_000, 2));
    assert_eq!(types(&noisy), [3, 0, 0]);
    for (stream, expected) in [
        (mixed.clone(), [raw, rle, other]),
        (noisy.clone(), [3, 0, 0]),
        (raw_blocks(9), [9, 0, 0]),
        (rle_blocks(4), [0, 4, 0]),
        ([raw_blocks(9), rle_blocks(4), mixed.clone(), noisy].concat(), [raw + 12, rle + 4, other]),
        // Frames that are decoded in parallel.
        (mixed.repeat(5), [5 * raw, 5 * rle, 5 * other]),
    ] {
        let (_, result) = open_with("x.zst", stream.clone(), Options::default());
        let on_host = result.unwrap();
        assert_eq!(counts(&on_host), expected);
        let all: u64 = expected.iter().sum();
        assert_eq!(on_host.blocks.host, BTreeMap::from([(HostReason::HostRoute, all)]));
        let (_, summary) = on_device("x.zst", stream, Route::Device);
        assert_eq!(counts(&summary), expected);
        assert_eq!((summary.blocks.host.len(), summary.blocks.device), (0, all));
    }
}

#[test]
fn blocks_of_members_are_counted_by_type() {
    let bytes = [text(400_000), vec![7; 600_000], noise(400_000, 1)].concat();
    let mixed = of_all_types();
    let [raw, rle, other] = types(&mixed);
    let noisy = noise(300_000, 2);
    let parts = [
        Part { method: 93, data: mixed, ..Part::stored("mixed", &bytes) },
        Part { method: 93, data: compressed(&noisy), ..Part::stored("noisy", &noisy) },
        Part::stored("plain", b"plain"),
    ];
    let archive = build(&parts);
    let (_, result) = open_with("x.zip", archive.clone(), Options::default());
    assert_eq!(counts(&result.unwrap()), [raw + 3, rle, other]);
    let (_, summary) = on_device("x.zip", archive, Route::Device);
    assert_eq!(counts(&summary), [raw + 3, rle, other]);
    assert_eq!((summary.blocks.host.len(), summary.blocks.device), (0, raw + rle + other + 3));
}

/// A device gets at most 2^18 blocks of a stream. The others are not compressed for that.
#[test]
fn too_many_raw_blocks_are_counted_as_raw() {
    const COUNT: u32 = (1 << 18) + 1;
    let (collected, summary) = on_device("x.zst", raw_blocks(COUNT), Route::Device);
    assert_eq!(collected.entries[0].bytes.len(), COUNT as usize);
    assert_eq!(counts(&summary), [u64::from(COUNT), 0, 0]);
    assert_eq!(summary.blocks.host, BTreeMap::from([(HostReason::DeviceMemory, u64::from(COUNT))]));
}

/// Blocks before the damage are decoded and counted, the others are not.
#[test]
fn damaged_frames_count_decoded_blocks() {
    let mut stream = of_all_types();
    let [raw, rle, other] = types(&stream);
    let middle = stream.len() - 200_000;
    stream.truncate(middle);
    let (collected, result) = open_with("x.zst", stream, Options::default());
    let [raw_before, rle_before, compressed_before] = counts(&result.unwrap());
    assert!(!collected.entries[0].problems.is_empty());
    assert!(raw_before < raw && rle_before <= rle && compressed_before <= other && compressed_before > 0);
}
