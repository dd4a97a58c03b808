//! List of the entries of a zip archive: those of its directories, and those that no directory lists.

use std::collections::{BTreeMap, BTreeSet};

use super::directory::{DIGITAL_SIGNATURE, Directories, Directory};
use super::entry::read_entry;
use super::extents::{self, Extent};
use super::record::{self, Record};
use super::recovery::{Recovered, Recovery};
use crate::archive::{Content, Listing, Member};
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::u16_at;

/// Problem text of entries recovered without a central directory.
const RECOVERED: &str = "the central directory is damaged; the entry was found by its local header";
/// Problem text of entries recovered beside a central directory.
const UNLISTED: &str = "the central directory does not list the entry";

/// Recovers the entries of an archive without a central directory.
pub(super) fn recover_all(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let why = RECOVERED;
    Recovery::new(archive).entries(0..archive.len(), why, budget, &mut listing, |recovered, listing| {
        listing.push(recovered.member);
    });
    let problem = Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "central directory" });
    if listing.is_without_members() {
        return Err(problem);
    }
    listing.push_problem(problem);
    Ok(listing)
}

/// Lists the entries of the central directory and of those that only some readers find, and recovers those between them.
pub(super) fn list_directory(archive: &[u8], directories: &Directories, budget: &Budget) -> Listing {
    let mut listing = Listing::default();
    let directory = &directories.main;
    let mut extents = Vec::new();
    let mut others: Vec<(usize, Member)> = Vec::new();
    let walk = walk(archive, directory, &mut |record| {
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            return false;
        }
        let (member, range, other) = read_entry(archive, directory.base, record);
        let index = listing.members.len();
        if !listing.push(member) || !listing.reserve(&mut extents, 1) || !listing.reserve(&mut others, other.len()) {
            return false;
        }
        others.extend(other.into_iter().map(|other| (index, other)));
        extents.extend(range.map(|range| Extent { range, member: index }));
        true
    });
    let is_whole = report_directory(archive, directories, &walk, &mut listing);
    let start = directory.start.min(archive.len());
    extents::reject_overlaps(&mut listing, &mut extents, start);
    if listing.limit.is_some() || listing.refused.is_some() {
        // The gaps are entries beyond the limit.
        return listing;
    }
    let why = if is_whole { UNLISTED } else { RECOVERED };
    let after_directory = walk.second;
    // The other readings of an entry that is rejected would repeat the data of another one.
    let is_rejected = |index: usize| listing.members.get(index).is_none_or(|member| member.content == Content::Nothing);
    others.retain(|(index, _)| !is_rejected(*index));
    let mut others: Vec<Member> = others.into_iter().map(|(_, member)| member).collect();
    let other_places = directories.others.iter().copied().chain(after_directory);
    let listed_elsewhere = list_others(archive, other_places, budget, &mut listing, &mut others);
    recover_between(archive, &extents, start, why, budget, &mut listing, &listed_elsewhere);
    retain_new(&listing, &mut others);
    for member in others {
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            return listing;
        }
        listing.push(member);
    }
    let after = archive.len() - directory.archive_end.min(archive.len());
    if after > 0 {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.push_problem(Problem::new(directory.archive_end as u64, kind));
    }
    listing
}

/// Removes readings that the listing has already, as an entry of its own.
fn retain_new(listing: &Listing, others: &mut Vec<Member>) {
    if others.is_empty() {
        return;
    }
    // Only the entries with the place and name of another reading are compared.
    let places: BTreeSet<(u64, Vec<u8>)> = others.iter().map(|other| (other.offset, other.name.clone())).collect();
    let mut known: BTreeMap<(u64, &[u8]), Content> = BTreeMap::new();
    for member in listing.members.iter() {
        if let Some((offset, name)) = places.get(&(member.offset, member.name.to_vec())) {
            known.insert((*offset, &name[..]), member.content);
        }
    }
    others.retain(|other| known.get(&(other.offset, &other.name[..])) != Some(&other.content));
}

/// Result of a walk through the records of a directory.
struct Walk {
    /// Number of records.
    count: u64,
    /// Offset of the end of the last record and of the digital signature.
    end: usize,
    /// A second directory after a digital signature.
    second: Option<Directory>,
}

