//! Table of the members of an archive, in a compact form.
//!
//! An archive may have hundreds of thousands of members, and all of them are listed before the first one is decoded. The table
//! therefore encodes them: a member takes the bytes of its name and about 25 more. Problems, blocks and other rare parts are
//! kept beside the encoded members.
//!
//! | Part of an encoded member | Form |
//! |---|---|
//! | kind and form of the content, flags | 2 bytes |
//! | name, and target of a link | length and bytes |
//! | numbers | variable length: 7 bits a byte, the lowest first |
//! | checksums and digests | 4 and 32 bytes |

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::encoding::{Cursor, to_signed, to_unsigned, write_number, write_range, write_text};
use super::memory::{TableMemoryRefused, check_headroom, reserve};
use super::{Block, BlockSlice, Content, Member, Method, Packed, SparseFile};
use crate::entry::EntryKind;
use crate::problem::Problem;
use crate::stream::StreamFormat;

/// Maximum number of members of a part.
const PART_MEMBERS: usize = 4096;
/// Number of bytes from which a part is full.
const PART_BYTES: usize = 1 << 20;

/// Number of members between two checks of the memory for small objects.
pub(super) const UNCHECKED_MEMBERS: usize = 1024;

/// Flags of an encoded member.
mod flag {
    pub(super) const SIZE: u8 = 1;
    pub(super) const MODE: u8 = 1 << 1;
    pub(super) const MODIFIED: u8 = 1 << 2;
    pub(super) const PACKED_SIZE: u8 = 1 << 3;
    pub(super) const CRC32: u8 = 1 << 4;
    pub(super) const SHA256: u8 = 1 << 5;
}

/// Forms of contents.
mod form {
    pub(super) const NOTHING: u8 = 0;
    pub(super) const PLAIN: u8 = 1;
    pub(super) const PACKED: u8 = 2;
    pub(super) const BLOCK: u8 = 3;
    pub(super) const SPARSE: u8 = 4;
}

/// Forms of kinds.
mod shape {
    pub(super) const FILE: u8 = 0;
    pub(super) const DIRECTORY: u8 = 1;
    pub(super) const SYMLINK: u8 = 2;
    pub(super) const HARDLINK: u8 = 3;
    pub(super) const SPECIAL: u8 = 4;
}

/// The members of an archive, in archive order.
#[derive(Debug, Default)]
pub(crate) struct MemberTable {
    parts: VecDeque<Part>,
    length: usize,
    /// Names of methods and of special files.
    texts: Vec<&'static str>,
    /// Formats of packed contents.
    formats: Vec<&'static StreamFormat>,
    blocks: Vec<SharedBlock>,
    sparse: BTreeMap<usize, Box<SparseFile>>,
    problems: BTreeMap<usize, Vec<Problem>>,
    /// Members that were replaced, without their problems.
    replaced: BTreeMap<usize, Box<Member>>,
}

/// Some members in a row.
#[derive(Debug)]
struct Part {
    /// Index of the first member.
    first: usize,
    bytes: Vec<u8>,
    /// Offset of each member.
    starts: Vec<u32>,
}

/// A block of members in a row.
#[derive(Debug)]
struct SharedBlock {
    /// None after the last member was taken.
    block: Option<Arc<Block>>,
    /// Number of members that are not taken yet.
    members: usize,
}

/// A member of a table.
#[derive(Debug)]
pub(crate) struct MemberRef<'t> {
    pub(crate) name: &'t [u8],
    pub(crate) kind: KindRef<'t>,
    pub(crate) content: Content,
    pub(crate) size: Option<u64>,
    pub(crate) compressed_size: u64,
    pub(crate) method: &'static str,
    pub(crate) offset: u64,
    pub(crate) mode: Option<u32>,
    pub(crate) modified: Option<i64>,
    pub(crate) problems: &'t [Problem],
    /// Index of the block of the content.
    block: Option<usize>,
}

