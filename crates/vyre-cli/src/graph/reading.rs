//! Text files about graphs, and messages for what cannot be read.

use std::fs::File;
use std::io::{self, Read};

use vyre::graph::file::{NumberErrorKind, TextErrorKind, TextField};
use vyre::graph::{ReadError, Separators};

use super::compressed::decompressed;
use crate::input::Input;
use crate::output::visible;

/// Field separator of a file of roles.
pub(super) fn separators(input: &Input) -> Separators {
    match input {
        Input::Stdin => Separators::Any,
        Input::File(path) => Separators::from_path(path),
    }
}

/// Opens a text for sequential reading.
pub(super) fn open_reader(input: &Input) -> io::Result<Box<dyn Read + Send>> {
    match input {
        Input::Stdin => decompressed("", io::stdin()),
        Input::File(path) if path.is_dir() => Err(io::Error::other("it is a directory")),
        Input::File(path) => decompressed(&path.to_string_lossy(), File::open(path)?),
    }
}

/// Message for an unreadable file, with a hint at a flag.
pub(super) fn read_error(name: &str, error: &ReadError) -> anyhow::Error {
    let name = visible(name);
    match error {
        ReadError::Io { source } => anyhow::anyhow!("cannot read {name}: {source}"),
        _ => anyhow::anyhow!("{name}: {error}{}", option_hint(error)),
    }
}

/// Hint at the flag that resolves an error. The library has no names of flags.
pub(super) fn option_hint(error: &ReadError) -> &'static str {
    const MAX_NODES: &str = " (--max-nodes)";
    const REQUIRED: &str = " (--weights required)";
    const COLUMNS: &str = " (--source-column, --target-column, --weight-column)";
    const IGNORE: &str = ", with --weights ignore";
    match error {
        ReadError::NodeLimit { .. } => MAX_NODES,
        ReadError::MinNodes { .. } => " (--min-nodes, --max-nodes)",
        ReadError::MinNodesNamed { .. } => " (--min-nodes)",
        ReadError::NoWeights => REQUIRED,
        ReadError::NoTitles => COLUMNS,
        ReadError::Array { array: "data", .. } => " (--weight-scale, --weights)",
        ReadError::Text { kind, .. } => match kind {
            TextErrorKind::Number { field: TextField::Source | TextField::Target, .. } => {
                ", with --names; a first line can be a header, with --header yes"
            }
            TextErrorKind::Number {
                field: TextField::Weight | TextField::Value,
                reason: NumberErrorKind::Fraction,
                ..
            } => ", with --weight-scale or --weights ignore",
            TextErrorKind::Number {
                field: TextField::ScaledWeight { .. },
                reason: NumberErrorKind::OutOfRange,
                ..
            } => " (--weight-scale)",
            TextErrorKind::Number { field: TextField::Weight | TextField::Value, .. }
            | TextErrorKind::Missing { field: TextField::Weight }
            | TextErrorKind::UnexpectedWeight { .. }
            | TextErrorKind::ExtraEdgeField { .. }
            | TextErrorKind::MatrixValues { .. } => IGNORE,
            TextErrorKind::NodeLimit { .. } => MAX_NODES,
            TextErrorKind::SparseNodes { .. } => ", with --max-nodes or --compact",
            TextErrorKind::SparseRows { .. } => ", with --max-nodes",
            TextErrorKind::Titles(_) => COLUMNS,
            TextErrorKind::NoWeightColumn | TextErrorKind::MatrixPattern => REQUIRED,
            _ => "",
        },
        _ => "",
    }
}
