//! Errors in text files.

use std::fmt;

use super::column_titles::ColumnTitleError;
use super::weight::WeightScale;
use crate::error::counted;

/// Kind of an error in a line of a text. Excerpts of the line are shortened and have no unprintable characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// The line is too long.
    LineTooLong {
        /// Maximum size of a line in bytes.
        limit: usize,
    },
    /// A byte is not UTF-8.
    NotUtf8 {
        /// The byte.
        byte: u8,
    },
    /// The line has a byte 0.
    Nul,
    /// A quoted field does not end on its line.
    OpenQuote,
    /// Text follows the quote that ends a field.
    AfterQuote {
        /// The text.
        found: String,
    },
    /// A field is missing.
    Missing {
        /// The field.
        field: TextField,
    },
    /// A field is not a valid number.
    Number {
        /// The field.
        field: TextField,
        /// Text of the field.
        found: String,
        /// The reason.
        reason: NumberErrorKind,
    },
    /// A line has a weight, but the first one has none.
    UnexpectedWeight {
        /// The weight.
        found: String,
        /// First line with an edge.
        first_line: u64,
    },
    /// A line has too many fields.
    ExtraField {
        /// The first extra field.
        found: String,
        /// Number of known fields.
        known: usize,
    },
    /// A line of an edge list or a CSV file without a header has too many fields.
    ExtraEdgeField {
        /// The first extra field.
        found: String,
        /// Number of known fields.
        known: usize,
    },
    /// The header does not have the columns that the options name, or not once.
    Titles(ColumnTitleError),
    /// Weights are required, but the header has no column for them.
    NoWeightColumn,
    /// A node exceeds the limit of [`max_nodes`](super::ReadOptions::max_nodes).
    NodeLimit {
        /// The node: its number, or the number of names before it.
        node: u32,
        /// Maximum number of nodes.
        limit: u32,
    },
    /// The highest node number, or a comment with the number of nodes, is out of proportion to the number of edges.
    /// [`max_nodes`](super::ReadOptions::max_nodes) can allow it.
    SparseNodes {
        /// Number of nodes that the graph would have.
        nodes: u64,
        /// Number of edges.
        edges: u64,
        /// Maximum number of nodes for this number of edges.
        limit: u64,
    },
    /// There are too many edges.
    TooManyEdges {
        /// Maximum number of edges.
        limit: u32,
    },
    /// The names of all nodes together exceed 4 GiB.
    NamesTooLong,
    /// A name is empty.
    EmptyName,
    /// A node is unknown.
    UnknownNode {
        /// The node.
        found: String,
        /// Number of nodes.
        nodes: usize,
    },
    /// A role is unknown.
    UnknownRole {
        /// Text of the field.
        found: String,
    },
    /// The data of a node has bits of the role.
    DataHasRole {
        /// The data.
        data: u32,
    },
    /// The header of an attribute file has no column that identifies the node.
    NoNodeColumn,
    /// A column of a header has no name.
    EmptyColumn {
        /// The column, from 1.
        column: usize,
    },
    /// Two columns of a header have the same name.
    RepeatedColumn {
        /// The name.
        found: String,
    },
    /// A header has too many columns.
    TooManyColumns {
        /// Maximum number of columns.
        limit: usize,
    },
    /// A line has fewer fields than the header.
    FewColumns {
        /// Number of fields of the line.
        found: usize,
        /// Number of columns of the header.
        expected: usize,
    },
    /// A line has more fields than the header.
    ExtraColumn {
        /// The first extra field.
        found: String,
        /// Number of columns of the header.
        expected: usize,
    },
    /// A node is repeated.
    RepeatedNode {
        /// The node.
        found: String,
        /// Its first line.
        first_line: u64,
    },
    /// A quoted field that may span lines does not end.
    EndlessQuote,
    /// A record that spans lines is too long.
    RecordTooLong {
        /// Maximum size of a record in bytes.
        limit: usize,
    },
    /// Many attributes that few nodes have would take memory out of proportion to the text.
    SparseColumns {
        /// Number of attributes.
        columns: usize,
    },
    /// The syntax of a format that is no list of lines is violated.
    Syntax {
        /// The violation as a clause.
        what: String,
    },
    /// The distinct values of an attribute exceed 4 GiB.
    ValuesTooLong,
    /// The first line is not the banner of a Matrix Market file.
    MatrixBanner {
        /// Text of the line.
        found: String,
    },
    /// A word of the first line of a Matrix Market file is unsupported.
    MatrixWord {
        /// The word.
        found: String,
        /// Supported words.
        expected: &'static str,
    },
    /// A dense matrix is said to have no values.
    MatrixArray,
    /// The matrix is not square.
    NotSquare {
        /// Number of rows.
        rows: u64,
        /// Number of columns.
        columns: u64,
    },
    /// The number of rows is out of proportion to the number of entries. [`max_nodes`](super::ReadOptions::max_nodes) can allow it.
    SparseRows {
        /// Number of rows.
        rows: u64,
        /// Number of entries.
        entries: u64,
        /// Maximum number of rows for this number of entries.
        limit: u64,
    },
    /// The values of the matrix cannot be weights.
    MatrixValues {
        /// Description of the values.
        values: &'static str,
    },
    /// Weights are required, and the matrix has no values.
    MatrixPattern,
    /// The matrix has fewer entries than its header declares.
    MatrixEnds {
        /// Number of entries.
        entries: u64,
        /// Declared number of entries.
        expected: u64,
    },
    /// The matrix has more entries than its header declares.
    MatrixContinues {
        /// Declared number of entries.
        expected: u64,
    },
}

