//! Inodes and directories of a squashfs image.

use std::collections::HashSet;

use super::metadata::{Metadata, Position};
use super::{NO_FRAGMENT, Superblock};
use crate::archive::{extend, insert};
use crate::problem::{Problem, ProblemKind};
use crate::stream::{u16_at, u32_at, u64_at};

/// Size of the part that all inodes have.
const INODE_BYTES: usize = 16;
/// Maximum length of the target of a symbolic link.
const MAX_TARGET_BYTES: u32 = 65_536;
/// Maximum size of a listing of a directory.
const MAX_DIRECTORY_BYTES: u32 = 64 << 20;
/// Maximum number of entries after one header of a directory.
const MAX_RUN: u32 = 256;
/// Number of blocks that all files together may have beyond those that the image can hold: sparse and shared ones.
const MAX_SPARSE_BLOCKS: u64 = 1 << 22;
/// Average size of a stored block from which the number of blocks of an image is bounded.
const MIN_BLOCK_BYTES: u64 = 64;
/// Maximum depth of directories.
const MAX_DEPTH: usize = 512;

/// An inode.
pub(super) struct Inode {
    pub(super) mode: u32,
    pub(super) modified: u32,
    pub(super) kind: InodeKind,
    /// Offset of its metadata block.
    pub(super) at: u64,
}

/// The part of an inode that depends on the file type.
pub(super) enum InodeKind {
    Directory { block: u32, offset: u16, size: u32 },
    File(FileData),
    Symlink { target: Vec<u8> },
    Special { what: &'static str },
}

/// Location of the data of a file.
pub(super) struct FileData {
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) fragment: u32,
    pub(super) fragment_offset: u32,
    /// Coded sizes of the blocks.
    pub(super) blocks: Vec<u32>,
}

/// An open directory.
struct Directory {
    /// Path with a slash at the end; empty for the root.
    path: Vec<u8>,
    position: Position,
    /// Bytes that are left.
    left: u32,
    /// Entries that are left of the current run, and the block of their inodes.
    run: u32,
    inode_block: u32,
}

/// Traversal of the directories, depth first.
pub(super) struct Tree<'a> {
    superblock: &'a Superblock,
    metadata: Metadata<'a>,
    open: Vec<Directory>,
    /// Directories that were visited: each must have one parent.
    visited: HashSet<(u32, u16)>,
    /// Number of blocks that further files may have.
    blocks_left: u64,
}

fn corrupt(at: u64, what: &'static str) -> Problem {
    Problem::new(at, ProblemKind::Corrupt { what })
}

