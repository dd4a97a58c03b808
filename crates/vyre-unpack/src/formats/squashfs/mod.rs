//! Squashfs images, version 4, read only.
//!
//! | Offset | Size | Field of the superblock |
//! |---|---|---|
//! | 0 | 4 | magic number `hsqs` |
//! | 12 | 4 | size of a data block |
//! | 20 | 2 | compression: gzip, LZMA, LZO, xz, LZ4 or zstd |
//! | 28 | 4 | version |
//! | 32 | 8 | reference to the root inode |
//! | 64, 72, 80 | 8 | offsets of the tables of inodes, directories and fragments |
//!
//! Inodes and directories are in compressed metadata blocks. A file has data blocks and may end in a part of a fragment block,
//! which several files share. Blocks that all consist of zeros are not stored.

mod metadata;
mod tree;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::codec;
use crate::archive::{ArchiveFormat, Block, BlockOutput, BlockSlice, Content, Listing, Member, TableMemoryRefused};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{u16_at, u32_at, u64_at};
use metadata::Metadata;
use tree::{FileData, Inode, InodeKind, Tree};

/// Format of squashfs images.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "squashfs",
    title: "squashfs",
    detect: |bytes| bytes.starts_with(b"hsqs") && u16_at(bytes, 28) == Some(4),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: true,
    list,
};

/// Bit of the size of a data block that marks it as stored.
const STORED: u32 = 1 << 24;
/// Number of a fragment that means none.
const NO_FRAGMENT: u32 = u32::MAX;
/// Largest data block of the format.
const MAX_BLOCK_BYTES: u32 = 1 << 20;
/// Maximum size of all names: each file repeats the names of its directories.
const MAX_NAME_BYTES: usize = 256 << 20;
/// Size of a record of the fragment table, and records of a metadata block.
const FRAGMENT_BYTES: usize = 16;
const FRAGMENTS_OF_BLOCK: usize = 512;

/// Compression of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compression(u16);

impl Compression {
    fn name(self) -> &'static str {
        ["unknown", "zlib", "lzma", "lzo", "xz", "lz4", "zstd"].get(usize::from(self.0)).copied().unwrap_or("unknown")
    }

    /// Decodes a block of at most `max_size` bytes of output.
    fn decode(self, input: &[u8], max_size: usize, output: &mut BlockOutput<'_>) -> Result<(), ProblemKind> {
        let start = output.bytes().len();
        // One byte more shows that the block is too long.
        let size = Some(max_size as u64 + 1);
        match self.0 {
            1 => codec::zlib(input, size, output),
            2 => codec::lzma_alone(input, size, output),
            4 => codec::xz(input, size, output),
            5 => codec::lz4_block(input, max_size, output),
            6 => codec::zstd(input, size, output),
            _ => Err(ProblemKind::Unsupported { what: format!("squashfs compression {} ({})", self.0, self.name()) }),
        }?;
        if output.bytes().len() - start > max_size {
            return Err(ProblemKind::Corrupt { what: "the block is larger than the image allows" });
        }
        Ok(())
    }
}

/// Fields of the superblock.
pub(super) struct Superblock {
    block_size: u32,
    compression: Compression,
    root: u64,
    inodes: u64,
    directories: u64,
    fragments: u64,
    fragment_count: u32,
    used: u64,
}

impl Superblock {
    fn read(image: &[u8]) -> Option<Superblock> {
        Some(Superblock {
            block_size: u32_at(image, 12)?,
            fragment_count: u32_at(image, 16)?,
            compression: Compression(u16_at(image, 20)?),
            root: u64_at(image, 32)?,
            used: u64_at(image, 40)?,
            inodes: u64_at(image, 64)?,
            directories: u64_at(image, 72)?,
            fragments: u64_at(image, 80)?,
        })
    }
}

