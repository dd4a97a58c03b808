//! Decompression bombs: archives that exhaust memory or time. Limits and counted allocations bound both.

use std::io::Write;
use std::sync::Arc;

use allocation_counter::measure;
use bytes::Bytes;
use vyre_jit::{JitDevice, JitOptions};
use vyre_unpack::{
    DecompressError, Entry, Limit, Limits, Options, Problem, ProblemKind, Receiver, Route, Summary, Unpacker,
};

use crate::asar::asar;
use crate::collect::{kinds, limited, open, open_with};
use crate::tar::header;
use crate::zip::{Part, central, end, local};

/// Counts emitted entries and keeps only problems.
#[derive(Default)]
struct Counted {
    entries: u64,
    bytes: u64,
    problems: Vec<Problem>,
}

impl Receiver for Counted {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        for entry in entries {
            self.entries += 1;
            self.bytes += entry.bytes.len() as u64;
            self.problems.extend(entry.problems);
        }
        Ok(())
    }
}

/// Unpacks an archive on a single thread and returns the peak of allocated bytes.
fn open_counting(archive: Vec<u8>, limits: Limits) -> (Counted, Result<Summary, DecompressError>, u64) {
    let open = move || {
        // Allocations of other threads are not counted.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
        let archive = Bytes::from(archive);
        let mut counted = Counted::default();
        let mut result = Err(DecompressError::UnknownFormat);
        let unpacker = Unpacker::on_host(limited(limits));
        let memory = pool.install(|| measure(|| result = unpacker.unpack(b"bomb", archive, &mut counted)).bytes_max);
        (counted, result, memory)
    };
    std::thread::spawn(open).join().unwrap()
}

fn is_stopped(counted: &Counted, result: &Result<Summary, DecompressError>, limit: Limit) -> bool {
    let by_problem =
        |problem: &Problem| matches!(problem.kind, ProblemKind::Limit(exceeded) if exceeded.limit == limit);
    matches!(result, Err(DecompressError::Limit(exceeded)) if exceeded.limit == limit)
        || counted.problems.iter().any(by_problem)
}

/// Number of zeros in one part of a bomb.
const PART: usize = 16 << 20;
const PARTS: usize = 128;

/// Concatenates this stream to 2 GiB of zeros and expects a limit.
fn expect_stop(stream: Vec<u8>) {
    let bomb = stream.repeat(PARTS);
    let length = bomb.len() as u64;
    for limits in [
        Limits::default().with_entry(64 << 20).with_ratio(u64::MAX),
        Limits::default().with_total(64 << 20).with_ratio(u64::MAX),
        Limits::default().with_ratio(4),
    ] {
        let (counted, result, memory) = open_counting(bomb.clone(), limits);
        let limit = if limits.entry == 64 << 20 {
            Limit::Entry
        } else if limits.total == 64 << 20 {
            Limit::Total
        } else {
            Limit::Ratio
        };
        assert!(is_stopped(&counted, &result, limit), "{limit:?}: {result:?} {:?}", counted.problems);
        assert_eq!(counted.bytes, 0);
        let allowed =
            limits.entry.min(limits.total).min(length.saturating_mul(limits.ratio).max(Limits::RATIO_EXEMPT_BYTES));
        // A growing output exists twice for a moment, and decoders have windows.
        assert!(memory <= 2 * allowed + (24 << 20), "{memory} bytes with {allowed} allowed");
    }
}

#[test]
fn two_gibibytes_of_zeros_in_gzip_members() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&vec![0; PART]).unwrap();
    expect_stop(encoder.finish().unwrap());
}

#[test]
fn two_gibibytes_of_zeros_in_zstd_frames() {
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(PART));
    zstd_safe::compress(&mut frame, &vec![0; PART], 1).unwrap();
    expect_stop(frame);
}

#[test]
fn two_gibibytes_of_zeros_in_lz4_frames() {
    let mut frame = Vec::new();
    let preferences = lzzzz::lz4f::PreferencesBuilder::new().block_size(lzzzz::lz4f::BlockSize::Max4MB).build();
    lzzzz::lz4f::compress_to_vec(&vec![0; PART], &mut frame, &preferences).unwrap();
    expect_stop(frame);
}

#[test]
fn two_gibibytes_of_zeros_in_xz_streams() {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(&vec![0; PART]).unwrap();
    expect_stop(encoder.finish().unwrap());
}

#[test]
fn two_gibibytes_of_zeros_in_bzip2_streams() {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(&vec![0; PART]).unwrap();
    expect_stop(encoder.finish().unwrap());
}

