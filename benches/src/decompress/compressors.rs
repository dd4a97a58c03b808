//! Compressors of the workloads: C libraries with fixed settings.

use lzzzz::lz4;
use lzzzz::lz4f::{self, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};
use zstd_safe::CParameter;

/// Level of Zstandard.
const ZSTD_LEVEL: i32 = 3;

/// Level of deflate streams.
const DEFLATE_LEVEL: i32 = 6;

/// Bytes beyond those of the text that a deflate stream of incompressible text may need: 5 for each stored block, and some.
const DEFLATE_MARGIN_BYTES: usize = 64;

/// LZ4 block with default acceleration.
pub(super) fn lz4_block(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressed = Vec::new();
    lz4::compress_to_vec(text, &mut compressed, lz4::ACC_LEVEL_DEFAULT).map_err(|error| error.to_string())?;
    Ok(compressed)
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

/// Zstandard frame of level 3 with its content size, and with a checksum if that is wanted.
pub(super) fn zstd_frame(text: &[u8], has_checksum: bool) -> Result<Vec<u8>, String> {
    let name = |code| zstd_safe::get_error_name(code).to_owned();
    let mut compressor = zstd_safe::CCtx::create();
    compressor.set_parameter(CParameter::CompressionLevel(ZSTD_LEVEL)).map_err(name)?;
    compressor.set_parameter(CParameter::ChecksumFlag(has_checksum)).map_err(name)?;
    let mut compressed = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    compressor.compress2(&mut compressed, text).map_err(name)?;
    Ok(compressed)
}

/// Raw deflate stream of level 6 of zlib: one block for each 16,384 symbols.
pub(super) fn deflate_stream(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressor = zlib_rs::Deflate::new(DEFLATE_LEVEL, false, 15);
    let mut compressed = vec![0; text.len() + text.len() / 8 + DEFLATE_MARGIN_BYTES];
    let status = compressor.compress(text, &mut compressed, zlib_rs::DeflateFlush::Finish);
    match status.map_err(|error| error.as_str().to_owned())? {
        zlib_rs::Status::StreamEnd => {
            compressed.truncate(usize::try_from(compressor.total_out()).unwrap_or(usize::MAX));
            Ok(compressed)
        }
        _ => Err("a stream is larger than its text".to_owned()),
    }
}

/// gzip file of level 6.
pub(super) fn gzip_file(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut compressed = vec![0; compressor.gzip_compress_bound(text.len())];
    let size = compressor.gzip_compress(text, &mut compressed).map_err(|error| error.to_string())?;
    compressed.truncate(size);
    Ok(compressed)
}
