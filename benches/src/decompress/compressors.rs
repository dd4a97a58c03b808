//! Compressors of the workloads: C libraries with fixed settings.

use lzzzz::lz4;
use lzzzz::lz4f::{self, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};

/// Level of Zstandard.
const ZSTD_LEVEL: i32 = 3;

/// Appends an LZ4 block with default acceleration to `out` and returns its size.
pub(super) fn lz4_block(text: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
    lz4::compress_to_vec(text, out, lz4::ACC_LEVEL_DEFAULT).map_err(|error| error.to_string())
}

/// LZ4 frame of independent blocks of 64 KiB with a content checksum.
pub(super) fn lz4_frame(text: &[u8]) -> Result<Vec<u8>, String> {
    let preferences = PreferencesBuilder::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(BlockMode::Independent)
        .content_checksum(ContentChecksum::Enabled)
        .build();
    let mut compressed = Vec::new();
    lz4f::compress_to_vec(text, &mut compressed, &preferences).map_err(|error| error.to_string())?;
    Ok(compressed)
}

/// Zstandard frame of level 3.
pub(super) fn zstd_frame(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressed = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    let compress = zstd_safe::compress(&mut compressed, text, ZSTD_LEVEL);
    compress.map_err(|code| zstd_safe::get_error_name(code).to_owned())?;
    Ok(compressed)
}

/// Raw deflate stream of level 6.
pub(super) fn deflate_stream(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut compressed = vec![0; compressor.deflate_compress_bound(text.len())];
    let size = compressor.deflate_compress(text, &mut compressed).map_err(|error| error.to_string())?;
    compressed.truncate(size);
    Ok(compressed)
}

/// gzip file of level 6.
pub(super) fn gzip_file(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut compressed = vec![0; compressor.gzip_compress_bound(text.len())];
    let size = compressor.gzip_compress(text, &mut compressed).map_err(|error| error.to_string())?;
    compressed.truncate(size);
    Ok(compressed)
}
