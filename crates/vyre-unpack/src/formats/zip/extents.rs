//! Extents of zip entries: rejection of overlaps, and gaps between entries.
//!
//! Overlapping entries share compressed data, so a small archive can have a huge content (non-recursive zip bomb, Fifield,
//! WOOT 2019).

use std::ops::Range;

use crate::archive::{Content, Listing, MemberTable};
use crate::problem::{Problem, ProblemKind};

/// Last bytes of the signing block of an Android package.
const ANDROID_SIGNATURE: &[u8] = b"APK Sig Block 42";

/// Extent of an entry, header and descriptor included.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    pub(super) range: Range<usize>,
    /// Index of the member.
    pub(super) member: usize,
}

/// Rejects entries that contain the start of another one or that reach into the central directory. Entries with the same bytes
/// are kept; the limits count each of them. Entries with other problems do not cause the rejection of entries without problems.
pub(super) fn reject_overlaps(listing: &mut Listing, extents: &mut [Extent], directory: usize) {
    extents.sort_unstable_by_key(|extent| (extent.range.start, extent.range.end, extent.member));
    if !has_overlap(extents, directory) {
        return;
    }
    report_shared(&mut listing.members, extents);
    let (mut clean, mut all, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    let count = extents.len();
    if !listing.reserve(&mut clean, count)
        || !listing.reserve(&mut all, count)
        || !listing.reserve(&mut rejected, count)
    {
        return;
    }
    let is_readings = |problem: &Problem| matches!(problem.kind, ProblemKind::Readings { .. });
    let is_clean = |extent: &&Extent| listing.members.problems_of(extent.member).iter().all(is_readings);
    clean.extend(extents.iter().filter(is_clean));
    all.extend(extents.iter());
    let is_rejected = |extent: &&Extent| {
        let others = if is_clean(extent) { &clean } else { &all };
        extent.range.end > directory || overlaps(extent, others)
    };
    rejected.extend(extents.iter().filter(is_rejected));
    for extent in rejected {
        let Some(mut member) = listing.members.copy(extent.member) else { continue };
        let what = if extent.range.end > directory {
            "the entry reaches into the central directory"
        } else {
            "the entry is in the same place as another"
        };
        let kind = ProblemKind::Corrupt { what };
        member.problems.push(Problem::new(extent.range.start as u64, kind));
        member.content = Content::Nothing;
        listing.members.replace(extent.member, member);
    }
}

/// Reports entries that have all their bytes in common with one before them. Some readers unpack them all.
fn report_shared(members: &mut MemberTable, extents: &[Extent]) {
    for pair in extents.windows(2).filter(|pair| pair[0].range == pair[1].range) {
        let what = "the entry is in the same place as another".to_owned();
        let problem = Problem::new(pair[1].range.start as u64, ProblemKind::Readings { what });
        members.push_problem(pair[1].member, problem);
    }
}

/// True if another extent starts inside this one, or at the same offset with another end. `others` must be sorted by start and end.
fn overlaps(extent: &Extent, others: &[&Extent]) -> bool {
    let first = others.partition_point(|other| other.range.start < extent.range.start);
    let after = others.partition_point(|other| other.range.start <= extent.range.start);
    // The first and the last one have the smallest and the largest end.
    let at_start = &others[first..after];
    [at_start.first(), at_start.last()].into_iter().flatten().any(|other| other.range != extent.range)
        || others.get(after).is_some_and(|other| other.range.start < extent.range.end)
}

/// True if any extent overlaps another one or the central directory. `extents` must be sorted.
fn has_overlap(extents: &[Extent], directory: usize) -> bool {
    let is_overrun =
        |pair: &[Extent]| pair[1].range.start < pair[0].range.end || pair[0].range.start == pair[1].range.start;
    extents.iter().any(|extent| extent.range.end > directory) || extents.windows(2).any(is_overrun)
}

/// Ranges before the central directory that belong to no entry. `extents` must be sorted.
pub(super) fn gaps(extents: &[Extent], directory: usize) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for extent in extents {
        if extent.range.start > end {
            gaps.push(end..extent.range.start.min(directory));
        }
        end = end.max(extent.range.end);
    }
    if directory > end {
        gaps.push(end..directory);
    }
    gaps
}

/// True if the bytes of a gap are zeros or the signing block of an Android package.
pub(super) fn is_harmless(gap: &[u8]) -> bool {
    gap.ends_with(ANDROID_SIGNATURE) || gap.iter().all(|&byte| byte == 0)
}
