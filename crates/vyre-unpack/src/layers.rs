//! Breadth-first traversal of nested containers, one layer for each nesting depth.
//!
//! All containers of a layer are decoded together, so that their blocks share device dispatches; their contents form the
//! next layer. Archives whose members are slices of them (tar, ASAR) are the exception: they are opened at once, because
//! keeping them for the next layer would only cost memory.
//!
//! Entries are emitted in archive order. While the receiver consumes a batch, the next one is decoded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::prelude::*;

use crate::archive::{Listing, check_headroom};
use crate::batch::{decode, fill, invalidates_content, unverified};
use crate::buffer::{MIN_FILE_BYTES, move_to_file};
use crate::context::Context;
use crate::device_pass::decode_layer;
use crate::entry::{Entry, EntryKind, EntryPath};
use crate::error::DecompressError;
use crate::formats::{Format, foreign_format, names_beside, read_beside};
use crate::limits::LimitExceeded;
use crate::naming::{PART, content_name, is_part};
use crate::problem::{Problem, ProblemKind};
use crate::receiver::{Progress, Receiver};
use crate::stream::{Decoded, StreamFormat, Threads, decode_on_host};
use crate::summary::{ArchiveProblem, Summary};
use crate::work::{
    Container, DecodedMember, DecodedStream, DeviceResults, OpenArchive, Queued, RejectedArchive, StreamReason,
};

/// Maximum number of streams of a batch.
const MAX_BATCH_STREAMS: usize = 64;
/// Approximate number of bytes of input of a batch of streams.
const STREAM_BATCH_BYTES: usize = 32 << 20;

/// Opens an archive with the results that the device has for it; none for a stream.
fn open(number: usize, queued: Queued, pass: &mut DeviceResults) -> Option<OpenArchive> {
    let Container::Archive(format, listing) = queued.container else { return None };
    let (decoded, reasons) = pass.take_archive(number);
    let Queued { path, bytes, depth, is_clean, may_be_corrupt, .. } = queued;
    Some(OpenArchive {
        path,
        bytes,
        format,
        depth,
        is_clean,
        may_be_corrupt,
        beside_asar: names_beside(&listing),
        members: listing.members,
        decoded,
        reasons,
    })
}

/// Part of an archive that the traversal continues with.
pub(crate) enum Nested {
    Container(Queued),
    Members(OpenArchive),
    Stream(DecodedStream),
}

/// Traversal of one container and everything nested in it.
pub(crate) struct Layers<'a> {
    context: &'a Context<'a>,
    receiver: &'a mut dyn Receiver,
    summary: Summary,
    progress: Progress,
    /// Containers of the next layer.
    next: Vec<Queued>,
    /// The limit that ends the call.
    limit: Option<LimitExceeded>,
    /// The limit that cuts the listing of the outermost archive short. It ends the call after the listed members are emitted.
    list_limit: Option<LimitExceeded>,
    /// The disagreement of readers that ends the call.
    disagreement: Option<ArchiveProblem>,
    /// Progress already counted for each open archive, in bytes.
    counted: Vec<u64>,
    /// True for each open archive without problems so far, its members included.
    clean: Vec<bool>,
}

