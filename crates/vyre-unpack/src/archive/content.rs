//! Decoding of members, with verification against the sizes and checksums that the archive states.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{BlockSlice, Content, Member, Method, Packed, SparseFile};
use crate::buffer::Buffer;
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{
    Decoded, InflateError, Inflated, StreamBlocks, Threads, crc32, crc32_on_all_threads, decode_on_host, inflate_into,
    max_inflated,
};

/// Maximum length of the target of a symbolic link.
const MAX_TARGET_BYTES: u64 = 65_536;
/// First output size that is tried for a Deflate stream of unknown size.
const FIRST_OUTPUT_BYTES: u64 = 1 << 16;

/// Problem text of members that are larger than the archive states.
const LARGER_THAN_STATED: &str = "the data go on beyond the size that the archive says";

/// The archive that members are read from, and the budget of the call.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) archive: &'a Bytes,
    pub(crate) budget: &'a Budget,
    /// Threads for one Deflate stream.
    pub(crate) threads: Threads,
}

/// A decoded member.
#[derive(Debug, Default)]
pub(crate) struct Unpacked {
    pub(crate) bytes: Bytes,
    /// Decoded streams or blocks.
    pub(crate) blocks: StreamBlocks,
    /// Their bytes of output.
    pub(crate) output_bytes: u64,
    /// True if the host decoded them.
    pub(crate) is_by_host: bool,
}

impl Unpacked {
    fn plain(bytes: Bytes) -> Unpacked {
        Unpacked { bytes, ..Unpacked::default() }
    }
}

/// Output that a member states before it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputClaim {
    /// Size in the archive, in bytes.
    pub(crate) input: u64,
    /// Decoded size in bytes.
    pub(crate) output: u64,
    /// The part of it that the data can produce. The caller must reserve it.
    pub(crate) reserved: u64,
}

/// The output that a member states, if it states one. The caller must check and reserve it before it calls [`unpack`].
pub(crate) fn output_claim(member: &Member) -> Option<OutputClaim> {
    let (range, size) = match &member.content {
        // Uncompressed bytes count too: the limit on the total covers all files, whatever their method.
        Content::Plain { range, .. } | Content::Packed(Packed { method: Method::Stored, range, .. }) => {
            (range, range.len() as u64)
        }
        Content::Packed(Packed { method: Method::Deflate, range, size: Some(size), .. }) => (range, *size),
        // Holes have no data, so the ratio limits them.
        Content::Sparse(file) => {
            let input = member.compressed_size;
            let claim = OutputClaim { input, output: file.size, reserved: file.size };
            return has_bytes(member).then_some(claim);
        }
        // A block reserves its output itself.
        Content::Packed(_) | Content::Block(_) | Content::Nothing => return None,
    };
    let input = range.len() as u64;
    let reserved = size.min(max_inflated(input));
    has_bytes(member).then_some(OutputClaim { input, output: size, reserved })
}

/// True if the content of the member may be read.
fn has_bytes(member: &Member) -> bool {
    match member.kind {
        EntryKind::File => true,
        EntryKind::Symlink { .. } => member.size.is_some_and(|size| size <= MAX_TARGET_BYTES),
        _ => false,
    }
}

/// Decodes a member and adds the problems found to it. `decoded` is the stream of the member if the device decoded it; the budget holds no
/// reservation for it.
pub(crate) fn unpack(member: &mut Member, source: Source<'_>, decoded: Option<Decoded>) -> Unpacked {
    if member.content != Content::Nothing && !has_bytes(member) {
        reject_bytes(member);
        return Unpacked::default();
    }
    match std::mem::replace(&mut member.content, Content::Nothing) {
        Content::Nothing => Unpacked::default(),
        Content::Plain { range, sha256 } => plain(member, source, range, sha256.as_deref()),
        Content::Sparse(file) => sparse(member, source, &file),
        Content::Packed(packed) => {
            let unpacked = unpack_packed(member, source, &packed, decoded);
            as_target(member, unpacked)
        }
        Content::Block(slice) => {
            let unpacked = unpack_slice(member, source, &slice);
            as_target(member, unpacked)
        }
    }
}

/// Moves the bytes of a symbolic link into its target.
fn as_target(member: &mut Member, unpacked: Unpacked) -> Unpacked {
    if let EntryKind::Symlink { target } = &mut member.kind {
        *target = unpacked.bytes.to_vec();
        return Unpacked { bytes: Bytes::new(), ..unpacked };
    }
    unpacked
}

