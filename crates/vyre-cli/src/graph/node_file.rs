//! The file of `--nodes`: roles and attributes of nodes, and nodes that no edge has.

use std::io::{Cursor, Read};

use anyhow::{anyhow, bail};
use vyre::graph::file::{TextErrorKind, is_node_table, read_node_table};
use vyre::graph::{Attributes, GraphView, Loaded, ReadError, Separators, read_nodes};

use super::progress::Bar;
use super::reading::{open_reader, read_error, separators};
use crate::input::Input;
use crate::output::{number, visible};

/// Number of first bytes by which a table is recognised.
const HEAD_BYTES: u64 = 64 << 10;

/// What the file says about nodes.
pub(super) struct NodeFile {
    /// Words of all nodes, merged with the roles of the file.
    pub(super) node_data: Vec<u32>,
    /// Attributes, if the file has columns of them.
    pub(super) attributes: Option<Attributes>,
}

/// Reads the file about the nodes of a graph.
pub(super) fn read_node_file(input: &Input, graph: GraphView<'_>, bar: &Bar) -> anyhow::Result<NodeFile> {
    let opened = open_reader(input).map_err(ReadError::from);
    let read = opened.and_then(|mut reader| {
        let mut head = Vec::new();
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let is_table = is_node_table(&head);
        parse(Cursor::new(head).chain(reader), is_table, separators(input), graph, bar)
    });
    bar.clear();
    read.map_err(|error| {
        let is_unknown = matches!(error, ReadError::Text { kind: TextErrorKind::UnknownNode { .. }, .. });
        let hint =
            if is_unknown && graph.names.is_some() { "; nodes without edges are added with --add-nodes" } else { "" };
        anyhow!("{:#}{hint}", read_error(&input.name(), &error))
    })
}

/// Reads the file, and first adds its nodes to a graph whose nodes have names. A note counts them.
pub(super) fn add_node_file(
    input: &Input,
    loaded: &mut Loaded,
    max_nodes: Option<u32>,
    bar: &Bar,
) -> anyhow::Result<NodeFile> {
    if loaded.view().names.is_none() {
        bail!("--add-nodes is about names of nodes, and nodes are numbers here; --min-nodes adds nodes without edges");
    }
    let mut text = Vec::new();
    let opened = open_reader(input).map_err(ReadError::from);
    let read = opened.and_then(|mut reader| {
        reader.read_to_end(&mut text)?;
        let added = loaded.add_nodes_of_file(&text, separators(input), max_nodes, bar)?;
        parse(&text[..], is_node_table(&text), separators(input), loaded.view(), bar).map(|file| (added, file))
    });
    bar.clear();
    let (added, file) = read.map_err(|error| read_error(&input.name(), &error))?;
    if added > 0 {
        let nodes = if added == 1 { "1 node occurs".to_owned() } else { format!("{} nodes occur", number(added)) };
        bar.note(&format!("{}: {nodes} in no edge and added", visible(&input.name())));
    }
    Ok(file)
}

fn parse(
    reader: impl Read + Send,
    is_table: bool,
    separators: Separators,
    graph: GraphView<'_>,
    bar: &Bar,
) -> Result<NodeFile, ReadError> {
    let mut node_data = graph.csr.node_data.to_vec();
    let attributes = if is_table {
        Some(read_node_table(reader, graph.names, &mut node_data, bar)?)
    } else {
        read_nodes(reader, separators, graph.names, &mut node_data, bar)?;
        None
    };
    Ok(NodeFile { node_data, attributes: attributes.filter(|attributes| attributes.columns().len() > 0) })
}