#[test]
fn a_million_files_in_an_asar_archive() {
    let file = r#""n":{"files":{}},"#;
    let json = format!(r#"{{"files":{{{}"n":{{"files":{{}}}}}}}}"#, file.repeat(999_999));
    let length = json.len() as u64;
    let limits = Limits::default().with_entries(100_000);
    let (counted, result, memory) = open_counting(asar(&json, b""), limits);
    assert!(is_stopped(&counted, &result, Limit::Entries), "{result:?}");
    assert!(counted.entries <= 100_000, "{}", counted.entries);
    assert!(memory <= 4 * length, "{memory} bytes for {length}");
}

/// The headers of a thousand nested tar archives.
#[test]
fn a_thousand_nested_tar_archives() {
    const DEEP: u64 = 1000;
    let mut archive = Vec::new();
    for level in 1..=DEEP {
        archive.extend(header(b"inner.tar", b'0', (DEEP - level) * (512 + 1024) + 512));
    }
    archive.extend(vec![b'x'; 512]);
    archive.extend(vec![0; DEEP as usize * 1024]);
    let (collected, result) = open_with("x.tar", archive.clone(), Options::default());
    assert_eq!(result.unwrap().layers, 16);
    let last = collected.entries.last().unwrap();
    assert!(matches!(kinds(&last.problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Depth));
    // Each archive counts with its whole content.
    let limits = Limits::default().with_depth(2000).with_total(1 << 30).with_ratio(1000);
    let (counted, result, memory) = open_counting(archive, limits);
    assert_eq!((counted.entries, result.unwrap().layers), (DEEP, DEEP as u32));
    assert!(memory < 64 << 20, "{memory}");
}

#[test]
fn a_pax_header_that_states_a_gibibyte() {
    for kind in [b'x', b'g', b'L', b'K'] {
        for rest in [&b""[..], b"30 path=name\n", &[b'9'; 5000]] {
            let archive = [&header(b"header", kind, 1 << 30)[..], rest].concat();
            let (counted, result, memory) = open_counting(archive, Limits::default());
            assert!(!result.is_ok_and(|summary| summary.is_clean()), "{}", char::from(kind));
            assert!(counted.bytes == 0 && memory < 1 << 20, "{memory}");
        }
    }
}

/// Extra fields of maximum length, and a comment full of false end records.
#[test]
fn zip_extra_fields_and_comments_of_maximum_length() {
    let field = [&[0xfe, 0xca, 0xfb, 0xff][..], &[0; 0xfffb]].concat();
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for number in 0..300 {
        let part = Part::stored(&format!("{number:03}"), b"bytes");
        let mut record = central(&part, archive.len() as u32);
        record[30..32].copy_from_slice(&u16::MAX.to_le_bytes());
        record.extend(&field);
        let mut entry = local(&part);
        entry[28..30].copy_from_slice(&u16::MAX.to_le_bytes());
        entry.splice(33..33, field.iter().copied());
        archive.extend(entry);
        directory.extend(record);
    }
    let offset = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(end(300, directory.len() as u32, offset));
    let length = archive.len();
    for comment in [b"none".repeat(16_383), b"PK\x05\x06".repeat(16_383)] {
        let mut archive = archive.clone();
        archive[length - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
        archive.extend(&comment);
        let (counted, result, memory) = open_counting(archive, Limits::default());
        let summary = result.unwrap();
        assert!(summary.is_clean(), "{:?} {:?}", summary.problems.first(), counted.problems.first());
        assert_eq!((counted.entries, counted.bytes), (300, 1500));
        // An archive with end records in its comment is copied once, without the comment.
        let copy = if comment.starts_with(b"PK") { length as u64 } else { 0 };
        assert!(memory < copy + (4 << 20), "{memory}");
    }
}

#[test]
fn a_million_empty_lz4_blocks() {
    let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
    frame.extend([1, 0, 0, 0, 0].repeat(1_000_000));
    frame.extend([0; 4]);
    let (counted, result, memory) = open_counting(frame.clone(), Limits::default());
    assert!(result.is_ok_and(|summary| summary.is_clean()), "{:?}", counted.problems);
    assert_eq!((counted.entries, counted.bytes), (1, 0));
    assert!(memory < 128 << 20, "{memory}");
    // The output bound of 64 GiB is not requested from a device.
    let device = Arc::new(JitDevice::new(&JitOptions::default()).unwrap());
    let options = Options::default().with_limits(Limits::default().with_total(1 << 28)).with_route(Route::Device);
    let mut counted = Counted::default();
    let result = Unpacker::on_device(device, options).unpack(b"x.lz4", Bytes::from(frame), &mut counted);
    assert!(result.is_ok_and(|summary| summary.is_clean()), "{:?}", counted.problems);
    assert_eq!((counted.entries, counted.bytes), (1, 0));
}

#[test]
fn a_million_skippable_frames() {
    for kind in [0x50, 0x5f] {
        let stream = [kind, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(1_000_000);
        let mut frame = Vec::with_capacity(64);
        zstd_safe::compress(&mut frame, b"content", 1).unwrap();
        let (counted, result, memory) = open_counting([stream, frame].concat(), Limits::default());
        assert!(result.is_ok_and(|summary| summary.is_clean()), "{:?}", counted.problems);
        assert_eq!((counted.entries, counted.bytes), (1, 7));
        assert!(memory < 1 << 20, "{memory}");
    }
}

/// Many empty gzip members form one empty stream.
#[test]
fn many_empty_gzip_members() {
    let empty = crate::collect::gzip(b"");
    let (collected, summary) = open("x.gz", empty.repeat(200_000));
    assert!(summary.is_clean() && collected.entries[0].bytes.is_empty());
}
