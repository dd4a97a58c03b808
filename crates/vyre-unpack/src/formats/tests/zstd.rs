//! zstd frames assembled by hand.

use std::collections::BTreeMap;

use xxhash_rust::xxh64::xxh64;

use super::encode::zstd;
use super::{BlockOp, HostReason, ProblemKind, ZSTD, decode, decode_whole, mixture, only_problem, text};
use crate::limits::{Budget, Limits};
use crate::stream::{Assembled, BlockResult, assemble, plan};

/// A block: type, size in the header, payload.
type Parts<'p> = (u32, u32, &'p [u8]);

/// A frame with this descriptor, these fields and these blocks. The last block is marked.
fn frame(descriptor: u8, fields: &[u8], blocks: &[Parts<'_>]) -> Vec<u8> {
    let mut bytes = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    bytes.push(descriptor);
    bytes.extend_from_slice(fields);
    for (number, (kind, size, payload)) in blocks.iter().enumerate() {
        let is_last = u32::from(number + 1 == blocks.len());
        let word = size << 3 | kind << 1 | is_last;
        bytes.extend_from_slice(&word.to_le_bytes()[..3]);
        bytes.extend_from_slice(payload);
    }
    bytes
}

/// Raw and RLE blocks, and their content.
const BLOCKS: [Parts<'static>; 4] = [(0, 3, b"abc"), (1, 5, b"d"), (0, 0, b""), (1, 0, b"x")];
const CONTENT: &[u8] = b"abcddddd";

#[test]
fn raw_and_rle_blocks_are_planned_for_the_device() {
    let stream = frame(0, &[0x50], &BLOCKS);
    let planned = plan(ZSTD, &stream).unwrap().blocks;
    let expected: Vec<_> =
        planned.iter().map(|block| (block.op, block.input.len(), block.expected, block.is_stored)).collect();
    let zstd = BlockOp::Zstd;
    assert_eq!(expected, [(zstd, 6, 3, false), (zstd, 4, 5, false), (zstd, 3, 0, false), (zstd, 4, 0, false)]);
    assert_eq!(decode_whole(ZSTD, &stream), CONTENT);
}

#[test]
fn the_reference_decoder_agrees() {
    for (descriptor, fields) in [(0, &[0x50][..]), (0b0010_0000, &[8]), (0b1110_0000, &[8, 0, 0, 0, 0, 0, 0, 0])] {
        let stream = frame(descriptor, fields, &BLOCKS);
        let mut output = Vec::with_capacity(100);
        zstd_safe::decompress(&mut output, &stream).unwrap();
        assert_eq!(output, CONTENT);
        assert_eq!(decode_whole(ZSTD, &stream), CONTENT);
    }
}

#[test]
fn frames_with_compressed_blocks_are_planned_as_a_whole() {
    let data = mixture(600_000);
    let packed = zstd(&data, 3, true, true);
    let alone = plan(ZSTD, &packed).unwrap();
    let [block] = &alone.blocks[..] else { panic!("{alone:?}") };
    assert_eq!((block.op, block.input.clone(), block.expected), (BlockOp::ZstdFull, 0..packed.len(), 600_000));
    // Without a size in the header, each block may have the maximum.
    let unsized_frame = zstd(&data, 3, false, true);
    assert!(plan(ZSTD, &unsized_frame).unwrap().blocks[0].expected > 600_000);
    let stream = [frame(0, &[0x50], &BLOCKS), packed.clone(), frame(0, &[0x50], &BLOCKS)].concat();
    let plan_of_all = plan(ZSTD, &stream).unwrap();
    assert_eq!(plan_of_all.blocks.len(), 9);
    let budget = Budget::new(Limits::default());
    let mut results = super::device(&stream, &plan_of_all);
    let Assembled { decoded, host_blocks, device_blocks, device_bytes } =
        assemble(ZSTD, &stream, &plan_of_all, &results, &budget);
    assert!(decoded.bytes == [CONTENT, &data, CONTENT].concat());
    assert_eq!((host_blocks.len(), device_blocks), (0, decoded.blocks.units));
    assert_eq!(device_bytes, decoded.bytes.len() as u64);
    assert!(decoded.blocks.zstd.compressed >= 3);
    // The host decodes what the device refused, and what has another content than the checksum.
    let whole = results[4].clone();
    let changed = [&whole.bytes[..599_999], b"?"].concat();
    for result in [(7, Vec::new()), (BlockResult::NOT_DECODED, Vec::new()), (0, changed), (0, vec![0; 9])] {
        results[4] = BlockResult { error: result.0, bytes: result.1.into() };
        let assembled = assemble(ZSTD, &stream, &plan_of_all, &results, &Budget::new(Limits::default()));
        assert!(assembled.decoded == decoded);
        let reason = match result.0 {
            BlockResult::NOT_DECODED => HostReason::DeviceMemory,
            _ => HostReason::RefusedByDevice,
        };
        assert_eq!(assembled.host_blocks, BTreeMap::from([(reason, decoded.blocks.units - 8)]));
        assert_eq!((assembled.device_blocks, assembled.device_bytes), (8, 2 * CONTENT.len() as u64));
    }
    // A frame without an end, and one whose header states more than its blocks can hold.
    assert_eq!(plan(ZSTD, &packed[..packed.len() - 1]), None);
    let mut larger = packed;
    let position = if larger[4] & 0b10_0000 != 0 { 5 } else { 6 };
    larger[position + 3] = 0x7f;
    assert_eq!(plan(ZSTD, &larger), None);
}

#[test]
fn checksums_and_sizes_are_verified() {
    let data = text(300_000);
    let sum = xxh64(CONTENT, 0) as u32;
    let simple = [frame(0b0010_0100, &[8], &BLOCKS), sum.to_le_bytes().to_vec()].concat();
    for (stream, content) in
        [(simple, CONTENT), (zstd(&data, 3, true, true), &data), (zstd(&data, 3, false, true), &data)]
    {
        assert!(decode_whole(ZSTD, &stream) == content);
        let mut damaged = stream.clone();
        let end = stream.len();
        damaged[end - 1] ^= 0x80;
        let decoded = decode(ZSTD, &damaged);
        let found = xxh64(content, 0) & 0xffff_ffff;
        let expected = ProblemKind::Checksum { what: "XXH64 of the content", expected: found ^ 1 << 31, found };
        assert_eq!(only_problem(&decoded), (end as u64 - 4, &expected));
        assert!(decoded.bytes == content);
    }
    // The size is in the four bytes after the descriptor and the window.
    let stream = zstd(&data, 3, true, false);
    let position = if stream[4] & 0b10_0000 != 0 { 5 } else { 6 };
    assert_eq!(stream[position..position + 4], 300_000_u32.to_le_bytes());
    for size in [299_999_u32, 300_001, 200_000] {
        let mut damaged = stream.clone();
        damaged[position..position + 4].copy_from_slice(&size.to_le_bytes());
        let decoded = decode(ZSTD, &damaged);
        assert_eq!(only_problem(&decoded), (0, &ProblemKind::Size { expected: u64::from(size), found: 300_000 }));
        assert!(decoded.bytes == data);
    }
    let damaged = frame(0b0010_0000, &[9], &BLOCKS);
    let decoded = decode(ZSTD, &damaged);
    assert_eq!(only_problem(&decoded), (0, &ProblemKind::Size { expected: 9, found: 8 }));
}

#[test]
fn damaged_frames_are_reported() {
    let problem_of = |stream: &[u8]| {
        let decoded = decode(ZSTD, stream);
        let (offset, kind) = only_problem(&decoded);
        (offset, kind.clone(), decoded.bytes.to_vec())
    };
    assert!(matches!(problem_of(&frame(0b1000, &[0x50], &BLOCKS)), (0, ProblemKind::Corrupt { .. }, _)));
    // Dictionaries; number 0 means none.
    for (descriptor, fields) in [(1, &[0x50, 7][..]), (2, &[0x50, 0, 7]), (3, &[0x50, 0, 0, 0, 7])] {
        let (_, kind, _) = problem_of(&frame(descriptor, fields, &BLOCKS));
        let ProblemKind::Unsupported { what } = kind else { panic!("{kind:?}") };
        assert!(what.starts_with("zstd dictionary"));
    }
    assert_eq!(decode_whole(ZSTD, &frame(3, &[0x50, 0, 0, 0, 0], &BLOCKS)), CONTENT);
    // Windows beyond 2 GiB.
    assert!(matches!(problem_of(&frame(0, &[0xf8], &BLOCKS)), (0, ProblemKind::Unsupported { .. }, _)));
    // The reserved type, and a block beyond the window.
    let stream = frame(0, &[0x50], &[(0, 3, b"abc"), (3, 3, b"abc")]);
    assert!(matches!(problem_of(&stream), (12, ProblemKind::Corrupt { .. }, bytes) if bytes == b"abc"));
    let stream = frame(0, &[0x00], &[(0, 3, b"abc"), (1, 1_025, b"d")]);
    assert!(matches!(problem_of(&stream), (12, ProblemKind::Corrupt { .. }, bytes) if bytes == b"abc"));
    // An empty compressed block.
    let stream = frame(0, &[0x50], &[(0, 3, b"abc"), (2, 5, b"?????")]);
    assert!(matches!(problem_of(&stream), (12, ProblemKind::Corrupt { .. }, bytes) if bytes == b"abc"));
}

#[test]
fn output_before_the_damage_is_kept() {
    let data = mixture(1_000_000);
    for has_size in [false, true] {
        let mut stream = zstd(&data, 3, has_size, true);
        let cut = stream.len() * 3 / 4;
        stream[cut..cut + 64].fill(0xff);
        let decoded = decode(ZSTD, &stream);
        assert_eq!(decoded.problems.len(), 1);
        if matches!(decoded.problems[0].kind, ProblemKind::Corrupt { .. }) {
            assert!(data.starts_with(&decoded.bytes));
        }
        assert!(decoded.bytes.len() > data.len() / 2);
        // The decoder of the thread is reusable.
        assert!(decode_whole(ZSTD, &zstd(&data, 3, has_size, true)) == data);
    }
}
