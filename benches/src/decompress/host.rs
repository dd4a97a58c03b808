//! Decoders of the host on the blocks of the text.

use std::time::{Duration, Instant};

use lzzzz::lz4;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::blocks::BLOCK_BYTES;
use super::format::Format;
use crate::error::Error;

/// Decoder library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostDecoder {
    /// liblz4, in C.
    LibLz4,
    /// lz4_flex, in Rust.
    Lz4Flex,
    /// libzstd, in C.
    LibZstd,
    /// libdeflate, in C.
    LibDeflate,
    /// zlib-rs, in Rust.
    ZlibRs,
}

/// Text in compressed blocks of 64 KiB.
pub struct HostBlocks<'t> {
    text: &'t [u8],
    format: Format,
    compressed: Vec<Vec<u8>>,
}

impl Format {
    /// Decoders of the format.
    #[must_use]
    pub const fn decoders(self) -> &'static [HostDecoder] {
        match self {
            Format::Lz4 => &[HostDecoder::LibLz4, HostDecoder::Lz4Flex],
            Format::Zstd => &[HostDecoder::LibZstd],
            Format::Deflate => &[HostDecoder::LibDeflate, HostDecoder::ZlibRs],
        }
    }
}

impl HostDecoder {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HostDecoder::LibLz4 => "liblz4",
            HostDecoder::Lz4Flex => "lz4_flex",
            HostDecoder::LibZstd => "libzstd",
            HostDecoder::LibDeflate => "libdeflate",
            HostDecoder::ZlibRs => "zlib-rs",
        }
    }

    /// Decodes some blocks with one decoder state, each into its part of the output, which must have the size of the block.
    fn decode(self, blocks: &[Vec<u8>], output: &mut [u8]) -> Result<(), String> {
        let pairs = blocks.iter().zip(output.chunks_mut(BLOCK_BYTES));
        let check_size = |expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(format!("{found} bytes instead of {expected}")),
        };
        match self {
            HostDecoder::LibLz4 => {
                for (block, output) in pairs {
                    let found = lz4::decompress(block, output).map_err(|e| e.to_string())?;
                    check_size(output.len(), found)?;
                }
            }
            HostDecoder::Lz4Flex => {
                for (block, output) in pairs {
                    let found = lz4_flex::block::decompress_into(block, output).map_err(|e| e.to_string())?;
                    check_size(output.len(), found)?;
                }
            }
            HostDecoder::LibZstd => {
                let mut decoder = zstd_safe::DCtx::create();
                for (block, output) in pairs {
                    let name = |code| zstd_safe::get_error_name(code).to_owned();
                    let found = decoder.decompress(output, block).map_err(name)?;
                    check_size(output.len(), found)?;
                }
            }
            HostDecoder::LibDeflate => {
                let mut decoder = libdeflater::Decompressor::new();
                for (block, output) in pairs {
                    let found = decoder.deflate_decompress(block, output).map_err(|e| e.to_string())?;
                    check_size(output.len(), found)?;
                }
            }
            HostDecoder::ZlibRs => {
                let mut decoder = zlib_rs::Inflate::new(false, 15);
                for (block, output) in pairs {
                    decoder.reset(false);
                    let finish = zlib_rs::InflateFlush::Finish;
                    decoder.decompress(block, output, finish).map_err(|e| e.as_str().to_owned())?;
                    check_size(output.len(), usize::try_from(decoder.total_out()).unwrap_or(usize::MAX))?;
                }
            }
        }
        Ok(())
    }
}

impl<'t> HostBlocks<'t> {
    /// Compresses the text.
    ///
    /// # Errors
    ///
    /// A compressor fails.
    pub fn new(text: &'t [u8], format: Format) -> Result<HostBlocks<'t>, Error> {
        let compressed = text.par_chunks(BLOCK_BYTES).map(|part| format.compress(part)).collect::<Result<_, _>>();
        let failed = |message| Error::WrongResult { contender: format.name().to_owned(), message };
        Ok(HostBlocks { text, format, compressed: compressed.map_err(failed)? })
    }

    /// Bytes of text per compressed byte.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.text.len() as f64 / self.compressed.iter().map(Vec::len).sum::<usize>() as f64
    }

    /// Decodes the text on all threads of a pool, verifies the output, and returns the time.
    ///
    /// # Errors
    ///
    /// The output is wrong.
    pub fn time(&self, decoder: HostDecoder, pool: &ThreadPool, output: &mut Vec<u8>) -> Result<Duration, Error> {
        output.clear();
        output.resize(self.text.len(), 0xa5);
        // Four parts per thread: few decoder states, and threads finish at about the same time.
        let blocks = self.compressed.len().div_ceil(pool.current_num_threads() * 4).max(1);
        let start = Instant::now();
        let decoded = pool.install(|| {
            let parts = self.compressed.par_chunks(blocks).zip(output.par_chunks_mut(blocks * BLOCK_BYTES));
            parts.try_for_each(|(blocks, output)| decoder.decode(blocks, output))
        });
        let time = start.elapsed();
        let contender = || format!("{} on {}", decoder.name(), self.format.name());
        decoded.map_err(|message| Error::WrongResult { contender: contender(), message })?;
        match output == self.text {
            true => Ok(time),
            false => Err(Error::WrongResult { contender: contender(), message: "the text differs".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_decoders_restore_the_text_and_reject_damaged_blocks() {
        let text: Vec<u8> = (0..40_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
        let mut output = Vec::new();
        for format in Format::ALL {
            let mut blocks = HostBlocks::new(&text, format).expect("compressors work");
            for &decoder in format.decoders() {
                assert!(blocks.time(decoder, &pool, &mut output).is_ok(), "{}", decoder.name());
            }
            blocks.compressed[1].truncate(100);
            for &decoder in format.decoders() {
                assert!(blocks.time(decoder, &pool, &mut output).is_err(), "{}", decoder.name());
            }
        }
    }
}
