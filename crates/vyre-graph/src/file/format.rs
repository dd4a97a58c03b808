//! Which format a file has.

use std::fmt;
use std::path::Path;

use super::binary::MAGIC;

/// A format of graph files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Lines `source target [weight]`, with any separators.
    EdgeList,
    /// Lines of columns with one separator, mostly with a header line that names them.
    Csv,
    /// A sparse matrix with an edge for each entry.
    MatrixMarket,
    /// The arrays of a graph as they lie in memory, with checksums.
    Binary,
}

/// So many first bytes tell a format: a byte order mark and the longest beginning.
pub(crate) const HEAD_BYTES: usize = 3 + MATRIX_BANNER.len();

/// What a Matrix Market file begins with, in any case.
const MATRIX_BANNER: &[u8] = b"%%MatrixMarket";

/// Whether a text begins as Matrix Market files do.
pub(crate) fn is_matrix(text: &[u8]) -> bool {
    text.get(..MATRIX_BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(MATRIX_BANNER))
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::EdgeList, Format::Csv, Format::MatrixMarket, Format::Binary];

    /// What it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::EdgeList => "edges",
            Format::Csv => "csv",
            Format::MatrixMarket => "mtx",
            Format::Binary => "vgr",
        }
    }

    /// The format with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the name of a file tells, with or without `.gz` at its end.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Format> {
        let extension = |path: &Path| path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        let mut found = extension(path);
        if found.as_deref() == Some("gz") {
            found = path.file_stem().and_then(|stem| extension(Path::new(stem)));
        }
        match found?.as_str() {
            "csv" | "tsv" => Some(Format::Csv),
            "mtx" | "mm" => Some(Format::MatrixMarket),
            "vgr" => Some(Format::Binary),
            "txt" | "edges" | "el" | "tab" => Some(Format::EdgeList),
            _ => None,
        }
    }

    /// The format that the first bytes of a file tell, decompressed. Edge lists and CSV begin with anything.
    #[must_use]
    pub fn from_first_bytes(bytes: &[u8]) -> Option<Format> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.starts_with(&MAGIC) {
            Some(Format::Binary)
        } else if is_matrix(text) {
            Some(Format::MatrixMarket)
        } else {
            None
        }
    }

    /// The format of a file, from its first bytes or else from its name; an edge list if neither tells.
    pub(crate) fn of(bytes: &[u8], path: Option<&Path>) -> Format {
        let by_name = || path.and_then(Format::from_path);
        Format::from_first_bytes(bytes).or_else(by_name).unwrap_or(Format::EdgeList)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::EdgeList => "an edge list",
            Format::Csv => "a CSV file",
            Format::MatrixMarket => "a Matrix Market file",
            Format::Binary => "a binary graph file",
        })
    }
}
