//! LZ4 frames assembled by hand, and blocks at the edges of the rules.

use lz4_flex::block::decompress_into;
use xxhash_rust::xxh32::xxh32;

use super::encode::{Lz4Options, lz4};
use super::{BlockOp, LZ4, ProblemKind, XZ, decode, decode_whole, mixture, only_problem, text};
use crate::formats::lz4::decode_exactly;
use crate::stream::plan;

/// A frame with these flags and blocks, each with its size before it, without the end mark.
fn frame(flags: u8, sizes: u8, fields: &[u8], blocks: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = 0x184d_2204_u32.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[flags, sizes]);
    bytes.extend_from_slice(fields);
    bytes.push((xxh32(&bytes[4..], 0) >> 8) as u8);
    for (size, block) in blocks {
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(block);
    }
    bytes
}

/// A frame of independent blocks without checksums.
fn plain(blocks: &[&[u8]]) -> Vec<u8> {
    let blocks: Vec<_> = blocks.iter().map(|&block| (block.len() as u32, block)).collect();
    [frame(0b0110_0000, 0x40, &[], &blocks), vec![0; 4]].concat()
}

/// Blocks with the status code and the output of each, in an output of 64 KiB.
const BLOCKS: [(&[u8], u32, &[u8]); 14] = [
    (&[0x10, b'a'], 0, b"a"),
    (&[0x00], 0, b""),
    // A block that ends with a match, which other decoders refuse.
    (&[0x10, b'a', 1, 0], 0, b"aaaaa"),
    (&[0x21, b'a', b'b', 2, 0], 0, b"abababa"),
    (&[0x1f, b'a', 1, 0, 2], 0, b"aaaaaaaaaaaaaaaaaaaaaa"),
    // Offsets that are 0 or too large.
    (&[0x10, b'a', 0, 0, 0x10, b'b'], 2, b"a"),
    (&[0x10, b'a', 2, 0, 0x10, b'b'], 2, b"a"),
    (&[0x00, 1, 0, 0x10, b'b'], 2, b""),
    // Truncated offsets and lengths.
    (&[0x10, b'a', 1], 1, b"a"),
    (&[0x1f, b'a', 1, 0], 1, b"a"),
    (&[0x1f, b'a', 1, 0, 255], 1, b"a"),
    (&[0xf0], 1, b""),
    (&[0xf0, 255, 255], 1, b""),
    (&[0x30, b'a', b'b'], 4, b""),
];

#[test]
fn blocks_are_decoded_by_the_rules() {
    for (block, code, output) in BLOCKS {
        assert_eq!(decode_exactly(block, 65_536), (code, output.to_vec()), "{block:x?}");
    }
    assert_eq!(decode_exactly(&[], 10), (0, Vec::new()));
    assert_eq!(decode_exactly(&[0x30, 1, 2, 3], 2), (3, Vec::new()));
    assert_eq!(decode_exactly(&[0x30, 1, 2, 3, 1, 0], 6), (5, vec![1, 2, 3]));
    assert_eq!(decode_exactly(&[0x30, 1, 2, 3, 1, 0], 7), (0, vec![1, 2, 3, 3, 3, 3, 3]));
}

#[test]
fn the_fast_decoder_accepts_only_valid_blocks() {
    for (block, code, output) in BLOCKS {
        let mut room = [0xaa; 100];
        if let Ok(length) = decompress_into(block, &mut room) {
            assert_eq!((0, output), (code, &room[..length]));
        }
    }
    // Offset 0 far from the end, in the hot loop of the decoder.
    let mut block = vec![0x10, b'a', 0, 0];
    block.extend_from_slice(&[0xf0, 100]);
    block.extend_from_slice(&[b'x'; 115]);
    assert!(decompress_into(&block, &mut [0; 1_000]).is_err());
    assert_eq!(decode_exactly(&block, 1_000), (2, b"a".to_vec()));
}

