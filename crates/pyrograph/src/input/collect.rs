//! Collection of files into records and sources, in order of paths and within the limits.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use vyre_ir::spelling::counted;

use super::classify::{Class, Code, PathKind, code, is_install_file, path_kind};
use super::commands;
use super::filter::Filter;
use super::install_manifest;
use super::language::{Language, ModuleKind};
use super::links;
use super::package::{self, Manifest};
use super::python_manifest;
use super::tsconfig::{self, PathMap};
use super::{Input, InputError, ReadProgress, SourceFile, Unread};
use crate::coverage::{Coverage, FileOutcome, FileRecord, InputProblem, SkipReason};
use crate::finding::FileIndex;
use crate::scan::ScanOptions;

/// Bytes of candidates for programs that are kept.
const MAX_CANDIDATES: usize = 64 << 20;

/// Bytes of memory for each byte of a manifest: its text and its values.
const MANIFEST_FACTOR: u64 = 4;

/// Path of a file: for reports, and for patterns.
#[derive(Clone, Debug)]
pub(crate) struct FilePath {
    /// Path in the records.
    pub(crate) path: String,
    /// Length of the part that names the scanned path, which patterns do not see.
    pub(crate) root: usize,
}

impl FilePath {
    /// Path relative to the scanned path.
    pub(crate) fn relative(&self) -> &str {
        &self.path[self.root..]
    }
}

/// Collects files of one scan.
pub(crate) struct Collector<'o> {
    pub(crate) options: &'o ScanOptions,
    pub(crate) filter: Filter,
    is_cancelled: &'o (dyn Fn() -> bool + Sync),
    progress: &'o (dyn Fn(ReadProgress) + Sync),
    read: ReadProgress,
    /// Number of the scanned path whose files are collected.
    pub(crate) root: usize,
    /// The files that are collected are entries of an archive.
    pub(crate) is_archived: bool,
    files: Vec<Collected>,
    candidates_bytes: usize,
    text_bytes: u64,
    problems: Vec<InputProblem>,
    links: BTreeMap<String, String>,
    unread: BTreeMap<String, Unread>,
    pub(crate) is_interrupted: bool,
}

/// A file before its position is known.
struct Collected {
    record: FileRecord,
    root: usize,
    content: Content,
    /// Code that a pattern leaves out, although the name does not say that it is code.
    is_left_out: bool,
}

/// What is kept of a file.
enum Content {
    Nothing,
    Source {
        text: Arc<str>,
        language: Language,
        module: ModuleKind,
        scripts: Vec<Range<usize>>,
        digest: u64,
    },
    Manifest(Arc<str>),
    Stub(Arc<str>),
    Candidate(Vec<u8>),
    /// A candidate beyond the limit of what is kept.
    LostCandidate,
}

