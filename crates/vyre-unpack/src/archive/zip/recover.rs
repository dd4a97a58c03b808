//! Finds entries of zip archives that no directory lists, by their local headers.

use std::ops::Range;

use memchr::memmem;

use super::super::{Content, Listing, Member, Method, Packed};
use super::local::{Descriptor, LocalHeader, SIGNATURE};
use super::{kind_of_name, refuse};
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::crc32;

/// How many times the length of an archive is looked through for descriptors.
const MOST_SEARCHES: usize = 16;

/// Looks for entries in parts of an archive.
pub(super) struct Recovery<'a> {
    archive: &'a [u8],
    /// How many bytes may still be looked through for descriptors.
    search: usize,
}

/// What is between two known things.
pub(super) struct Found {
    /// The entry.
    pub(super) member: Member,
    /// Where it is, with its header and descriptor.
    pub(super) extent: Range<usize>,
}

impl<'a> Recovery<'a> {
    pub(super) fn new(archive: &'a [u8]) -> Recovery<'a> {
        Recovery { archive, search: archive.len().saturating_mul(MOST_SEARCHES) }
    }

    /// Takes all entries that begin in this part. `why` says why the directory does not have them.
    pub(super) fn entries(
        &mut self,
        part: Range<usize>,
        why: &'static str,
        budget: &Budget,
        listing: &mut Listing,
        mut take: impl FnMut(Found, &mut Listing),
    ) {
        let mut at = part.start;
        while let Some(found) = memmem::find(&self.archive[at..part.end], SIGNATURE) {
            let start = at + found;
            at = start + SIGNATURE.len();
            let Some(header) = LocalHeader::read(self.archive, start) else { continue };
            if !is_plausible(&header) {
                continue;
            }
            if let Err(exceeded) = budget.take_entries(1) {
                listing.limit = Some(exceeded);
                return;
            }
            let found = self.entry(start, &header, part.end, why);
            at = found.extent.end.clamp(at, part.end);
            take(found, listing);
        }
    }

    /// The entry with this header, whose data end at `end` at the latest.
    fn entry(&mut self, start: usize, header: &LocalHeader<'_>, end: usize, why: &'static str) -> Found {
        let mut problems = vec![Problem::new(start as u64, ProblemKind::Corrupt { what: why })];
        let data = header.data.min(end);
        let is_known = header.has_sizes();
        let descriptor = if header.has_descriptor() { self.descriptor(header, end) } else { None };
        let (range, length) = match descriptor {
            Some((at, descriptor)) => (data..at, descriptor.length),
            None if is_known => {
                let wanted = usize::try_from(header.compressed_size).unwrap_or(usize::MAX);
                let available = end - data;
                let claimed = data..data + wanted.min(available);
                if let Some(next) = self.entry_inside(header, claimed.clone(), end, wanted > available) {
                    let kind = ProblemKind::Corrupt { what: "the data go on in the next entry by their size" };
                    problems.push(Problem::new(next as u64, kind));
                    (data..next, 0)
                } else {
                    if wanted > available {
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
        let claim = claim.or(is_known.then_some((header.size, header.crc32)));
        let extent = start..range.end + length;
        let compressed_size = range.len() as u64;
        let (content, method) = match (refuse(header.flags, header.method), Method::of_zip(header.method)) {
            (None, Some(method)) => {
                let (size, crc32) = (claim.map(|(size, _)| size), claim.map(|(_, crc32)| crc32));
                (Content::Packed(Packed { method, range, size, crc32 }), method.name())
            }
            (refusal, method) => {
                let what = refusal.unwrap_or_else(|| format!("zip method {}", header.method));
                problems.push(Problem::new(start as u64, ProblemKind::Unsupported { what }));
                (Content::Nothing, method.map_or("unknown", Method::name))
            }
        };
        let member = Member {
            name: header.name.to_vec(),
            kind: kind_of_name(header.name),
            content,
            size: claim.map(|(size, _)| size),
            compressed_size,
            method,
            offset: start as u64,
            mode: None,
            modified: None,
            problems,
        };
        Found { member, extent }
    }

    /// Where the next entry begins, if it is in the data that an entry claims and the claim is nothing to believe: nothing known
    /// follows the data, and their checksum is not that of stored bytes. A wrong size must not hide the entries that follow.
    fn entry_inside(
        &mut self,
        header: &LocalHeader<'_>,
        claimed: Range<usize>,
        end: usize,
        is_cut_off: bool,
    ) -> Option<usize> {
        let after = &self.archive[claimed.end..end];
        if !is_cut_off && (after.is_empty() || after.starts_with(b"PK")) {
            return None;
        }
        let is_header = |at: &usize| LocalHeader::read(self.archive, *at).is_some_and(|header| is_plausible(&header));
        // The last header may begin with the last byte.
        let part = &self.archive[claimed.start..(claimed.end + SIGNATURE.len() - 1).min(end)];
        let next = memmem::find_iter(part, SIGNATURE).map(|at| claimed.start + at).find(is_header)?;
        if header.method == 0 && !is_cut_off && claimed.len() <= self.search {
            // An archive that is stored whole has headers inside.
            self.search -= claimed.len();
            if crc32(&self.archive[claimed]) == header.crc32 {
                return None;
            }
        }
        Some(next)
    }

    /// Where the data of an entry end whose size its header does not tell: at a descriptor that says so.
    fn descriptor(&mut self, header: &LocalHeader<'_>, end: usize) -> Option<(usize, Descriptor)> {
        let matching = |at: usize| {
            let distance = (at - header.data) as u64;
            let is_right = |descriptor: &Descriptor| descriptor.compressed_size == distance;
            // Sizes of 8 bytes can be read as some of 4; what follows tells.
            let is_followed = |descriptor: &Descriptor| {
                let after = &self.archive[at + descriptor.length..];
                after.is_empty() || after.starts_with(b"PK")
            };
            let all = || Descriptor::read(self.archive, at).filter(is_right);
            all().find(is_followed).or_else(|| all().next())
        };
        let part = self.archive.get(header.data..end)?;
        let part = &part[..part.len().min(self.search)];
        let mut looked = part.len();
        let mut found = None;
        for at in memmem::find_iter(part, b"PK") {
            let at = header.data + at;
            // The descriptor itself, or what comes after one without a signature.
            let places = [Some(at), at.checked_sub(12), at.checked_sub(20)];
            let places = places.into_iter().flatten().filter(|&place| place >= header.data);
            found = places.filter_map(|place| Some((place, matching(place)?))).next();
            if found.is_some() {
                looked = at - header.data;
                break;
            }
        }
        self.search -= looked.min(self.search);
        found
    }
}

/// Whether this is a header and not bytes that look like one by chance.
fn is_plausible(header: &LocalHeader<'_>) -> bool {
    !header.name.is_empty() && (header.method <= 20 || (93..=99).contains(&header.method)) && !header.name.contains(&0)
}
