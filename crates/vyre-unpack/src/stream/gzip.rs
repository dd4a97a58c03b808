//! gzip streams: members one after the other (RFC 1952).

use rayon::prelude::*;

use super::deflate::{SLOW_ROOM, SlowEnd, SlowInflater};
use super::gzip_header::{self, Header};
use super::inflate::{Fast, crc32, inflate};
use super::read::u32_at;
use super::{PARALLEL_FROM, PARALLEL_OUTPUT, Run, corrupt, limit, truncated};
use crate::problem::Problem;

/// Deflate cannot make more than so many bytes of one.
const MOST_RATIO: usize = 1032;
/// The CRC-32 and the size after the data of a member.
const TRAILER: usize = 8;
/// The least room for the output of a member whose size nothing is known of.
const LEAST_ROOM: usize = 64 << 10;

/// Decodes all members. Zeros after the last are padding.
pub(super) fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut room = first_room(input);
    let mut at = 0;
    let mut blocked_from = 0;
    loop {
        run.check_stop(at)?;
        if at >= blocked_from {
            (at, blocked_from) = decode_blocked(run, at);
        }
        if at > 0 && input[at..].iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        if !input[at..].starts_with(&[0x1f, 0x8b]) {
            return Err(run.not_a_start(at, "this is no gzip member"));
        }
        let header = gzip_header::read(input, at)?;
        if run.name.is_none() && at == 0 {
            run.name = header.name.map(<[u8]>::to_vec);
        }
        let start = run.output.len();
        let trailer = header.data + inflate_member(run, header.data, room)?;
        let (Some(sum), Some(size)) = (u32_at(input, trailer), u32_at(input, trailer + 4)) else {
            return Err(truncated(trailer, "gzip trailer"));
        };
        let content = run.output.since(start);
        let (produced, found) = (content.len(), crc32(content));
        run.check_sum(trailer, "CRC-32", u64::from(sum), u64::from(found));
        if produced as u32 != size {
            // The member has the size without what is beyond 32 bits.
            run.check_size(trailer + 4, start, u64::from(size));
        }
        if !run.problems.is_empty() {
            return Ok(());
        }
        run.units += 1;
        // What comes next is not much larger, and where it is smaller, not much time is lost on it.
        room = produced.saturating_mul(2).max(LEAST_ROOM);
        at = trailer + TRAILER;
    }
}

/// The room for the first member: the size in the last trailer where it can be true, since there mostly is one member.
fn first_room(input: &[u8]) -> usize {
    let size = input.len().checked_sub(4).and_then(|at| u32_at(input, at)).map_or(0, |size| size as usize);
    if size > 0 && size <= input.len().saturating_mul(MOST_RATIO) { size } else { input.len().saturating_mul(4) }
}

/// Decodes the data of a member, which begin at `data`, and says how many bytes of input they have. It begins with so much room
/// for the output, and gets more until it is enough.
fn inflate_member(run: &mut Run<'_, '_>, data: usize, room: usize) -> Result<usize, Problem> {
    let input = &run.input[data..];
    let mut room = room.min(usize::try_from(run.output.left()).unwrap_or(usize::MAX));
    loop {
        run.check_stop(data)?;
        run.output.reserve(room).map_err(|exceeded| limit(data, exceeded))?;
        let end = run.output.fill(room, |_, output| match inflate(input, output) {
            Fast::Whole { consumed, produced } => (produced, Some(Ok(consumed))),
            Fast::NoRoom => (0, None),
            Fast::Refused => (0, Some(Err(()))),
        });
        match end {
            Some(Ok(consumed)) => return Ok(consumed),
            Some(Err(())) => break,
            None => room = more_room(run, data, room)?,
        }
    }
    inflate_before_damage(run, data)
}

/// Decodes what comes before the damage in the data of a member, and finds the damage.
fn inflate_before_damage(run: &mut Run<'_, '_>, data: usize) -> Result<usize, Problem> {
    let input = &run.input[data..];
    let start = run.output.len();
    let mut slow = SlowInflater::new();
    loop {
        run.check_stop(data)?;
        let left = usize::try_from(run.output.left()).unwrap_or(usize::MAX);
        let room = slow.so_far.produced.clamp(LEAST_ROOM, SLOW_ROOM).min(left);
        run.output.reserve(room.max(1)).map_err(|exceeded| limit(data, exceeded))?;
        let end = run.output.fill_on(start, room, |output| {
            let end = slow.go_on(input, output);
            (slow.so_far.produced, end)
        });
        match end {
            SlowEnd::Whole => return Ok(slow.so_far.consumed),
            SlowEnd::Truncated => return Err(truncated(run.input.len(), "gzip member")),
            SlowEnd::Corrupt => {
                let what = "the Deflate stream of the gzip member is damaged";
                return Err(corrupt(data + slow.so_far.consumed, what));
            }
            SlowEnd::NoRoom => {}
        }
    }
}

/// Twice the room, as far as the limits allow it: they must allow more than there is.
fn more_room(run: &Run<'_, '_>, data: usize, room: usize) -> Result<usize, Problem> {
    let left = usize::try_from(run.output.left()).unwrap_or(usize::MAX);
    if left <= room {
        run.output.check((room as u64).saturating_add(1)).map_err(|exceeded| limit(data, exceeded))?;
    }
    Ok(room.saturating_mul(2).min(left.max(1)))
}

/// A member of the blocked gzip format.
struct Member {
    data: usize,
    end: usize,
    size: usize,
    sum: u32,
}

/// The member of the blocked gzip format at `at`, if it looks like one.
fn blocked_member(input: &[u8], at: usize) -> Option<Member> {
    if !input.get(at..)?.starts_with(&[0x1f, 0x8b]) {
        return None;
    }
    let Header { data, blocked_end, .. } = gzip_header::read(input, at).ok()?;
    let end = blocked_end.filter(|&end| end <= input.len() && end >= data + TRAILER)?;
    let size = u32_at(input, end - 4)? as usize;
    let can_be_true = size <= (end - data).saturating_mul(MOST_RATIO);
    can_be_true.then_some(Member { data, end, size, sum: u32_at(input, end - TRAILER)? })
}

/// Decodes members of the blocked gzip format from `at` on by several threads, as far as nothing is wrong with them. It says
/// where the next member begins, and from where on there may be members that are worth another try.
fn decode_blocked(run: &mut Run<'_, '_>, mut at: usize) -> (usize, usize) {
    let input = run.input;
    while input.len() - at >= PARALLEL_FROM && !run.output.is_stopped() {
        let mut members = Vec::new();
        let (mut end, mut size) = (at, 0);
        while let Some(member) = blocked_member(input, end).filter(|_| (size as u64) < PARALLEL_OUTPUT) {
            end = member.end;
            size += member.size;
            members.push(member);
        }
        if members.len() < 2 || run.output.reserve(size).is_err() {
            return (at, end);
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
                let data = &input[member.data..member.end - TRAILER];
                let whole = Fast::Whole { consumed: data.len(), produced: member.size };
                inflate(data, output) != whole || crc32(output) != member.sum
            });
            let done = first_failure.unwrap_or(members.len());
            (members[..done].iter().map(|member| member.size).sum(), done)
        });
        run.units += done as u64;
        if run.name.is_none() && at == 0 && done > 0 {
            run.name = gzip_header::read(input, 0).ok().and_then(|header| header.name).map(<[u8]>::to_vec);
        }
        at = members[..done].last().map_or(at, |member| member.end);
        if done < members.len() {
            return (at, end);
        }
    }
    (at, at)
}
