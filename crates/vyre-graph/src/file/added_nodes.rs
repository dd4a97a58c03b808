//! Addition of named nodes without edges, which texts with an edge on each line cannot have.

use std::io::Read;

use super::attribute_text::for_each_node_of_table;
use super::attributes::ABSENT;
use super::codec::Storage;
use super::error::{ReadError, array_error, text_error};
use super::fields::{Field, LineError};
use super::graph::Graph;
use super::node_text::{Separators, for_each_node, for_each_row, is_node_table};
use super::progress::Progress;
use super::read::Loaded;
use super::text_error::TextErrorKind;

impl Loaded {
    /// Adds the nodes of a list, as [`read_node_list`](super::read_node_list) reads it, that the graph does not have. Returns their number. A
    /// mapped graph is copied into memory, and an index is dropped, if there are any.
    ///
    /// # Errors
    ///
    /// The input cannot be read, the nodes of the graph have no names, or there are more nodes than `max_nodes`.
    ///
    /// ```
    /// use vyre_graph::{Format, NodeIds, ReadOptions, Separators, read_graph};
    ///
    /// let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
    /// let mut loaded = read_graph((&b"main,parse\n"[..]).into(), &options, &())?;
    /// assert_eq!(loaded.add_nodes(&b"parse\nalone\n"[..], Separators::Any, None, &())?, 1);
    /// assert_eq!(loaded.view().names.and_then(|names| names.find("alone")), Some(2));
    /// # Ok::<(), vyre_graph::ReadError>(())
    /// ```
    pub fn add_nodes(
        &mut self,
        input: impl Read + Send,
        separators: Separators,
        max_nodes: Option<u32>,
        progress: &dyn Progress,
    ) -> Result<usize, ReadError> {
        self.add(max_nodes, |visit| for_each_node(input, separators, progress, visit))
    }

    /// Adds the nodes of a node file, as [`read_nodes`](super::read_nodes) or [`read_node_table`](super::read_node_table) reads it, that the
    /// graph does not have. Returns their number. The roles of the file are not read.
    ///
    /// # Errors
    ///
    /// Those of [`add_nodes`](Loaded::add_nodes), or the file has no column for nodes.
    pub fn add_nodes_of_file(
        &mut self,
        text: &[u8],
        separators: Separators,
        max_nodes: Option<u32>,
        progress: &dyn Progress,
    ) -> Result<usize, ReadError> {
        self.add(max_nodes, |visit| match is_node_table(text) {
            true => for_each_node_of_table(text, progress, visit),
            false => for_each_row(text, separators, progress, |node, _, _| visit(node)),
        })
    }

    fn add(
        &mut self,
        max_nodes: Option<u32>,
        for_each: impl FnOnce(&mut Visit<'_>) -> Result<(), ReadError>,
    ) -> Result<usize, ReadError> {
        if self.view().names.is_none() {
            return Err(array_error("names", None, "the nodes of the graph have none, so no named node can be added"));
        }
        let mut graph =
            match std::mem::replace(&mut self.storage, Storage::Memory { graph: Graph::default(), index: None }) {
                Storage::Memory { graph, .. } => graph,
                Storage::Mapped(file) => file.view().to_graph(),
            };
        let added = graph.add_nodes(max_nodes, for_each);
        self.storage = Storage::Memory { graph, index: None };
        let nodes = self.view().csr.node_count();
        if let Some(attributes) = &mut self.attributes {
            attributes.rows.resize(nodes, ABSENT);
        }
        added
    }
}

/// Visitor of the fields of nodes.
type Visit<'v> = dyn FnMut(&Field<'_>) -> Result<(), LineError> + Send + 'v;

impl Graph {
    fn add_nodes(
        &mut self,
        max_nodes: Option<u32>,
        for_each: impl FnOnce(&mut Visit<'_>) -> Result<(), ReadError>,
    ) -> Result<usize, ReadError> {
        let before = self.csr.node_data.len();
        let names = self.names.get_or_insert_default();
        let read = for_each(&mut |field| {
            let name = field.name(false)?;
            let hash = names.view().index().hash(&name);
            let node = names.intern_hashed(hash, &name).ok_or((field.at, TextErrorKind::NamesTooLong))?;
            match max_nodes {
                Some(limit) if node >= limit => Err((field.at, TextErrorKind::NodeLimit { node, limit })),
                _ => Ok(()),
            }
        });
        let count = names.view().len();
        let end = self.csr.offsets.last().copied().unwrap_or_default();
        self.csr.offsets.resize(count + 1, end);
        self.csr.node_data.resize(count, 0);
        u32::try_from(count).map_err(|_| text_error(1, 0, TextErrorKind::NamesTooLong))?;
        read.map(|()| count - before)
    }
}