impl<'a> Layers<'a> {
    pub(crate) fn new(context: &'a Context<'a>, receiver: &'a mut dyn Receiver) -> Layers<'a> {
        Layers {
            context,
            receiver,
            summary: Summary::default(),
            progress: Progress::default(),
            next: Vec::new(),
            limit: None,
            list_limit: None,
            disagreement: None,
            counted: Vec::new(),
            clean: Vec::new(),
        }
    }

    /// Unpacks a container and everything nested in it.
    pub(crate) fn run(mut self, name: &[u8], archive: Bytes) -> Result<Summary, DecompressError> {
        self.context.check()?;
        let unknown = || match foreign_format(&archive) {
            Some(format) => DecompressError::Unsupported { format },
            None if is_part(name) => DecompressError::Unsupported { format: PART },
            None => DecompressError::UnknownFormat,
        };
        let format = Format::detect_outermost(name, &archive).ok_or_else(unknown)?;
        if let Some(exceeded) = self.context.depth_exceeded(1) {
            return Err(exceeded.into());
        }
        let mut container = match format.open(&archive, &self.context.budget) {
            Ok(container) => container,
            Err(_) if is_part(name) => return Err(DecompressError::Unsupported { format: PART }),
            Err(problem) => return Err(DecompressError::Archive { format: format.name(), problem }),
        };
        if let (Container::Archive(_, listing), Some(directory)) = (&mut container, &self.context.options.beside) {
            read_beside(listing, directory);
        }
        if is_part(name) {
            let kind = ProblemKind::Unsupported { what: PART.to_owned() };
            self.record_problems(&[], format.name(), vec![Problem::new(0, kind)]);
        }
        self.summary.format.push(format.name());
        self.enqueue(Queued {
            path: Arc::from([]),
            name: name.to_vec(),
            bytes: archive,
            container,
            depth: 1,
            is_outermost: true,
            is_clean: true,
            may_be_corrupt: false,
        });
        while !self.next.is_empty() {
            let layer = std::mem::take(&mut self.next);
            self.layer(layer)?;
        }
        Ok(self.summary)
    }

    /// Unpacks a nested container, or a stream that is decoded already, and everything nested in it.
    pub(crate) fn run_nested(mut self, nested: Nested) -> Result<Summary, DecompressError> {
        match nested {
            Nested::Container(queued) => self.enqueue(queued),
            Nested::Members(archive) => self.archives(vec![archive])?,
            Nested::Stream(stream) => {
                let mut ready = Vec::new();
                self.stream_content(stream, &mut ready)?;
                self.archives(ready)?;
            }
        }
        while !self.next.is_empty() {
            let layer = std::mem::take(&mut self.next);
            self.layer(layer)?;
        }
        Ok(self.summary)
    }

    /// Adds a container to the next layer.
    fn enqueue(&mut self, mut queued: Queued) {
        self.progress.input_known += queued.bytes.len() as u64;
        self.summary.layers = self.summary.layers.max(queued.depth);
        if let Container::Archive(format, listing) = &mut queued.container {
            if self.context.options.strict && self.disagreement.is_none() {
                let path = EntryPath { names: queued.path.to_vec() };
                let found = disagreement(listing).cloned();
                self.disagreement = found.map(|problem| ArchiveProblem { path, format: format.name, problem });
            }
            let problems = std::mem::take(&mut listing.problems);
            queued.is_clean &= problems.is_empty() && listing.limit.is_none();
            let limit = if queued.is_outermost { &mut self.list_limit } else { &mut self.limit };
            *limit = limit.or(listing.limit);
            self.record_problems(&queued.path, format.name, problems);
        }
        self.next.push(queued);
    }

    /// Records problems of a container.
    fn record_problems(&mut self, path: &[Vec<u8>], format: &'static str, problems: Vec<Problem>) {
        self.summary.problem_count += problems.len() as u64;
        for problem in problems {
            if self.summary.problems.len() < Summary::MAX_PROBLEMS {
                let path = EntryPath { names: path.to_vec() };
                self.summary.problems.push(ArchiveProblem { path, format, problem });
            }
        }
    }

    /// Decodes a layer: device pass, then streams, then archives.
    fn layer(&mut self, layer: Vec<Queued>) -> Result<(), DecompressError> {
        let mut pass = decode_layer(&layer, self.context, &mut self.summary)?;
        let mut streams = Vec::new();
        let mut archives = Vec::new();
        for (number, queued) in layer.into_iter().enumerate() {
            match queued.container {
                Container::Stream(format) => streams.push((number, format, queued)),
                Container::Archive(..) => archives.push((number, queued)),
            }
        }
        let mut streams = streams.into_iter().peekable();
        while streams.peek().is_some() {
            let mut input = 0;
            let mut some = Vec::new();
            while let Some(stream) = streams.next_if(|_| some.len() < MAX_BATCH_STREAMS && input < STREAM_BATCH_BYTES) {
                input += stream.2.bytes.len();
                some.push(stream);
            }
            self.streams(some, &mut pass)?;
        }
        let archives = archives.into_iter().filter_map(|(number, queued)| open(number, queued, &mut pass)).collect();
        self.archives(archives)
    }

    /// Decodes streams and emits their contents.
    fn streams(
        &mut self,
        streams: Vec<(usize, &'static StreamFormat, Queued)>,
        pass: &mut DeviceResults,
    ) -> Result<(), DecompressError> {
        self.context.check()?;
        let with_results = streams.into_iter().map(|(number, format, queued)| {
            let key = (number, None);
            (format, queued, pass.decoded.remove(&key), pass.reasons.remove(&key))
        });
        let with_results: Vec<_> = with_results.collect();
        let context = self.context;
        let input = with_results.iter().fold(0, |sum, (_, source, _, _)| sum + source.bytes.len() as u64);
        let decode_one = |(format, source, decoded, reason): (_, Queued, _, Option<StreamReason>)| {
            let start = Instant::now();
            match decoded {
                Some(decoded) => DecodedStream { source, format, decoded, reason: None, time: Duration::ZERO },
                None => {
                    let threads = Threads::for_share(source.bytes.len() as u64, input);
                    let decoded = decode_on_host(format, &source.bytes, &context.budget, threads);
                    let reason = Some(reason.unwrap_or(StreamReason::All(context.host_reason())));
                    DecodedStream { source, format, decoded, reason, time: start.elapsed() }
                }
            }
        };
        // Waking another thread takes longer than decoding a small stream.
        let mut streams: Vec<DecodedStream> = match with_results.len() {
            1 => with_results.into_iter().map(decode_one).collect(),
            _ => with_results.into_par_iter().map(decode_one).collect(),
        };
        retry_sequentially(&mut streams, context);
        // A cancelled call truncates streams, which must not be reported as damage.
        self.context.check()?;
        self.free_memory(&mut streams, |stream| Some(&mut stream.decoded.bytes));
        let mut ready = Vec::new();
        for stream in streams {
            self.stream_content(stream, &mut ready)?;
        }
        self.archives(ready)
    }

    /// Emits the content of a stream: an entry, or a container that is opened now (`ready`) or in the next layer.
    fn stream_content(&mut self, stream: DecodedStream, ready: &mut Vec<OpenArchive>) -> Result<(), DecompressError> {
        let DecodedStream { source, format, decoded, reason, time } = stream;
        let Queued { path, name, bytes: compressed, depth, is_outermost, mut is_clean, mut may_be_corrupt, .. } =
            source;
        let Decoded { mut bytes, mut problems, name: stored_name, blocks } = decoded;
        is_clean &= problems.is_empty();
        // A checksum of the stream proves that damage around it did not reach it.
        may_be_corrupt &= !format.always_has_checksum;
        may_be_corrupt |= problems.iter().any(invalidates_content);
        self.progress.input += compressed.len() as u64;
        self.summary.output += bytes.len() as u64;
        self.summary.host_time += time;
        self.summary.blocks.zstd += blocks.zstd;
        if let Some(reason) = reason.filter(|_| blocks.units > 0) {
            self.summary.blocks.count_on_host(reason.blocks(&blocks));
            self.summary.blocks.host_output += bytes.len() as u64;
        }
        let name = content_name(&name, stored_name.as_deref());
        let limits = problems.iter().filter_map(|problem| match problem.kind {
            ProblemKind::Limit(exceeded) => Some(exceeded),
            _ => None,
        });
        let limits: Vec<LimitExceeded> = limits.collect();
        if !limits.is_empty() {
            self.limit = self.limit.or(limits.into_iter().find(LimitExceeded::is_final));
            bytes = Bytes::new();
        }
        let mut inner = Format::detect(&bytes);
        if let (None, Some(format)) = (inner, foreign_format(&bytes)) {
            problems.push(Problem::new(0, ProblemKind::Unsupported { what: format.to_owned() }));
        }
        if let Some(exceeded) = inner.and_then(|_| self.context.depth_exceeded(depth + 1)) {
            problems.push(Problem::new(0, ProblemKind::Limit(exceeded)));
            inner = None;
        }
        let container = inner.and_then(|inner| match inner.open(&bytes, &self.context.budget) {
            Ok(container) => Some(container),
            Err(problem) => {
                let own_path = [&path[..], std::slice::from_ref(&name)].concat();
                self.record_problems(&own_path, inner.name(), vec![problem]);
                None
            }
        });
        let Some(container) = container else {
            if may_be_corrupt && problems.is_empty() && !bytes.is_empty() {
                problems.push(unverified(0));
            }
            is_clean &= problems.is_empty();
            self.file(&path, name, bytes, compressed.len() as u64, format, problems)?;
            self.close(&path, is_clean);
            return Ok(());
        };
        self.record_problems(&path, format.name, problems);
        if is_outermost && let Some(inner) = inner {
            self.summary.format.push(inner.name());
        }
        self.enqueue(Queued { path, name, bytes, container, depth: depth + 1, is_outermost, is_clean, may_be_corrupt });
        let needs_no_decoding = |queued: &mut Queued| match &queued.container {
            Container::Archive(format, _) => !format.members_are_compressed,
            Container::Stream(_) => false,
        };
        let mut pass = DeviceResults::default();
        ready.extend(self.next.pop_if(needs_no_decoding).and_then(|queued| open(0, queued, &mut pass)));
        Ok(())
    }

    /// Moves the bytes that wait for the next layer to a temporary file if the memory for buffers is exhausted.
    fn free_memory<T>(&self, items: &mut [T], bytes: impl FnMut(&mut T) -> Option<&mut Bytes>) {
        let memory = self.context.budget.memory();
        if memory.is_exhausted() {
            let mut waiting: Vec<&mut Bytes> = items.iter_mut().filter_map(bytes).collect();
            // Large ones have files of their own.
            waiting.retain(|bytes| bytes.len() <= MIN_FILE_BYTES);
            move_to_file(&mut waiting, memory);
        }
    }

    /// Reports to the receiver that a nested container without problems is complete.
    fn close(&mut self, path: &[Vec<u8>], is_clean: bool) {
        if is_clean && !path.is_empty() {
            self.receiver.closed(&EntryPath { names: path.to_vec() });
        }
    }

    /// Emits the content of a stream that is not a container.
    fn file(
        &mut self,
        path: &[Vec<u8>],
        name: Vec<u8>,
        bytes: Bytes,
        compressed_size: u64,
        format: &'static StreamFormat,
        problems: Vec<Problem>,
    ) -> Result<(), DecompressError> {
        self.context.budget.reserve_entries(1)?;
        let mut names = path.to_vec();
        names.push(name);
        let size = problems.is_empty().then_some(bytes.len() as u64);
        let bytes = if self.context.options.list_only { Bytes::new() } else { bytes };
        let entry = Entry {
            path: EntryPath { names },
            kind: EntryKind::File,
            bytes,
            size,
            compressed_size,
            method: format.name,
            offset: 0,
            mode: None,
            modified: None,
            problems,
            is_opened: false,
        };
        self.emit(vec![entry])
    }

    /// Decodes and emits the members of archives.
    fn archives(&mut self, mut archives: Vec<OpenArchive>) -> Result<(), DecompressError> {
        self.check_strict()?;
        let context = self.context;
        if archives.is_empty() {
            context.check()?;
            self.limit = self.limit.or(self.list_limit);
            return self.check_limit();
        }
        let listings: Vec<_> = archives.iter_mut().map(|archive| std::mem::take(&mut archive.members)).collect();
        let mut members = listings.into_iter().enumerate().flat_map(|(archive, members)| {
            members.into_iter().enumerate().map(move |(index, member)| (archive, index, member))
        });
        self.counted = vec![0; archives.len()];
        self.clean = archives.iter().map(|archive| archive.is_clean).collect();
        let mut held = None;
        let mut decoded = Vec::new();
        loop {
            context.check()?;
            check_headroom().map_err(|_| DecompressError::OutOfMemory)?;
            let jobs = fill(&mut members, &mut archives, &mut held, context)?;
            let is_last = jobs.is_empty();
            let mut next = Ok(Vec::new());
            let emitted = rayon::in_place_scope(|scope| {
                if !is_last {
                    scope.spawn(|_| next = decode(jobs, &archives, context));
                }
                self.emit_members(std::mem::take(&mut decoded), &archives)
            });
            emitted?;
            decoded = next?;
            if is_last {
                break;
            }
        }
        for (archive, counted) in archives.iter().zip(&self.counted) {
            self.progress.input += archive.bytes.len() as u64 - counted;
        }
        self.limit = self.limit.or(self.list_limit);
        self.check_limit()?;
        for (archive, is_clean) in archives.iter().zip(std::mem::take(&mut self.clean)) {
            self.close(&archive.path, is_clean);
        }
        Ok(())
    }

    /// Emits decoded members and enqueues the containers among them.
    fn emit_members(
        &mut self,
        mut members: Vec<DecodedMember>,
        archives: &[OpenArchive],
    ) -> Result<(), DecompressError> {
        if members.is_empty() {
            return Ok(());
        }
        self.context.check()?;
        self.free_memory(&mut members, |member| {
            let is_decoded = archives[member.archive].format.members_are_compressed;
            (is_decoded && member.inner.is_some()).then_some(&mut member.entry.bytes)
        });
        let mut entries = Vec::new();
        entries.try_reserve_exact(members.len())?;
        for DecodedMember { archive: index, entry, inner, rejected, host, zstd } in members {
            let archive = &archives[index];
            self.summary.blocks.count_on_host(host.blocks);
            self.summary.blocks.host_output += host.bytes;
            self.summary.blocks.zstd += zstd;
            self.summary.host_time += host.time;
            let counted = &mut self.counted[index];
            let more = entry.compressed_size.min(archive.bytes.len() as u64 - *counted);
            *counted += more;
            self.progress.input += more;
            // Uncompressed members of a decoded archive were counted with it.
            if archive.format.members_are_compressed || archive.depth == 1 {
                self.summary.output += entry.bytes.len() as u64;
            }
            self.clean[index] &= entry.problems.is_empty();
            if let Some(RejectedArchive { format, problem }) = rejected {
                self.record_problems(&entry.path.names, format, vec![problem]);
            }
            for problem in &entry.problems {
                if let ProblemKind::Limit(exceeded) = problem.kind
                    && exceeded.is_final()
                {
                    self.limit = self.limit.or(Some(exceeded));
                }
            }
            if let Some(container) = inner {
                self.enqueue(Queued {
                    path: entry.path.names.clone().into(),
                    name: entry.path.names.last().cloned().unwrap_or_default(),
                    bytes: entry.bytes.clone(),
                    container,
                    depth: archive.depth + 1,
                    is_outermost: false,
                    is_clean: entry.problems.is_empty(),
                    may_be_corrupt: entry.problems.iter().any(invalidates_content),
                });
            }
            entries.push(entry);
        }
        self.emit(entries)?;
        self.check_limit()
    }

    /// Emits entries to the receiver.
    fn emit(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.summary.entries += entries.len() as u64;
        self.summary.damaged += entries.iter().filter(|entry| !entry.problems.is_empty()).count() as u64;
        self.progress.entries = self.summary.entries;
        self.progress.output = self.summary.output;
        self.receiver.entries(entries)?;
        self.receiver.progress(self.progress);
        Ok(())
    }

    /// Fails if readers disagree on an archive that is to be refused then.
    fn check_strict(&self) -> Result<(), DecompressError> {
        match self.disagreement.clone() {
            Some(ArchiveProblem { path, format, problem }) => Err(DecompressError::Readings { path, format, problem }),
            None => Ok(()),
        }
    }

    /// Fails if a limit on the whole is exhausted, or at an archive that is refused.
    fn check_limit(&self) -> Result<(), DecompressError> {
        self.check_strict()?;
        match self.limit {
            Some(exceeded) => Err(exceeded.into()),
            None => Ok(()),
        }
    }
}

/// The first problem of an archive or of its members on which readers disagree.
fn disagreement(listing: &Listing) -> Option<&Problem> {
    let is_disagreement = |problem: &&Problem| matches!(problem.kind, ProblemKind::Readings { .. });
    listing.problems.iter().chain(listing.members.problems()).find(is_disagreement)
}

/// Decodes streams again, sequentially, from the first one that exhausted a limit on the whole.
///
/// Streams of unknown size reserve more than they need while they decode in parallel, and the device reserves its streams before the others, so one
/// stream may exhaust the limit at the expense of another. Sequential decoding makes the result independent of timing and of the route. What the
/// device decoded is kept if the limit allows it in the order of the streams.
fn retry_sequentially(streams: &mut [DecodedStream], context: &Context<'_>) {
    let is_final = |problem: &Problem| matches!(problem.kind, ProblemKind::Limit(exceeded) if exceeded.is_final());
    let Some(first) = streams.iter().position(|stream| stream.decoded.problems.iter().any(is_final)) else { return };
    let again = &mut streams[first..];
    for stream in &mut *again {
        context.budget.release_output(stream.decoded.bytes.len() as u64);
        if stream.reason.is_some() {
            stream.decoded.bytes = Bytes::new();
        }
    }
    for stream in again {
        let (input, output) = (stream.source.bytes.len() as u64, stream.decoded.bytes.len() as u64);
        let is_by_device = stream.reason.is_none() && !stream.decoded.problems.iter().any(is_final);
        if is_by_device && context.budget.reserve_output(input, output).is_ok() {
            continue;
        }
        let start = Instant::now();
        stream.decoded = decode_on_host(stream.format, &stream.source.bytes, &context.budget, Threads::All);
        stream.time += start.elapsed();
    }
}
