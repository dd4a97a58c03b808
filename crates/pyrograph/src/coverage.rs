//! Coverage: which files and bytes a scan read, skipped and failed on.

use std::sync::Arc;

/// Record of all files of the input.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Files in order of their paths.
    pub files: Vec<FileRecord>,
    /// Problems of the input that concern no single file: a damaged archive, a folder that cannot be read.
    pub problems: Vec<InputProblem>,
    /// The scan was interrupted.
    pub is_interrupted: bool,
}

/// A problem of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    /// Path of the archive or folder.
    pub path: String,
    /// Description.
    pub message: String,
    /// Code may be missing from the scan.
    pub is_incomplete: bool,
}

/// A file of the input.
#[derive(Clone, Debug)]
pub struct FileRecord {
    /// Path: relative to the scanned path, with `!/` after the names of archives, `/` as separator.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Lines that were scanned.
    pub lines: u64,
    /// Outcome.
    pub outcome: FileOutcome,
    /// Text, for code frames. None: not text, or not kept.
    pub text: Option<Arc<str>>,
    /// Language, such as `javascript`.
    pub language: Option<&'static str>,
    /// Target of a link, as the archive or folder has it. None: no link.
    pub link: Option<String>,
    /// The file is an entry of an archive.
    pub is_archived: bool,
}

/// Outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Analysed.
    Scanned,
    /// Not analysed, for a reason that does not make the scan incomplete.
    Skipped(SkipReason),
    /// Code that was not analysed. The text says why.
    Failed(String),
    /// Code whose analysis exceeded the time limit.
    TimedOut,
}

/// Reasons to skip a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// No code: binaries, data, documents.
    NotCode,
    /// Code of a language without a front end.
    UnsupportedLanguage,
    /// Below a folder of dependencies: `node_modules`, `site-packages`.
    Dependency,
    /// Excluded by `--exclude`, or not included by `--include`.
    Excluded,
    /// Same bytes as another file of the scan.
    Duplicate,
    /// Declarations without code: `.d.ts`.
    Declarations,
    /// Link to another path. Its target, if the input has it, has a record of its own.
    Link,
    /// Pipe, socket or device.
    Special,
}

impl SkipReason {
    /// Name in reports for tools.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SkipReason::NotCode => "not_code",
            SkipReason::UnsupportedLanguage => "unsupported_language",
            SkipReason::Dependency => "dependency",
            SkipReason::Excluded => "excluded",
            SkipReason::Duplicate => "duplicate",
            SkipReason::Declarations => "declarations",
            SkipReason::Link => "link",
            SkipReason::Special => "special",
        }
    }
}

impl Coverage {
    /// True if code may be missing from the scan.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_interrupted
            || self.problems.iter().any(|problem| problem.is_incomplete)
            || self.files.iter().any(|file| matches!(file.outcome, FileOutcome::Failed(_) | FileOutcome::TimedOut))
    }
}