/// Meaning of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextField {
    /// Node at which an edge begins.
    Source,
    /// Node at which an edge ends.
    Target,
    /// The weight of an edge.
    Weight,
    /// A weight, or a value of a matrix, with a scale.
    ScaledWeight {
        /// The scale.
        scale: WeightScale,
    },
    /// A node.
    Node,
    /// Number of nodes in a comment.
    NodeCount,
    /// Role of a node.
    Role,
    /// Bits of the word of a node besides the role.
    Data,
    /// The row of an entry of a matrix.
    Row {
        /// Number of rows.
        rows: u32,
    },
    /// The column of an entry of a matrix.
    Column {
        /// Number of columns.
        columns: u32,
    },
    /// The value of an entry of a matrix.
    Value,
    /// The imaginary part of the value of an entry of a matrix.
    ImaginaryPart,
    /// A word of the first line of a matrix.
    MatrixWord,
    /// The number of rows, columns or entries of a matrix.
    MatrixSize,
}

/// Reason why a field is not a valid number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberErrorKind {
    /// The text is not a number.
    NotANumber,
    /// The number is negative.
    Negative,
    /// The number is not written as an integer.
    Fraction,
    /// The number is out of range.
    OutOfRange,
}

/// Excerpt of a text for a message: at most 40 characters, without control characters.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MAX_CHARACTERS: usize = 40;
    let mut shown = String::new();
    let mut count = 0;
    for chunk in bytes[..bytes.len().min(4 * MAX_CHARACTERS + 4)].utf8_chunks() {
        let valid = chunk.valid().chars().map(|character| match character {
            '\'' | '"' => character.to_string(),
            _ => character.escape_debug().to_string(),
        });
        for piece in valid.chain(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"))) {
            if count == MAX_CHARACTERS {
                shown.push('…');
                return shown;
            }
            shown.push_str(&piece);
            count += 1;
        }
    }
    shown
}

impl fmt::Display for TextField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TextField::Source => "source",
            TextField::Target => "target",
            TextField::Weight | TextField::ScaledWeight { .. } => "weight",
            TextField::Node => "node",
            TextField::NodeCount => "number of nodes",
            TextField::Role => "role",
            TextField::Data => "data of the node",
            TextField::Row { .. } => "row",
            TextField::Column { .. } => "column",
            TextField::Value => "value",
            TextField::ImaginaryPart => "imaginary part",
            TextField::MatrixWord => "rest of `%%MatrixMarket matrix coordinate FIELD SYMMETRY`",
            TextField::MatrixSize => "number of rows, columns or entries",
        })
    }
}

