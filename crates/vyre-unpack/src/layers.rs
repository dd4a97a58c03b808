//! Archives layer by layer: those of one layer are opened together, and what is in them is the next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::prelude::*;

use super::archive::{ArchiveFormat, Listing};
use super::batch::{Done, Opened, decode, doubt, fill, is_doubt};
use super::device_pass::{DevicePass, Key, decode_layer};
use super::engine::Shared;
use super::entry::{Entry, EntryKind, EntryPath, Receiver};
use super::error::DecompressError;
use super::format::Format;
use super::limits::LimitExceeded;
use super::naming::content_name;
use super::problem::{Problem, ProblemKind};
use super::stream::{Decoded, StreamFormat, decode_on_host};
use super::summary::{ArchiveProblem, HostReason, Progress, Summary};

/// How many streams are decoded at a time, and about how many bytes of input.
const STREAMS: usize = 64;
const STREAM_INPUT: usize = 32 << 20;

/// An archive or stream that waits for its layer.
pub(crate) struct Pending {
    /// What is around its entries.
    path: Arc<[Vec<u8>]>,
    /// The name after which the content of a stream is named.
    name: Vec<u8>,
    pub(crate) bytes: Bytes,
    pub(crate) what: Waiting,
    /// How many archives and streams there are from the outside to this one.
    depth: u32,
    /// Whether there are only streams around it.
    is_outermost: bool,
    /// Whether nothing is wrong with it so far.
    is_clean: bool,
    /// Whether its bytes may be wrong.
    is_doubtful: bool,
}

/// What waits.
pub(crate) enum Waiting {
    Stream(StreamFormat),
    Archive(ArchiveFormat, Listing),
}

/// An archive whose turn has come, with what a device did for it.
fn opened(number: usize, pending: Pending, pass: &mut DevicePass) -> Option<Opened> {
    let Waiting::Archive(format, listing) = pending.what else { return None };
    let decoded = members_of(number, &mut pass.decoded);
    let reasons = members_of(number, &mut pass.reasons);
    let Pending { path, bytes, depth, is_clean, is_doubtful, .. } = pending;
    Some(Opened { path, bytes, format, depth, is_clean, is_doubtful, members: listing.members, decoded, reasons })
}

/// Takes out what is about members of one archive.
fn members_of<T>(number: usize, all: &mut BTreeMap<Key, T>) -> BTreeMap<usize, T> {
    let of_archive = all.extract_if((number, Some(0))..=(number, Some(usize::MAX)), |_, _| true);
    of_archive.filter_map(|((_, member), value)| Some((member?, value))).collect()
}

/// A stream that is decoded.
struct Content {
    pending: Pending,
    format: StreamFormat,
    decoded: Decoded,
    /// Why the host decoded it, if it did.
    reason: Option<HostReason>,
    time: Duration,
}

/// The work on one archive and all in it.
pub(crate) struct Layers<'a> {
    shared: &'a Shared<'a>,
    receiver: &'a mut dyn Receiver,
    summary: Summary,
    progress: Progress,
    /// The next layer.
    next: Vec<Pending>,
    /// The limit that ends the work.
    limit: Option<LimitExceeded>,
    /// The limit at which the list of the outermost archive ends. What is listed is handed on before that ends the work.
    list_limit: Option<LimitExceeded>,
    /// How many bytes of each archive that is being read count as done.
    counted: Vec<u64>,
    /// Whether nothing is wrong so far with each of these, nor with their members.
    clean: Vec<bool>,
}

