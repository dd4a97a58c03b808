//! Parallel decoding of archive members, in batches of bounded output.
//!
//! [`fill`] reserves output from the budget in archive order, so the same members are refused on every run. [`decode`]
//! decodes a batch on all cores.

use std::collections::TryReserveError;
use std::time::Instant;

use bytes::Bytes;
use rayon::prelude::*;

use crate::archive::{Content, Member, Method, OutputClaim, Packed, Source, output_claim, unpack};
use crate::context::Context;
use crate::entry::{Entry, EntryKind, EntryPath};
use crate::formats::{Format, foreign_format, omit_beside};
use crate::naming::{PART, is_part};
use crate::problem::{Problem, ProblemKind};
use crate::stream::Threads;
use crate::summary::ZstdBlockCounts;
use crate::work::{Container, DecodedMember, HostWork, MemberJob, OpenArchive, RejectedArchive, StreamReason};

/// Approximate number of bytes of output of a batch, for each thread.
const THREAD_BATCH_BYTES: u64 = 8 << 20;
/// Maximum of the approximate number of bytes of output of a batch.
const MAX_BATCH_BYTES: u64 = 64 << 20;
/// Maximum number of members of a batch.
const MAX_BATCH_MEMBERS: usize = 4096;
/// Number of bytes from which a batch is decoded by several threads.
const MIN_PARALLEL_BYTES: u64 = 1 << 16;
/// Maximum length of the names of nested archives: every entry holds all of them.
pub(crate) const MAX_PATH_BYTES: usize = 16 << 10;

/// Approximate number of bytes of output of a batch.
fn batch_bytes() -> u64 {
    THREAD_BATCH_BYTES.saturating_mul(rayon::current_num_threads() as u64).min(MAX_BATCH_BYTES)
}

/// Takes members in archive order until a batch is full. `held` keeps a member that does not fit for the next batch.
///
/// # Errors
///
/// The system refuses the memory for the batch.
pub(crate) fn fill(
    members: &mut impl Iterator<Item = (usize, usize, Member)>,
    archives: &mut [OpenArchive],
    held: &mut Option<MemberJob>,
    context: &Context<'_>,
) -> Result<Vec<MemberJob>, TryReserveError> {
    let mut jobs = Vec::new();
    let mut output = 0;
    let max_output = batch_bytes();
    if let Some(job) = held.take() {
        output += cost(&job, archives);
        jobs.try_reserve(1)?;
        jobs.push(job);
    }
    for (archive, index, member) in members {
        jobs.try_reserve(1)?;
        let open = &mut archives[archive];
        let mut job = MemberJob {
            archive,
            decoded: open.decoded.remove(&index),
            reason: open.reasons.remove(&index).unwrap_or(StreamReason::All(context.host_reason())),
            member,
            refused: None,
        };
        if let Some(OutputClaim { input, output, reserved }) =
            output_claim(&job.member).filter(|_| needs_bytes(&job.member, context))
        {
            let budget = &context.budget;
            job.refused =
                budget.check_output(input, output).and_then(|()| budget.reserve_output(input, reserved)).err();
        }
        let cost = cost(&job, archives);
        if !jobs.is_empty() && output.saturating_add(cost) > max_output {
            *held = Some(job);
            break;
        }
        output = output.saturating_add(cost);
        jobs.push(job);
        if jobs.len() >= MAX_BATCH_MEMBERS {
            break;
        }
    }
    Ok(jobs)
}

/// Memory that a decoded member occupies, in bytes.
fn cost(job: &MemberJob, archives: &[OpenArchive]) -> u64 {
    let names: usize = archives[job.archive].path.iter().map(Vec::len).sum::<usize>() + job.member.name.len();
    let bytes = match &job.member.content {
        Content::Packed(packed) if packed.method != Method::Stored => max_output(packed),
        Content::Block(slice) => slice.len(),
        Content::Sparse(file) => file.size,
        Content::Packed(_) | Content::Nothing | Content::Plain { .. } => 0,
    };
    bytes.saturating_add(names as u64)
}

/// Upper bound of the decoded size: the size that the archive states, or the largest size that the method allows.
fn max_output(packed: &Packed) -> u64 {
    let input = packed.range.len() as u64;
    let bound = if packed.method == Method::Deflate {
        input.saturating_mul(1040).min(MAX_BATCH_BYTES)
    } else {
        MAX_BATCH_BYTES
    };
    packed.size.unwrap_or(bound)
}

/// True if the member must be decoded. A listing decodes only targets of symbolic links.
fn needs_bytes(member: &Member, context: &Context<'_>) -> bool {
    !context.options.list_only || matches!(member.kind, EntryKind::Symlink { .. })
}

/// Decodes members.
///
/// # Errors
///
/// The system refuses the memory for the batch.
pub(crate) fn decode(
    jobs: Vec<MemberJob>,
    archives: &[OpenArchive],
    context: &Context<'_>,
) -> Result<Vec<DecodedMember>, TryReserveError> {
    let mut decoded = Vec::new();
    decoded.try_reserve_exact(jobs.len())?;
    let work = jobs.iter().fold(0u64, |sum, job| sum.saturating_add(work(&job.member)));
    let one = |job: MemberJob| {
        let archive = &archives[job.archive];
        let threads = Threads::for_share(self::work(&job.member), work);
        decode_member(job, archive, context, threads)
    };
    if work < MIN_PARALLEL_BYTES || jobs.len() == 1 {
        decoded.extend(jobs.into_iter().map(one));
    } else {
        jobs.into_par_iter().map(one).collect_into_vec(&mut decoded);
    }
    Ok(decoded)
}

