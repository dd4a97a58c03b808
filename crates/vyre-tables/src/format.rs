//! Formats of tables.

use std::fmt;
use std::path::Path;

/// A file format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// Apache Parquet.
    Parquet,
    /// The Arrow IPC file format, which is also version 2 of Feather.
    Arrow,
    /// The Arrow IPC streaming format.
    ArrowStream,
}

/// Continuation marker of Arrow messages: the first bytes of a stream.
pub(crate) const CONTINUATION: [u8; 4] = [0xff; 4];

/// First bytes of an Arrow file, and its last ones.
pub(crate) const ARROW_MAGIC: &[u8; 6] = b"ARROW1";

impl TableFormat {
    /// All formats.
    pub const ALL: [TableFormat; 3] = [TableFormat::Parquet, TableFormat::Arrow, TableFormat::ArrowStream];

    /// Name on the command line. Names are permanent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TableFormat::Parquet => "parquet",
            TableFormat::Arrow => "arrow",
            TableFormat::ArrowStream => "arrow-stream",
        }
    }

    /// Short description, for help texts.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            TableFormat::Parquet => "Parquet table of edges",
            TableFormat::Arrow => "Arrow IPC file or Feather table of edges",
            TableFormat::ArrowStream => "Arrow IPC stream of edges",
        }
    }

    /// Extensions of file names in lower case, the preferred one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            TableFormat::Parquet => &["parquet", "pq"],
            TableFormat::Arrow => &["arrow", "feather", "ipc"],
            TableFormat::ArrowStream => &["arrows"],
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<TableFormat> {
        TableFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the extension of a file name selects.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<TableFormat> {
        let found = path.extension()?.to_str()?.to_ascii_lowercase();
        TableFormat::ALL.into_iter().find(|format| format.extensions().contains(&&*found))
    }

    /// The format of a file that starts with these bytes.
    #[must_use]
    pub fn from_first_bytes(bytes: &[u8]) -> Option<TableFormat> {
        match bytes {
            _ if bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE") => Some(TableFormat::Parquet),
            _ if bytes.starts_with(ARROW_MAGIC) || bytes.starts_with(b"FEA1") => Some(TableFormat::Arrow),
            _ if bytes.starts_with(&CONTINUATION) => Some(TableFormat::ArrowStream),
            _ => None,
        }
    }
}

/// A noun phrase with an article, such as `a Parquet table`.
impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TableFormat::Parquet => "a Parquet table",
            TableFormat::Arrow => "an Arrow file",
            TableFormat::ArrowStream => "an Arrow stream",
        })
    }
}
