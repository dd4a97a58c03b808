//! Some members of archives that are decoded at a time, on all cores.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::prelude::*;

use super::archive::{ArchiveFormat, Content, Listing, Member, Method, Packed, Source, output_of, unpack};
use super::engine::Shared;
use super::entry::{Entry, EntryKind, EntryPath};
use super::format::Format;
use super::limits::{Limit, LimitExceeded};
use super::problem::{Problem, ProblemKind};
use super::stream::Decoded;
use super::summary::HostReason;

/// About how many bytes of output a batch has.
const OUTPUT: u64 = 64 << 20;
/// How many members a batch has at most.
const MEMBERS: usize = 4096;
/// Batches with less to do are done by one thread.
const WORTH_THREADS: u64 = 1 << 16;
/// The longest path of archives one in the other: entries have all of it.
const LONGEST_PATH: usize = 16 << 10;

/// An archive whose members are to be handed on.
pub(crate) struct Opened {
    /// What is around its members: its names.
    pub(crate) path: Arc<[Vec<u8>]>,
    pub(crate) bytes: Bytes,
    pub(crate) format: ArchiveFormat,
    /// How many archives and streams there are from the outside to this one.
    pub(crate) depth: u32,
    /// Whether nothing is wrong with it, beside its members.
    pub(crate) is_clean: bool,
    /// Whether its bytes may be wrong.
    pub(crate) is_doubtful: bool,
    pub(crate) members: Vec<Member>,
    /// What of it a device has decoded, by the number of the member.
    pub(crate) decoded: BTreeMap<usize, Decoded>,
    /// Why others of its members are decoded on the host.
    pub(crate) reasons: BTreeMap<usize, HostReason>,
}

/// A member to decode.
pub(crate) struct Job {
    /// Which archive it is of.
    archive: usize,
    member: Member,
    decoded: Option<Decoded>,
    /// Why it is decoded on the host, if it is.
    reason: HostReason,
    /// The limit that forbids it.
    refused: Option<LimitExceeded>,
}

/// A member that is done.
pub(crate) struct Done {
    /// Which archive it is of.
    pub(crate) archive: usize,
    pub(crate) entry: Entry,
    /// The archive or stream that it is.
    pub(crate) inner: Option<(Format, Option<Listing>)>,
    /// Why it is no archive, though it begins as one. Its own bytes are as good as before.
    pub(crate) no_archive: Option<(Format, Problem)>,
    /// Why it was decoded on the host, how many units of it were, and to how many bytes.
    pub(crate) host: (HostReason, u64, u64),
    pub(crate) host_time: Duration,
}

/// Takes members in order until a batch is full. What they need is taken from the budget in this order too, so that the same
/// ones are refused each time.
pub(crate) fn fill(
    members: &mut impl Iterator<Item = (usize, usize, Member)>,
    archives: &mut [Opened],
    held: &mut Option<Job>,
    shared: &Shared<'_>,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut output = 0;
    if let Some(job) = held.take() {
        output += cost(&job, archives);
        jobs.push(job);
    }
    for (archive, index, member) in members {
        let opened = &mut archives[archive];
        let mut job = Job {
            archive,
            decoded: opened.decoded.remove(&index),
            reason: opened.reasons.remove(&index).unwrap_or(shared.host_reason()),
            member,
            refused: None,
        };
        if let Some((input, size)) = output_of(&job.member).filter(|_| is_wanted(&job.member, shared)) {
            job.refused = shared.budget.take_output(input, size).err();
        }
        let cost = cost(&job, archives);
        if !jobs.is_empty() && output + cost > OUTPUT {
            *held = Some(job);
            break;
        }
        output += cost;
        jobs.push(job);
        if jobs.len() >= MEMBERS {
            break;
        }
    }
    jobs
}

/// How much memory a member takes when it is done.
fn cost(job: &Job, archives: &[Opened]) -> u64 {
    let names: usize = archives[job.archive].path.iter().map(Vec::len).sum::<usize>() + job.member.name.len();
    let bytes = match &job.member.content {
        Content::Packed(packed) if packed.method != Method::Stored => most_output(packed),
        Content::Packed(_) | Content::Nothing | Content::Plain { .. } => 0,
    };
    names as u64 + bytes
}

/// How many bytes a member has when it is decoded: what the archive says, or as many as its compressed bytes can stand for.
fn most_output(packed: &Packed) -> u64 {
    let input = packed.range.len() as u64;
    let most = if packed.method == Method::Deflate { input.saturating_mul(1040).min(OUTPUT) } else { OUTPUT };
    packed.size.unwrap_or(most)
}

/// Whether the bytes of a member are wanted: not in a list, but for the targets of links.
fn is_wanted(member: &Member, shared: &Shared<'_>) -> bool {
    !shared.options.list_only || matches!(member.kind, EntryKind::Symlink { .. })
}

