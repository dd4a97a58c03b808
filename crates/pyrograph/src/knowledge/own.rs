//! Entries of files that are not built in, with what they match: a scan says which of them match no code.

use super::path::PathPattern;

/// A source, sink, sanitizer or guard of a file that is not built in.
#[derive(Clone, Debug)]
pub(crate) struct OwnEntry {
    /// Name of the file.
    pub(crate) file: String,
    /// Line of the entry.
    pub(crate) line: u32,
    /// Name of the table, such as `sink`.
    pub(crate) table: &'static str,
    /// What the entry matches, as the file has it.
    pub(crate) texts: Vec<String>,
    pub(crate) patterns: Vec<OwnPattern>,
}

/// What an entry matches.
#[derive(Clone, Debug)]
pub(crate) enum OwnPattern {
    /// Calls, members, stores and decorators.
    Path(PathPattern),
    /// Parameters with a name.
    Parameter(String),
}
