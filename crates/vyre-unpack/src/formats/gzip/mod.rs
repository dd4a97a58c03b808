//! gzip streams (RFC 1952): a sequence of members.
//!
//! | Part of a member | Size in bytes |
//! |---|---|
//! | header | 10, and optional fields |
//! | Deflate stream | |
//! | CRC-32 of the content | 4 |
//! | size of the content modulo 2^32 | 4 |
//!
//! Members of the blocked gzip format (BGZF, SAM specification, section 4.1) state their size in an extra field and are
//! decoded in parallel, or on a device. Other members are assumed to end where the next header or the end of the input is, and are decoded
//! in parallel or on a device if that is so. A large member is decoded in parallel itself.

mod header;

use rayon::prelude::*;
use vyre_ops::checksum::ChecksumKind;

use crate::problem::Problem;
use crate::stream::{
    Block, BlockOp, BlockStream, ContentSum, DeflateEnd, MAX_PARALLEL_OUTPUT, MAX_PARALLEL_UNITS, MAX_STREAM_BLOCKS,
    MIN_PARALLEL_BYTES, ResumableInflater, Resume, Run, SLOW_STEP_BYTES, StreamFormat, Threads, WholeFrame,
    WholeInflate, WholeStream, corrupt, crc32, crc32_on_all_threads, inflate_on, inflate_whole, max_inflated, refused,
    truncated, u32_at,
};
use crate::summary::HostReason;
use header::Header;

/// Format of gzip streams.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "gzip",
    title: "gzip",
    detect: header::has_magic,
    decode,
    find_blocks: Some(find_blocks),
    always_has_checksum: true,
    suffixes: &[(b".gz", b""), (b".gzip", b""), (b".tgz", b".tar")],
};

/// Bytes of output for each byte of a member that is searched for, at most: random bytes rarely are such a size.
const LIKELY_RATIO: usize = 64;
/// Size of a member up to which the header after it is searched.
const MAX_SEARCHED_BYTES: usize = 8 << 20;
/// Size of the CRC-32 and the content size after the Deflate stream.
const TRAILER_BYTES: usize = 8;
/// Minimum output buffer of a member of unknown size, in bytes.
const MIN_OUTPUT_BYTES: usize = 64 << 10;

/// Decodes all members. Zeros after the last one are padding.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut room = first_output_bytes(input);
    let (mut at, mut parallel_from) = (0, 0);
    run.blocks.if_none_is_planned = Some(HostReason::UnknownSize);
    loop {
        run.check_stop(at)?;
        if let Some(end) = take_from_device(run, at) {
            at = end;
            continue;
        }
        if at >= parallel_from {
            Resume { at, parallel_from } = decode_sized(run, at);
        }
        if at > 0 && input[at..].iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        if !input[at..].starts_with(&[0x1f, 0x8b]) {
            return Err(run.not_a_start(at, "this is no gzip member"));
        }
        let header = header::read(input, at)?;
        if run.name.is_none() && at == 0 {
            run.name = header.name.map(<[u8]>::to_vec);
        }
        let start = run.output.len();
        let trailer = header.data + inflate_member(run, header.data, room)?;
        let (Some(sum), Some(size)) = (u32_at(input, trailer), u32_at(input, trailer + 4)) else {
            return Err(truncated(trailer, "gzip trailer"));
        };
        let content = run.output.since(start);
        let (produced, found) = (content.len(), crc32_on_all_threads(content));
        run.check_sum(trailer, "CRC-32", u64::from(sum), u64::from(found));
        if produced as u32 != size {
            // The trailer has the size modulo 2^32.
            run.check_size(trailer + 4, start, u64::from(size));
        }
        if !run.problems.is_empty() {
            return Ok(());
        }
        let reason = unplanned_reason(run.blocks.units);
        run.blocks.units += 1;
        if trailer - header.data > MAX_SEARCHED_BYTES {
            run.blocks.count_without_op(HostReason::UnknownSize, 1);
        } else {
            run.results.count_on_host(header.data, 1, reason);
        }
        // Members of one file usually have similar sizes.
        room = produced.saturating_mul(2).max(MIN_OUTPUT_BYTES);
        at = trailer + TRAILER_BYTES;
    }
}