impl TextField {
    /// Range of valid numbers, with its subject and verb for messages.
    fn range(self) -> (&'static str, u64, u64) {
        match self {
            TextField::Source | TextField::Target | TextField::Node => ("nodes are", 0, u64::from(u32::MAX) - 1),
            TextField::NodeCount => ("numbers of nodes are", 0, u64::from(u32::MAX)),
            TextField::Weight | TextField::ScaledWeight { .. } | TextField::Value | TextField::ImaginaryPart => {
                ("weights are", 0, u64::from(u32::MAX))
            }
            TextField::Data => ("the data of nodes is", 0, u64::from(u32::MAX)),
            TextField::Role | TextField::MatrixWord => ("roles are", 0, 4),
            TextField::Row { rows } => ("rows are", 1, u64::from(rows)),
            TextField::Column { columns } => ("columns are", 1, u64::from(columns)),
            TextField::MatrixSize => ("sizes are", 0, u64::from(u32::MAX)),
        }
    }

    /// Alternative for files whose field is not a valid number.
    fn hint(self, reason: NumberErrorKind) -> &'static str {
        match (self, reason) {
            (TextField::Source | TextField::Target, _) => "; nodes can be read as names",
            (TextField::Weight | TextField::Value, NumberErrorKind::Fraction) => "; weights can be scaled or ignored",
            (TextField::Weight | TextField::Value, _) => "; weights can be ignored",
            _ => "",
        }
    }
}

