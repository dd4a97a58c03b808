//! Archives of Electron: a JSON header with the tree of files, and the files one after the other.

mod tree;

use std::ops::Range;

use super::{Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use tree::Node;

/// The longest JSON header that is read.
const LONGEST_HEADER: usize = 64 << 20;
/// Where the JSON begins: after four sizes.
const JSON: usize = 16;

/// The JSON header of an archive, and where the files begin.
pub(super) struct Header {
    json: Range<usize>,
    files: usize,
}

/// The header, if the bytes begin with one: four sizes that are about each other, and JSON.
pub(super) fn header(archive: &[u8]) -> Option<Header> {
    let word = |index: usize| archive.get(index * 4..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let (size_of_size, header, payload, json) = (word(0)?, word(1)?, word(2)?, word(3)?);
    let is_consistent = size_of_size == 4
        && header.checked_sub(4) == Some(payload)
        && payload.checked_sub(4).is_some_and(|room| json <= room && room - json < 8)
        && archive.get(JSON) == Some(&b'{');
    is_consistent.then_some(Header { json: JSON..JSON + json, files: 8 + header })
}

/// The files of an archive.
pub(super) fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let Some(Header { json, files }) = header(archive) else {
        return Err(Problem::new(0, ProblemKind::Corrupt { what: "the sizes of the ASAR header disagree" }));
    };
    if json.len() > LONGEST_HEADER {
        let what = format!("an ASAR header of {} bytes", json.len());
        return Err(Problem::new(JSON as u64, ProblemKind::Unsupported { what }));
    }
    let Some(text) = archive.get(json) else {
        return Err(Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "ASAR header" }));
    };
    let mut listing = Listing::default();
    let nodes = tree::read(text, budget).map_err(|tree::TreeError { column, what }| {
        Problem::new((JSON + column) as u64, ProblemKind::Corrupt { what })
    });
    let (nodes, limit) = nodes?;
    listing.limit = limit;
    let mut reader = Reader { archive, files, end: files };
    for node in nodes {
        let member = reader.member(node);
        listing.members.push(member);
    }
    let after = archive.len().saturating_sub(reader.end);
    if after > 0 && limit.is_none() {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.problem(Problem::new(reader.end as u64, kind));
    }
    Ok(listing)
}

/// Makes members of nodes.
struct Reader<'a> {
    archive: &'a [u8],
    files: usize,
    /// Where the last file ends.
    end: usize,
}

impl Reader<'_> {
    fn member(&mut self, node: Node) -> Member {
        let Node { name, is_directory, offset, size, is_executable, link, is_unpacked, sha256, problems } = node;
        let corrupt = |what| Problem::new(JSON as u64, ProblemKind::Corrupt { what });
        let mut member = Member {
            name,
            kind: EntryKind::File,
            content: Content::Nothing,
            size,
            compressed_size: size.unwrap_or(0),
            method: "asar",
            offset: 0,
            mode: Some(if is_executable { 0o755 } else { 0o644 }),
            modified: None,
            problems: problems.into_iter().map(corrupt).collect(),
        };
        if is_directory {
            member.kind = EntryKind::Directory;
            member.mode = None;
            return member;
        }
        if let Some(link) = link {
            member.kind = EntryKind::Symlink { target: link.into_bytes() };
            member.mode = None;
            return member;
        }
        if is_unpacked {
            let what = "file beside the archive".to_owned();
            member.problems.push(Problem::new(JSON as u64, ProblemKind::Unsupported { what }));
            return member;
        }
        self.place(&mut member, offset, size, sha256);
        member
    }

    /// Finds the bytes of a file.
    fn place(&mut self, member: &mut Member, offset: Option<u64>, size: Option<u64>, sha256: Option<Box<[u8; 32]>>) {
        let (Some(offset), Some(size)) = (offset, size) else {
            let kind = ProblemKind::Corrupt { what: "the file has no place or no size" };
            member.problems.push(Problem::new(JSON as u64, kind));
            return;
        };
        let start = offset.saturating_add(self.files as u64);
        let end = start.saturating_add(size);
        member.offset = start;
        let length = self.archive.len() as u64;
        if start > length {
            let kind = ProblemKind::Truncated { what: "data of the entry" };
            member.problems.push(Problem::new(length, kind));
            return;
        }
        if end > length {
            let kind = ProblemKind::Truncated { what: "data of the entry" };
            member.problems.push(Problem::new(length, kind));
        }
        // Both are at most the length of the archive.
        let range = start as usize..end.min(length) as usize;
        self.end = self.end.max(range.end);
        member.content = Content::Plain { range, sha256 };
    }
}
