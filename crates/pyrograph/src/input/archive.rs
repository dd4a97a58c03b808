//! Reading of archives in memory.

use bytes::Bytes;
use rayon::prelude::*;
use vyre_unpack::{
    ArchiveProblem, DecompressError, Entry, EntryKind, Limits, Options, Problem, ProblemKind, Receiver, Unpacker,
    detect_format,
};

use super::classify::{Class, PathKind, classify, left_out, path_kind};
use super::collect::{Collector, FilePath};
use super::language::{ARCHIVES, NameKind, file_name, has_extension};
use super::name::text_of_bytes;
use super::package::join;
use crate::coverage::SkipReason;

/// Reads an archive. `path` names it in problems; `prefix` begins the paths of its entries, and patterns see them from `root` on.
pub(crate) fn read(collector: &mut Collector<'_>, path: &str, prefix: &str, root: usize, bytes: Bytes) {
    let limits = Limits::default();
    let entry = limits.entry.min(collector.options.memory / 2);
    let unpacker = Unpacker::on_host(Options::default().with_limits(limits.with_entry(entry)));
    collector.is_archived = true;
    let mut receiver = EntryReceiver { collector, prefix, root };
    let outcome = unpacker.unpack(file_name(path).as_bytes(), bytes, &mut receiver);
    receiver.collector.is_archived = false;
    match outcome {
        Ok(summary) => {
            let omitted = summary.problem_count.saturating_sub(summary.problems.len() as u64);
            for ArchiveProblem { path: names, format, problem, .. } in &summary.problems {
                let own = if names.names.is_empty() { path.to_owned() } else { receiver.entry_path(&names.names) };
                let message = if is_reading(problem) {
                    format!("readers of the {format} archive disagree: {problem}")
                } else {
                    format!("the {format} archive cannot be read completely: {problem}")
                };
                receiver.collector.problem(own, message, is_loss(problem));
            }
            if omitted > 0 {
                receiver.collector.problem(path, format!("{omitted} other problems of archives"), true);
            }
            if summary.entries == 0 {
                receiver.collector.problem(path, "the archive is empty", false);
            }
        }
        Err(DecompressError::Cancelled) => collector.is_interrupted = true,
        Err(error) => collector.problem(path, error.to_string(), true),
    }
}

/// True if a problem of an archive means that files may be missing or wrong.
fn is_loss(problem: &Problem) -> bool {
    !matches!(problem.kind, ProblemKind::TrailingGarbage { .. } | ProblemKind::Readings { .. })
}

/// True if readers of the archive disagree. All their readings are scanned.
fn is_reading(problem: &Problem) -> bool {
    matches!(problem.kind, ProblemKind::Readings { .. })
}

/// Collects the entries of an archive.
struct EntryReceiver<'r, 'o> {
    collector: &'r mut Collector<'o>,
    prefix: &'r str,
    root: usize,
}

impl EntryReceiver<'_, '_> {
    /// Path of an entry.
    fn entry_path(&self, names: &[Vec<u8>]) -> String {
        let names: Vec<String> = names.iter().map(|name| clean(name)).collect();
        format!("{}{}", self.prefix, names.join("!/"))
    }

    /// Records a link.
    fn link(&mut self, path: String, target: &[u8], is_symbolic: bool) {
        let text = text_of_bytes(target);
        let skip = self.collector.filter.skips_manifest(&path[self.root..]);
        let base = if is_symbolic {
            path.rsplit_once('/').map_or("", |(directory, _)| directory)
        } else {
            // Targets of hard links count from the top of the archive that holds them.
            path.rfind("!/").map_or("", |end| &path[..=end])
        };
        let is_absolute = is_symbolic && text.starts_with('/');
        let target = if is_absolute { None } else { join(base, &text) };
        if target.is_none() && skip.is_none() {
            let message = format!("the link leads out of the archive to {text}, and is not followed");
            self.collector.problem(path.clone(), message, false);
        }
        self.collector.link(path, text, target.filter(|_| skip.is_none()), skip);
    }

