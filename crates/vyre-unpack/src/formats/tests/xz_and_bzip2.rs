//! Features of xz and bzip2.

use liblzma::stream::{Check, Filters, LzmaOptions, MtStreamBuilder, Stream};
use std::io::Write;

use super::encode::{bzip2, xz};
use super::{BZIP2, ProblemKind, XZ, decode, decode_whole, mixture, only_problem, text};
use crate::limits::Limit;

/// An xz stream of this encoder.
fn xz_by(data: &[u8], stream: Stream) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn all_known_checks_are_verified() {
    let data = text(10_000);
    for check in [Check::None, Check::Crc32, Check::Crc64, Check::Sha256] {
        let stream = xz_by(&data, Stream::new_easy_encoder(1, check).unwrap());
        assert!(decode_whole(XZ, &stream) == data);
    }
}

#[test]
fn unknown_checks_are_unsupported() {
    let mut stream = xz(b"content", 1);
    stream[7] = 2;
    let sum = crc32fast(&stream[6..8]);
    stream[8..12].copy_from_slice(&sum.to_le_bytes());
    assert!(matches!(only_problem(&decode(XZ, &stream)), (0, ProblemKind::Unsupported { .. })));
}

/// CRC-32 of another implementation.
fn crc32fast(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[test]
fn padding_between_streams_is_skipped() {
    let stream = xz(b"content", 1);
    for padding in [0, 4, 8, 400] {
        let padded = [stream.clone(), vec![0; padding], stream.clone(), vec![0; padding]].concat();
        assert_eq!(decode_whole(XZ, &padded), b"contentcontent");
    }
    for padding in [1, 2, 3, 5] {
        let decoded = decode(XZ, &[stream.clone(), vec![0; padding], stream.clone()].concat());
        assert!(matches!(only_problem(&decoded).1, ProblemKind::Corrupt { .. }));
        assert_eq!(&decoded.bytes[..], b"content");
    }
}

#[test]
fn blocks_are_decoded_in_parallel() {
    let data = mixture(6 << 20);
    let mut builder = MtStreamBuilder::new();
    builder.threads(2).block_size(1 << 20).preset(1).check(Check::Crc64);
    let mut stream = xz_by(&data, builder.encoder().unwrap());
    assert!(stream.len() > 1 << 20);
    assert!(decode_whole(XZ, &stream) == data);
    // The verdict on damage does not depend on threads.
    let offset = stream.len() / 2;
    stream[offset] ^= 1;
    let first = decode(XZ, &stream);
    assert_eq!(first.problems.len(), 1);
    assert!(first.bytes.len() > 1 << 20);
    for _ in 0..5 {
        assert!(decode(XZ, &stream) == first);
    }
}

#[test]
fn dictionaries_beyond_the_limit_on_windows_are_refused() {
    let mut options = LzmaOptions::new_preset(1).unwrap();
    options.dict_size(1 << 20);
    let mut stream =
        xz_by(b"content", Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::None).unwrap());
    // The filter flags of the block header have the dictionary size, and its end has a CRC-32.
    let flags = stream[12..].windows(2).position(|pair| pair == [0x21, 1]).unwrap() + 12;
    stream[flags + 2] = 36;
    let end = 12 + (usize::from(stream[12]) + 1) * 4;
    let sum = crc32fast(&stream[12..end - 4]);
    stream[end - 4..end].copy_from_slice(&sum.to_le_bytes());
    let decoded = decode(XZ, &stream);
    let (_, kind) = only_problem(&decoded);
    assert!(matches!(kind, ProblemKind::Limit(exceeded) if exceeded.limit == Limit::Window), "{kind:?}");
}

#[test]
fn checksums_of_bzip2_are_verified() {
    let stream = bzip2(&text(1_000), 1);
    // The checksum of the first block follows its magic number.
    for offset in 10..14 {
        let mut damaged = stream.clone();
        damaged[offset] ^= 1;
        let decoded = decode(BZIP2, &damaged);
        assert!(matches!(only_problem(&decoded).1, ProblemKind::Corrupt { .. }));
    }
}
