//! Attributes of nodes.

use std::fmt;

use super::names::{NamesView, NodeNames};

/// In the place of a row or value that is not there.
pub(crate) const NONE: u32 = u32::MAX;

/// Texts that nodes have: for each attribute, at most one for a node. Each different text of an attribute is kept once.
///
/// [`read_attributes`](super::read_attributes) reads them from a file.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    pub(crate) columns: Vec<Values>,
    /// By node, the row with its attributes. Only nodes with attributes have rows, so that memory goes by the size of a file.
    pub(crate) rows: Vec<u32>,
}

/// One attribute of all nodes that have it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) name: String,
    /// The different texts.
    pub(crate) texts: NodeNames,
    /// By row, the number of the text.
    pub(crate) of_rows: Vec<u32>,
}

/// One attribute of all nodes that have it.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    values: &'a Values,
    rows: &'a [u32],
}

impl Attributes {
    /// How many nodes the graph has, with attributes or without.
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

    /// An attribute of a node, if it has it.
    #[must_use]
    pub fn get(&self, node: u32, attribute: &str) -> Option<&str> {
        self.column(attribute)?.value(node)
    }
}

impl<'a> Column<'a> {
    /// The name of the attribute.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.values.name
    }

    /// The different texts that nodes have, in the order in which they first come.
    #[must_use]
    pub fn values(&self) -> NamesView<'a> {
        self.values.texts.view()
    }

    /// Which of the [`values`](Column::values) a node has.
    #[must_use]
    pub fn value_index(&self, node: u32) -> Option<u32> {
        let row = *self.rows.get(node as usize)?;
        self.values.of_rows.get(row as usize).copied().filter(|&value| value != NONE)
    }

    /// The text that a node has.
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