/// Reason for which the device was not asked for the member with this number.
fn unplanned_reason(number: u64) -> HostReason {
    if number < MAX_STREAM_BLOCKS { HostReason::UnknownSize } else { HostReason::DeviceMemory }
}

/// Finds the members, each up to the next header or the end of the input. A member without a possible trailer there is left out: the header may be
/// a part of its data. The next one is searched from there on, so that at most that member and what follows it up to a true header is lost. An
/// invalid header ends the search: the end of its name may be far, and the time must not grow with the square of the size.
fn find_blocks(input: &[u8]) -> BlockStream {
    let mut blocks = Vec::new();
    let mut whole = WholeStream::default();
    let (mut at, mut has_all) = (0, true);
    // As in decoding, zeros after the last member are padding.
    let is_end = |at: usize| at > 0 && input[at..].iter().all(|&byte| byte == 0);
    while !is_end(at)
        && (blocks.len() as u64) < MAX_STREAM_BLOCKS
        && let Some((member, _)) = probable_member(input, at)
    {
        let Some(expected) = u32::try_from(member.size).ok().filter(|_| member.is_plausible(true)) else {
            has_all = false;
            at = member.end;
            continue;
        };
        if at == 0 {
            whole.name = header::read(input, 0).ok().and_then(|header| header.name).map(<[u8]>::to_vec);
        }
        let sum = ContentSum { kind: ChecksumKind::Crc32, low: member.crc32 };
        let number = blocks.len();
        whole.frames.push(WholeFrame { blocks: number..number + 1, size: Some(expected.into()), sum: Some(sum) });
        blocks.push(Block {
            op: BlockOp::Deflate,
            input: member.data..member.end - TRAILER_BYTES,
            expected,
            is_stored: false,
            checksum: None,
            units: 1,
        });
        at = member.end;
    }
    BlockStream { blocks, whole: (has_all && is_end(at)).then_some(whole) }
}

/// Takes the member at `at` from the device and returns its end. None if the device did not decode it, or if the content is not that
/// of the trailer or beyond a limit: the host gives the verdict.
fn take_from_device(run: &mut Run<'_, '_>, at: usize) -> Option<usize> {
    let input = run.input;
    let header = member_header(input, at)?;
    let found = run.results.find(header.data)?;
    let (sum, size) = (u32_at(input, found.end)?, u32_at(input, found.end + 4)?);
    let is_right = found.bytes.len() as u64 == u64::from(size) && crc32_on_all_threads(found.bytes) == sum;
    if !is_right || run.output.append(found.bytes).is_err() {
        run.results.reject(header.data);
        return None;
    }
    if run.name.is_none() && at == 0 {
        run.name = header.name.map(<[u8]>::to_vec);
    }
    run.blocks.units += 1;
    run.results.done_alone(header.data);
    Some(found.end + TRAILER_BYTES)
}

/// The header of the member at `at`, if there is a valid one.
fn member_header(input: &[u8], at: usize) -> Option<Header<'_>> {
    let has_magic = input.get(at..)?.starts_with(&[0x1f, 0x8b]);
    if has_magic { header::read(input, at).ok() } else { None }
}

/// Output buffer size for the first member: the size in the last trailer if it is plausible, since most files have one member.
fn first_output_bytes(input: &[u8]) -> usize {
    let size = input.len().checked_sub(4).and_then(|at| u32_at(input, at)).map_or(0, |size| size as usize);
    let is_plausible = size > 0 && size as u64 <= max_inflated(input.len() as u64);
    if is_plausible { size } else { input.len().saturating_mul(4) }
}

