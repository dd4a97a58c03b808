//! The bytes of members: decoded, and checked against what the archive says about them.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{Content, Member, Method, Packed};
use crate::entry::EntryKind;
use crate::limits::{Budget, LimitExceeded};
use crate::problem::{Problem, ProblemKind};
use crate::stream::{Decoded, InflateError, Inflated, crc32, decode_on_host, inflate_into};

/// The longest target of a symbolic link.
const LONGEST_TARGET: u64 = 65_536;
/// The most bytes that a byte of a Deflate stream stands for, and some for the end of the stream.
const DEFLATE_RATIO: u64 = 1032;
/// The room that a Deflate stream of unknown size gets first.
const FIRST_ROOM: u64 = 1 << 16;

/// What is wrong with members that are larger than their archive says.
const BEYOND: &str = "the data go on beyond the size that the archive says";

/// What members are read from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The archive.
    pub(crate) archive: &'a Bytes,
    pub(crate) budget: &'a Budget,
}

/// The bytes of a member.
#[derive(Debug, Default)]
pub(crate) struct Unpacked {
    pub(crate) bytes: Bytes,
    /// How many streams, frames or blocks the host decoded for them.
    pub(crate) units: u64,
    /// How many bytes those gave.
    pub(crate) decoded: u64,
}

impl Unpacked {
    fn plain(bytes: Bytes) -> Unpacked {
        Unpacked { bytes, units: 0, decoded: 0 }
    }
}

/// How many bytes of output a member takes from the budget, and for how many bytes of input, where that is known
/// before. [`unpack`] expects that they were taken.
pub(crate) fn output_of(member: &Member) -> Option<(u64, u64)> {
    let (range, size) = match &member.content {
        // What is there as it is counts too, so that the total is that of all files, however they are stored.
        Content::Plain { range, .. } | Content::Packed(Packed { method: Method::Stored, range, .. }) => {
            (range, range.len() as u64)
        }
        Content::Packed(Packed { method: Method::Deflate, range, size: Some(size), .. }) => (range, *size),
        Content::Packed(_) | Content::Nothing => return None,
    };
    has_bytes(member).then_some((range.len() as u64, size))
}

/// Whether the content of a member is read at all.
fn has_bytes(member: &Member) -> bool {
    match member.kind {
        EntryKind::File => true,
        EntryKind::Symlink { .. } => member.size.is_some_and(|size| size <= LONGEST_TARGET),
        _ => false,
    }
}

/// The bytes of a member, with what is wrong with them added to its problems. `decoded` are bytes that a device had a part in.
pub(crate) fn unpack(member: &mut Member, source: Source<'_>, decoded: Option<Decoded>) -> Unpacked {
    if member.content != Content::Nothing && !has_bytes(member) {
        refuse_bytes(member);
        return Unpacked::default();
    }
    match std::mem::replace(&mut member.content, Content::Nothing) {
        Content::Nothing => Unpacked::default(),
        Content::Plain { range, sha256 } => plain(member, source, range, sha256.as_deref()),
        Content::Packed(packed) => {
            let unpacked = unpack_packed(member, source, &packed, decoded);
            if let EntryKind::Symlink { target } = &mut member.kind {
                *target = unpacked.bytes.to_vec();
                return Unpacked { bytes: Bytes::new(), ..unpacked };
            }
            unpacked
        }
    }
}

/// What is no file has no bytes.
fn refuse_bytes(member: &mut Member) {
    member.content = Content::Nothing;
    let what = match member.kind {
        EntryKind::Symlink { .. } => "the target of the link is too long",
        _ if member.size == Some(0) => return,
        _ => "the entry is no file, but has data",
    };
    member.problems.push(Problem::new(member.offset, ProblemKind::Corrupt { what }));
}

/// Bytes that are in the archive as they are.
fn plain(member: &mut Member, source: Source<'_>, range: Range<usize>, sha256: Option<&[u8; 32]>) -> Unpacked {
    let start = range.start as u64;
    let bytes = source.archive.slice(range);
    if let Some(expected) = sha256 {
        let found = Sha256::digest(&bytes);
        if found[..] != expected[..] {
            let first = |digest: &[u8]| digest.first_chunk().map_or(0, |chunk| u64::from_be_bytes(*chunk));
            let (expected, found) = (first(expected), first(&found));
            let what = "start of the SHA-256";
            member.problems.push(Problem::new(start, ProblemKind::Checksum { what, expected, found }));
        }
    }
    Unpacked::plain(bytes)
}

fn limit(member: &mut Member, exceeded: LimitExceeded) {
    member.problems.push(Problem::new(member.offset, ProblemKind::Limit(exceeded)));
}