impl<'a> Layers<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>, receiver: &'a mut dyn Receiver) -> Layers<'a> {
        Layers {
            shared,
            receiver,
            summary: Summary::default(),
            progress: Progress::default(),
            next: Vec::new(),
            limit: None,
            list_limit: None,
            counted: Vec::new(),
            clean: Vec::new(),
        }
    }

    /// Opens an archive and all in it.
    pub(crate) fn run(mut self, name: &[u8], archive: Bytes) -> Result<Summary, DecompressError> {
        self.shared.check()?;
        let format = Format::detect_outermost(&archive).ok_or(DecompressError::UnknownFormat)?;
        if let Some(exceeded) = self.shared.too_deep(1) {
            return Err(exceeded.into());
        }
        let what = match format {
            Format::Stream(format) => Waiting::Stream(format),
            Format::Archive(kind) => match kind.list(&archive, &self.shared.budget) {
                Ok(listing) => Waiting::Archive(kind, listing),
                Err(problem) => return Err(DecompressError::Archive { format: kind.name(), problem }),
            },
        };
        self.summary.format.push(format.name());
        let path = Arc::from([]);
        self.wait(Pending {
            path,
            name: name.to_vec(),
            bytes: archive,
            what,
            depth: 1,
            is_outermost: true,
            is_clean: true,
            is_doubtful: false,
        });
        while !self.next.is_empty() {
            let layer = std::mem::take(&mut self.next);
            self.layer(layer)?;
        }
        Ok(self.summary)
    }

    /// Puts something into the next layer.
    fn wait(&mut self, mut pending: Pending) {
        self.progress.input_known += pending.bytes.len() as u64;
        self.summary.layers = self.summary.layers.max(pending.depth);
        if let Waiting::Archive(format, listing) = &mut pending.what {
            let problems = std::mem::take(&mut listing.problems);
            pending.is_clean &= problems.is_empty() && listing.limit.is_none();
            let limit = if pending.is_outermost { &mut self.list_limit } else { &mut self.limit };
            *limit = limit.or(listing.limit);
            self.problems(&pending.path, format.name(), problems);
        }
        self.next.push(pending);
    }

    /// Takes note of problems of an archive or stream.
    fn problems(&mut self, path: &[Vec<u8>], format: &'static str, problems: Vec<Problem>) {
        self.summary.problem_count += problems.len() as u64;
        for problem in problems {
            if self.summary.problems.len() < Summary::MOST_PROBLEMS {
                let path = EntryPath { names: path.to_vec() };
                self.summary.problems.push(ArchiveProblem { path, format, problem });
            }
        }
    }

    fn layer(&mut self, layer: Vec<Pending>) -> Result<(), DecompressError> {
        let mut pass = decode_layer(&layer, self.shared, &mut self.summary)?;
        let mut streams = Vec::new();
        let mut archives = Vec::new();
        for (number, pending) in layer.into_iter().enumerate() {
            match pending.what {
                Waiting::Stream(format) => streams.push((number, format, pending)),
                Waiting::Archive(..) => archives.push((number, pending)),
            }
        }
        let mut streams = streams.into_iter().peekable();
        while streams.peek().is_some() {
            let mut input = 0;
            let mut some = Vec::new();
            while let Some(stream) = streams.next_if(|_| some.len() < STREAMS && input < STREAM_INPUT) {
                input += stream.2.bytes.len();
                some.push(stream);
            }
            self.streams(some, &mut pass)?;
        }
        let archives =
            archives.into_iter().filter_map(|(number, pending)| opened(number, pending, &mut pass)).collect();
        self.archives(archives)
    }

    /// Decodes streams and hands on what is in them.
    fn streams(
        &mut self,
        streams: Vec<(usize, StreamFormat, Pending)>,
        pass: &mut DevicePass,
    ) -> Result<(), DecompressError> {
        self.shared.check()?;
        let with_results = streams.into_iter().map(|(number, format, pending)| {
            let key = (number, None);
            (format, pending, pass.decoded.remove(&key), pass.reasons.remove(&key))
        });
        let with_results: Vec<_> = with_results.collect();
        let shared = self.shared;
        let mut contents: Vec<Content> = with_results
            .into_par_iter()
            .map(|(format, pending, decoded, reason)| {
                let start = Instant::now();
                match decoded {
                    Some(decoded) => Content { pending, format, decoded, reason: None, time: Duration::ZERO },
                    None => {
                        let decoded = decode_on_host(format, &pending.bytes, &shared.budget);
                        let reason = Some(reason.unwrap_or(shared.host_reason()));
                        Content { pending, format, decoded, reason, time: start.elapsed() }
                    }
                }
            })
            .collect();
        decode_again(&mut contents, shared);
        // Streams end early where the work is to end.
        self.shared.check()?;
        let mut ready = Vec::new();
        for content in contents {
            self.content(content, &mut ready)?;
        }
        self.archives(ready)
    }

    /// Hands on what is in a stream: an entry, or an archive that is opened now or in the next layer.
    fn content(&mut self, content: Content, ready: &mut Vec<Opened>) -> Result<(), DecompressError> {
        let Content { pending, format, decoded, reason, time } = content;
        let Pending { path, name, bytes: compressed, depth, is_outermost, mut is_clean, mut is_doubtful, .. } = pending;
        let Decoded { bytes, mut problems, name: stored, units } = decoded;
        is_clean &= problems.is_empty();
        // Where these have no checksum, it is not known whether bytes are right that may be decoded from wrong ones.
        is_doubtful &= matches!(format, StreamFormat::Zstd | StreamFormat::Lz4);
        is_doubtful |= problems.iter().any(is_doubt);
        self.progress.input += compressed.len() as u64;
        self.summary.output += bytes.len() as u64;
        self.summary.host_time += time;
        if let Some(reason) = reason.filter(|_| units > 0) {
            *self.summary.blocks.host.entry(reason).or_default() += units;
            self.summary.blocks.host_output += bytes.len() as u64;
        }
        let name = content_name(&name, stored.as_deref());
        let mut bytes = Bytes::from(bytes);
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
        if let Some(exceeded) = inner.and_then(|_| self.shared.too_deep(depth + 1)) {
            problems.push(Problem::new(0, ProblemKind::Limit(exceeded)));
            inner = None;
        }
        let what = match inner {
            None => None,
            Some(Format::Stream(format)) => Some(Waiting::Stream(format)),
            Some(Format::Archive(kind)) => match kind.list(&bytes, &self.shared.budget) {
                Ok(listing) => Some(Waiting::Archive(kind, listing)),
                Err(problem) => {
                    let own = [&path[..], std::slice::from_ref(&name)].concat();
                    self.problems(&own, kind.name(), vec![problem]);
                    None
                }
            },
        };
        let Some(what) = what else {
            if is_doubtful && problems.is_empty() && !bytes.is_empty() {
                problems.push(doubt(0));
            }
            is_clean &= problems.is_empty();
            self.file(&path, name, bytes, compressed.len() as u64, format, problems)?;
            self.close(&path, is_clean);
            return Ok(());
        };
        self.problems(&path, format.name(), problems);
        if is_outermost && let Some(format) = inner {
            self.summary.format.push(format.name());
        }
        self.wait(Pending { path, name, bytes, what, depth: depth + 1, is_outermost, is_clean, is_doubtful });
        // Archives that need no decoding are opened at once, so that they need not be kept.
        let is_plain = |pending: &mut Pending| {
            matches!(pending.what, Waiting::Archive(ArchiveFormat::Tar | ArchiveFormat::Asar, _))
        };
        let mut pass = DevicePass::default();
        ready.extend(self.next.pop_if(is_plain).and_then(|pending| opened(0, pending, &mut pass)));
        Ok(())
    }

    /// Tells that all of an archive or stream was handed on, where nothing is wrong with it.
    fn close(&mut self, path: &[Vec<u8>], is_clean: bool) {
        if is_clean && !path.is_empty() {
            self.receiver.closed(&EntryPath { names: path.to_vec() });
        }
    }

    /// Hands on the content of a stream that is no archive.
    fn file(
        &mut self,
        path: &[Vec<u8>],
        name: Vec<u8>,
        bytes: Bytes,
        compressed_size: u64,
        format: StreamFormat,
        problems: Vec<Problem>,
    ) -> Result<(), DecompressError> {
        self.shared.budget.take_entries(1)?;
        let mut names = path.to_vec();
        names.push(name);
        let size = problems.is_empty().then_some(bytes.len() as u64);
        let bytes = if self.shared.options.list_only { Bytes::new() } else { bytes };
        let entry = Entry {
            path: EntryPath { names },
            kind: EntryKind::File,
            bytes,
            size,
            compressed_size,
            method: format.name(),
            offset: 0,
            mode: None,
            modified: None,
            problems,
            is_opened: false,
        };
        self.hand_on(vec![entry])
    }

    /// Hands on the members of archives.
    fn archives(&mut self, mut archives: Vec<Opened>) -> Result<(), DecompressError> {
        let shared = self.shared;
        let listings: Vec<Vec<_>> = archives.iter_mut().map(|opened| std::mem::take(&mut opened.members)).collect();
        let mut members = listings.into_iter().enumerate().flat_map(|(archive, members)| {
            members.into_iter().enumerate().map(move |(index, member)| (archive, index, member))
        });
        self.counted = vec![0; archives.len()];
        self.clean = archives.iter().map(|opened| opened.is_clean).collect();
        let mut held = None;
        let mut done = Vec::new();
        loop {
            shared.check()?;
            let jobs = fill(&mut members, &mut archives, &mut held, shared);
            let is_last = jobs.is_empty();
            let mut next = Vec::new();
            let handed_on = rayon::in_place_scope(|scope| {
                if !is_last {
                    scope.spawn(|_| next = decode(jobs, &archives, shared));
                }
                self.done(std::mem::take(&mut done), &archives)
            });
            handed_on?;
            done = next;
            if is_last {
                break;
            }
        }
        for (opened, counted) in archives.iter().zip(&self.counted) {
            self.progress.input += opened.bytes.len() as u64 - counted;
        }
        self.limit = self.limit.or(self.list_limit);
        self.end_at_limit()?;
        for (opened, is_clean) in archives.iter().zip(std::mem::take(&mut self.clean)) {
            self.close(&opened.path, is_clean);
        }
        Ok(())
    }

    /// Hands on members that are done.
    fn done(&mut self, done: Vec<Done>, archives: &[Opened]) -> Result<(), DecompressError> {
        if done.is_empty() {
            return Ok(());
        }
        self.shared.check()?;
        let mut entries = Vec::with_capacity(done.len());
        for Done { archive, entry, inner, no_archive, host: (reason, units, output), host_time } in done {
            let opened = &archives[archive];
            if units > 0 {
                *self.summary.blocks.host.entry(reason).or_default() += units;
                self.summary.blocks.host_output += output;
            }
            self.summary.host_time += host_time;
            let counted = &mut self.counted[archive];
            let more = entry.compressed_size.min(opened.bytes.len() as u64 - *counted);
            *counted += more;
            self.progress.input += more;
            // Members of a decoded archive are parts of it, and were counted with it.
            if opened.format == ArchiveFormat::Zip || opened.depth == 1 {
                self.summary.output += entry.bytes.len() as u64;
            }
            self.clean[archive] &= entry.problems.is_empty();
            if let Some((format, problem)) = no_archive {
                self.problems(&entry.path.names, format.name(), vec![problem]);
            }
            for problem in &entry.problems {
                if let ProblemKind::Limit(exceeded) = problem.kind
                    && exceeded.is_final()
                {
                    self.limit = self.limit.or(Some(exceeded));
                }
            }
            if let Some((format, listing)) = inner {
                let what = match (format, listing) {
                    (Format::Archive(format), Some(listing)) => Some(Waiting::Archive(format, listing)),
                    (Format::Stream(format), _) => Some(Waiting::Stream(format)),
                    (Format::Archive(_), None) => None,
                };
                if let Some(what) = what {
                    self.wait(Pending {
                        path: entry.path.names.clone().into(),
                        name: entry.path.names.last().cloned().unwrap_or_default(),
                        bytes: entry.bytes.clone(),
                        what,
                        depth: opened.depth + 1,
                        is_outermost: false,
                        is_clean: entry.problems.is_empty(),
                        is_doubtful: entry.problems.iter().any(is_doubt),
                    });
                }
            }
            entries.push(entry);
        }
        self.hand_on(entries)?;
        self.end_at_limit()
    }

    /// Gives entries to the receiver.
    fn hand_on(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.summary.entries += entries.len() as u64;
        self.summary.damaged += entries.iter().filter(|entry| !entry.problems.is_empty()).count() as u64;
        self.progress.entries = self.summary.entries;
        self.progress.output = self.summary.output;
        self.receiver.entries(entries)?;
        self.receiver.progress(self.progress);
        Ok(())
    }

    /// Fails if a limit of the whole is used up.
    fn end_at_limit(&self) -> Result<(), DecompressError> {
        match self.limit {
            Some(exceeded) => Err(exceeded.into()),
            None => Ok(()),
        }
    }
}

/// Decodes streams one after the other from the first on that found the limit of all output used up. Side by side they take more than
/// they need, while they do not know their size, so that may be the fault of others, and of how fast they are.
fn decode_again(contents: &mut [Content], shared: &Shared<'_>) {
    let is_final = |problem: &Problem| matches!(problem.kind, ProblemKind::Limit(exceeded) if exceeded.is_final());
    let Some(first) = contents.iter().position(|content| content.decoded.problems.iter().any(is_final)) else { return };
    let again = &mut contents[first..];
    for content in again.iter_mut().filter(|content| content.reason.is_some()) {
        shared.budget.give_back(content.decoded.bytes.len() as u64);
        content.decoded.bytes = Vec::new();
    }
    for content in again.iter_mut().filter(|content| content.reason.is_some()) {
        let start = Instant::now();
        content.decoded = decode_on_host(content.format, &content.pending.bytes, &shared.budget);
        content.time += start.elapsed();
    }
}
