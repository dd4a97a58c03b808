//! Coverage: which files and bytes a scan read, skipped and failed on.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::finding::FileIndex;

/// Record of all files of the input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Files in order of their paths.
    pub files: Vec<FileRecord>,
    /// Problems of the input that concern no single file: a damaged archive, a folder that cannot be read.
    pub problems: Vec<InputProblem>,
    /// Imports by relative paths that lead to no code of the scan, in order of their files.
    pub missing_imports: Vec<MissingImport>,
    /// The scan was interrupted.
    pub is_interrupted: bool,
}

/// A problem of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputProblem {
    /// Path of the archive or folder.
    pub path: String,
    /// Description.
    pub message: String,
    /// Code may be missing from the scan.
    pub is_incomplete: bool,
    /// Further files that the problem concerns.
    pub files: Vec<FileIndex>,
}

/// Name of a language. The alias keeps the reader of kept reports from borrowing it.
pub type LanguageName = &'static str;

/// A file of the input.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    #[serde(serialize_with = "write_text", deserialize_with = "read_text")]
    pub text: Option<Arc<str>>,
    /// Language, such as `javascript`.
    #[serde(deserialize_with = "read_language")]
    pub language: Option<LanguageName>,
    /// Target of a link, as the archive or folder has it. None: no link.
    pub link: Option<String>,
    /// The file is an entry of an archive.
    pub is_archived: bool,
}

/// Outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Text for people, as the end of a sentence `N files: ...`.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            SkipReason::NotCode => "no code",
            SkipReason::UnsupportedLanguage => "code of a language that is not supported",
            SkipReason::Dependency => "dependencies; --dependencies includes them",
            SkipReason::Excluded => "excluded by --include and --exclude",
            SkipReason::Duplicate => "same bytes as another file",
            SkipReason::Declarations => "declarations without code",
            SkipReason::Link => "links; files are scanned under their own names",
            SkipReason::Special => "pipes, sockets and devices",
        }
    }
}

/// An import by a relative path that leads to no code of the scan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MissingImport {
    /// File that imports.
    pub file: FileIndex,
    /// Path as the code has it, such as `./parse`.
    pub specifier: String,
    /// File of the input that was not analysed. None: the input has no such file.
    pub target: Option<FileIndex>,
}

fn write_text<S: Serializer>(text: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}

fn read_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<str>>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Arc::from))
}

/// Reads the name of a known language.
fn read_language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LanguageName>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    let known = |name: String| LANGUAGES.into_iter().find(|known| *known == name);
    match name {
        None => Ok(None),
        Some(name) => known(name).map(Some).ok_or_else(|| serde::de::Error::custom("an unknown language")),
    }
}

/// Names of languages in records.
const LANGUAGES: [&str; 3] = ["javascript", "typescript", "python"];

impl Coverage {
    /// True if the analysis of a file took too long.
    #[must_use]
    pub fn has_timeouts(&self) -> bool {
        self.files.iter().any(|file| file.outcome == FileOutcome::TimedOut)
    }

    /// True if code may be missing from the scan.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_interrupted
            || self.problems.iter().any(|problem| problem.is_incomplete)
            || self.files.iter().any(|file| matches!(file.outcome, FileOutcome::Failed(_) | FileOutcome::TimedOut))
    }
}
