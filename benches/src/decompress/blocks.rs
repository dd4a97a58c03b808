//! The text as LZ4 blocks, in memory and in files for other programs.

use std::fs;
use std::path::Path;

use super::compressors::lz4_block;
use super::corpus;
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

/// Text and its blocks, compressed by liblz4 with default acceleration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
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
    pub fn compress(text: Vec<u8>) -> Result<Blocks, Error> {
        let mut blocks = Vec::new();
        let mut data = Vec::new();
        for part in text.chunks(BLOCK_BYTES) {
            let offset = data.len();
            let failed = |message| Error::WrongResult { contender: "liblz4".to_owned(), message };
            let compressed_size = lz4_block(part, &mut data).map_err(failed)?;
            blocks.push(Block { offset, compressed_size, size: part.len() });
            data.resize(data.len().next_multiple_of(ALIGNMENT_BYTES), 0);
        }
        Ok(Blocks { text, blocks, data })
    }

    /// Compressed bytes of a block.
    #[must_use]
    pub fn compressed(&self, block: &Block) -> &[u8] {
        &self.data[block.offset..block.offset + block.compressed_size]
    }

    /// Writes a file in the format of `benches/nvcomp/nvcomp_lz4.c`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut file = Vec::with_capacity(HEADER_BYTES + self.blocks.len() * ENTRY_BYTES + self.data.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&(self.blocks.len() as u32).to_le_bytes());
        file.extend_from_slice(&[0; 4]);
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
        let entries = number(&header[8..12]).saturating_mul(ENTRY_BYTES);
        let (entries, data) = rest.split_at_checked(entries).ok_or_else(|| damaged("is truncated"))?;
        if data.len() != number(&header[16..24]) {
            return Err(damaged("has another size than its header states"));
        }
        let mut blocks = Vec::new();
        let mut text = Vec::new();
        for entry in entries.chunks_exact(ENTRY_BYTES) {
            let (offset, compressed_size, size) = (number(&entry[..8]), number(&entry[8..12]), number(&entry[12..16]));
            let compressed = data.get(offset..).and_then(|data| data.get(..compressed_size));
            let compressed = compressed.ok_or_else(|| damaged("has a block outside its data"))?;
            let part = lz4_flex::block::decompress(compressed, size).map_err(|_| damaged("has a damaged block"))?;
            if part.len() != size || checksum(&part) != number(&entry[16..24]) as u64 {
                return Err(damaged("has a block with a wrong checksum"));
            }
            blocks.push(Block { offset, compressed_size, size });
            text.extend_from_slice(&part);
        }
        Ok(Blocks { text, blocks, data: data.to_vec() })
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

    fn small() -> Blocks {
        let text: Vec<u8> = (0..150_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        Blocks::compress(text).expect("liblz4 compresses")
    }

    #[test]
    fn files_have_the_blocks_that_were_written() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("blocks");
        let blocks = small();
        blocks.write(&path).expect("it can be written");
        let file = fs::read(&path).expect("it can be read");
        assert_eq!(Blocks::parse(&file).expect("it is whole"), blocks);
        // The text is not that of the benchmarks.
        assert!(matches!(Blocks::read(&path), Err(Error::UnexpectedText { .. })));
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("blocks");
        small().write(&path).expect("it can be written");
        let file = fs::read(&path).expect("it can be read");
        for end in [0, 31, 40, file.len() - 1] {
            assert!(Blocks::parse(&file[..end]).is_err(), "{end}");
        }
        for at in [0, 8, 16, 32, 40, 44, 48, HEADER_BYTES + ENTRY_BYTES * 12] {
            let mut damaged = file.clone();
            damaged[at] ^= 0x40;
            assert!(Blocks::parse(&damaged).is_err(), "{at}");
        }
    }

    #[test]
    fn checksums_are_those_of_the_definition() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
