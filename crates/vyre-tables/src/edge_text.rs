//! The rows of an edge table as lines of a CSV text, which the reader of graphs parses on all threads.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::RecordBatch;

use crate::cells::{CellProblem, Cells};
use crate::columns::EdgeColumns;
use crate::error::TableError;
use crate::limit::TextLimit;

/// Lines before the first row: a comment and a header.
pub(crate) const LINES_BEFORE_ROWS: u64 = 2;

/// Size of a piece of text that is produced at once.
const PIECE_BYTES: usize = 1 << 16;

/// Parts of a table, in order.
pub(crate) type Batches<'i> = Box<dyn Iterator<Item = Result<RecordBatch, TableError>> + Send + 'i>;

/// An edge table that is being read.
pub(crate) struct OpenTable<'i> {
    pub(crate) columns: EdgeColumns,
    /// Number of nodes that the file declares.
    pub(crate) nodes: Option<u64>,
    /// Number of bytes of the file that were read.
    pub(crate) stored: Arc<AtomicU64>,
    /// Parts with the columns of [`EdgeColumns::indices`].
    pub(crate) batches: Batches<'i>,
}

/// Reader of the text.
pub(crate) struct EdgeText<'i> {
    batches: Batches<'i>,
    columns: EdgeColumns,
    text: Vec<u8>,
    /// Position of the first byte of the text that was not read.
    start: usize,
    /// The part of the table that is being written, and its next row.
    batch: Option<(RecordBatch, usize)>,
    /// Number of rows of the parts before.
    rows: u64,
    limit: TextLimit,
}

impl<'i> EdgeText<'i> {
    pub(crate) fn new(table: OpenTable<'i>) -> EdgeText<'i> {
        let OpenTable { columns, nodes, stored, batches } = table;
        let comment = nodes.map_or_else(|| "#".to_owned(), |nodes| format!("# Nodes: {nodes} Edges: 0"));
        let weight = if columns.weight.is_some() { ",weight" } else { "" };
        let text = format!("{comment}\nsource,target{weight}\n").into_bytes();
        EdgeText { batches, columns, text, start: 0, batch: None, rows: 0, limit: TextLimit::new(stored) }
    }

    /// Replaces the text by that of the next rows. It is empty at the end.
    fn advance(&mut self) -> Result<(), TableError> {
        self.text.clear();
        self.start = 0;
        while self.text.is_empty() {
            if self.batch.is_none() {
                match self.batches.next() {
                    None => return Ok(()),
                    Some(batch) => self.batch = Some((batch?, 0)),
                }
            }
            if let Some((batch, row)) = self.batch.take() {
                let next = self.write_rows(&batch, row)?;
                if next < batch.num_rows() {
                    self.batch = Some((batch, next));
                } else {
                    self.rows += batch.num_rows() as u64;
                }
            }
        }
        self.limit.add(self.text.len())
    }

    /// Writes rows from `first` on. Returns the row behind them.
    fn write_rows(&mut self, batch: &RecordBatch, first: usize) -> Result<usize, TableError> {
        let indices = self.columns.indices();
        let ends = [Some(self.columns.source), Some(self.columns.target), self.columns.weight];
        let mut columns = Vec::with_capacity(ends.len());
        for column in ends.into_iter().flatten() {
            let position = indices.iter().position(|&index| index == column).unwrap_or_default();
            let array = batch.columns().get(position).ok_or(TableError::Columns { found: batch.num_columns() })?;
            let field = batch.schema_ref().field(position).clone();
            let cells = Cells::new(array.as_ref()).ok_or_else(|| TableError::ColumnType {
                column: field.name().clone(),
                found: array.data_type().to_string(),
                wanted: "edges cannot have it",
            })?;
            columns.push((field, cells));
        }
        for row in first..batch.num_rows() {
            if self.text.len() >= PIECE_BYTES {
                return Ok(row);
            }
            for (index, (field, cells)) in columns.iter().enumerate() {
                if index > 0 {
                    self.text.push(b',');
                }
                cells.write(row, &mut self.text).map_err(|problem| {
                    let (column, row) = (field.name().clone(), self.rows + row as u64 + 1);
                    match problem {
                        CellProblem::Null => TableError::Null { column, row },
                        CellProblem::Name(problem) => TableError::Name { column, row, problem },
                    }
                })?;
            }
            self.text.push(b'\n');
        }
        Ok(batch.num_rows())
    }
}

impl Read for EdgeText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.start == self.text.len() {
            self.advance().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
        let count = buffer.len().min(self.text.len() - self.start);
        buffer[..count].copy_from_slice(&self.text[self.start..self.start + count]);
        self.start += count;
        Ok(count)
    }
}