/// Decodes the Deflate stream at offset `data` and returns its size. The output buffer starts with `room` bytes and doubles
/// until the output fits.
fn inflate_member(run: &mut Run<'_, '_>, data: usize, room: usize) -> Result<usize, Problem> {
    let input = &run.input[data..];
    let budget = run.output.budget();
    let threads = if may_be_last(input) { run.threads } else { Threads::One };
    let mut room = room.min(usize::try_from(run.output.left()).unwrap_or(usize::MAX));
    loop {
        run.check_stop(data)?;
        run.output.reserve(room).map_err(|exceeded| refused(data, exceeded))?;
        let end = run.output.fill(room, |_, output| match inflate_on(threads, input, output, budget) {
            WholeInflate::Done { consumed, produced } => (produced, Some(Ok(consumed))),
            WholeInflate::OutputFull => (0, None),
            WholeInflate::Failed => (0, Some(Err(()))),
        });
        match end {
            Ok(Some(Ok(consumed))) => return Ok(consumed),
            // The size is a claim of the trailer or a guess, so a refusal of that space says nothing about the content.
            Ok(Some(Err(()))) | Err(_) => break,
            Ok(None) => {
                run.output.discard(room);
                room = grown_output(run, data, room)?;
            }
        }
    }
    inflate_in_steps(run, data)
}

/// True if the input may be that of a single member: the last one has more content than there is input.
fn may_be_last(input: &[u8]) -> bool {
    input.len().checked_sub(4).and_then(|at| u32_at(input, at)).is_some_and(|size| size as usize >= input.len())
}

/// Decodes a Deflate stream in steps, into an output that grows with it, and returns its size. If it is damaged, the part before the damage is
/// decoded, and the damage is located.
fn inflate_in_steps(run: &mut Run<'_, '_>, data: usize) -> Result<usize, Problem> {
    let input = &run.input[data..];
    let start = run.output.len();
    let mut inflater = ResumableInflater::new();
    loop {
        run.check_stop(data)?;
        let left = usize::try_from(run.output.left()).unwrap_or(usize::MAX);
        let room = inflater.progress.produced.clamp(MIN_OUTPUT_BYTES, SLOW_STEP_BYTES).min(left);
        run.output.reserve(room.max(1)).map_err(|exceeded| refused(data, exceeded))?;
        let end = run.output.rewrite_from(start, room, |output| {
            let end = inflater.resume(input, output);
            (inflater.progress.produced, end)
        });
        match end.map_err(|error| refused(data, error))? {
            DeflateEnd::Finished => return Ok(inflater.progress.consumed),
            DeflateEnd::Truncated => return Err(truncated(run.input.len(), "gzip member")),
            DeflateEnd::Corrupt => {
                let what = "the Deflate stream of the gzip member is damaged";
                return Err(corrupt(data + inflater.progress.consumed, what));
            }
            DeflateEnd::OutputFull => {}
        }
    }
}

/// Twice the output buffer, within the limits. Fails if the limits allow no more than the current one.
fn grown_output(run: &Run<'_, '_>, data: usize, room: usize) -> Result<usize, Problem> {
    let left = usize::try_from(run.output.left()).unwrap_or(usize::MAX);
    if left <= room {
        run.output.check((room as u64).saturating_add(1)).map_err(|exceeded| refused(data, exceeded))?;
    }
    Ok(room.saturating_mul(2).min(left.max(1)))
}

/// A member whose end is known before it is decoded.
struct SizedMember {
    /// Offset of the Deflate stream.
    data: usize,
    /// Offset of the end of the member.
    end: usize,
    /// Size of the content in bytes.
    size: usize,
    crc32: u32,
}

impl SizedMember {
    /// True if the member may have the size of its trailer. Random bytes in place of a trailer rarely are likely.
    fn is_plausible(&self, is_certain: bool) -> bool {
        let compressed = self.end - self.data;
        let most = if is_certain { max_inflated(compressed as u64) } else { (compressed * LIKELY_RATIO) as u64 };
        self.size as u64 <= most
    }
}

/// The member at `at` with its probable end, and true if it states the end: that of the blocked gzip format, or the next header.
fn probable_member(input: &[u8], at: usize) -> Option<(SizedMember, bool)> {
    let Header { data, blocked_end, .. } = member_header(input, at)?;
    let end = match blocked_end {
        Some(end) => end,
        None => header::find(input, data.checked_add(TRAILER_BYTES)?, MAX_SEARCHED_BYTES)?,
    };
    if end > input.len() || end < data + TRAILER_BYTES {
        return None;
    }
    let size = u32_at(input, end - 4)? as usize;
    Some((SizedMember { data, end, size, crc32: u32_at(input, end - TRAILER_BYTES)? }, blocked_end.is_some()))
}