/// Decodes members.
pub(crate) fn decode(jobs: Vec<Job>, archives: &[Opened], shared: &Shared<'_>) -> Vec<Done> {
    let work: u64 = jobs.iter().map(|job| work(&job.member)).sum();
    let one = |job: Job| {
        let opened = &archives[job.archive];
        open(job, opened, shared)
    };
    if work < WORTH_THREADS || jobs.len() == 1 {
        jobs.into_iter().map(one).collect()
    } else {
        jobs.into_par_iter().map(one).collect()
    }
}

/// How many bytes must be touched for a member.
fn work(member: &Member) -> u64 {
    match &member.content {
        Content::Packed(packed) => most_output(packed),
        Content::Plain { range, sha256: Some(_) } => range.len() as u64,
        Content::Nothing | Content::Plain { .. } => 0,
    }
}

/// Whether a problem of an archive or stream means that any of its bytes may be wrong. Where they only end, those before are
/// what they were.
pub(crate) fn is_doubt(problem: &Problem) -> bool {
    matches!(problem.kind, ProblemKind::Checksum { .. } | ProblemKind::Size { .. } | ProblemKind::Corrupt { .. })
}

/// What is wrong with bytes without a checksum in something that is damaged.
pub(crate) fn doubt(offset: u64) -> Problem {
    let what = "what is around the entry is damaged, and without a checksum of its own its bytes may be wrong";
    Problem::new(offset, ProblemKind::Corrupt { what })
}

/// Whether a member is a file with bytes that nothing is compared with.
fn is_unchecked(member: &Member) -> bool {
    let has_none = match &member.content {
        Content::Nothing => false,
        Content::Plain { range, sha256 } => !range.is_empty() && sha256.is_none(),
        Content::Packed(packed) => packed.crc32.is_none(),
    };
    has_none && member.kind == EntryKind::File
}

/// The entry of a member, and what is in it.
fn open(job: Job, opened: &Opened, shared: &Shared<'_>) -> Done {
    let Job { archive, mut member, decoded, reason, refused } = job;
    let mut host = (reason, 0, 0);
    let mut host_time = Duration::ZERO;
    let mut bytes = Bytes::new();
    if opened.is_doubtful && is_unchecked(&member) {
        member.problems.push(doubt(member.offset));
    }
    if let Some(exceeded) = refused {
        member.problems.push(Problem::new(member.offset, ProblemKind::Limit(exceeded)));
    } else if is_wanted(&member, shared) && shared.check().is_ok() {
        let start = Instant::now();
        let source = Source { archive: &opened.bytes, budget: &shared.budget };
        let unpacked = unpack(&mut member, source, decoded);
        host = (reason, unpacked.units, unpacked.decoded);
        if unpacked.units > 0 {
            host_time = start.elapsed();
        }
        bytes = unpacked.bytes;
    }
    let mut no_archive = None;
    let inner = inner(&mut member, &bytes, opened, shared, &mut no_archive);
    let Member { name, kind, content: _, size, compressed_size, method, offset, mode, modified, problems } = member;
    let mut names = Vec::with_capacity(opened.path.len() + 1);
    names.extend_from_slice(&opened.path);
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
    Done { archive, entry, inner, no_archive, host, host_time }
}

/// The archive or stream that a file is, where it is to be opened.
fn inner(
    member: &mut Member,
    bytes: &Bytes,
    opened: &Opened,
    shared: &Shared<'_>,
    no_archive: &mut Option<(Format, Problem)>,
) -> Option<(Format, Option<Listing>)> {
    if !shared.options.nested || shared.options.list_only || member.kind != EntryKind::File {
        return None;
    }
    let format = Format::detect(bytes)?;
    let names: usize = opened.path.iter().map(Vec::len).sum::<usize>() + member.name.len();
    let offset = member.offset;
    let mut refuse = |kind: ProblemKind| {
        member.problems.push(Problem::new(offset, kind));
        None
    };
    if let Some(exceeded) = shared.too_deep(opened.depth + 1) {
        return refuse(ProblemKind::Limit(exceeded));
    }
    if names > LONGEST_PATH {
        return refuse(ProblemKind::Unsupported { what: "archive with a very long name".to_owned() });
    }
    match format {
        Format::Stream(_) => Some((format, None)),
        Format::Archive(archive) => match archive.list(bytes, &shared.budget) {
            Ok(listing) => Some((format, Some(listing))),
            Err(problem) => {
                *no_archive = Some((format, problem));
                None
            }
        },
    }
}

impl Shared<'_> {
    /// The limit that forbids an archive of this depth.
    pub(crate) fn too_deep(&self, depth: u32) -> Option<LimitExceeded> {
        let allowed = self.options.limits.depth;
        (depth > allowed).then_some(LimitExceeded {
            limit: Limit::Depth,
            wanted: u64::from(depth),
            allowed: u64::from(allowed),
        })
    }

    /// Why what no device was asked for is decoded on the host.
    pub(crate) fn host_reason(&self) -> HostReason {
        if self.decoder.is_some() { HostReason::NoOp } else { HostReason::HostWanted }
    }
}
