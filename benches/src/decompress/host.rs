//! Decoders of the host on the text, block by block.

use std::time::{Duration, Instant};

use lzzzz::lz4;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::blocks::BLOCK_BYTES;
use super::error::Error;

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// LZ4 as its default compressor makes it.
    Lz4,
    /// Zstandard frames, level 3.
    Zstd,
    /// Raw deflate, level 6.
    Deflate,
}

/// Who decodes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostDecoder {
    /// The C library.
    LibLz4,
    /// In Rust.
    Lz4Flex,
    /// The C library.
    LibZstd,
    /// The C library.
    LibDeflate,
    /// In Rust.
    ZlibRs,
}

/// The text in compressed blocks of 64 KiB.
pub struct HostBlocks<'t> {
    text: &'t [u8],
    format: Format,
    compressed: Vec<Vec<u8>>,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Lz4, Format::Zstd, Format::Deflate];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Lz4 => "LZ4",
            Format::Zstd => "zstd, level 3",
            Format::Deflate => "deflate, level 6",
        }
    }

    /// Who decodes it.
    #[must_use]
    pub const fn decoders(self) -> &'static [HostDecoder] {
        match self {
            Format::Lz4 => &[HostDecoder::LibLz4, HostDecoder::Lz4Flex],
            Format::Zstd => &[HostDecoder::LibZstd],
            Format::Deflate => &[HostDecoder::LibDeflate, HostDecoder::ZlibRs],
        }
    }

    fn compress(self, part: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Format::Lz4 => {
                let mut compressed = Vec::new();
                lz4::compress_to_vec(part, &mut compressed, lz4::ACC_LEVEL_DEFAULT).map_err(|e| e.to_string())?;
                Ok(compressed)
            }
            Format::Zstd => {
                let mut compressed = Vec::with_capacity(zstd_safe::compress_bound(part.len()));
                zstd_safe::compress(&mut compressed, part, 3).map_err(|e| zstd_safe::get_error_name(e).to_owned())?;
                Ok(compressed)
            }
            Format::Deflate => {
                let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
                let mut compressed = vec![0; compressor.deflate_compress_bound(part.len())];
                let size = compressor.deflate_compress(part, &mut compressed).map_err(|error| error.to_string())?;
                compressed.truncate(size);
                Ok(compressed)
            }
        }
    }
}

impl HostDecoder {
    /// The name in reports.
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

    /// Decodes some blocks with one set of tables, each into its part of the output. The output of a block is exactly as large
    /// as the block.
    fn decode(self, blocks: &[Vec<u8>], output: &mut [u8]) -> Result<(), String> {
        let pairs = blocks.iter().zip(output.chunks_mut(BLOCK_BYTES));
        let check = |expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(format!("{found} bytes instead of {expected}")),
        };
        match self {
            HostDecoder::LibLz4 => {
                for (block, output) in pairs {
                    let found = lz4::decompress(block, output).map_err(|e| e.to_string())?;
                    check(output.len(), found)?;
                }
            }
            HostDecoder::Lz4Flex => {
                for (block, output) in pairs {
                    let found = lz4_flex::block::decompress_into(block, output).map_err(|e| e.to_string())?;
                    check(output.len(), found)?;
                }
            }
            HostDecoder::LibZstd => {
                let mut decoder = zstd_safe::DCtx::create();
                for (block, output) in pairs {
                    let name = |code| zstd_safe::get_error_name(code).to_owned();
                    let found = decoder.decompress(output, block).map_err(name)?;
                    check(output.len(), found)?;
                }
            }
            HostDecoder::LibDeflate => {
                let mut decoder = libdeflater::Decompressor::new();
                for (block, output) in pairs {
                    let found = decoder.deflate_decompress(block, output).map_err(|e| e.to_string())?;
                    check(output.len(), found)?;
                }
            }
            HostDecoder::ZlibRs => {
                let mut decoder = zlib_rs::Inflate::new(false, 15);
                for (block, output) in pairs {
                    decoder.reset(false);
                    let finish = zlib_rs::InflateFlush::Finish;
                    decoder.decompress(block, output, finish).map_err(|e| e.as_str().to_owned())?;
                    check(output.len(), usize::try_from(decoder.total_out()).unwrap_or(usize::MAX))?;
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
        let failed = |what| Error::Wrong { who: format.name().to_owned(), what };
        Ok(HostBlocks { text, format, compressed: compressed.map_err(failed)? })
    }

    /// The bytes of text for each compressed byte.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.text.len() as f64 / self.compressed.iter().map(Vec::len).sum::<usize>() as f64
    }

    /// Decodes the text with the threads of a pool, and says how long that takes. The output is compared with the text.
    ///
    /// # Errors
    ///
    /// Wrong output.
    pub fn time(&self, decoder: HostDecoder, pool: &ThreadPool, output: &mut Vec<u8>) -> Result<Duration, Error> {
        output.clear();
        output.resize(self.text.len(), 0xa5);
        // Few enough parts for tables to be made seldom, and enough for threads to end together.
        let blocks = self.compressed.len().div_ceil(pool.current_num_threads() * 4).max(1);
        let start = Instant::now();
        let decoded = pool.install(|| {
            let parts = self.compressed.par_chunks(blocks).zip(output.par_chunks_mut(blocks * BLOCK_BYTES));
            parts.try_for_each(|(blocks, output)| decoder.decode(blocks, output))
        });
        let time = start.elapsed();
        let who = || format!("{} on {}", decoder.name(), self.format.name());
        decoded.map_err(|what| Error::Wrong { who: who(), what })?;
        match output == self.text {
            true => Ok(time),
            false => Err(Error::Wrong { who: who(), what: "another text".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_decoders_give_the_text_back() {
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