/// Visits the records of a directory until `visit` returns false.
fn walk(archive: &[u8], directory: &Directory, visit: &mut dyn FnMut(&Record<'_>) -> bool) -> Walk {
    let mut walk = Walk { count: 0, end: directory.start, second: None };
    while walk.end < directory.end
        && let Some(record) = Record::read(archive, walk.end)
    {
        if !visit(&record) {
            break;
        }
        walk.count += 1;
        walk.end = record.end;
    }
    if archive.get(walk.end..).is_some_and(|bytes| bytes.starts_with(DIGITAL_SIGNATURE)) {
        let length = u16_at(archive, walk.end + 4).map_or(0, usize::from);
        let inside = walk.end + 6;
        walk.end = inside.saturating_add(length).min(directory.end);
        let start = [inside, walk.end].into_iter().find(|&start| Record::read(archive, start).is_some());
        walk.second = start.map(|start| Directory { start, ..*directory });
    }
    walk
}

/// Reports what is wrong with the directory as a whole. Returns false if it is incomplete.
fn report_directory(archive: &[u8], directories: &Directories, walk: &Walk, listing: &mut Listing) -> bool {
    let directory = &directories.main;
    let mut is_whole = true;
    let is_cut_short = listing.limit.is_some();
    let mut problem = |at: usize, kind| listing.push_problem(Problem::new(at as u64, kind));
    if walk.end != directory.end && !is_cut_short {
        is_whole = false;
        let is_cut = archive.get(walk.end..).is_some_and(|bytes| bytes.starts_with(record::SIGNATURE));
        let kind = if is_cut {
            ProblemKind::Truncated { what: "central directory" }
        } else {
            ProblemKind::Corrupt { what: "the central directory has something that is no entry" }
        };
        problem(walk.end, kind);
    }
    let (stated, count) = (directory.count, walk.count);
    let is_count_right = stated == count || (directory.is_narrow && stated == count & 0xffff);
    if !is_count_right && !is_cut_short {
        let kind = ProblemKind::Corrupt { what: "the end record counts another number of entries than there are" };
        problem(directory.end_record, kind);
    }
    if !directory.is_exact {
        let what = "the end record states another size or place of the central directory than it has".to_owned();
        problem(directory.end_record, ProblemKind::Readings { what });
    }
    if directory.part > 0 {
        let what = format!("an archive in {} parts, of which this is the last", u32::from(directory.part) + 1);
        problem(directory.end_record, ProblemKind::Unsupported { what });
    }
    if let Some(other) = directories.other_end {
        let what = "there are two end records, and readers differ in which one they believe";
        problem(other, ProblemKind::Corrupt { what });
    }
    if let Some(other) = walk.second.or(directories.others.first().copied()) {
        let what = "there is a second central directory, and readers differ in which one they believe".to_owned();
        problem(other.start, ProblemKind::Readings { what });
    }
    is_whole
}

/// Adds the entries of other directories that the listing lacks to `others`. Returns the offsets of their local headers.
fn list_others(
    archive: &[u8],
    places: impl Iterator<Item = Directory>,
    budget: &Budget,
    listing: &mut Listing,
    others: &mut Vec<Member>,
) -> BTreeSet<usize> {
    let mut offsets = BTreeSet::new();
    let mut places = places.peekable();
    if places.peek().is_none() {
        return offsets;
    }
    let mut known: BTreeSet<(u64, Vec<u8>)> =
        listing.members.iter().map(|member| (member.offset, member.name.to_vec())).collect();
    // The entries of further directories are bounded like those of the first.
    let mut left = budget.limits().entries;
    for place in places {
        walk(archive, &place, &mut |record| {
            let (mut member, range, other) = read_entry(archive, place.base, record);
            if known.insert((member.offset, member.name.clone())) {
                offsets.extend(range.map(|range| range.start));
                let what = "only some readers find the central directory that lists the entry".to_owned();
                member.problems.push(Problem::new(member.offset, ProblemKind::Readings { what }));
                if !listing.reserve(others, 1 + other.len()) {
                    return false;
                }
                others.push(member);
                others.extend(other);
            }
            left = left.saturating_sub(1);
            left > 0
        });
    }
    offsets
}

/// Recovers entries from the gaps between listed entries and reports unknown bytes. Any program may precede the first entry.
fn recover_between(
    archive: &[u8],
    extents: &[Extent],
    directory: usize,
    why: &'static str,
    budget: &Budget,
    listing: &mut Listing,
    listed_elsewhere: &BTreeSet<usize>,
) {
    let gaps = extents::gaps(extents, directory);
    if gaps.is_empty() {
        return;
    }
    // Listed entries whose local header is not at the stated offset, by name.
    let mut lost: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut is_located = vec![false; listing.members.len()];
    for extent in extents {
        is_located[extent.member] = true;
    }
    for (index, _) in is_located.iter().enumerate().filter(|(_, located)| !**located) {
        lost.extend(listing.members.get(index).map(|member| (member.name.to_vec(), index)));
    }
    let mut recovery = Recovery::new(archive);
    for gap in gaps {
        let mut has_entries = false;
        recovery.entries(gap.clone(), why, budget, listing, |Recovered { member, .. }, listing| {
            has_entries = true;
            if listed_elsewhere.contains(&(member.offset as usize)) {
                return;
            }
            match lost.remove(&member.name) {
                Some(index) => {
                    let Some(mut known) = listing.members.copy(index) else { return };
                    known.content = member.content;
                    known.offset = member.offset;
                    known.problems.extend(member.problems);
                    listing.members.replace(index, known);
                }
                None => drop(listing.push(member)),
            }
        });
        if listing.limit.is_some() || listing.refused.is_some() {
            return;
        }
        if gap.start > 0 && !has_entries && !extents::is_harmless(&archive[gap.clone()]) {
            let kind = ProblemKind::Corrupt { what: "there are bytes between the entries that belong to none" };
            listing.push_problem(Problem::new(gap.start as u64, kind));
        }
    }
}