/// File type of a member of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindRef<'t> {
    File,
    Directory,
    Symlink { target: &'t [u8] },
    Hardlink { target: &'t [u8] },
    Special { what: &'static str },
}

impl MemberRef<'_> {
    /// The member, without its problems.
    fn into_member(self) -> Member {
        let kind = match self.kind {
            KindRef::File => EntryKind::File,
            KindRef::Directory => EntryKind::Directory,
            KindRef::Symlink { target } => EntryKind::Symlink { target: target.to_vec() },
            KindRef::Hardlink { target } => EntryKind::Hardlink { target: target.to_vec() },
            KindRef::Special { what } => EntryKind::Special { what },
        };
        Member {
            name: self.name.to_vec(),
            kind,
            content: self.content,
            size: self.size,
            compressed_size: self.compressed_size,
            method: self.method,
            offset: self.offset,
            mode: self.mode,
            modified: self.modified,
            problems: Vec::new(),
        }
    }
}

impl MemberTable {
    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds a member.
    ///
    /// # Errors
    ///
    /// The system refuses the memory. The table is unchanged then.
    pub(crate) fn push(&mut self, member: Member) -> Result<(), TableMemoryRefused> {
        let needed = most_bytes(&member);
        if self.length.is_multiple_of(UNCHECKED_MEMBERS) {
            check_headroom()?;
        }
        if self.parts.back().is_none_or(Part::is_full) {
            if let Some(full) = self.parts.back_mut() {
                full.bytes.shrink_to_fit();
            }
            let refused = |_| TableMemoryRefused { bytes: PART_BYTES as u64 };
            self.parts.try_reserve(1).map_err(refused)?;
            self.parts.push_back(Part { first: self.length, bytes: Vec::new(), starts: Vec::new() });
        }
        let Some(part) = self.parts.back_mut() else { return Ok(()) };
        reserve(&mut part.bytes, needed)?;
        reserve(&mut part.starts, 1)?;
        let mut bytes = std::mem::take(&mut part.bytes);
        // A full part is closed before it has this many bytes.
        let start = bytes.len() as u32;
        let (content, mut problems) = self.encode(member, &mut bytes);
        let index = self.length;
        self.length += 1;
        if let Content::Sparse(file) = content {
            self.sparse.insert(index, file);
        }
        if !problems.is_empty() {
            problems.shrink_to_fit();
            self.problems.insert(index, problems);
        }
        if let Some(part) = self.parts.back_mut() {
            part.bytes = bytes;
            part.starts.push(start);
        }
        Ok(())
    }

    /// Encodes a member. Returns its content and its problems.
    fn encode(&mut self, member: Member, bytes: &mut Vec<u8>) -> (Content, Vec<Problem>) {
        let Member { name, kind, content, size, compressed_size, method, offset, mode, modified, problems } = member;
        let shape = match kind {
            EntryKind::File => shape::FILE,
            EntryKind::Directory => shape::DIRECTORY,
            EntryKind::Symlink { .. } => shape::SYMLINK,
            EntryKind::Hardlink { .. } => shape::HARDLINK,
            EntryKind::Special { .. } => shape::SPECIAL,
        };
        let (form, mut flags) = match &content {
            Content::Nothing => (form::NOTHING, 0),
            Content::Plain { sha256, .. } => (form::PLAIN, if sha256.is_some() { flag::SHA256 } else { 0 }),
            Content::Packed(packed) => {
                let size = if packed.size.is_some() { flag::PACKED_SIZE } else { 0 };
                (form::PACKED, size | if packed.crc32.is_some() { flag::CRC32 } else { 0 })
            }
            Content::Block(slice) => (form::BLOCK, if slice.crc32.is_some() { flag::CRC32 } else { 0 }),
            Content::Sparse(_) => (form::SPARSE, 0),
        };
        flags |= if size.is_some() { flag::SIZE } else { 0 };
        flags |= if mode.is_some() { flag::MODE } else { 0 };
        flags |= if modified.is_some() { flag::MODIFIED } else { 0 };
        bytes.extend([shape | form << 4, flags]);
        write_text(bytes, &name);
        match kind {
            EntryKind::File | EntryKind::Directory => {}
            EntryKind::Symlink { target } | EntryKind::Hardlink { target } => write_text(bytes, &target),
            EntryKind::Special { what } => write_number(bytes, index_of(&mut self.texts, what)),
        }
        write_number(bytes, index_of(&mut self.texts, method));
        write_number(bytes, offset);
        write_number(bytes, compressed_size);
        for number in [size, mode.map(u64::from), modified.map(to_unsigned)].into_iter().flatten() {
            write_number(bytes, number);
        }
        match &content {
            Content::Nothing | Content::Sparse(_) => {}
            Content::Plain { range, sha256 } => {
                write_range(bytes, range.start as u64, range.end as u64);
                bytes.extend(sha256.iter().flat_map(|digest| **digest));
            }
            Content::Packed(Packed { method, range, size, crc32 }) => {
                let method = match method {
                    Method::Stored => 0,
                    Method::Deflate => 1,
                    Method::Stream(format) => {
                        let known = self.formats.iter().position(|known| std::ptr::eq(*known, *format));
                        known.unwrap_or_else(|| {
                            self.formats.push(format);
                            self.formats.len() - 1
                        }) as u64
                            + 2
                    }
                };
                write_number(bytes, method);
                write_range(bytes, range.start as u64, range.end as u64);
                if let Some(size) = size {
                    write_number(bytes, *size);
                }
                bytes.extend(crc32.iter().flat_map(|sum| sum.to_le_bytes()));
            }
            Content::Block(BlockSlice { block, range, crc32 }) => {
                let is_last = |last: &SharedBlock| last.block.as_ref().is_some_and(|last| Arc::ptr_eq(last, block));
                match self.blocks.last_mut().filter(|last| is_last(last)) {
                    Some(last) => last.members += 1,
                    None => self.blocks.push(SharedBlock { block: Some(Arc::clone(block)), members: 1 }),
                }
                write_number(bytes, self.blocks.len() as u64 - 1);
                write_range(bytes, range.start, range.end);
                bytes.extend(crc32.iter().flat_map(|sum| sum.to_le_bytes()));
            }
        }
        (content, problems)
    }

    /// The member of an index, with its problems.
    pub(crate) fn get(&self, index: usize) -> Option<MemberRef<'_>> {
        let part = self.parts.partition_point(|part| part.first <= index).checked_sub(1)?;
        self.decode(&self.parts[part], index)
    }

    /// A copy of the member of an index, with its problems.
    pub(crate) fn copy(&self, index: usize) -> Option<Member> {
        let member = self.get(index)?;
        let problems = member.problems.to_vec();
        Some(Member { problems, ..member.into_member() })
    }

    /// The members.
    pub(crate) fn iter(&self) -> impl Iterator<Item = MemberRef<'_>> {
        let of_part = move |part| (0..Part::len(part)).filter_map(move |place| self.decode(part, part.first + place));
        self.parts.iter().flat_map(of_part)
    }

    /// Adds a problem to a member.
    pub(crate) fn push_problem(&mut self, index: usize, problem: Problem) {
        let problems = self.problems.entry(index).or_default();
        // Most members with a problem have one.
        problems.reserve_exact(1);
        problems.push(problem);
    }

    /// The problems of a member.
    pub(crate) fn problems_of(&self, index: usize) -> &[Problem] {
        self.problems.get(&index).map_or(&[], Vec::as_slice)
    }

    /// The problems of all members, in the order of the members.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.values().flatten()
    }

    /// Keeps the members for which `is_kept` returns true.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Member) -> bool) -> Result<(), TableMemoryRefused> {
        let mut kept = MemberTable::default();
        for member in std::mem::take(self).into_iter().filter(is_kept) {
            kept.push(member)?;
        }
        *self = kept;
        Ok(())
    }

    /// Replaces the member of an index.
    pub(crate) fn replace(&mut self, index: usize, mut member: Member) {
        self.sparse.remove(&index);
        let problems = std::mem::take(&mut member.problems);
        if problems.is_empty() {
            self.problems.remove(&index);
        } else {
            self.problems.insert(index, problems);
        }
        self.replaced.insert(index, Box::new(member));
    }

    fn decode<'t>(&'t self, part: &'t Part, index: usize) -> Option<MemberRef<'t>> {
        let problems = self.problems_of(index);
        if let Some(member) = self.replaced.get(&index) {
            return Some(member_ref(member, problems));
        }
        let start = *part.starts.get(index.checked_sub(part.first)?)?;
        let mut cursor = Cursor { rest: part.bytes.get(start as usize..)? };
        let [head, flags] = cursor.array()?;
        let has = |flag: u8| flags & flag != 0;
        let name = cursor.text()?;
        let kind = match head & 15 {
            shape::DIRECTORY => KindRef::Directory,
            shape::SYMLINK => KindRef::Symlink { target: cursor.text()? },
            shape::HARDLINK => KindRef::Hardlink { target: cursor.text()? },
            shape::SPECIAL => KindRef::Special { what: self.texts.get(cursor.index()?)? },
            _ => KindRef::File,
        };
        let method = self.texts.get(cursor.index()?)?;
        let offset = cursor.number()?;
        let compressed_size = cursor.number()?;
        let size = cursor.number_if(has(flag::SIZE))?;
        let mode = cursor.number_if(has(flag::MODE))?.map(|mode| mode as u32);
        let modified = cursor.number_if(has(flag::MODIFIED))?.map(to_signed);
        let mut own_block = None;
        let content = match head >> 4 {
            form::PLAIN => {
                let (start, end) = cursor.range()?;
                let sha256 = if has(flag::SHA256) { Some(Box::new(cursor.array()?)) } else { None };
                Content::Plain { range: start as usize..end as usize, sha256 }
            }
            form::PACKED => {
                let method = match cursor.index()? {
                    0 => Method::Stored,
                    1 => Method::Deflate,
                    format => Method::Stream(self.formats.get(format - 2)?),
                };
                let (start, end) = cursor.range()?;
                let size = cursor.number_if(has(flag::PACKED_SIZE))?;
                let crc32 = cursor.sum_if(has(flag::CRC32))?;
                Content::Packed(Packed { method, range: start as usize..end as usize, size, crc32 })
            }
            form::BLOCK => {
                let number = cursor.index()?;
                let block = self.blocks.get(number)?.block.clone()?;
                own_block = Some(number);
                let (start, end) = cursor.range()?;
                Content::Block(BlockSlice { block, range: start..end, crc32: cursor.sum_if(has(flag::CRC32))? })
            }
            form::SPARSE => self.sparse.get(&index).map_or(Content::Nothing, |file| Content::Sparse(file.clone())),
            _ => Content::Nothing,
        };
        let block = own_block;
        Some(MemberRef { name, kind, content, size, compressed_size, method, offset, mode, modified, problems, block })
    }
}