/// Lists the files.
fn list(image: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let cut = || Problem::new(image.len() as u64, ProblemKind::Truncated { what: "squashfs image" });
    let superblock = Superblock::read(image).ok_or_else(cut)?;
    let size = superblock.block_size;
    if !size.is_power_of_two() || !(4096..=MAX_BLOCK_BYTES).contains(&size) {
        return Err(Problem::new(12, ProblemKind::Corrupt { what: "the block size of the squashfs image is invalid" }));
    }
    let mut listing = Listing::default();
    if superblock.used > image.len() as u64 {
        listing.push_problem(cut());
    }
    let metadata = Metadata::new(image, superblock.compression, budget);
    let mut files = Files { image_length: image.len(), superblock: &superblock, fragments: HashMap::new() };
    let mut tree = Tree::new(&superblock, metadata, image.len());
    let root = tree.inode(superblock.root)?;
    tree.open(Vec::new(), &root)?;
    let mut name_bytes = 0;
    while let Some(found) = tree.next() {
        let (name, inode) = match found {
            Ok(found) => found,
            Err(problem) if is_memory_refused(&problem) => return Err(problem),
            Err(problem) => {
                listing.push_problem(problem);
                continue;
            }
        };
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        name_bytes += name.len();
        if name_bytes > MAX_NAME_BYTES {
            let kind = ProblemKind::Unsupported { what: "more than 256 MiB of names".to_owned() };
            listing.push_problem(Problem::new(superblock.directories, kind));
            break;
        }
        let mut member = files.member(&mut tree, name, inode);
        if let Some(refused) = member.problems.pop_if(|problem| is_memory_refused(problem)) {
            return Err(refused);
        }
        if !listing.push(member) {
            break;
        }
    }
    let limit = listing.problems.iter().find_map(|problem| match problem.kind {
        ProblemKind::Limit(exceeded) if exceeded.is_final() => Some(exceeded),
        _ => None,
    });
    listing.limit = listing.limit.or(limit);
    Ok(listing)
}

/// True if the system refused memory for the tree of the image, which is not complete then.
fn is_memory_refused(problem: &Problem) -> bool {
    matches!(problem.kind, ProblemKind::OutOfMemory { .. })
}

/// Data of files.
struct Files<'a> {
    image_length: usize,
    superblock: &'a Superblock,
    /// Fragment blocks by number.
    fragments: HashMap<u32, Result<(Arc<Block>, Stored), Problem>>,
}

/// Place of a stored or compressed block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    range: Range<usize>,
    is_compressed: bool,
}

impl Stored {
    fn new(start: u64, coded: u32, image_length: usize) -> Stored {
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(image_length);
        let end = start.saturating_add((coded & !STORED) as usize).min(image_length);
        Stored { range: start..end, is_compressed: coded & STORED == 0 }
    }

    /// Decodes the block.
    fn decode(
        &self,
        image: &[u8],
        compression: Compression,
        max_size: usize,
        output: &mut BlockOutput<'_>,
    ) -> Result<(), Problem> {
        let input = image.get(self.range.clone()).unwrap_or_default();
        let decoded = if self.is_compressed {
            compression.decode(input, max_size, output)
        } else {
            output.append(&input[..input.len().min(max_size)])
        };
        decoded.map_err(|kind| Problem::new(self.range.start as u64, kind))
    }
}

