//! Recovery of zip entries that no central directory lists, by their local headers.

use std::ops::Range;

use memchr::memmem;

use super::entry::kind_of_name;
use super::feature::{method_name, method_of, unsupported_feature};
use super::local::{Descriptor, LocalHeader, SIGNATURE};
use super::record::unicode_name;
use crate::archive::{Content, Listing, Member, Method, Packed};
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::crc32;

/// Bytes searched for data descriptors, as a multiple of the archive size.
const MAX_SEARCHES: usize = 16;

/// Searches parts of an archive for entries.
pub(super) struct Recovery<'a> {
    archive: &'a [u8],
    /// Number of bytes that may still be searched for data descriptors. It bounds the total time.
    search_budget: usize,
    /// Number of signatures at which a data descriptor was looked for.
    #[cfg(test)]
    examined: usize,
}

/// A recovered entry.
pub(super) struct Recovered {
    pub(super) member: Member,
    /// Its extent, header and descriptor included.
    pub(super) extent: Range<usize>,
}

impl<'a> Recovery<'a> {
    pub(super) fn new(archive: &'a [u8]) -> Recovery<'a> {
        Recovery {
            archive,
            search_budget: archive.len().saturating_mul(MAX_SEARCHES),
            #[cfg(test)]
            examined: 0,
        }
    }

    /// Recovers all entries that start in `part`. `why` is the problem text of the entries.
    pub(super) fn entries(
        &mut self,
        part: Range<usize>,
        why: &'static str,
        budget: &Budget,
        listing: &mut Listing,
        mut take: impl FnMut(Recovered, &mut Listing),
    ) {
        let mut at = part.start;
        while let Some(offset) = memmem::find(&self.archive[at..part.end], SIGNATURE) {
            let start = at + offset;
            at = start + SIGNATURE.len();
            let Some(header) = LocalHeader::read(self.archive, start) else { continue };
            if !is_plausible(&header) {
                continue;
            }
            if listing.refused.is_some() {
                return;
            }
            if let Err(exceeded) = budget.reserve_entries(1) {
                listing.limit = Some(exceeded);
                return;
            }
            let recovered = self.entry(start, &header, part.end, why);
            at = recovered.extent.end.clamp(at, part.end);
            take(recovered, listing);
        }
    }

    /// Recovers the entry with this header, whose data must end before `end`.
    fn entry(&mut self, start: usize, header: &LocalHeader<'_>, end: usize, why: &'static str) -> Recovered {
        let mut problems = vec![Problem::new(start as u64, ProblemKind::Corrupt { what: why })];
        let data = header.data.min(end);
        let has_sizes = header.has_sizes();
        let descriptor = if header.has_descriptor() { self.descriptor(header, end) } else { None };
        let (range, length) = match descriptor {
            Some((at, descriptor)) => (data..at, descriptor.length),
            None if has_sizes => {
                let stated = usize::try_from(header.compressed_size).unwrap_or(usize::MAX);
                let available = end - data;
                let claimed = data..data + stated.min(available);
                if let Some(next) = self.entry_inside(header, claimed.clone(), end, stated > available) {
                    let kind = ProblemKind::Corrupt { what: "the data go on in the next entry by their size" };
                    problems.push(Problem::new(next as u64, kind));
                    (data..next, 0)
                } else {
                    if stated > available {
                        let kind = ProblemKind::Truncated { what: "data of the entry" };
                        problems.push(Problem::new(end as u64, kind));
                    }
                    (claimed, 0)
                }
            }
            None => {
                let next = memmem::find(&self.archive[data..end], SIGNATURE).map_or(end, |next| data + next);
                problems.push(Problem::new(next as u64, ProblemKind::Truncated { what: "data descriptor" }));
                (data..next, 0)
            }
        };
        let claim = descriptor.map(|(_, descriptor)| (descriptor.size, descriptor.crc32));
        let claim = claim.or(has_sizes.then_some((header.size, header.crc32)));
        let extent = start..range.end + length;
        let compressed_size = range.len() as u64;
        let (content, method) = match (unsupported_feature(header.flags, header.method), method_of(header.method)) {
            (None, Some(method)) => {
                let (size, crc32) = (claim.map(|(size, _)| size), claim.map(|(_, crc32)| crc32));
                (Content::Packed(Packed { method, range, size, crc32 }), method.name())
            }
            (feature, method) => {
                let what = feature.unwrap_or_else(|| format!("zip method {}", method_name(header.method)));
                problems.push(Problem::new(start as u64, ProblemKind::Unsupported { what }));
                (Content::Nothing, method.map_or("unknown", Method::name))
            }
        };
        let member = Member {
            name: name_of(header).to_vec(),
            kind: kind_of_name(name_of(header)),
            content,
            size: claim.map(|(size, _)| size),
            compressed_size,
            method,
            offset: start as u64,
            mode: None,
            modified: None,
            problems,
        };
        Recovered { member, extent }
    }

    /// Offset of the next entry, if it lies inside the data that an entry claims and the claim is implausible: no known
    /// signature follows the data, and the checksum of stored bytes differs. A wrong size must not hide the following entries.
    fn entry_inside(
        &mut self,
        header: &LocalHeader<'_>,
        claimed: Range<usize>,
        end: usize,
        is_truncated: bool,
    ) -> Option<usize> {
        let after = &self.archive[claimed.end..end];
        if !is_truncated && (after.is_empty() || after.starts_with(b"PK")) {
            return None;
        }
        let is_header = |at: &usize| LocalHeader::read(self.archive, *at).is_some_and(|header| is_plausible(&header));
        // The last header may start at the last byte.
        let part = &self.archive[claimed.start..(claimed.end + SIGNATURE.len() - 1).min(end)];
        let next = memmem::find_iter(part, SIGNATURE).map(|at| claimed.start + at).find(is_header)?;
        if header.method == 0 && !is_truncated && claimed.len() <= self.search_budget {
            // A stored archive contains local headers of its own.
            self.search_budget -= claimed.len();
            if crc32(&self.archive[claimed]) == header.crc32 {
                return None;
            }
        }
        Some(next)
    }

    /// The data descriptor that ends an entry of unknown size, with its offset.
    fn descriptor(&mut self, header: &LocalHeader<'_>, end: usize) -> Option<(usize, Descriptor)> {
        let matching = |at: usize| {
            let distance = (at - header.data) as u64;
            let is_consistent = |descriptor: &Descriptor| descriptor.compressed_size == distance;
            // Sizes of 8 bytes can be read as sizes of 4 bytes; the signature that follows decides.
            let is_followed = |descriptor: &Descriptor| {
                let after = &self.archive[at + descriptor.length..];
                after.is_empty() || after.starts_with(b"PK")
            };
            let all = || Descriptor::read(self.archive, at).filter(is_consistent);
            all().find(is_followed).or_else(|| all().next())
        };
        let part = self.archive.get(header.data..end)?;
        let part = &part[..part.len().min(self.search_budget)];
        let mut searched = part.len();
        let mut found = None;
        #[cfg(test)]
        let mut examined = 0;
        for at in memmem::find_iter(part, b"PK") {
            #[cfg(test)]
            {
                examined += 1;
            }
            let at = header.data + at;
            // The signature of the descriptor, or of the record after a descriptor without a signature.
            let starts = [Some(at), at.checked_sub(12), at.checked_sub(20)];
            let starts = starts.into_iter().flatten().filter(|&start| start >= header.data);
            found = starts.filter_map(|start| Some((start, matching(start)?))).next();
            if found.is_some() {
                searched = at - header.data;
                break;
            }
        }
        self.search_budget -= searched.min(self.search_budget);
        #[cfg(test)]
        {
            self.examined += examined;
        }
        found
    }
}

/// True if the header is plausible, rather than data that match the signature by chance.
fn is_plausible(header: &LocalHeader<'_>) -> bool {
    !name_of(header).is_empty() && (header.method <= 20 || (93..=99).contains(&header.method))
}

/// Name of an entry: that of the Unicode path field, if there is one. A zero byte ends it, as in most readers.
fn name_of<'a>(header: &LocalHeader<'a>) -> &'a [u8] {
    let name = unicode_name(header.name, header.extra).unwrap_or(header.name);
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    /// Such a name must not hide an entry whose directory is damaged.
    #[test]
    fn a_zero_byte_ends_a_name() {
        let mut archive = b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        archive.extend(crc32(b"benign").to_le_bytes());
        archive.extend([6, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0]);
        archive.extend(b"a\0bbenign");
        let budget = Budget::new(Limits::default());
        let mut names = Vec::new();
        let part = 0..archive.len();
        Recovery::new(&archive).entries(part, "lost", &budget, &mut Listing::default(), |recovered, _| {
            names.push((recovered.member.name, recovered.member.size));
        });
        assert_eq!(names, [(b"a".to_vec(), Some(6))]);
    }

    /// Each search alone would examine all signatures that follow.
    #[test]
    fn the_search_for_data_descriptors_is_bounded() {
        const ENTRIES: usize = 3_000;
        // A local header of an entry `n` with a data descriptor, and a signature in its data.
        let mut entry = b"PK\x03\x04\x14\0\x08\0\x08\0".to_vec();
        entry.resize(26, 0);
        entry.extend(b"\x01\0\0\0nPK");
        let archive = entry.repeat(ENTRIES);
        let mut recovery = Recovery::new(&archive);
        let mut recovered = 0;
        let budget = Budget::new(Limits::default());
        recovery.entries(0..archive.len(), "lost", &budget, &mut Listing::default(), |_, _| recovered += 1);
        assert_eq!(recovered, ENTRIES);
        // Two signatures in each entry, and a signature for each search that the end of the budget cuts.
        assert!(recovery.examined <= (MAX_SEARCHES + 1) * 2 * ENTRIES, "{} signatures", recovery.examined);
    }
}
