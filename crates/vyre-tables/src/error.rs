//! Errors of tables.

use std::fmt;
use std::io;

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use vyre_graph::ReadError;
use vyre_graph::file::ColumnTitleError;

use crate::format::TableFormat;

/// Error of reading or writing a table. Rows count from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// The file is damaged, or has a feature that is not supported.
    Damaged {
        /// The format.
        format: TableFormat,
        /// What is wrong.
        what: String,
    },
    /// The table has too few columns.
    Columns {
        /// Number of columns.
        found: usize,
    },
    /// The table does not have the columns that the options name, or not once.
    Titles(ColumnTitleError),
    /// A column has a type that nodes or weights cannot have.
    ColumnType {
        /// Title of the column.
        column: String,
        /// Its type.
        found: String,
        /// What the column should hold.
        wanted: &'static str,
    },
    /// A value is missing.
    Null {
        /// Title of the column.
        column: String,
        /// Its row.
        row: u64,
    },
    /// A string cannot be the name of a node.
    Name {
        /// Title of the column.
        column: String,
        /// Its row.
        row: u64,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// The table is so much larger than its file that it may be made to exhaust memory.
    Bomb {
        /// Maximum number of bytes of its text for the size of the file.
        limit: u64,
    },
    /// A row is not an edge.
    Edge {
        /// The row.
        row: u64,
        /// The reason, with the position in the text of the row.
        error: ReadError,
    },
    /// The rows do not form a graph that the options allow.
    Graph(ReadError),
    /// A row that is written does not have the values that the columns demand.
    Row {
        /// Index of the column.
        column: usize,
    },
    /// A row is too long to be written.
    RowTooLong,
}

/// Reason why a string is no name of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameProblem {
    /// It is empty.
    Empty,
    /// It has a line end or a byte 0.
    LineEnd,
    /// It is not UTF-8.
    Encoding,
    /// It is longer than this number of bytes.
    TooLong(usize),
}

impl TableError {
    pub(crate) fn damaged(format: TableFormat, what: impl fmt::Display) -> TableError {
        TableError::Damaged { format, what: what.to_string() }
    }

    /// An error of the library that reads Parquet.
    pub(crate) fn parquet(error: ParquetError) -> TableError {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(error) => TableError::Io(*error),
                Err(source) => TableError::damaged(TableFormat::Parquet, source),
            },
            error => TableError::damaged(TableFormat::Parquet, error),
        }
    }

    /// An error of the library that reads Arrow.
    pub(crate) fn arrow(format: TableFormat, error: ArrowError) -> TableError {
        match error {
            ArrowError::IoError(_, source) => TableError::Io(source),
            error => TableError::damaged(format, error),
        }
    }

    /// An error of the reader of graphs, which reads the rows as lines behind `lines` others.
    pub(crate) fn read(error: ReadError, lines: u64) -> TableError {
        match error {
            ReadError::Io { source } => match source.downcast::<TableError>() {
                Ok(error) => error,
                Err(source) => TableError::Io(source),
            },
            ReadError::Text { line, .. } if line > lines => TableError::Edge { row: line - lines, error },
            error => TableError::Graph(error),
        }
    }
}

impl From<io::Error> for TableError {
    fn from(source: io::Error) -> TableError {
        TableError::Io(source)
    }
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameProblem::Empty => f.write_str("is empty"),
            NameProblem::LineEnd => f.write_str("has a line end or a byte 0"),
            NameProblem::Encoding => f.write_str("is not UTF-8"),
            NameProblem::TooLong(limit) => write!(f, "is longer than {limit} bytes"),
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Io(source) => write!(f, "the table cannot be read or written: {source}"),
            TableError::Damaged { format, what } => {
                write!(f, "{format} that is damaged or not supported: {}", what.escape_debug())
            }
            TableError::Columns { found } => {
                write!(f, "the table has {found} columns, but an edge has a source and a target")
            }
            TableError::Titles(error) => error.fmt(f),
            TableError::ColumnType { column, found, wanted } => {
                write!(f, "column `{}` has the type {found}, but {wanted}", column.escape_debug())
            }
            TableError::Null { column, row } => {
                write!(f, "row {row}: column `{}` has no value there", column.escape_debug())
            }
            TableError::Name { column, row, problem } => {
                write!(f, "row {row}: the name in column `{}` {problem}", column.escape_debug())
            }
            TableError::Bomb { limit } => write!(
                f,
                "the table is out of proportion to its file: at most {limit} bytes of text are allowed for this size"
            ),
            TableError::Edge { row, error: ReadError::Text { kind, .. } } => write!(f, "row {row}: {kind}"),
            TableError::Edge { row, error } => write!(f, "row {row}: {error}"),
            TableError::Graph(ReadError::Text { kind, .. }) => write!(f, "{kind}"),
            TableError::Graph(error) => write!(f, "{error}"),
            TableError::Row { column } => write!(f, "a row has no value of the right type for column {column}"),
            TableError::RowTooLong => write!(f, "a row is too long for a table"),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Io(source) => Some(source),
            TableError::Edge { error, .. } | TableError::Graph(error) => Some(error),
            TableError::Titles(error) => Some(error),
            _ => None,
        }
    }
}