impl fmt::Display for TextErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextErrorKind::LineTooLong { limit } => write!(f, "the line is longer than {limit} bytes"),
            TextErrorKind::NotUtf8 { byte } => write!(f, "the byte {byte:#04x} is not UTF-8"),
            TextErrorKind::Nul => write!(f, "there is a byte 0, which no text has"),
            TextErrorKind::OpenQuote => write!(f, "the quoted field does not end on its line"),
            TextErrorKind::AfterQuote { found } => {
                write!(f, "`{found}` follows a quoted field, but a separator must; a quote within one is written twice")
            }
            TextErrorKind::Missing { field: TextField::Weight | TextField::ScaledWeight { .. } } => {
                write!(f, "the weight is missing; either all edges have one, or weights can be ignored")
            }
            TextErrorKind::Missing { field } => write!(f, "the {field} is missing"),
            TextErrorKind::Number { field, found, reason } => {
                let (subject, min, max) = field.range();
                let hint = field.hint(*reason);
                let reason = match reason {
                    NumberErrorKind::NotANumber => "is not a number",
                    NumberErrorKind::Negative => "is negative",
                    NumberErrorKind::Fraction => "is not a whole number",
                    NumberErrorKind::OutOfRange => "is out of range",
                };
                if min > max {
                    return write!(f, "the {field} `{found}` {reason}: there are none");
                }
                if let TextField::ScaledWeight { scale } = field {
                    let max = scale.max();
                    return write!(f, "the {field} `{found}` {reason}: with this scale, weights are from 0 to {max}");
                }
                write!(f, "the {field} `{found}` {reason}: {subject} whole numbers from {min} to {max}{hint}")
            }
            TextErrorKind::UnexpectedWeight { found, first_line } => write!(
                f,
                "`{found}` would be a weight, but the edge of line {first_line} has none; weights can be ignored"
            ),
            TextErrorKind::ExtraField { found, known } => {
                write!(f, "`{found}` is one field more than the {known} that are known")
            }
            TextErrorKind::ExtraEdgeField { found, known } => write!(
                f,
                "`{found}` is one field more than the {known} that are known; a header line can name columns, or weights and \
                 the rest of lines can be ignored"
            ),
            TextErrorKind::Titles(error) => error.fmt(f),
            TextErrorKind::NoWeightColumn => write!(f, "weights are required, but the header has no column `weight`"),
            TextErrorKind::NodeLimit { node, limit: 0 } => {
                write!(f, "node {node} is one too many: no nodes are allowed")
            }
            TextErrorKind::NodeLimit { node, limit } => {
                write!(f, "node {node} is one too many: nodes up to {} are allowed", limit - 1)
            }
            TextErrorKind::SparseNodes { nodes, edges, limit } => write!(
                f,
                "this asks for {nodes} nodes, but with {} only {limit} are allowed; more can be allowed, or only the \
                 numbers that occur can be nodes",
                counted(*edges, "edge", "edges")
            ),
            TextErrorKind::TooManyEdges { limit } => {
                let edges = counted(u64::from(*limit), "edge", "edges");
                write!(f, "there are more than {edges}, the most that a graph has")
            }
            TextErrorKind::NamesTooLong => {
                write!(f, "the names of the nodes are longer than {} bytes together", u32::MAX)
            }
            TextErrorKind::EmptyName => write!(f, "the name of the node is empty"),
            TextErrorKind::UnknownNode { found, nodes } => {
                let nodes = counted(*nodes as u64, "node", "nodes");
                write!(f, "there is no node `{found}` in the graph of {nodes}")
            }
            TextErrorKind::UnknownRole { found } => write!(
                f,
                "`{found}` is no role: roles are normal, source, sink, source+sink, sanitizer, or their numbers 0 to 4"
            ),
            TextErrorKind::DataHasRole { data } => {
                write!(f, "the data {data} ({data:#x}) has bits 16 to 23, where the role stands; they must be 0")
            }
            TextErrorKind::NoNodeColumn => {
                write!(f, "the first line must be a header with a column `node`, `id` or `name`, which tells the node")
            }
            TextErrorKind::EmptyColumn { column } => write!(f, "column {column} of the header has no name"),
            TextErrorKind::RepeatedColumn { found } => write!(f, "the header has two columns `{found}`"),
            TextErrorKind::TooManyColumns { limit } => {
                write!(f, "the header has more than {limit} columns, the most that are allowed")
            }
            TextErrorKind::FewColumns { found, expected } => {
                let found = counted(*found as u64, "field", "fields");
                write!(f, "the line has {found}, but the header has {expected}")
            }
            TextErrorKind::ExtraColumn { found, expected } => {
                let expected = counted(*expected as u64, "field", "fields");
                write!(f, "`{found}` is one field more than the {expected} of the header")
            }
            TextErrorKind::SparseColumns { columns } => {
                write!(f, "{columns} attributes are out of proportion to the few nodes that have them")
            }
            TextErrorKind::Syntax { what } => f.write_str(what),
            TextErrorKind::RepeatedNode { found, first_line } => {
                write!(f, "the node `{found}` already has line {first_line}")
            }
            TextErrorKind::EndlessQuote => write!(f, "the quoted field does not end"),
            TextErrorKind::RecordTooLong { limit } => {
                write!(f, "quoted fields go on over lines that are longer than {limit} bytes together")
            }
            TextErrorKind::ValuesTooLong => {
                write!(f, "the values of the attribute are longer than {} bytes together", u32::MAX)
            }
            TextErrorKind::MatrixBanner { found } => {
                write!(f, "found `{found}`, but the first line must begin with `%%MatrixMarket matrix`")
            }
            TextErrorKind::MatrixWord { found, expected } => write!(f, "found `{found}`, but expected {expected}"),
            TextErrorKind::MatrixArray => {
                write!(f, "an `array` has values, so it cannot be a `pattern`")
            }
            TextErrorKind::NotSquare { rows, columns } => {
                let (rows, columns) = (counted(*rows, "row", "rows"), counted(*columns, "column", "columns"));
                write!(f, "the matrix has {rows} and {columns}, but a graph needs as many of both")
            }
            TextErrorKind::SparseRows { rows, entries, limit } => write!(
                f,
                "the matrix has {rows} rows, but with {} only {limit} are allowed; more can be allowed",
                counted(*entries, "entry", "entries")
            ),
            TextErrorKind::MatrixValues { values } => {
                write!(f, "the values are {values}, but weights are whole numbers; weights can be ignored")
            }
            TextErrorKind::MatrixPattern => {
                write!(f, "weights are required, but the matrix is a `pattern` without values")
            }
            TextErrorKind::MatrixEnds { entries, expected } => {
                let entries = counted(*entries, "entry", "entries");
                write!(f, "the matrix ends after {entries}, but its header says {expected}")
            }
            TextErrorKind::MatrixContinues { expected } => {
                write!(f, "this is one entry more than the {expected} that the header says")
            }
        }
    }
}