#[test]
fn blocks_in_frames_are_decoded_by_the_rules() {
    for (block, code, output) in BLOCKS {
        let stream = plain(&[&[0x20, b'x', b'y'], block, &[0x10, b'z']]);
        let decoded = decode(LZ4, &stream);
        if code == 0 {
            assert_eq!(decoded.problems, []);
            assert_eq!(decoded.bytes, [b"xy", output, b"z"].concat());
        } else {
            assert!(matches!(only_problem(&decoded), (18, ProblemKind::Corrupt { .. })), "{:?}", decoded.problems);
            assert_eq!(decoded.bytes, [b"xy", output].concat());
        }
    }
}

#[test]
fn linked_blocks_refer_to_preceding_blocks() {
    // Five bytes back from the second block, and beyond the start of the frame.
    let first: &[u8] = &[0x50, b'a', b'b', b'c', b'd', b'e'];
    for (offset, is_good) in [(5, true), (6, false), (0, false)] {
        let second: &[u8] = &[0x06, offset, 0, 0x10, b'!'];
        let blocks = [(first.len() as u32, first), (second.len() as u32, second)];
        let stream = [frame(0b0100_0000, 0x40, &[], &blocks), vec![0; 4]].concat();
        // The preceding frame is not part of the history.
        let stream = [plain(&[first]), stream].concat();
        let decoded = decode(LZ4, &stream);
        assert_eq!(decoded.problems.is_empty(), is_good);
        let expected: &[u8] = if is_good { b"abcdeabcdeabcdeabcde!" } else { b"abcdeabcde" };
        assert_eq!(decoded.bytes, expected);
        // Independent blocks have no history.
        let blocks = [(first.len() as u32, first), (second.len() as u32, second)];
        let stream = [frame(0b0110_0000, 0x40, &[], &blocks), vec![0; 4]].concat();
        assert_eq!(&decode(LZ4, &stream).bytes[..], b"abcde");
    }
}

#[test]
fn stored_blocks_are_copied() {
    let blocks: [(u32, &[u8]); 3] = [(1 << 31 | 3, b"abc"), (1 << 31, b""), (2, &[0x10, b'd'])];
    for flags in [0b0110_0000, 0b0100_0000] {
        let stream = [frame(flags, 0x40, &[], &blocks), vec![0; 4]].concat();
        assert_eq!(decode_whole(LZ4, &stream), b"abcd");
    }
}

#[test]
fn damaged_frames_are_reported() {
    let problem_of = |stream: &[u8]| {
        let decoded = decode(LZ4, stream);
        let (offset, kind) = only_problem(&decoded);
        (offset, kind.clone())
    };
    // Versions, reserved bits, block sizes.
    for flags in [0b0010_0000, 0b1010_0000, 0b1110_0000] {
        assert!(matches!(problem_of(&frame(flags, 0x40, &[], &[])), (0, ProblemKind::Unsupported { .. })));
    }
    assert!(matches!(problem_of(&frame(0b0110_0010, 0x40, &[], &[])), (0, ProblemKind::Corrupt { .. })));
    for sizes in [0x00, 0x30, 0x41, 0xc0, 0x48] {
        assert!(matches!(problem_of(&frame(0b0110_0000, sizes, &[], &[])), (0, ProblemKind::Corrupt { .. })));
    }
    // Dictionaries; number 0 means none.
    let with_dictionary = |number: u32| frame(0b0110_0001, 0x40, &number.to_le_bytes(), &[(0, b"")]);
    assert!(matches!(problem_of(&with_dictionary(7)), (0, ProblemKind::Unsupported { .. })));
    assert_eq!(decode_whole(LZ4, &with_dictionary(0)), b"");
    // The checksum of the header.
    let mut stream = frame(0b0110_0000, 0x40, &[], &[(0, b"")]);
    stream[6] ^= 1;
    assert!(matches!(problem_of(&stream), (6, ProblemKind::Checksum { .. })));
    // Blocks beyond the maximum size, compressed and decoded.
    let large = vec![0; 65_537];
    let stream = frame(0b0110_0000, 0x40, &[], &[(1 << 31 | 65_537, &large)]);
    assert!(matches!(problem_of(&stream), (7, ProblemKind::Corrupt { .. })));
    let mut run = vec![0x1f, b'a', 1, 0];
    run.extend_from_slice(&[255; 300]);
    run.push(0);
    let stream = plain(&[&run]);
    assert!(matches!(problem_of(&stream), (11, ProblemKind::Corrupt { .. })));
    assert_eq!(&decode(LZ4, &stream).bytes[..], b"a");
}