/// Decodes the block of a member unless another member did, and verifies the bytes of the member.
fn unpack_slice(member: &mut Member, source: Source<'_>, slice: &BlockSlice) -> Unpacked {
    let decoded = slice.block.get(source.archive, source.budget);
    let clip = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(decoded.bytes.len());
    let range = clip(slice.range.start)..clip(slice.range.end).max(clip(slice.range.start));
    let bytes = decoded.bytes.slice(range);
    let found = bytes.len() as u64;
    let is_complete = found == slice.len();
    let problems = &mut member.problems;
    if let Err(kind) = slice.block.take(found, source.budget) {
        problems.push(Problem::new(member.offset, kind));
        return Unpacked::default();
    }
    match (&decoded.problem, slice.crc32) {
        // A checksum of its own proves that the damage of the block did not reach it.
        (Some(_), Some(_)) if is_complete => {}
        (Some(_), _) if slice.len() == 0 => {}
        (Some(problem), _) => problems.push(problem.clone()),
        (None, _) if !is_complete => {
            problems.push(Problem::new(member.offset, ProblemKind::Size { expected: slice.len(), found }));
        }
        (None, _) => {}
    }
    if let Some(expected) = slice.crc32.filter(|_| is_complete) {
        let found = crc32(&bytes);
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            problems.push(Problem::new(member.offset, ProblemKind::Checksum { what: "CRC-32", expected, found }));
        }
    }
    let blocks = StreamBlocks { units: 1, ..StreamBlocks::default() };
    Unpacked { bytes, blocks, output_bytes: found, is_by_host: true }
}

/// Rejects the content of a member that must not have any.
fn reject_bytes(member: &mut Member) {
    member.content = Content::Nothing;
    let what = match member.kind {
        EntryKind::Symlink { .. } => "the target of the link is too long",
        _ if member.size == Some(0) => return,
        _ => "the entry is no file, but has data",
    };
    member.problems.push(Problem::new(member.offset, ProblemKind::Corrupt { what }));
}

/// Returns a slice of the archive and verifies its digest.
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

/// Assembles a file with holes.
fn sparse(member: &mut Member, source: Source<'_>, file: &SparseFile) -> Unpacked {
    let mut buffer = match Buffer::zeroed(source.budget.memory(), file.size) {
        Ok(buffer) => buffer,
        Err(error) => {
            source.budget.release_output(file.size);
            refuse(member, error);
            return Unpacked::default();
        }
    };
    for part in &file.parts {
        let data = source.archive.get(part.data.clone()).unwrap_or_default();
        let start = usize::try_from(part.offset).unwrap_or(usize::MAX);
        if let Some(slot) = start.checked_add(data.len()).and_then(|end| buffer.bytes_mut().get_mut(start..end)) {
            slot.copy_from_slice(data);
        }
    }
    Unpacked::plain(buffer.finish())
}

/// Adds a refused output to the problems of a member.
fn refuse(member: &mut Member, error: impl Into<ProblemKind>) {
    member.problems.push(Problem::new(member.offset, error.into()));
}

fn unpack_packed(member: &mut Member, source: Source<'_>, packed: &Packed, decoded: Option<Decoded>) -> Unpacked {
    let start = packed.range.start as u64;
    let unpacked = match packed.method {
        Method::Stored => plain(member, source, packed.range.clone(), None),
        Method::Deflate => inflate(member, source, packed, decoded),
        Method::Stream(format) => {
            let length = packed.range.len() as u64;
            if let Err(exceeded) = source.budget.check_output(length, packed.size.unwrap_or(0)) {
                refuse(member, exceeded);
                return Unpacked::default();
            }
            let input = &source.archive[packed.range.clone()];
            // If the limits do not allow the output of the device, the host reports them.
            let reserved =
                decoded.filter(|decoded| source.budget.reserve_output(length, decoded.bytes.len() as u64).is_ok());
            let (mut decoded, is_by_host) = match reserved {
                Some(decoded) => (decoded, false),
                None => (decode_on_host(format, input, source.budget, source.threads), true),
            };
            let moved = |problem: Problem| Problem { offset: start + problem.offset, ..problem };
            member.problems.extend(std::mem::take(&mut decoded.problems).into_iter().map(moved));
            truncate_to_size(member, source, packed, &mut decoded);
            let output_bytes = decoded.bytes.len() as u64;
            Unpacked { bytes: decoded.bytes, blocks: decoded.blocks, output_bytes, is_by_host }
        }
    };
    if !member.problems.iter().any(|problem| problem.kind.is_refusal()) {
        verify(member, packed, &unpacked.bytes);
    }
    unpacked
}

/// Truncates the output to the size that the archive states.
fn truncate_to_size(member: &mut Member, source: Source<'_>, packed: &Packed, decoded: &mut Decoded) {
    let surplus = packed.size.map_or(0, |size| (decoded.bytes.len() as u64).saturating_sub(size));
    if surplus > 0 {
        let kind = ProblemKind::Corrupt { what: LARGER_THAN_STATED };
        member.problems.push(Problem::new(packed.range.start as u64, kind));
        decoded.bytes.truncate(decoded.bytes.len() - surplus as usize);
        source.budget.release_output(surplus);
    }
}