impl Files<'_> {
    /// The member of an inode.
    fn member(&mut self, tree: &mut Tree<'_>, name: Vec<u8>, inode: Inode) -> Member {
        let Inode { mode, modified, kind, at } = inode;
        let mut member = Member {
            name,
            kind: EntryKind::File,
            content: Content::Nothing,
            size: None,
            compressed_size: 0,
            method: "squashfs",
            offset: at,
            mode: Some(mode & 0o7777),
            modified: Some(i64::from(modified)),
            problems: Vec::new(),
        };
        match kind {
            InodeKind::Directory { .. } => member.kind = EntryKind::Directory,
            InodeKind::Symlink { target } => member.kind = EntryKind::Symlink { target },
            InodeKind::Special { what } => member.kind = EntryKind::Special { what },
            InodeKind::File(data) => {
                member.size = Some(data.size);
                member.method = self.superblock.compression.name();
                match self.content(tree, data, &mut member) {
                    Ok(content) => member.content = content,
                    Err(problem) => member.problems.push(problem),
                }
            }
        }
        member
    }

    /// Content of a file: its blocks, and its part of a fragment.
    fn content(&mut self, tree: &mut Tree<'_>, data: FileData, member: &mut Member) -> Result<Content, Problem> {
        let block_size = u64::from(self.superblock.block_size);
        let tail = if data.fragment == NO_FRAGMENT { 0 } else { data.size % block_size };
        let fragment = match data.fragment {
            NO_FRAGMENT => None,
            number => Some(self.fragment(tree, number)?),
        };
        let offset = u64::from(data.fragment_offset);
        if let (Some((block, _)), true) = (&fragment, data.blocks.is_empty()) {
            let range = offset..offset.saturating_add(data.size);
            return Ok(Content::Block(BlockSlice { block: Arc::clone(block), range, crc32: None }));
        }
        let FileData { start, size, blocks, .. } = data;
        let packed = blocks.iter().fold(0u64, |sum, &coded| sum.saturating_add(u64::from(coded & !STORED)));
        member.offset = start;
        member.compressed_size = packed.min(self.image_length as u64);
        let Superblock { compression, .. } = *self.superblock;
        let (image_length, end) = (self.image_length, fragment.map(|(_, stored)| (stored, offset, tail)));
        let block = Block::new(member.compressed_size.max(1), move |image, output| {
            let mut left = size - tail;
            let mut at = start;
            for &coded in &blocks {
                let length = left.min(block_size) as usize;
                let before = output.bytes().len();
                match coded {
                    0 => drop(output.room(length).map_err(|kind| Problem::new(at, kind))?),
                    _ => Stored::new(at, coded, image_length).decode(image, compression, length, output)?,
                }
                if output.bytes().len() - before != length {
                    let kind = ProblemKind::Corrupt { what: "a block of the file is too short" };
                    return Err(Problem::new(at, kind));
                }
                at = at.saturating_add(u64::from(coded & !STORED));
                left -= length as u64;
            }
            if let Some((stored, offset, tail)) = &end {
                let mut fragment = output.intermediate();
                let decoded = stored.decode(image, compression, block_size as usize, &mut fragment);
                let bytes = fragment.discard();
                decoded?;
                let start = usize::try_from(*offset).unwrap_or(usize::MAX).min(bytes.len());
                let part = &bytes[start..start.saturating_add(*tail as usize).min(bytes.len())];
                output.append(part).map_err(|kind| Problem::new(stored.range.start as u64, kind))?;
            }
            Ok(())
        });
        Ok(Content::Block(BlockSlice { block, range: 0..size, crc32: None }))
    }

    /// A fragment block.
    fn fragment(&mut self, tree: &mut Tree<'_>, number: u32) -> Result<(Arc<Block>, Stored), Problem> {
        if let Some(known) = self.fragments.get(&number) {
            return known.clone();
        }
        let count = self.fragments.len();
        let refused = |_| Problem::new(0, TableMemoryRefused::of::<(u32, Stored)>(count).into());
        self.fragments.try_reserve(1).map_err(refused)?;
        let found = self.read_fragment(tree, number);
        self.fragments.insert(number, found.clone());
        found
    }

    fn read_fragment(&self, tree: &mut Tree<'_>, number: u32) -> Result<(Arc<Block>, Stored), Problem> {
        let Superblock { fragments, fragment_count, compression, block_size, .. } = *self.superblock;
        let invalid =
            || Problem::new(fragments, ProblemKind::Corrupt { what: "the fragment of the file does not exist" });
        if number >= fragment_count {
            return Err(invalid());
        }
        let index = number as usize;
        let record =
            tree.indexed(fragments, index / FRAGMENTS_OF_BLOCK, index % FRAGMENTS_OF_BLOCK * FRAGMENT_BYTES)?;
        let (Some(start), Some(coded)) = (u64_at(&record, 0), u32_at(&record, 8)) else { return Err(invalid()) };
        let stored = Stored::new(start, coded, self.image_length);
        let place = stored.clone();
        let block = Block::new(stored.range.len() as u64, move |image, output| {
            place.decode(image, compression, block_size as usize, output)
        });
        Ok((block, stored))
    }
}
