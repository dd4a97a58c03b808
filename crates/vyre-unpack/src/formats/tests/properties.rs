//! Streams of random LZ4 and zstd frames: host and device agree.

use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh32::xxh32;

use super::encode::skippable;
use super::{BZIP2, GZIP, LZ4, XZ, ZSTD, decode, decode_within, noise, text};
use crate::formats::lz4::decode_exactly;
use crate::limits::Limits;

/// Random content, compressible or not.
fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (0..2_000_usize).prop_map(text),
        (0..2_000_usize).prop_map(noise),
        (any::<u8>(), 0..70_000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ]
}

/// A block with its size, stored or compressed.
fn lz4_block() -> impl Strategy<Value = (u32, Vec<u8>)> {
    let packed = content().prop_map(|content| {
        let mut block = Vec::new();
        lzzzz::lz4::compress_to_vec(&content, &mut block, 1).unwrap();
        (block.len() as u32, block)
    });
    let stored = (0..3_000_usize).prop_map(|length| (1 << 31 | length as u32, noise(length)));
    let any = vec(any::<u8>(), 1..40).prop_map(|block| (block.len() as u32, block));
    prop_oneof![6 => packed, 3 => stored, 1 => any]
}

/// A frame with random flags and mostly correct sizes and checksums.
fn lz4_frame() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), vec(lz4_block(), 0..5), proptest::option::weighted(0.2, any::<u32>())).prop_map(
        |(flags, blocks, damage)| {
            let flags = 0b0100_0000 | flags & 0b0011_1100;
            let mut body = Vec::new();
            let mut content = Vec::new();
            for (size, block) in blocks {
                body.extend_from_slice(&size.to_le_bytes());
                body.extend_from_slice(&block);
                if flags & 0b1_0000 != 0 {
                    body.extend_from_slice(&xxh32(&block, 0).to_le_bytes());
                }
                let decoded = if size >> 31 == 1 { block } else { decode_exactly(&block, 1 << 16).1 };
                content.extend_from_slice(&decoded);
            }
            body.extend_from_slice(&[0; 4]);
            if flags & 0b100 != 0 {
                body.extend_from_slice(&xxh32(&content, 0).to_le_bytes());
            }
            let mut bytes = 0x184d_2204_u32.to_le_bytes().to_vec();
            bytes.extend_from_slice(&[flags, 0x40]);
            if flags & 0b1000 != 0 {
                bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
            }
            bytes.push((xxh32(&bytes[4..], 0) >> 8) as u8);
            bytes.extend_from_slice(&body);
            if let Some(damage) = damage {
                let offset = damage as usize % bytes.len();
                bytes[offset] ^= (damage >> 24) as u8;
            }
            bytes
        },
    )
}

/// A frame of raw and RLE blocks, or one of the reference compressor, mostly complete.
fn zstd_frame() -> impl Strategy<Value = Vec<u8>> {
    let block = (0..2_u32, 0..2_000_u32, any::<u8>());
    let simple = (vec(block, 1..6), proptest::option::weighted(0.2, any::<u32>())).prop_map(|(blocks, damage)| {
        let mut bytes = 0xfd2f_b528_u32.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[0, 0x08]);
        for (number, (kind, size, byte)) in blocks.iter().enumerate() {
            let word = size << 3 | kind << 1 | u32::from(number + 1 == blocks.len());
            bytes.extend_from_slice(&word.to_le_bytes()[..3]);
            bytes.extend_from_slice(&if *kind == 1 { vec![*byte] } else { noise(*size as usize) });
        }
        if let Some(damage) = damage {
            let offset = damage as usize % bytes.len();
            bytes[offset] ^= (damage >> 24) as u8;
        }
        bytes
    });
    let packed = (content(), any::<bool>(), any::<bool>())
        .prop_map(|(content, has_size, has_sum)| super::encode::zstd(&content, 3, has_size, has_sum));
    prop_oneof![3 => simple, 1 => packed]
}

/// A sequence of frames and skippable frames, sometimes truncated.
fn stream(frame: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let skipped = (0..16_u32, 0..20_usize).prop_map(|(number, length)| skippable(number, &noise(length)));
    (vec(prop_oneof![5 => frame, 1 => skipped], 1..6), proptest::option::weighted(0.2, any::<u32>())).prop_map(
        |(frames, cut)| {
            let mut bytes = frames.concat();
            if let Some(cut) = cut {
                bytes.truncate(cut as usize % bytes.len());
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn host_and_device_agree_on_lz4(stream in stream(lz4_frame()), most in 0..200_000_u64) {
        decode(LZ4, &stream);
        decode_within(LZ4, &stream, Limits { total: most, ..Limits::default() });
    }

    #[test]
    fn host_and_device_agree_on_zstd(stream in stream(zstd_frame()), most in 0..20_000_u64) {
        decode(ZSTD, &stream);
        decode_within(ZSTD, &stream, Limits { entry: most, ..Limits::default() });
    }

    #[test]
    fn any_bytes_after_a_magic_number(bytes in vec(any::<u8>(), 0..200)) {
        for magic in [
            &[0x04, 0x22, 0x4d, 0x18][..],
            &[0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82],
            &[0x02, 0x21, 0x4c, 0x18],
            &[0x28, 0xb5, 0x2f, 0xfd],
            &[0x28, 0xb5, 0x2f, 0xfd, 0, 0x50],
            &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0],
            b"BZh91AY&SY",
            b"\xfd7zXZ\0",
        ] {
            let stream = [magic, &bytes].concat();
            for format in [
                GZIP, ZSTD, LZ4, XZ, BZIP2,
            ] {
                decode(format, &stream);
            }
        }
    }
}
