//! ISO 9660 images (ECMA-119) with the names of Rock Ridge and of Joliet, read only.
//!
//! Volume descriptors start at byte 32,768. The primary one has the root of the tree with short names, which may have the
//! long names, modes and links of Rock Ridge beside them. A supplementary one may have another tree with the names of Joliet.
//! Systems show one of the trees: Linux prefers Rock Ridge, Windows Joliet. Files that only one tree has are listed too.

mod rock_ridge;
mod tree;

use std::collections::HashSet;

use crate::archive::{ArchiveFormat, Block, BlockSlice, Content, Listing, Member, TableMemoryRefused, insert};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use tree::{Record, Tree};

/// Format of ISO 9660 images.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "iso",
    title: "ISO",
    detect: |bytes| bytes.get(FIRST_DESCRIPTOR + 1..).is_some_and(|at| at.starts_with(b"CD001")),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

/// Size of a sector.
const SECTOR_BYTES: usize = 2048;
/// Offset of the first volume descriptor.
const FIRST_DESCRIPTOR: usize = 16 * SECTOR_BYTES;
/// Maximum number of volume descriptors.
const MAX_DESCRIPTORS: usize = 64;
/// Offset and size of the record of the root directory in a volume descriptor.
const ROOT_OFFSET: usize = 156;
const ROOT_BYTES: usize = 34;
/// Maximum size of all names: each file repeats the names of its directories.
const MAX_NAME_BYTES: usize = 256 << 20;

/// Lists the files.
fn list(image: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let mut primary = None;
    let mut joliet = None;
    let mut has_udf = false;
    for index in 0..MAX_DESCRIPTORS {
        let at = FIRST_DESCRIPTOR + index * SECTOR_BYTES;
        let Some(descriptor) = image.get(at..at + SECTOR_BYTES) else {
            let kind = ProblemKind::Truncated { what: "list of volume descriptors" };
            listing.push_problem(Problem::new(image.len() as u64, kind));
            break;
        };
        has_udf |= descriptor[1..].starts_with(b"NSR0");
        if !descriptor[1..].starts_with(b"CD001") {
            // Descriptors of UDF follow those of ISO 9660.
            if matches!(&descriptor[1..6], b"BEA01" | b"NSR02" | b"NSR03") {
                continue;
            }
            break;
        }
        let escape = &descriptor[88..91];
        let root = || Record::read(&descriptor[ROOT_OFFSET..ROOT_OFFSET + ROOT_BYTES], at + ROOT_OFFSET);
        match descriptor[0] {
            1 if primary.is_none() => primary = root(),
            2 if joliet.is_none() && matches!(escape, b"%/@" | b"%/C" | b"%/E") => joliet = root(),
            _ => {}
        }
    }
    if has_udf {
        let what = "a UDF file system in the image; files that only it has are not listed".to_owned();
        listing.push_problem(Problem::new(FIRST_DESCRIPTOR as u64, ProblemKind::Unsupported { what }));
    }
    let Some(primary) = primary else {
        let kind = ProblemKind::Corrupt { what: "the image has no primary volume descriptor" };
        return Err(Problem::new(FIRST_DESCRIPTOR as u64, kind));
    };
    let rock_ridge = rock_ridge::skip_of(image, &primary);
    let mut walk = Walk { image, budget, listing, name_bytes: 0, extents: HashSet::new() };
    // Without Rock Ridge, the names of Joliet are the better ones.
    let (first, second) = match joliet {
        Some(joliet) if rock_ridge.is_none() => ((joliet, true, None), Some((primary, false, None))),
        joliet => ((primary, false, rock_ridge), joliet.map(|joliet| (joliet, true, None))),
    };
    for (index, (root, is_joliet, rock_ridge)) in [Some(first), second].into_iter().flatten().enumerate() {
        let listed = Tree::new(image, root, is_joliet, rock_ridge).and_then(|tree| walk.tree(tree, index > 0));
        walk.listing.refused = walk.listing.refused.or(listed.err());
    }
    Ok(walk.listing)
}

/// Conversion of records to members.
struct Walk<'a> {
    image: &'a [u8],
    budget: &'a Budget,
    listing: Listing,
    name_bytes: usize,
    /// Places of the files that are listed.
    extents: HashSet<(usize, u64)>,
}

impl Walk<'_> {
    /// Lists a tree; of the second one only files that the first one does not have.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    fn tree(&mut self, mut tree: Tree<'_>, is_second: bool) -> Result<(), TableMemoryRefused> {
        while let Some(found) = tree.next() {
            let file = match found {
                Ok(file) => file,
                Err(Problem { kind: ProblemKind::OutOfMemory { bytes }, .. }) => {
                    return Err(TableMemoryRefused { bytes });
                }
                Err(problem) => {
                    self.listing.push_problem(problem);
                    continue;
                }
            };
            let is_file = file.kind == EntryKind::File;
            let size = file.parts.iter().map(|part| part.len() as u64).sum::<u64>();
            let place = (file.parts.first().map_or(0, |part| part.start), size);
            let is_new = insert(&mut self.extents, place)?;
            if is_second && (!is_file || !is_new || size == 0) {
                continue;
            }
            if let Err(exceeded) = self.budget.reserve_entries(1) {
                self.listing.limit = Some(exceeded);
                return Ok(());
            }
            self.name_bytes += file.name.len();
            if self.name_bytes > MAX_NAME_BYTES {
                let kind = ProblemKind::Unsupported { what: "more than 256 MiB of names".to_owned() };
                self.listing.push_problem(Problem::new(file.at as u64, kind));
                return Ok(());
            }
            let mut problems = file.problems;
            if is_second {
                let what = "only one of the two trees of the image has the file; systems that show the other one do not see it";
                problems.push(Problem::new(file.at as u64, ProblemKind::Readings { what: what.to_owned() }));
            }
            let length = self.image.len();
            if file.parts.iter().any(|part| part.end > length) {
                let kind = ProblemKind::Truncated { what: "data of the entry" };
                problems.push(Problem::new(length as u64, kind));
            }
            let clip = |part: std::ops::Range<usize>| part.start.min(length)..part.end.min(length);
            let mut parts: Vec<_> = file.parts.into_iter().map(clip).collect();
            let content = match parts.len() {
                _ if !is_file => Content::Nothing,
                0 | 1 => Content::Plain { range: parts.pop().unwrap_or(0..0), sha256: None },
                _ => {
                    let clipped = parts.iter().map(|part| part.len() as u64).sum();
                    Content::Block(BlockSlice { block: Block::of_parts(parts), range: 0..clipped, crc32: None })
                }
            };
            let is_added = self.listing.push(Member {
                name: file.name,
                kind: file.kind,
                content,
                size: is_file.then_some(size),
                compressed_size: if is_file { size } else { 0 },
                method: "iso",
                offset: place.0 as u64,
                mode: file.mode,
                modified: file.modified,
                problems,
            });
            if !is_added {
                break;
            }
        }
        Ok(())
    }
}
