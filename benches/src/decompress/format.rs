//! Compression formats of blocks: their compressors, decoders and ops.

use super::compressors::{deflate_stream, lz4_block, zstd_frame};

/// Compression format of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// LZ4 blocks with default acceleration.
    Lz4,
    /// Zstandard frames, level 3.
    Zstd,
    /// Raw deflate streams, level 6.
    Deflate,
}

impl Format {
    /// All formats. The position of a format is its number in files of blocks.
    pub const ALL: [Format; 3] = [Format::Lz4, Format::Zstd, Format::Deflate];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Lz4 => "LZ4",
            Format::Zstd => "zstd, level 3",
            Format::Deflate => "deflate, level 6",
        }
    }

    /// Name of files of blocks, and in the output of the programs of `benches/nvcomp`.
    #[must_use]
    pub const fn file_stem(self) -> &'static str {
        match self {
            Format::Lz4 => "lz4",
            Format::Zstd => "zstd",
            Format::Deflate => "deflate",
        }
    }

    /// Id of the op that decodes one block in each workgroup.
    #[must_use]
    pub const fn op(self) -> &'static str {
        match self {
            Format::Lz4 => "compression.lz4",
            Format::Zstd => "compression.zstd_full",
            Format::Deflate => "compression.deflate",
        }
    }

    /// Compresses a block.
    pub(super) fn compress(self, part: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Format::Lz4 => lz4_block(part),
            Format::Zstd => zstd_frame(part, false),
            Format::Deflate => deflate_stream(part),
        }
    }

    /// Decodes a block of a file into output of the expected size.
    pub(super) fn decompress(self, compressed: &[u8], output: &mut [u8]) -> Result<(), String> {
        let size = match self {
            Format::Lz4 => lz4_flex::block::decompress_into(compressed, output).map_err(|error| error.to_string())?,
            Format::Zstd => {
                let name = |code| zstd_safe::get_error_name(code).to_owned();
                zstd_safe::decompress(output, compressed).map_err(name)?
            }
            Format::Deflate => {
                let mut decoder = zlib_rs::Inflate::new(false, 15);
                let status = decoder.decompress(compressed, output, zlib_rs::InflateFlush::Finish);
                match status.map_err(|error| error.as_str().to_owned())? {
                    zlib_rs::Status::StreamEnd if decoder.total_in() == compressed.len() as u64 => {}
                    _ => return Err("the stream has another size".to_owned()),
                }
                usize::try_from(decoder.total_out()).unwrap_or(usize::MAX)
            }
        };
        match size == output.len() {
            true => Ok(()),
            false => Err(format!("{size} bytes instead of {}", output.len())),
        }
    }
}
