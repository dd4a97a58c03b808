//! Attributes of nodes.

use std::fmt;

use super::names::{NamesView, NodeNames};

/// Maximum number of attributes, since each takes memory even if it is empty.
pub(crate) const MAX_COLUMNS: usize = 4096;

/// Index of an absent row or value.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Attributes of nodes: named columns of texts, with at most one text for each node. Equal texts of a column are stored once.
///
/// [`read_attributes`](super::read_attributes) reads them from a file.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    pub(crate) columns: Vec<Values>,
    /// Row of each node. Only nodes with attributes have rows, so memory is proportional to the size of the file.
    pub(crate) rows: Vec<u32>,
}

/// Dictionary-encoded column.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) name: String,
    /// Distinct texts.
    pub(crate) texts: NodeNames,
    /// Index of the text of each row.
    pub(crate) of_rows: Vec<u32>,
}

/// An attribute of all nodes that have it.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    values: &'a Values,
    rows: &'a [u32],
}

impl Attributes {
    /// Number of nodes of the graph, with attributes or without.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.rows.len()
    }

    /// All attributes, in the order of the file.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = Column<'_>> {
        self.columns.iter().map(|values| Column { values, rows: &self.rows })
    }

    /// The attribute with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Column<'_>> {
        self.columns().find(|column| column.name() == name)
    }

    /// Value of an attribute of a node.
    #[must_use]
    pub fn get(&self, node: u32, attribute: &str) -> Option<&str> {
        self.column(attribute)?.value(node)
    }
}

impl<'a> Column<'a> {
    /// Name of the attribute.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.values.name
    }

    /// Distinct values, in the order of their first occurrence.
    #[must_use]
    pub fn values(&self) -> NamesView<'a> {
        self.values.texts.view()
    }

    /// Index of the value of a node in [`values`](Column::values).
    #[must_use]
    pub fn value_index(&self, node: u32) -> Option<u32> {
        let row = *self.rows.get(node as usize)?;
        self.values.of_rows.get(row as usize).copied().filter(|&value| value != ABSENT)
    }

    /// Value of a node.
    #[must_use]
    pub fn value(&self, node: u32) -> Option<&'a str> {
        self.values().name(self.value_index(node)?)
    }
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = 0..self.rows.len() as u32;
        f.debug_map().entries(nodes.filter_map(|node| Some((node, self.value(node)?)))).finish()
    }
}

impl fmt::Debug for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.columns().map(|column| (column.name(), column))).finish()
    }
}