impl<'o> Collector<'o> {
    /// Creates a collector without files.
    pub(crate) fn new(
        options: &'o ScanOptions,
        is_cancelled: &'o (dyn Fn() -> bool + Sync),
        progress: &'o (dyn Fn(ReadProgress) + Sync),
    ) -> Result<Collector<'o>, InputError> {
        Ok(Collector {
            options,
            filter: Filter::new(options)?,
            is_cancelled,
            progress,
            read: ReadProgress::default(),
            root: 0,
            is_archived: false,
            files: Vec::new(),
            candidates_bytes: 0,
            text_bytes: 0,
            problems: Vec::new(),
            links: BTreeMap::new(),
            unread: BTreeMap::new(),
            is_interrupted: false,
        })
    }

    /// True if the scan was cancelled; the input is marked then.
    pub(crate) fn is_cancelled(&mut self) -> bool {
        self.is_interrupted |= (self.is_cancelled)();
        self.is_interrupted
    }

    /// Reports the files so far.
    pub(crate) fn report(&self) {
        (self.progress)(self.read);
    }

    /// Records a problem.
    pub(crate) fn problem(&mut self, path: impl Into<String>, message: impl Into<String>, is_incomplete: bool) {
        self.problems.push(InputProblem {
            path: path.into(),
            message: message.into(),
            is_incomplete,
            files: Vec::new(),
        });
    }

    /// True for the class of a file that is not analysed, if such files are listed.
    pub(crate) fn lists_unread(&self, class: &Class) -> bool {
        let is_unread = matches!(
            class,
            Class::Skipped(SkipReason::NotCode | SkipReason::UnsupportedLanguage | SkipReason::Declarations)
                | Class::Candidate(_)
        );
        self.options.capabilities && is_unread
    }

    /// Records the content of a file that is not analysed.
    pub(crate) fn unread(&mut self, path: &str, content: impl Read) {
        match Unread::new(path, content) {
            Ok(unread) => drop(self.unread.insert(path.to_owned(), unread)),
            Err(error) => self.problem(path, format!("the file cannot be read: {error}"), true),
        }
    }

    /// Records a link. `text` is its target as the link has it, `target` the path of the input that it leads to, if any.
    pub(crate) fn link(&mut self, path: String, text: String, target: Option<String>, skip: Option<SkipReason>) {
        self.read.files += 1;
        let record = FileRecord {
            path: path.clone(),
            bytes: 0,
            lines: 0,
            outcome: FileOutcome::Skipped(skip.unwrap_or(SkipReason::Link)),
            text: None,
            language: None,
            link: Some(text),
            is_archived: self.is_archived,
        };
        self.files.push(Collected { record, root: self.root, content: Content::Nothing, is_left_out: false });
        if let Some(target) = target {
            self.links.insert(path, target);
        }
    }

    /// Records a file.
    pub(crate) fn file(&mut self, path: String, bytes: u64, class: Class) {
        self.read.files += 1;
        self.read.bytes += bytes;
        let mut record = FileRecord {
            path,
            bytes,
            lines: 0,
            outcome: FileOutcome::Skipped(SkipReason::NotCode),
            text: None,
            language: None,
            link: None,
            is_archived: self.is_archived,
        };
        let mut content = Content::Nothing;
        let is_left_out = matches!(class, Class::LeftOut(_));
        if matches!(class, Class::Skipped(SkipReason::NotCode)) && path_kind(&record.path) == PathKind::Manifest {
            let message = "the manifest is not read: it is no text, or too long";
            self.problem(record.path.clone(), message, false);
        }
        match class {
            Class::Skipped(reason) | Class::LeftOut(reason) => record.outcome = FileOutcome::Skipped(reason),
            Class::Failed(message) => record.outcome = FileOutcome::Failed(message),
            Class::TimedOut => record.outcome = FileOutcome::TimedOut,
            Class::Code(code) => content = self.code(&mut record, code),
            Class::Manifest(text) => {
                let memory = text.len() as u64 * MANIFEST_FACTOR;
                if self.text_bytes.saturating_add(memory) <= self.options.memory / 4 {
                    self.text_bytes += memory;
                    content = Content::Manifest(text);
                } else {
                    self.problem(record.path.clone(), "the manifest exceeds the memory limit", false);
                }
            }
            Class::Stub(text) => {
                record.outcome = FileOutcome::Skipped(SkipReason::Declarations);
                // Hints are no part of the result that a limit may take away: a stub beyond it is a file without hints.
                if self.text_bytes.saturating_add(text.len() as u64) <= self.options.memory / 4 {
                    self.text_bytes += text.len() as u64;
                    content = Content::Stub(text);
                }
            }
            Class::Candidate(bytes) => {
                if self.candidates_bytes + bytes.len() <= MAX_CANDIDATES {
                    self.candidates_bytes += bytes.len();
                    content = Content::Candidate(bytes);
                } else {
                    content = Content::LostCandidate;
                }
            }
        }
        self.files.push(Collected { record, root: self.root, content, is_left_out });
    }

    /// Records a file that is known, but for which no time is left.
    pub(crate) fn late_file(&mut self, file: &FilePath, bytes: u64) {
        let kind = path_kind(&file.path);
        let skip = self.filter.skips(file.relative()).or((!kind.is_code()).then_some(SkipReason::NotCode));
        let class = match skip {
            Some(reason) => Class::Skipped(reason),
            None => Class::TimedOut,
        };
        self.file(file.path.clone(), bytes, class);
    }

    /// Records code, if the memory limit allows it.
    fn code(&mut self, record: &mut FileRecord, code: Code) -> Content {
        let limit = self.options.memory / 4;
        record.language = Some(code.language.name());
        if self.text_bytes.saturating_add(code.memory()) > limit {
            let memory = counted(self.options.memory, "byte");
            record.outcome = FileOutcome::Failed(format!(
                "the texts of the files take more than a quarter of the memory limit of {memory}; see --memory"
            ));
            return Content::Nothing;
        }
        self.text_bytes += code.memory();
        if let Some(note) = &code.note {
            self.problem(record.path.clone(), note.clone(), false);
        }
        record.outcome = FileOutcome::Scanned;
        record.lines = code.lines;
        record.text = Some(Arc::clone(&code.original));
        let Code { text, language, module, scripts, digest, .. } = code;
        Content::Source { text, language, module, scripts, digest }
    }

    /// Orders the files, and finds packages.
    pub(crate) fn finish(mut self) -> Input {
        // The order of equal paths is the order of the archive.
        self.files.sort_by(|left, right| left.record.path.as_bytes().cmp(right.record.path.as_bytes()));
        self.remove_repeated_roots();
        let mut manifests = BTreeMap::new();
        let mut configs = BTreeMap::new();
        let mut python = Vec::new();
        for file in &mut self.files {
            let Content::Manifest(text) = &file.content else { continue };
            let text = Arc::clone(text);
            file.content = Content::Nothing;
            let path = file.record.path.clone();
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
            if is_install_file(&path) {
                file.record.text = Some(text);
                continue;
            }
            if python_manifest::is_manifest(&path) {
                python.push((path, text));
                continue;
            }
            if name != "package.json" {
                configs.insert(path, text);
                continue;
            }
            // Reports show the place of a script.
            file.record.text = Some(Arc::clone(&text));
            match Manifest::parse(&text) {
                Ok(manifest) => drop(manifests.insert(directory.to_owned(), manifest)),
                Err(error) => self.problems.push(InputProblem {
                    path: path.clone(),
                    message: format!("the manifest is not valid: {error}"),
                    is_incomplete: false,
                    files: Vec::new(),
                }),
            }
        }
        self.find_programs(&manifests);
        let mut coverage = Coverage { is_interrupted: self.is_interrupted, ..Coverage::default() };
        let mut sources = Vec::new();
        let mut stubs = BTreeMap::new();
        self.problems.extend(nothing_left(&self.files));
        for (index, file) in self.files.into_iter().enumerate() {
            if let Content::Stub(text) = &file.content {
                stubs.insert(file.record.path.clone(), Arc::clone(text));
            }
            if let Content::Source { text, language, module, scripts, digest } = file.content {
                let path = file.record.path.clone();
                sources.push(SourceFile { file: index as FileIndex, path, text, language, module, scripts, digest });
            }
            coverage.files.push(file.record);
        }
        self.problems.extend(links::problems(&coverage.files, &self.links));
        // Patterns may match paths that were not read.
        let mut warnings = if self.is_interrupted { Vec::new() } else { self.filter.unmatched() };
        let is_skipped = |file: &FileRecord| matches!(file.outcome, FileOutcome::Skipped(_));
        let is_complete = self.problems.iter().all(|problem| !problem.is_incomplete) && !self.is_interrupted;
        if is_complete && coverage.files.iter().all(is_skipped) {
            warnings.push("no file was scanned: the input has no code of JavaScript, TypeScript or Python".to_owned());
        }
        self.problems.sort_by(|left, right| (&left.path, &left.message).cmp(&(&right.path, &right.message)));
        self.problems.dedup();
        coverage.problems = self.problems;
        let path_maps: BTreeMap<String, PathMap> = tsconfig::path_maps(&configs);
        let mut packages = package::packages(&manifests, &sources, &self.links);
        let texts = python.iter().map(|(path, text)| (path.as_str(), &**text));
        python_manifest::add(&mut packages, python_manifest::manifests(texts.clone(), &sources));
        for (directory, installation) in install_manifest::of_python(texts) {
            let position = packages.binary_search_by(|package| package.directory.cmp(&directory));
            if let Ok(position) = position {
                packages[position].installation.extend(installation);
            }
        }
        let has_dependencies = self.options.with_dependencies && !self.options.dependencies;
        Input {
            coverage,
            sources,
            stubs,
            packages,
            manifests,
            path_maps,
            links: self.links,
            unread: self.unread,
            warnings,
            has_dependencies,
        }
    }

    /// Removes files that several scanned paths have in common, and reports paths that an archive has twice.
    fn remove_repeated_roots(&mut self) {
        let files = std::mem::take(&mut self.files);
        let mut repeated = Vec::new();
        for group in chunk_by_path(files) {
            let is_scanned = |file: &&Collected| file.record.outcome == FileOutcome::Scanned;
            let root = group.iter().find(is_scanned).or(group.first()).map_or(0, |file| file.root);
            let group = group.into_iter().filter(|file| file.root == root);
            let before = self.files.len();
            self.files.extend(group);
            if self.files.len() > before + 1 {
                repeated.push((self.files[before].record.path.clone(), self.files.len() - before));
            }
        }
        // Most archives report equal names themselves.
        let reported: BTreeSet<&str> = self.problems.iter().map(|problem| problem.path.as_str()).collect();
        repeated.retain(|(path, _)| !reported.contains(path.as_str()));
        for (path, count) in repeated {
            self.problem(path, format!("the archive has {count} files of this path"), false);
        }
    }

    /// Makes code of the files of unknown kinds that packages name as programs.
    fn find_programs(&mut self, manifests: &BTreeMap<String, Manifest>) {
        let mut programs: Vec<String> = Vec::new();
        for (directory, manifest) in manifests {
            let run = manifest.scripts().flat_map(commands::files);
            programs.extend(manifest.programs().chain(run).filter_map(|program| package::join(directory, program)));
        }
        programs.sort_unstable();
        for index in 0..self.files.len() {
            let file = &mut self.files[index];
            let bytes = match std::mem::replace(&mut file.content, Content::Nothing) {
                Content::Candidate(bytes) => Some(bytes),
                Content::LostCandidate => None,
                content => {
                    file.content = content;
                    continue;
                }
            };
            if programs.binary_search(&file.record.path).is_err() {
                continue;
            }
            let Some(bytes) = bytes else {
                let message = "a package runs the file, but the input has too many files of unknown kinds";
                file.record.outcome = FileOutcome::Failed(message.to_owned());
                continue;
            };
            let mut record = self.files[index].record.clone();
            let content = match code(&bytes, Language::JavaScript, ModuleKind::Unknown) {
                Class::Code(code) => self.code(&mut record, code),
                _ => Content::Nothing,
            };
            self.files[index].record = record;
            self.files[index].content = content;
        }
    }
}