fn unpack_packed(member: &mut Member, source: Source<'_>, packed: &Packed, decoded: Option<Decoded>) -> Unpacked {
    let start = packed.range.start as u64;
    let unpacked = match packed.method {
        Method::Stored => plain(member, source, packed.range.clone(), None),
        Method::Deflate => inflate(member, source, packed),
        Method::Stream(format) => {
            let length = packed.range.len() as u64;
            if let Err(exceeded) = source.budget.check_stream(length, packed.size.unwrap_or(0)) {
                limit(member, exceeded);
                return Unpacked::default();
            }
            let input = &source.archive[packed.range.clone()];
            let (mut decoded, by_host) = match decoded {
                Some(decoded) => (decoded, false),
                None => (decode_on_host(format, input, source.budget), true),
            };
            let moved = |problem: Problem| Problem { offset: start + problem.offset, ..problem };
            member.problems.extend(std::mem::take(&mut decoded.problems).into_iter().map(moved));
            cut(member, source, packed, &mut decoded);
            let length = decoded.bytes.len() as u64;
            let (units, length) = if by_host { (decoded.units, length) } else { (0, 0) };
            Unpacked { bytes: decoded.bytes.into(), units, decoded: length }
        }
    };
    let is_refused = |problem: &Problem| matches!(problem.kind, ProblemKind::Limit(_));
    if !member.problems.iter().any(is_refused) {
        verify(member, packed, &unpacked.bytes);
    }
    unpacked
}

/// Drops bytes beyond the size that the archive says: it has promised to have no more.
fn cut(member: &mut Member, source: Source<'_>, packed: &Packed, decoded: &mut Decoded) {
    let surplus = packed.size.map_or(0, |size| (decoded.bytes.len() as u64).saturating_sub(size));
    if surplus > 0 {
        let kind = ProblemKind::Corrupt { what: BEYOND };
        member.problems.push(Problem::new(packed.range.start as u64, kind));
        decoded.bytes.truncate(decoded.bytes.len() - surplus as usize);
        decoded.bytes.shrink_to_fit();
        source.budget.give_back(surplus);
    }
}

/// Compares bytes with what the archive says about them.
fn verify(member: &mut Member, packed: &Packed, bytes: &[u8]) {
    let start = packed.range.start as u64;
    let found = bytes.len() as u64;
    if let Some(expected) = packed.size
        && expected != found
    {
        member.problems.push(Problem::new(start, ProblemKind::Size { expected, found }));
    }
    if let Some(expected) = packed.crc32 {
        let found = crc32(bytes);
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            member.problems.push(Problem::new(start, ProblemKind::Checksum { what: "CRC-32", expected, found }));
        }
    }
}

/// A Deflate stream that was decoded, or of which a part was.
struct Attempt {
    bytes: Vec<u8>,
    result: Result<Inflated, InflateError>,
    /// How many bytes of the budget it has.
    taken: u64,
}

/// Decodes a Deflate stream into memory of its size.
fn inflate(member: &mut Member, source: Source<'_>, packed: &Packed) -> Unpacked {
    let input = &source.archive[packed.range.clone()];
    let most = (input.len() as u64).saturating_mul(DEFLATE_RATIO).saturating_add(DEFLATE_RATIO);
    let budget = source.budget;
    let Attempt { mut bytes, result, taken } = match packed.size {
        Some(size) => {
            let mut bytes = vec![0; size.min(most) as usize];
            let result = inflate_into(input, &mut bytes, budget);
            Attempt { bytes, result, taken: size }
        }
        None => match inflate_unknown(input, most, budget) {
            Ok(inflated) => inflated,
            Err(exceeded) => {
                limit(member, exceeded);
                return Unpacked::default();
            }
        },
    };
    let (produced, problem) = judge(input, &bytes, result);
    let problem = problem.map(|(at, kind)| Problem::new((packed.range.start + at) as u64, kind));
    member.problems.extend(problem);
    bytes.truncate(produced);
    budget.give_back(taken - (produced as u64).min(taken));
    let decoded = bytes.len() as u64;
    Unpacked { bytes: bytes.into(), units: 1, decoded }
}

/// Decodes a Deflate stream whose size is not known, in more and more memory, up to what the limits allow.
fn inflate_unknown(input: &[u8], most: u64, budget: &Budget) -> Result<Attempt, LimitExceeded> {
    let mut room = FIRST_ROOM.min(most);
    loop {
        budget.take_output(input.len() as u64, room)?;
        let mut bytes = vec![0; room as usize];
        let result = inflate_into(input, &mut bytes, budget);
        if result != Err(InflateError::NoRoom) || room == most {
            return Ok(Attempt { bytes, result, taken: room });
        }
        budget.give_back(room);
        let allowed = budget.most_output(input.len() as u64);
        let larger = room.saturating_mul(4).min(most);
        // Where the limits allow less, they are used up first; beyond that the stream is refused.
        room = if allowed > room { larger.min(allowed) } else { larger };
    }
}

/// How many bytes a stream gave, and what is wrong with it and where.
fn judge(input: &[u8], output: &[u8], result: Result<Inflated, InflateError>) -> (usize, Option<(usize, ProblemKind)>) {
    match result {
        Ok(Inflated { consumed, produced }) => {
            let bytes = (input.len() - consumed.min(input.len())) as u64;
            (produced, (bytes > 0).then_some((consumed, ProblemKind::TrailingGarbage { bytes })))
        }
        Err(InflateError::NoRoom) => (output.len(), Some((0, ProblemKind::Corrupt { what: BEYOND }))),
        Err(InflateError::Truncated(so_far)) => {
            (so_far.produced, Some((so_far.consumed, ProblemKind::Truncated { what: "Deflate stream" })))
        }
        Err(InflateError::Corrupt(so_far)) => {
            (so_far.produced, Some((so_far.consumed, ProblemKind::Corrupt { what: "the Deflate stream is damaged" })))
        }
    }
}