/// True if there are no other threads.
fn is_alone() -> bool {
    rayon::current_num_threads() == 1
}

/// The member at `at` with its probable end, if decoding several members together gains by it. Otherwise the offset from which another search
/// is worthwhile: what was searched is not searched again for each member in it, since the time must not grow with the square of the size.
fn sized_member(input: &[u8], at: usize) -> Result<SizedMember, usize> {
    // A single thread gains by the sizes of several members: their output is allocated once. Most files have one member, whose end is not
    // searched for then.
    if at == 0 && is_alone() && member_header(input, at).is_some_and(|header| header.blocked_end.is_none()) {
        return Err(at);
    }
    match probable_member(input, at) {
        Some((member, states_end)) if member.is_plausible(states_end) => Ok(member),
        Some((member, _)) => Err(member.end),
        None => Err(at.saturating_add(MAX_SEARCHED_BYTES)),
    }
}

/// Decodes members of known sizes from `at` in parallel, up to the first problem.
fn decode_sized(run: &mut Run<'_, '_>, mut at: usize) -> Resume {
    let input = run.input;
    let least_bytes = if is_alone() { 1 } else { MIN_PARALLEL_BYTES };
    while input.len() - at >= least_bytes && !run.output.is_stopped() {
        let mut members = Vec::new();
        let (mut end, mut size) = (at, 0);
        let mut parallel_from = at;
        while members.len() < MAX_PARALLEL_UNITS && (size as u64) < MAX_PARALLEL_OUTPUT {
            match sized_member(input, end) {
                Ok(member) if run.results.find(member.data).is_none() => {
                    end = member.end;
                    size += member.size;
                    members.push(member);
                }
                Ok(_) => break,
                Err(from) => {
                    parallel_from = from;
                    break;
                }
            }
        }
        parallel_from = parallel_from.max(end);
        if members.len() < 2 || run.output.reserve(size).is_err() {
            return Resume { at, parallel_from };
        }
        let done = run.output.fill(size, |_, output| {
            let mut rest = output;
            let mut jobs = Vec::with_capacity(members.len());
            for member in &members {
                let (output, after) = rest.split_at_mut(member.size);
                jobs.push((member, output));
                rest = after;
            }
            let first_failure = jobs.into_par_iter().position_first(|(member, output)| {
                let data = &input[member.data..member.end - TRAILER_BYTES];
                let whole = WholeInflate::Done { consumed: data.len(), produced: member.size };
                inflate_whole(data, output) != whole || crc32(output) != member.crc32
            });
            let done = first_failure.unwrap_or(members.len());
            (members[..done].iter().map(|member| member.size).sum(), done)
        });
        let Ok(done) = done else { return Resume { at, parallel_from } };
        for (number, member) in (run.blocks.units..).zip(&members[..done]) {
            run.results.count_on_host(member.data, 1, unplanned_reason(number));
        }
        run.blocks.units += done as u64;
        if run.name.is_none() && at == 0 && done > 0 {
            run.name = header::read(input, 0).ok().and_then(|header| header.name).map(<[u8]>::to_vec);
        }
        at = members[..done].last().map_or(at, |member| member.end);
        if done < members.len() || parallel_from > at {
            return Resume { at, parallel_from };
        }
    }
    Resume { at, parallel_from: at }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members whose headers no encoder writes, so that the search for the next header finds none.
    #[test]
    fn what_was_searched_is_not_searched_again() {
        let member = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 1, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let many = member.repeat((MAX_SEARCHED_BYTES + (1 << 20)) / member.len());
        assert_eq!(sized_member(&many, member.len()).err(), Some(member.len() + MAX_SEARCHED_BYTES));
        // Near the end of the file, the rest may be a member: what it was searched for is behind it.
        let mut rest = many[many.len() - (1 << 20) / member.len() * member.len()..].to_vec();
        assert_eq!(sized_member(&rest, 20).ok().map(|member| member.end), Some(rest.len()));
        let size = rest.len() - 4;
        rest[size..].fill(0xff);
        assert_eq!(sized_member(&rest, 20).err(), Some(rest.len()));
    }
}
