//! Assembly of the attributes of nodes, one value at a time.

use std::collections::HashMap;

use super::attributes::{ABSENT, Attributes, MAX_COLUMNS, Values};
use super::text_error::TextErrorKind;

/// Attributes that are being read.
#[derive(Default)]
pub(crate) struct NodeTable {
    columns: Vec<Values>,
    by_name: HashMap<String, usize>,
    /// Row of each node with attributes.
    rows: Vec<u32>,
    row_count: u32,
    /// Number of values.
    values: u64,
    /// Number of rows of all columns together.
    cells: u64,
}

impl NodeTable {
    /// Sets the value of a node. A later value of the same attribute replaces an earlier one.
    ///
    /// # Errors
    ///
    /// There are too many attributes, or their values are too long.
    pub(crate) fn set(&mut self, node: u32, name: &str, value: &str) -> Result<(), TextErrorKind> {
        if value.is_empty() {
            return Ok(());
        }
        let node = node as usize;
        if self.rows.len() <= node {
            self.rows.resize(node + 1, ABSENT);
        }
        if self.rows[node] == ABSENT {
            self.rows[node] = self.row_count;
            self.row_count += 1;
        }
        let row = self.rows[node] as usize;
        let column = match self.by_name.get(name) {
            Some(&column) => column,
            None if self.columns.len() == MAX_COLUMNS => {
                return Err(TextErrorKind::TooManyColumns { limit: MAX_COLUMNS });
            }
            None => {
                self.by_name.insert(name.to_owned(), self.columns.len());
                self.columns.push(Values { name: name.to_owned(), ..Values::default() });
                self.columns.len() - 1
            }
        };
        self.values += 1;
        let values = &mut self.columns[column];
        if values.of_rows.len() <= row {
            self.cells += (row + 1 - values.of_rows.len()) as u64;
            // Many attributes that few nodes have would take memory out of proportion to the text.
            if self.cells > 256 * self.values + (1 << 20) {
                return Err(TextErrorKind::SparseColumns { columns: self.columns.len() });
            }
            values.of_rows.resize(row + 1, ABSENT);
        }
        values.of_rows[row] = values.texts.intern(value).ok_or(TextErrorKind::ValuesTooLong)?;
        Ok(())
    }

    /// The attributes of a graph with this number of nodes; `None` if there are none.
    pub(crate) fn finish(mut self, nodes: usize) -> Option<Attributes> {
        if self.columns.is_empty() {
            return None;
        }
        self.rows.resize(nodes, ABSENT);
        Some(Attributes { columns: self.columns, rows: self.rows })
    }
}
