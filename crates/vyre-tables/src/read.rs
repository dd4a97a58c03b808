//! Reader of edge tables.

use vyre_graph::file::ColumnTitles;
use vyre_graph::{Format, Header, Input, Loaded, NodeIds, Progress, ReadError, ReadOptions, read_graph};

use crate::arrow_stream;
use crate::edge_text::{EdgeText, LINES_BEFORE_ROWS};
use crate::error::TableError;
use crate::format::TableFormat;
use crate::input::TableInput;
use crate::parquet_file;

/// Reads the graph of an edge table. Its nodes have names if a column of nodes has strings, or if the options say so.
///
/// # Errors
///
/// The file cannot be read or is damaged, or the first row that is no edge.
pub fn read_edge_table(
    input: TableInput<'_>,
    format: TableFormat,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Loaded, TableError> {
    let table = match format {
        TableFormat::Parquet => parquet_file::open(input.into_file()?, options)?,
        TableFormat::Arrow | TableFormat::ArrowStream => arrow_stream::open(input.into_stream(), format, options)?,
    };
    let mut options = options.clone().with_format(Format::CSV).with_header(Header::Present);
    options.columns = ColumnTitles::default();
    if table.columns.are_named {
        options = options.with_nodes(NodeIds::Names).with_compact(false);
    }
    read_graph(Input::reader(EdgeText::new(table)), &options, progress)
        .map_err(|error| TableError::read(error, LINES_BEFORE_ROWS))
}

/// An error about a row of a table that was read, such as [`Loaded::weight_error`], with its row.
#[must_use]
pub fn row_error(error: &ReadError) -> String {
    match error {
        ReadError::Text { line, kind, .. } => format!("row {}: {kind}", line.saturating_sub(LINES_BEFORE_ROWS)),
        error => error.to_string(),
    }
}
