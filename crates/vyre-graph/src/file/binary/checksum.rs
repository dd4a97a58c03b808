//! Checksums of sections.
//!
//! In version 1 the checksum of a section is the XXH3 hash of its bytes, which one thread must compute. In version 2 it is the hash
//! of the hashes of its blocks of 1 MiB, which threads compute independently.

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::version::Version;

/// Size of a block. It is also the number of bytes that are checked or copied between reports of progress.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;

/// Checksum of a section that is computed block by block.
pub(crate) struct SectionChecksum {
    version: Version,
    state: Xxh3,
}

impl SectionChecksum {
    /// Checksum of an empty section.
    pub(crate) fn new(version: Version) -> SectionChecksum {
        SectionChecksum { version, state: Xxh3::new() }
    }

    /// Adds the next block. All blocks but the last have [`BLOCK_BYTES`].
    pub(crate) fn add_block(&mut self, block: &[u8]) {
        match self.version {
            Version::One => self.state.update(block),
            Version::Two => self.add_hash(xxh3_64(block)),
        }
    }

    /// Adds the hash of the next block, in version 2.
    fn add_hash(&mut self, hash: u64) {
        self.state.update(&hash.to_le_bytes());
    }

    /// The checksum.
    pub(crate) fn finish(self) -> u64 {
        self.state.digest()
    }
}

/// Checksum of a section, on all threads if the version allows it. Calls `advance` with the size of each block.
pub(crate) fn checksum_of(version: Version, bytes: &[u8], advance: impl Fn(u64) + Sync) -> u64 {
    let mut checksum = SectionChecksum::new(version);
    match version {
        Version::One => bytes.chunks(BLOCK_BYTES).for_each(|block| {
            checksum.add_block(block);
            advance(block.len() as u64);
        }),
        Version::Two => {
            let hash = |block: &[u8]| {
                advance(block.len() as u64);
                xxh3_64(block)
            };
            let hashes: Vec<u64> = bytes.par_chunks(BLOCK_BYTES).map(hash).collect();
            hashes.into_iter().for_each(|hash| checksum.add_hash(hash));
        }
    }
    checksum.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_a_slice_are_those_of_its_blocks() {
        let bytes: Vec<u8> = (0..2 * BLOCK_BYTES + 77).map(|index| (index % 251) as u8).collect();
        for length in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, bytes.len()] {
            let bytes = &bytes[..length];
            assert_eq!(checksum_of(Version::One, bytes, |_| ()), xxh3_64(bytes));
            let hashes: Vec<u8> = bytes.chunks(BLOCK_BYTES).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
            assert_eq!(checksum_of(Version::Two, bytes, |_| ()), xxh3_64(&hashes));
            for version in [Version::One, Version::Two] {
                let mut checksum = SectionChecksum::new(version);
                bytes.chunks(BLOCK_BYTES).for_each(|block| checksum.add_block(block));
                assert_eq!(checksum.finish(), checksum_of(version, bytes, |_| ()));
            }
        }
    }
}
