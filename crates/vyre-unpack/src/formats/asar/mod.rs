//! ASAR archives (Electron): a JSON header with the file tree, then the concatenated files.
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 4 | 4, the size of the next field |
//! | 4 | 4 | size of the header from offset 8 |
//! | 8 | 4 | size of the header from offset 12 |
//! | 12 | 4 | size of the JSON text |
//! | 16 | | JSON text, padded; then the files |

mod beside;
mod tree;

pub(crate) use beside::{names_beside, omit_beside, read_beside};

use std::ops::Range;

use crate::archive::{ArchiveFormat, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use tree::Node;

/// Format of ASAR archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "asar",
    title: "ASAR",
    detect: |bytes| header(bytes).is_some(),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

/// Maximum size of a JSON header, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 20;
/// Problem text of files beside the archive.
const BESIDE: &str = "file beside the archive";
/// Offset of the JSON text.
const JSON_OFFSET: usize = 16;

/// Location of the JSON text and of the files.
struct Header {
    /// Range of the JSON text.
    json: Range<usize>,
    /// Offset of the first file.
    files: usize,
}

/// The header, if the bytes start with four consistent sizes and a JSON object.
fn header(archive: &[u8]) -> Option<Header> {
    let word = |index: usize| archive.get(index * 4..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let (size_of_size, header, payload, json) = (word(0)?, word(1)?, word(2)?, word(3)?);
    let is_consistent = size_of_size == 4
        && header.checked_sub(4) == Some(payload)
        && payload.checked_sub(4).is_some_and(|room| json <= room && room - json < 8)
        && archive.get(JSON_OFFSET) == Some(&b'{');
    is_consistent.then_some(Header { json: JSON_OFFSET..JSON_OFFSET + json, files: 8 + header })
}

/// Lists the files of an archive.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let Some(Header { json, files }) = header(archive) else {
        return Err(Problem::new(0, ProblemKind::Corrupt { what: "the sizes of the ASAR header disagree" }));
    };
    if json.len() > MAX_HEADER_BYTES {
        let what = format!("an ASAR header of {} bytes", json.len());
        return Err(Problem::new(JSON_OFFSET as u64, ProblemKind::Unsupported { what }));
    }
    let Some(text) = archive.get(json) else {
        return Err(Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "ASAR header" }));
    };
    let mut listing = Listing::default();
    let tree = tree::parse(text, budget).map_err(|tree::TreeError { column, what }| {
        Problem::new((JSON_OFFSET + column) as u64, ProblemKind::Corrupt { what })
    });
    let tree::Tree { nodes, limit, refused } = tree?;
    listing.limit = limit;
    listing.refused = refused;
    let mut reader = Reader { archive, files, end: files };
    for node in nodes {
        let member = reader.member(node);
        listing.push(member);
    }
    let after = archive.len().saturating_sub(reader.end);
    if after > 0 && limit.is_none() {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.push_problem(Problem::new(reader.end as u64, kind));
    }
    Ok(listing)
}

/// The target of a link, relative to the directory of the link. ASAR stores it relative to the root of the archive.
fn relative_target(name: &[u8], link: &[u8]) -> Vec<u8> {
    let depth = memchr::memchr_iter(b'/', name).count();
    [b"../".repeat(depth), link.to_vec()].concat()
}

/// Converts nodes of the tree to members.
struct Reader<'a> {
    archive: &'a [u8],
    /// Offset of the first file.
    files: usize,
    /// Largest end offset of any file.
    end: usize,
}

impl Reader<'_> {
    fn member(&mut self, node: Node) -> Member {
        let Node { name, is_directory, offset, size, is_executable, link, is_unpacked, sha256, problems } = node;
        let corrupt = |what| Problem::new(JSON_OFFSET as u64, ProblemKind::Corrupt { what });
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
            member.kind = EntryKind::Symlink { target: relative_target(&member.name, link.as_bytes()) };
            member.mode = None;
            return member;
        }
        if is_unpacked {
            let what = BESIDE.to_owned();
            member.problems.push(Problem::new(JSON_OFFSET as u64, ProblemKind::Unsupported { what }));
            return member;
        }
        self.locate(&mut member, offset, size, sha256);
        member
    }

    /// Locates the bytes of a file.
    fn locate(&mut self, member: &mut Member, offset: Option<u64>, size: Option<u64>, sha256: Option<Box<[u8; 32]>>) {
        let (Some(offset), Some(size)) = (offset, size) else {
            let kind = ProblemKind::Corrupt { what: "the file has no place or no size" };
            member.problems.push(Problem::new(JSON_OFFSET as u64, kind));
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
        // Both fit: they are at most the length of the archive.
        let range = start as usize..end.min(length) as usize;
        self.end = self.end.max(range.end);
        member.content = Content::Plain { range, sha256 };
    }
}