#[test]
fn checksums_and_sizes_are_verified() {
    let data = text(1_000);
    let options = Lz4Options {
        block: 4,
        is_linked: false,
        has_block_sums: true,
        has_content_sum: true,
        has_size: true,
        level: 0,
    };
    let stream = lz4(&data, options);
    let end = stream.len();
    // From the end: four bytes of content checksum, four of end mark, four of block checksum.
    let mut damaged = stream.clone();
    damaged[end - 1] ^= 1;
    let decoded = decode(LZ4, &damaged);
    assert!(matches!(only_problem(&decoded).1, ProblemKind::Checksum { what: "XXH32 of the content", .. }));
    assert!(decoded.bytes == data);
    let mut damaged = stream.clone();
    damaged[end - 12] ^= 1;
    let decoded = decode(LZ4, &damaged);
    assert!(matches!(only_problem(&decoded).1, ProblemKind::Checksum { what: "XXH32 of the LZ4 block", .. }));
    assert_eq!(&decoded.bytes[..], b"");
    for size in [0_u64, 999, 1_001, 70_000] {
        let mut damaged = stream.clone();
        damaged[6..14].copy_from_slice(&size.to_le_bytes());
        damaged[14] = (xxh32(&damaged[4..14], 0) >> 8) as u8;
        let decoded = decode(LZ4, &damaged);
        assert_eq!(only_problem(&decoded), (0, &ProblemKind::Size { expected: size, found: 1_000 }));
        assert!(decoded.bytes == data);
    }
}

#[test]
fn independent_blocks_are_planned_for_the_device() {
    let data = mixture(300_000);
    for options in Lz4Options::all() {
        let stream = lz4(&data, options);
        let found = plan(LZ4, &stream);
        if options.is_linked && options.block == 4 {
            assert_eq!(found, None);
        } else if !options.is_linked {
            let block = 1 << (8 + 2 * options.block);
            let blocks = found.unwrap().blocks;
            assert_eq!(blocks.len(), data.len().div_ceil(block));
            assert!(blocks.iter().all(|found| found.op == BlockOp::Lz4 && found.expected as usize <= block));
            if options.has_size {
                let total: usize = blocks.iter().map(|block| block.expected as usize).sum();
                assert_eq!(total, data.len());
            }
        }
    }
    assert_eq!(plan(XZ, &super::encode::xz(&data, 6)), None);
}

#[test]
fn blocks_below_the_maximum_size_are_decoded_in_parallel() {
    // Blocks of various sizes, in a frame large enough for parallel decoding.
    let parts: Vec<Vec<u8>> = (0..40).map(|number| super::noise(30_000 + 700 * number)).collect();
    let blocks: Vec<_> = parts.iter().map(|part| (1 << 31 | part.len() as u32, &part[..])).collect();
    let mut packed = Vec::new();
    lzzzz::lz4::compress_to_vec(&[7; 5_000], &mut packed, 1).unwrap();
    let packed: Vec<_> = blocks.iter().flat_map(|&block| [block, (packed.len() as u32, &packed[..])]).collect();
    let expected: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied().chain([7; 5_000])).collect();
    let size = expected.len() as u64;
    for (flags, fields) in [(0b0110_0000, &[][..]), (0b0110_1000, &size.to_le_bytes()[..])] {
        let stream = [frame(flags, 0x40, fields, &packed), vec![0; 4]].concat();
        assert!(stream.len() > 1 << 20);
        assert!(decode_whole(LZ4, &stream) == expected);
    }
}
