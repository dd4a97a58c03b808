//! Compressors of other libraries.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use lzzzz::lz4f::{BlockChecksum, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};
use zstd_safe::{CCtx, CParameter};

use super::{BZIP2, GZIP, LZ4, XZ, ZSTD};
use crate::stream::StreamFormat;

/// A gzip member with all header fields except the CRC.
pub(super) fn gzip(data: &[u8], level: u32) -> Vec<u8> {
    let builder =
        GzBuilder::new().filename("name.txt").comment("a comment").extra(vec![b'x', b'y', 2, 0, 1, 2]).mtime(1);
    let mut encoder = builder.write(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A zstd frame.
pub(super) fn zstd(data: &[u8], level: i32, has_size: bool, has_sum: bool) -> Vec<u8> {
    let mut context = CCtx::create();
    for parameter in
        [CParameter::CompressionLevel(level), CParameter::ContentSizeFlag(has_size), CParameter::ChecksumFlag(has_sum)]
    {
        context.set_parameter(parameter).unwrap();
    }
    let mut output = Vec::with_capacity(zstd_safe::compress_bound(data.len()));
    context.compress2(&mut output, data).unwrap();
    output
}

/// Parameters of an LZ4 frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lz4Options {
    /// Maximum block size, as a number from 4 to 7.
    pub(super) block: u8,
    pub(super) is_linked: bool,
    pub(super) has_block_sums: bool,
    pub(super) has_content_sum: bool,
    pub(super) has_size: bool,
    pub(super) level: i32,
}

impl Lz4Options {
    /// All combinations of parameters except the level.
    pub(super) fn all() -> impl Iterator<Item = Lz4Options> {
        (0..64).map(|bits: u8| Lz4Options {
            block: 4 + (bits & 3),
            is_linked: bits & 4 != 0,
            has_block_sums: bits & 8 != 0,
            has_content_sum: bits & 16 != 0,
            has_size: bits & 32 != 0,
            level: 0,
        })
    }
}

/// An LZ4 frame.
pub(super) fn lz4(data: &[u8], options: Lz4Options) -> Vec<u8> {
    let mut preferences = PreferencesBuilder::new();
    preferences
        .block_size(
            [BlockSize::Max64KB, BlockSize::Max256KB, BlockSize::Max1MB, BlockSize::Max4MB]
                [usize::from(options.block - 4)],
        )
        .block_mode(if options.is_linked { BlockMode::Linked } else { BlockMode::Independent })
        .block_checksum(if options.has_block_sums { BlockChecksum::Enabled } else { BlockChecksum::Disabled })
        .content_checksum(if options.has_content_sum { ContentChecksum::Enabled } else { ContentChecksum::Disabled })
        .content_size(if options.has_size { data.len() } else { 0 })
        .compression_level(options.level);
    let mut output = Vec::new();
    lzzzz::lz4f::compress_to_vec(data, &mut output, &preferences.build()).unwrap();
    output
}

/// A legacy LZ4 frame.
pub(super) fn lz4_legacy(data: &[u8]) -> Vec<u8> {
    let mut output = 0x184c_2102_u32.to_le_bytes().to_vec();
    for chunk in data.chunks(8 << 20) {
        let mut block = Vec::new();
        lzzzz::lz4::compress_to_vec(chunk, &mut block, 1).unwrap();
        output.extend_from_slice(&(block.len() as u32).to_le_bytes());
        output.extend_from_slice(&block);
    }
    output
}

/// A skippable frame.
pub(super) fn skippable(number: u32, data: &[u8]) -> Vec<u8> {
    let mut output = (0x184d_2a50 + number).to_le_bytes().to_vec();
    output.extend_from_slice(&(data.len() as u32).to_le_bytes());
    output.extend_from_slice(data);
    output
}

/// An xz stream.
pub(super) fn xz(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), level);
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A bzip2 stream.
pub(super) fn bzip2(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// One stream of each format.
pub(super) fn one_of_each(data: &[u8]) -> Vec<(&'static StreamFormat, Vec<u8>)> {
    let options = Lz4Options {
        block: 4,
        is_linked: false,
        has_block_sums: true,
        has_content_sum: true,
        has_size: true,
        level: 0,
    };
    vec![
        (GZIP, gzip(data, 6)),
        (ZSTD, zstd(data, 3, true, true)),
        (ZSTD, zstd(data, 3, false, true)),
        (LZ4, lz4(data, options)),
        (LZ4, lz4(data, Lz4Options { is_linked: true, has_size: false, ..options })),
        (XZ, xz(data, 6)),
        (BZIP2, bzip2(data, 9)),
    ]
}