/// Number of bytes that decoding a member touches.
fn work(member: &Member) -> u64 {
    match &member.content {
        Content::Packed(packed) => max_output(packed),
        Content::Block(slice) => slice.len(),
        Content::Plain { range, sha256: Some(_) } => range.len() as u64,
        Content::Sparse(file) => file.size,
        Content::Nothing | Content::Plain { .. } => 0,
    }
}

/// True if the problem of a container means that any of its bytes may be wrong. Truncation keeps the bytes before it intact.
pub(crate) fn invalidates_content(problem: &Problem) -> bool {
    matches!(problem.kind, ProblemKind::Checksum { .. } | ProblemKind::Size { .. } | ProblemKind::Corrupt { .. })
}

/// The problem of an entry without a checksum in a damaged container.
pub(crate) fn unverified(offset: u64) -> Problem {
    let what = "what is around the entry is damaged, and without a checksum of its own its bytes may be wrong";
    Problem::new(offset, ProblemKind::Corrupt { what })
}

/// True if the member is a file with bytes and without a checksum of its own.
fn is_unverified(member: &Member) -> bool {
    let has_none = match &member.content {
        Content::Nothing => false,
        Content::Plain { range, sha256 } => !range.is_empty() && sha256.is_none(),
        Content::Packed(packed) => packed.crc32.is_none(),
        Content::Block(slice) => slice.crc32.is_none(),
        Content::Sparse(_) => true,
    };
    has_none && member.kind == EntryKind::File
}

/// Decodes a member and detects the container that it may be.
fn decode_member(job: MemberJob, archive: &OpenArchive, context: &Context<'_>, threads: Threads) -> DecodedMember {
    let MemberJob { archive: index, mut member, decoded, reason, refused } = job;
    let mut host = HostWork::default();
    let mut zstd = ZstdBlockCounts::default();
    let mut bytes = Bytes::new();
    if archive.may_be_corrupt && is_unverified(&member) {
        member.problems.push(unverified(member.offset));
    }
    if let Some(exceeded) = refused {
        member.problems.push(Problem::new(member.offset, ProblemKind::Limit(exceeded)));
    } else if needs_bytes(&member, context) && context.check().is_ok() {
        let start = Instant::now();
        let source = Source { archive: &archive.bytes, budget: &context.budget, threads };
        let unpacked = unpack(&mut member, source, decoded);
        if unpacked.is_by_host && unpacked.blocks.units > 0 {
            let output = unpacked.output_bytes;
            host = HostWork { blocks: reason.blocks(&unpacked.blocks), bytes: output, time: start.elapsed() };
        }
        zstd = unpacked.blocks.zstd;
        bytes = unpacked.bytes;
    }
    let mut rejected = None;
    let inner = detect_inner(&mut member, &bytes, archive, context, &mut rejected);
    let Member { name, kind, content: _, size, compressed_size, method, offset, mode, modified, problems } = member;
    let mut names = Vec::with_capacity(archive.path.len() + 1);
    names.extend_from_slice(&archive.path);
    names.push(name);
    let entry = Entry {
        path: EntryPath { names },
        kind,
        bytes,
        size,
        compressed_size,
        method,
        offset,
        mode,
        modified,
        problems,
        is_opened: inner.is_some(),
    };
    DecodedMember { archive: index, entry, inner, rejected, host, zstd }
}

/// The container that a file is, if it is to be opened.
fn detect_inner(
    member: &mut Member,
    bytes: &Bytes,
    archive: &OpenArchive,
    context: &Context<'_>,
    rejected: &mut Option<RejectedArchive>,
) -> Option<Container> {
    if !context.options.nested || context.options.list_only || member.kind != EntryKind::File {
        return None;
    }
    let Some(format) = Format::detect_named(&member.name, bytes) else {
        let foreign = foreign_format(bytes).or_else(|| is_part(&member.name).then_some(PART));
        let foreign = foreign.map(|format| ProblemKind::Unsupported { what: format.to_owned() });
        member.problems.extend(foreign.map(|kind| Problem::new(member.offset, kind)));
        return None;
    };
    let names: usize = archive.path.iter().map(Vec::len).sum::<usize>() + member.name.len();
    let offset = member.offset;
    let mut refuse = |kind: ProblemKind| {
        member.problems.push(Problem::new(offset, kind));
        None
    };
    if let Some(exceeded) = context.depth_exceeded(archive.depth + 1) {
        return refuse(ProblemKind::Limit(exceeded));
    }
    if names > MAX_PATH_BYTES {
        return refuse(ProblemKind::Unsupported { what: "archive with a very long name".to_owned() });
    }
    match format.open(bytes, &context.budget) {
        Ok(mut container) => {
            if let Container::Archive(_, listing) = &mut container
                && let Err(refused) = omit_beside(listing, &member.name, &archive.beside_asar)
            {
                return refuse(refused.into());
            }
            Some(container)
        }
        Err(_) if is_part(&member.name) => refuse(ProblemKind::Unsupported { what: PART.to_owned() }),
        Err(problem) => {
            *rejected = Some(RejectedArchive { format: format.name(), problem });
            None
        }
    }
}