    /// Classifies a file of the archive.
    fn class(&self, path: &str, entry: &Entry) -> Class {
        let kind = path_kind(path);
        let filter = &self.collector.filter;
        let relative = &path[self.root..];
        let skip = if kind == PathKind::Manifest { filter.skips_manifest(relative) } else { filter.skips(relative) };
        match skip {
            Some(SkipReason::Excluded) => return left_out(path, &entry.bytes, false, SkipReason::Excluded),
            Some(reason) => return Class::Skipped(reason),
            None => {}
        }
        let max_bytes = self.collector.options.max_file_bytes;
        match entry.problems.iter().find(|problem| !is_reading(problem)) {
            None => classify(path, &entry.bytes, max_bytes, false),
            Some(problem) if kind.is_code() => Class::Failed(format!("the entry cannot be read completely: {problem}")),
            Some(_) => match kind {
                PathKind::Name(NameKind::Declarations | NameKind::Stub) => Class::Skipped(SkipReason::Declarations),
                PathKind::Name(NameKind::UnsupportedCode) => Class::Skipped(SkipReason::UnsupportedLanguage),
                _ => Class::Skipped(SkipReason::NotCode),
            },
        }
    }
}

impl Receiver for EntryReceiver<'_, '_> {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        if self.collector.is_cancelled() {
            for entry in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::File) && !entry.is_opened) {
                let file = FilePath { path: self.entry_path(&entry.path.names), root: self.root };
                self.collector.late_file(&file, entry.size.unwrap_or(entry.bytes.len() as u64));
            }
            return Err(DecompressError::Cancelled);
        }
        let mut files = Vec::with_capacity(entries.len());
        for entry in entries {
            let path = self.entry_path(&entry.path.names);
            for problem in entry.problems.iter().filter(|problem| is_reading(problem)) {
                let message = format!("readers of the archive disagree: {problem}");
                self.collector.problem(path.clone(), message, false);
            }
            if path[self.prefix.len()..].split('/').any(|name| name == "..") {
                let message = "the name of the entry leads out of the archive; the entry is scanned under this name";
                self.collector.problem(path.clone(), message, false);
            }
            match &entry.kind {
                EntryKind::File if entry.is_opened => {
                    for problem in entry.problems.iter().filter(|problem| !is_reading(problem)) {
                        self.collector.problem(
                            path.clone(),
                            format!("the archive cannot be read completely: {problem}"),
                            is_loss(problem),
                        );
                    }
                }
                EntryKind::File => files.push((path, entry)),
                EntryKind::Symlink { target } => self.link(path, target, true),
                EntryKind::Hardlink { target } => self.link(path, target, false),
                _ => {}
            }
        }
        let shared = &*self;
        let classes: Vec<Class> = files.par_iter().map(|(path, entry)| shared.class(path, entry)).collect();
        for ((path, entry), class) in files.into_iter().zip(classes) {
            // The loss of a manifest or of an unknown file is no loss of known code, but is not silent either.
            if let (Class::Skipped(SkipReason::NotCode), Some(problem)) =
                (&class, entry.problems.iter().find(|problem| !is_reading(problem)))
            {
                // A container that the limits forbid to open may have code.
                let is_data = matches!(path_kind(&path), PathKind::Name(NameKind::Data))
                    && detect_format(&entry.bytes).is_none()
                    && !has_extension(&path, ARCHIVES);
                let message = format!("the entry cannot be read completely: {problem}");
                self.collector.problem(path.clone(), message, !is_data && is_loss(problem));
            }
            let bytes = entry.size.unwrap_or(entry.bytes.len() as u64);
            if self.collector.lists_unread(&class) {
                self.collector.unread(&path, &entry.bytes[..]);
            }
            self.collector.file(path, bytes, class);
        }
        self.collector.report();
        Ok(())
    }
}

/// Name of an entry as a path: with `/`, without `.` and repeated separators.
fn clean(name: &[u8]) -> String {
    // Some archivers of Windows write backslashes.
    let name = match name.contains(&b'\\') && !name.contains(&b'/') {
        true => text_of_bytes(&name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect::<Vec<u8>>()),
        false => text_of_bytes(name),
    };
    let names: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    names.join("/")
}