/// Verifies size and CRC-32.
fn verify(member: &mut Member, packed: &Packed, bytes: &[u8]) {
    let start = packed.range.start as u64;
    let found = bytes.len() as u64;
    if let Some(expected) = packed.size
        && expected != found
    {
        member.problems.push(Problem::new(start, ProblemKind::Size { expected, found }));
    }
    if let Some(expected) = packed.crc32 {
        let found = crc32_on_all_threads(bytes);
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            member.problems.push(Problem::new(start, ProblemKind::Checksum { what: "CRC-32", expected, found }));
        }
    }
}

/// Output of a Deflate stream, complete or not.
struct InflateAttempt {
    buffer: Buffer,
    result: Result<Inflated, InflateError>,
    /// Bytes reserved from the budget.
    reserved: u64,
}

/// Decodes a Deflate stream into a buffer of its size, unless the device did.
fn inflate(member: &mut Member, source: Source<'_>, packed: &Packed, decoded: Option<Decoded>) -> Unpacked {
    let input = &source.archive[packed.range.clone()];
    let max_output = max_inflated(input.len() as u64);
    let budget = source.budget;
    if let (Some(Decoded { bytes, blocks, .. }), Some(size)) = (decoded, packed.size) {
        // The device decodes the whole input, so nothing follows the stream.
        let output_bytes = bytes.len() as u64;
        budget.release_output(size.min(max_output).saturating_sub(output_bytes));
        return Unpacked { bytes, blocks, output_bytes, is_by_host: false };
    }
    let attempt = match packed.size {
        Some(size) => Buffer::zeroed(budget.memory(), size.min(max_output)).map(|mut buffer| {
            let result = inflate_into(input, buffer.bytes_mut(), budget, source.threads);
            InflateAttempt { buffer, result, reserved: size.min(max_output) }
        }),
        None => inflate_unknown(input, max_output, source),
    };
    let InflateAttempt { mut buffer, result, reserved } = match attempt {
        Ok(attempt) => attempt,
        Err(error) => {
            // The caller has reserved what the data can produce of the size that the archive states.
            budget.release_output(packed.size.map_or(0, |size| size.min(max_output)));
            refuse(member, error);
            return Unpacked::default();
        }
    };
    let (produced, problem) = interpret(input, buffer.len(), result);
    let problem = problem.map(|(at, kind)| Problem::new((packed.range.start + at) as u64, kind));
    member.problems.extend(problem);
    buffer.resize(produced.min(buffer.len()));
    budget.release_output(reserved - (produced as u64).min(reserved));
    let output_bytes = buffer.len() as u64;
    let blocks = StreamBlocks { units: 1, ..StreamBlocks::default() };
    Unpacked { bytes: buffer.finish(), blocks, output_bytes, is_by_host: true }
}

/// Decodes a Deflate stream of unknown size into buffers of growing size, within the limits.
fn inflate_unknown(input: &[u8], max_output: u64, source: Source<'_>) -> Result<InflateAttempt, ProblemKind> {
    let budget = source.budget;
    let mut room = FIRST_OUTPUT_BYTES.min(max_output);
    loop {
        budget.reserve_output(input.len() as u64, room)?;
        let mut buffer = Buffer::zeroed(budget.memory(), room).inspect_err(|_| budget.release_output(room))?;
        let result = inflate_into(input, buffer.bytes_mut(), budget, source.threads);
        if result != Err(InflateError::OutputFull) || room == max_output {
            return Ok(InflateAttempt { buffer, result, reserved: room });
        }
        budget.release_output(room);
        budget.discard_output(room);
        let allowed = budget.max_output(input.len() as u64);
        let larger = room.saturating_mul(4).min(max_output);
        // The last attempt uses all that the limits allow; the next reservation then fails with the limit.
        room = if allowed > room { larger.min(allowed) } else { larger };
    }
}

/// Number of bytes produced, and the problem with its offset in the stream.
fn interpret(
    input: &[u8],
    output: usize,
    result: Result<Inflated, InflateError>,
) -> (usize, Option<(usize, ProblemKind)>) {
    match result {
        Ok(Inflated { consumed, produced }) => {
            let bytes = (input.len() - consumed.min(input.len())) as u64;
            (produced, (bytes > 0).then_some((consumed, ProblemKind::TrailingGarbage { bytes })))
        }
        Err(InflateError::OutputFull) => (output, Some((0, ProblemKind::Corrupt { what: LARGER_THAN_STATED }))),
        Err(InflateError::Truncated(progress)) => {
            (progress.produced, Some((progress.consumed, ProblemKind::Truncated { what: "Deflate stream" })))
        }
        Err(InflateError::Corrupt(progress)) => (
            progress.produced,
            Some((progress.consumed, ProblemKind::Corrupt { what: "the Deflate stream is damaged" })),
        ),
    }
}