/// The problem that nothing is scanned, because all code is left out.
fn nothing_left(files: &[Collected]) -> Option<InputProblem> {
    let mut left_out = (0, 0);
    for file in files {
        let is_code = || file.is_left_out || path_kind(&file.record.path).is_code();
        match &file.record.outcome {
            FileOutcome::Skipped(SkipReason::Excluded) if is_code() => left_out.0 += 1,
            FileOutcome::Skipped(SkipReason::Dependency) if is_code() => left_out.1 += 1,
            FileOutcome::Skipped(_) => {}
            FileOutcome::Scanned | FileOutcome::Failed(_) | FileOutcome::TimedOut => return None,
        }
    }
    let message = match left_out {
        (0, 0) => return None,
        (0, _) => "no file is left to scan: all code is in folders of dependencies; --dependencies includes them",
        _ => "no file is left to scan: --include and --exclude leave out all code",
    };
    Some(InputProblem { path: ".".to_owned(), message: message.to_owned(), is_incomplete: true, files: Vec::new() })
}

/// Groups of files with equal paths.
fn chunk_by_path(files: Vec<Collected>) -> Vec<Vec<Collected>> {
    let mut groups: Vec<Vec<Collected>> = Vec::new();
    for file in files {
        match groups.last_mut() {
            Some(group) if group.first().is_some_and(|first| first.record.path == file.record.path) => group.push(file),
            _ => groups.push(vec![file]),
        }
    }
    groups
}