impl<'a> Tree<'a> {
    /// The tree of an image of `length` bytes.
    pub(super) fn new(superblock: &'a Superblock, metadata: Metadata<'a>, length: usize) -> Tree<'a> {
        let blocks_left = MAX_SPARSE_BLOCKS + length as u64 / MIN_BLOCK_BYTES;
        Tree { superblock, metadata, open: Vec::new(), visited: HashSet::new(), blocks_left }
    }

    /// The 16 bytes at `offset` in a metadata block of a table with an index.
    pub(super) fn indexed(&mut self, index: u64, block: usize, offset: usize) -> Result<Vec<u8>, Problem> {
        let at = index.saturating_add(block as u64 * 8);
        let cut = || Problem::new(at, ProblemKind::Truncated { what: "table of the squashfs image" });
        let block = self.metadata.number(at).ok_or_else(cut)?;
        self.metadata.read(&mut Position { block, offset }, 16)
    }

    /// Reads the inode of a reference: offset of the block in the table, and offset in the decoded block.
    pub(super) fn inode(&mut self, reference: u64) -> Result<Inode, Problem> {
        let block = self.superblock.inodes.saturating_add(reference >> 16);
        let mut position = Position { block, offset: (reference & 0xffff) as usize };
        let metadata = &mut self.metadata;
        let common = metadata.read(&mut position, INODE_BYTES)?;
        let word = |at| u32::from(u16_at(&common, at).unwrap_or(0));
        let (kind, mode) = (word(0), word(2));
        let modified = u32_at(&common, 8).unwrap_or(0);
        let kind = match kind {
            1 => {
                let rest = metadata.read(&mut position, 16)?;
                InodeKind::Directory {
                    block: u32_at(&rest, 0).unwrap_or(0),
                    offset: u16_at(&rest, 10).unwrap_or(0),
                    size: u16_at(&rest, 8).map_or(0, u32::from),
                }
            }
            8 => {
                let rest = metadata.read(&mut position, 24)?;
                InodeKind::Directory {
                    block: u32_at(&rest, 8).unwrap_or(0),
                    offset: u16_at(&rest, 18).unwrap_or(0),
                    size: u32_at(&rest, 4).unwrap_or(0),
                }
            }
            2 => {
                let rest = metadata.read(&mut position, 16)?;
                let word = |at| u32_at(&rest, at).unwrap_or(0);
                let data = FileData {
                    start: u64::from(word(0)),
                    fragment: word(4),
                    fragment_offset: word(8),
                    size: u64::from(word(12)),
                    blocks: Vec::new(),
                };
                self.file(data, &mut position)?
            }
            9 => {
                let rest = metadata.read(&mut position, 40)?;
                let word = |at| u32_at(&rest, at).unwrap_or(0);
                let data = FileData {
                    start: u64_at(&rest, 0).unwrap_or(0),
                    size: u64_at(&rest, 8).unwrap_or(0),
                    fragment: word(28),
                    fragment_offset: word(32),
                    blocks: Vec::new(),
                };
                self.file(data, &mut position)?
            }
            3 | 10 => {
                let rest = metadata.read(&mut position, 8)?;
                let length = u32_at(&rest, 4).unwrap_or(0);
                if length > MAX_TARGET_BYTES {
                    return Err(corrupt(block, "the target of the link is too long"));
                }
                InodeKind::Symlink { target: metadata.read(&mut position, length as usize)? }
            }
            4 | 11 => InodeKind::Special { what: "block device" },
            5 | 12 => InodeKind::Special { what: "character device" },
            6 | 13 => InodeKind::Special { what: "fifo" },
            7 | 14 => InodeKind::Special { what: "socket" },
            _ => return Err(corrupt(block, "the type of an inode is unknown")),
        };
        Ok(Inode { mode, modified, kind, at: block })
    }

    /// Reads the list of blocks of a file. The metadata must have all of it, so its size is bounded.
    fn file(&mut self, mut data: FileData, position: &mut Position) -> Result<InodeKind, Problem> {
        let block_size = u64::from(self.superblock.block_size);
        let count = if data.fragment == NO_FRAGMENT { data.size.div_ceil(block_size) } else { data.size / block_size };
        let Some(blocks_left) = self.blocks_left.checked_sub(count) else {
            return Err(corrupt(position.block, "the files of the image have more blocks than the image can hold"));
        };
        self.blocks_left = blocks_left;
        let mut left = count;
        while left > 0 {
            // A few at a time, so that a wrong size does not allocate memory.
            let some = left.min(1024) as usize;
            let sizes = self.metadata.read(position, some * 4)?;
            let sizes = sizes.as_chunks::<4>().0.iter().map(|size| u32::from_le_bytes(*size));
            extend(&mut data.blocks, sizes).map_err(|refused| Problem::new(position.block, refused.into()))?;
            left -= some as u64;
        }
        Ok(InodeKind::File(data))
    }

    /// Opens a directory.
    pub(super) fn open(&mut self, path: Vec<u8>, inode: &Inode) -> Result<(), Problem> {
        let InodeKind::Directory { block, offset, size } = inode.kind else {
            return Err(corrupt(inode.at, "the root of the image is no directory"));
        };
        // A listing has 3 bytes less than its size says, for `.` and `..`.
        let left = size.saturating_sub(3);
        if left == 0 {
            return Ok(());
        }
        if left > MAX_DIRECTORY_BYTES || self.open.len() >= MAX_DEPTH {
            return Err(corrupt(inode.at, "the directory is too large or too deep"));
        }
        let is_new = insert(&mut self.visited, (block, offset));
        if !is_new.map_err(|refused| Problem::new(inode.at, refused.into()))? {
            return Err(corrupt(inode.at, "two directories have the same listing"));
        }
        let position = Position {
            block: self.superblock.directories.saturating_add(u64::from(block)),
            offset: usize::from(offset),
        };
        self.open.push(Directory { path, position, left, run: 0, inode_block: 0 });
        Ok(())
    }

    /// The next file with its path.
    pub(super) fn next(&mut self) -> Option<Result<(Vec<u8>, Inode), Problem>> {
        loop {
            let directory = self.open.last()?;
            if directory.left == 0 {
                self.open.pop();
                continue;
            }
            let at = directory.position.block;
            let entry = match self.entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => continue,
                Err(problem) => {
                    self.open.pop();
                    return Some(Err(problem));
                }
            };
            let (path, reference) = entry;
            let inode = match self.inode(reference) {
                Ok(inode) => inode,
                Err(problem) => return Some(Err(problem)),
            };
            if matches!(inode.kind, InodeKind::Directory { .. }) {
                let inside = [&path[..], b"/"].concat();
                if let Err(Problem { kind, .. }) = self.open(inside, &inode) {
                    return Some(Err(Problem::new(at, kind)));
                }
            }
            return Some(Ok((path, inode)));
        }
    }

    /// Reads an entry of the innermost directory: its path and the reference of its inode; none after the header of a run.
    fn entry(&mut self) -> Result<Option<(Vec<u8>, u64)>, Problem> {
        let Some(directory) = self.open.last_mut() else { return Ok(None) };
        let at = directory.position.block;
        let invalid = || corrupt(at, "the listing of a directory is invalid");
        if directory.run == 0 {
            let header = self.metadata.read(&mut directory.position, 12)?;
            directory.left = directory.left.checked_sub(12).ok_or_else(invalid)?;
            directory.run = u32_at(&header, 0).unwrap_or(0).saturating_add(1);
            directory.inode_block = u32_at(&header, 4).unwrap_or(0);
            return if directory.run > MAX_RUN { Err(invalid()) } else { Ok(None) };
        }
        let head = self.metadata.read(&mut directory.position, 8)?;
        let length = u16_at(&head, 6).map_or(0, u32::from) + 1;
        directory.left = directory.left.checked_sub(8 + length).ok_or_else(invalid)?;
        directory.run -= 1;
        let name = self.metadata.read(&mut directory.position, length as usize)?;
        let offset = u16_at(&head, 0).unwrap_or(0);
        let reference = u64::from(directory.inode_block) << 16 | u64::from(offset);
        Ok(Some(([&directory.path[..], &name].concat(), reference)))
    }
}