/// A reference to a member that is not encoded.
fn member_ref<'t>(member: &'t Member, problems: &'t [Problem]) -> MemberRef<'t> {
    let kind = match &member.kind {
        EntryKind::File => KindRef::File,
        EntryKind::Directory => KindRef::Directory,
        EntryKind::Symlink { target } => KindRef::Symlink { target },
        EntryKind::Hardlink { target } => KindRef::Hardlink { target },
        EntryKind::Special { what } => KindRef::Special { what },
    };
    MemberRef {
        name: &member.name,
        kind,
        content: member.content.clone(),
        size: member.size,
        compressed_size: member.compressed_size,
        method: member.method,
        offset: member.offset,
        mode: member.mode,
        modified: member.modified,
        problems,
        block: None,
    }
}

/// Takes the members one by one. The memory of a part and of a block is free after its last member.
pub(crate) struct IntoMembers {
    table: MemberTable,
    next: usize,
}

impl IntoIterator for MemberTable {
    type Item = Member;
    type IntoIter = IntoMembers;

    fn into_iter(self) -> IntoMembers {
        IntoMembers { table: self, next: 0 }
    }
}

impl Iterator for IntoMembers {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let index = self.next;
        let table = &mut self.table;
        let part = table.parts.front()?;
        let end = part.first + part.len();
        let found = table.decode(part, index)?;
        let block = found.block;
        let mut member = found.into_member();
        member.problems = table.problems.remove(&index).unwrap_or_default();
        table.sparse.remove(&index);
        table.replaced.remove(&index);
        if let Some(shared) = block.and_then(|block| table.blocks.get_mut(block)) {
            shared.members -= 1;
            if shared.members == 0 {
                shared.block = None;
            }
        }
        self.next += 1;
        if self.next >= end {
            table.parts.pop_front();
        }
        Some(member)
    }
}

impl Part {
    fn len(&self) -> usize {
        self.starts.len()
    }

    fn is_full(&self) -> bool {
        self.starts.len() >= PART_MEMBERS || self.bytes.len() >= PART_BYTES
    }
}

/// Upper bound of the encoded size of a member.
fn most_bytes(member: &Member) -> usize {
    let target = match &member.kind {
        EntryKind::Symlink { target } | EntryKind::Hardlink { target } => target.len(),
        _ => 0,
    };
    // Two bytes, at most 12 numbers of at most 10 bytes, and a digest.
    member.name.len() + target + 2 + 12 * 10 + 32
}

/// Index of a text, which is added if it is new.
fn index_of(texts: &mut Vec<&'static str>, text: &'static str) -> u64 {
    let known = texts.iter().position(|known| *known == text);
    known.unwrap_or_else(|| {
        texts.push(text);
        texts.len() - 1
    }) as u64
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
