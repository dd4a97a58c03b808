//! The text in compressed blocks, in memory and in files for other programs.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::corpus;
use super::format::Format;
use crate::error::Error;

/// Bytes of text of a block.
pub const BLOCK_BYTES: usize = 64 << 10;

/// Alignment of compressed blocks.
const ALIGNMENT_BYTES: usize = 16;

const MAGIC: &[u8; 8] = b"VYREBLK1";
const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 24;

/// Compressed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset in the compressed data.
    pub offset: usize,
    /// Bytes of compressed data.
    pub compressed_size: usize,
    /// Bytes of text.
    pub size: usize,
}

/// Text and its blocks, each compressed on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Format of the blocks.
    pub format: Format,
    /// The text.
    pub text: Vec<u8>,
    /// Blocks in the order of the text.
    pub blocks: Vec<Block>,
    /// Compressed data. Its size must be a multiple of 16 bytes.
    pub data: Vec<u8>,
}

impl Blocks {
    /// Compresses a text.
    ///
    /// # Errors
    ///
    /// The compressor fails.
    pub fn compress(format: Format, text: Vec<u8>) -> Result<Blocks, Error> {
        let failed = |message| Error::WrongResult { contender: format.name().to_owned(), message };
        let parts: Result<Vec<_>, _> = text.par_chunks(BLOCK_BYTES).map(|part| format.compress(part)).collect();
        let (mut blocks, mut data) = (Vec::new(), Vec::new());
        for (part, compressed) in text.chunks(BLOCK_BYTES).zip(parts.map_err(failed)?) {
            blocks.push(Block { offset: data.len(), compressed_size: compressed.len(), size: part.len() });
            data.extend_from_slice(&compressed);
            data.resize(data.len().next_multiple_of(ALIGNMENT_BYTES), 0);
        }
        Ok(Blocks { format, text, blocks, data })
    }

    /// Path of the file of a format in a folder of blocks.
    #[must_use]
    pub fn path(folder: &Path, format: Format) -> PathBuf {
        folder.join(format.file_stem()).with_extension("blocks")
    }

    /// Compressed bytes of a block.
    #[must_use]
    pub fn compressed(&self, block: &Block) -> &[u8] {
        &self.data[block.offset..block.offset + block.compressed_size]
    }

    /// Writes a file in the format of `benches/nvcomp/nvcomp_batched.c`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut file = Vec::with_capacity(HEADER_BYTES + self.blocks.len() * ENTRY_BYTES + self.data.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&(self.blocks.len() as u32).to_le_bytes());
        let format = Format::ALL.iter().position(|&format| format == self.format).unwrap_or_default();
        file.extend_from_slice(&(format as u32).to_le_bytes());
        file.extend_from_slice(&(self.data.len() as u64).to_le_bytes());
        file.extend_from_slice(&corpus::TEXT_FINGERPRINT.to_le_bytes());
        for (block, part) in self.blocks.iter().zip(self.text.chunks(BLOCK_BYTES)) {
            file.extend_from_slice(&(block.offset as u64).to_le_bytes());
            file.extend_from_slice(&(block.compressed_size as u32).to_le_bytes());
            file.extend_from_slice(&(block.size as u32).to_le_bytes());
            file.extend_from_slice(&checksum(part).to_le_bytes());
        }
        file.extend_from_slice(&self.data);
        fs::write(path, file).map_err(Error::of_file(path))
    }

    /// Reads a file and decodes its text on the host.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is damaged, or has another text than that of the benchmarks.
    pub fn read(path: &Path) -> Result<Blocks, Error> {
        let blocks = Blocks::parse(&fs::read(path).map_err(Error::of_file(path))?)?;
        corpus::check(&blocks.text)?;
        Ok(blocks)
    }

    fn parse(file: &[u8]) -> Result<Blocks, Error> {
        let damaged = |message| Error::BlocksFile { message };
        let (header, rest) = file.split_at_checked(HEADER_BYTES).ok_or_else(|| damaged("is truncated"))?;
        if !header.starts_with(MAGIC) {
            return Err(damaged("has another format"));
        }
        let format = *Format::ALL.get(number(&header[12..16])).ok_or_else(|| damaged("has an unknown format"))?;
        let entries = number(&header[8..12]).saturating_mul(ENTRY_BYTES);
        let (entries, data) = rest.split_at_checked(entries).ok_or_else(|| damaged("is truncated"))?;
        if data.len() != number(&header[16..24]) {
            return Err(damaged("has another size than its header states"));
        }
        let mut blocks = Vec::new();
        for entry in entries.chunks_exact(ENTRY_BYTES) {
            let (offset, compressed_size, size) = (number(&entry[..8]), number(&entry[8..12]), number(&entry[12..16]));
            if size > BLOCK_BYTES || data.get(offset..).is_none_or(|data| data.len() < compressed_size) {
                return Err(damaged("has a block outside its data"));
            }
            blocks.push(Block { offset, compressed_size, size });
        }
        let mut text = vec![0; blocks.iter().map(|block| block.size).sum()];
        let mut rest = &mut text[..];
        let mut parts = Vec::new();
        for block in &blocks {
            parts.push(rest.split_off_mut(..block.size).unwrap_or_default());
        }
        let decoded =
            blocks.par_iter().zip(entries.par_chunks_exact(ENTRY_BYTES)).zip(parts).map(|((block, entry), part)| {
                let compressed = &data[block.offset..block.offset + block.compressed_size];
                format.decompress(compressed, part).map_err(|_| damaged("has a damaged block"))?;
                match checksum(part) == number(&entry[16..24]) as u64 {
                    true => Ok(()),
                    false => Err(damaged("has a block with a wrong checksum")),
                }
            });
        decoded.collect::<Result<(), Error>>()?;
        Ok(Blocks { format, text, blocks, data: data.to_vec() })
    }
}

/// Number of at most eight bytes in little endian.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// FNV-1a checksum, which takes three lines in every language.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(format: Format) -> Blocks {
        let text: Vec<u8> = (0..150_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        Blocks::compress(format, text).expect("compressors work")
    }

    #[test]
    fn files_have_the_blocks_that_were_written() {
        let folder = tempfile::tempdir().expect("there is room");
        for format in Format::ALL {
            let path = Blocks::path(folder.path(), format);
            let blocks = small(format);
            blocks.write(&path).expect("it can be written");
            let file = fs::read(&path).expect("it can be read");
            assert_eq!(Blocks::parse(&file).expect("it is whole"), blocks);
            // The text is not that of the benchmarks.
            assert!(matches!(Blocks::read(&path), Err(Error::UnexpectedText { .. })));
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("blocks");
        for format in Format::ALL {
            small(format).write(&path).expect("it can be written");
            let file = fs::read(&path).expect("it can be read");
            for end in [0, 31, 40, file.len() - 1] {
                assert!(Blocks::parse(&file[..end]).is_err(), "{format:?}, {end}");
            }
            for at in [0, 8, 12, 16, 32, 40, 44, 48] {
                let mut damaged = file.clone();
                damaged[at] ^= 0x40;
                assert!(Blocks::parse(&damaged).is_err(), "{format:?}, {at}");
            }
        }
    }

    #[test]
    fn checksums_are_those_of_the_definition() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
