//! Where the entries of a zip archive are: that none is in another, and nothing between them.

use std::ops::Range;

use super::super::{Content, Member};
use crate::problem::{Problem, ProblemKind};

/// What a signed Android package has before its directory ends so.
const ANDROID_SIGNATURE: &[u8] = b"APK Sig Block 42";

/// Where an entry is, with its header and descriptor.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    pub(super) range: Range<usize>,
    /// Which member it is.
    pub(super) member: usize,
}

/// Refuses entries that have another inside them, or that reach into the directory: archives of those have much more content
/// than bytes. Of entries in the same place the first stays. Members that have other problems do not make those bad that have
/// none.
pub(super) fn refuse_overlaps(members: &mut [Member], extents: &mut [Extent], directory: usize) {
    extents.sort_by_key(|extent| (extent.range.start, extent.member));
    if !has_overlap(extents, directory) {
        return;
    }
    let is_clean = |extent: &&Extent| members[extent.member].problems.is_empty();
    let clean: Vec<&Extent> = extents.iter().filter(is_clean).collect();
    let all: Vec<&Extent> = extents.iter().collect();
    let is_bad = |extent: &&Extent| {
        let others = if is_clean(extent) { &clean } else { &all };
        extent.range.end > directory || is_crossed(extent, others)
    };
    let refused: Vec<Extent> = extents.iter().filter(is_bad).cloned().collect();
    for extent in refused {
        let member = &mut members[extent.member];
        let kind = ProblemKind::Corrupt { what: "the entry is in the same place as another" };
        member.problems.push(Problem::new(extent.range.start as u64, kind));
        member.content = Content::Nothing;
    }
}

/// Whether one of others begins inside this one, or in the same place and comes first. All are in order.
fn is_crossed(extent: &Extent, others: &[&Extent]) -> bool {
    let first = others.partition_point(|other| other.range.start < extent.range.start);
    let after = others.partition_point(|other| other.range.start <= extent.range.start);
    others.get(first).is_some_and(|other| other.range.start == extent.range.start && other.member != extent.member)
        || others.get(after).is_some_and(|other| other.range.start < extent.range.end)
}

fn has_overlap(extents: &[Extent], directory: usize) -> bool {
    let is_overrun =
        |pair: &[Extent]| pair[1].range.start < pair[0].range.end || pair[0].range.start == pair[1].range.start;
    extents.iter().any(|extent| extent.range.end > directory) || extents.windows(2).any(is_overrun)
}

/// The parts of an archive that no entry has, up to the directory. Extents are in order.
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

/// Whether bytes between entries are nothing to speak of: zeros, or the signature of an Android package.
pub(super) fn is_harmless(gap: &[u8]) -> bool {
    gap.ends_with(ANDROID_SIGNATURE) || gap.iter().all(|&byte| byte == 0)
}
