//! GraphML (Brandes et al., 2002): XML with keys that name the attributes of nodes and edges.

use std::collections::HashMap;
use std::io::{Read, Write};

use crate::file::codec::{Codec, Parsed};
use crate::file::error::{ReadError, WriteError};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::listed::{ListedEdge, ListedGraph, SEVERAL_GRAPHS};
use crate::file::listed_writer::{Edge, ListedWriter};
use crate::file::options::ReadOptions;
use crate::file::progress::Progress;
use crate::file::xml::{XmlEvent, XmlReader, attribute, escaped, has_root, is_valid_text};

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "graphml",
        noun: "a GraphML file",
        summary: "GraphML",
        extensions: &["graphml"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::All },
        is_text: true,
        detect: Some(|head| has_root(head, "graphml")),
    },
    read: |stream, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// A key: the name of an attribute of nodes or edges.
struct Key {
    name: String,
    is_of_edges: bool,
}

/// The edge whose element has not ended.
struct OpenEdge {
    source: u32,
    target: u32,
    is_directed: bool,
    weight: Option<String>,
}

fn read(input: impl Read, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let mut xml = XmlReader::new(input);
    let mut graph = ListedGraph::new(options);
    let mut keys: HashMap<String, Key> = HashMap::new();
    let mut last_key = None;
    let mut data_key: Option<String> = None;
    let mut nodes = Vec::new();
    let mut edge: Option<OpenEdge> = None;
    // A node may contain a graph with a default of its own.
    let mut defaults: Vec<bool> = Vec::new();
    let mut has_graph = false;
    let mut default_weight = None;
    while let Some(event) = xml.next()? {
        let place = xml.place();
        let required = |attributes: &[(String, String)], name: &str| match attribute(attributes, name) {
            Some(value) => Ok(value.to_owned()),
            None => Err(place.syntax(format!("the attribute `{name}` is missing"))),
        };
        match event {
            XmlEvent::Start(name, attributes) => match &*name {
                "key" => {
                    let id = required(&attributes, "id")?;
                    let name = attribute(&attributes, "attr.name").unwrap_or(&id).to_owned();
                    let is_of_edges = attribute(&attributes, "for") == Some("edge");
                    keys.insert(id.clone(), Key { name, is_of_edges });
                    last_key = Some(id);
                }
                "graph" if defaults.is_empty() && std::mem::replace(&mut has_graph, true) => {
                    return Err(place.syntax(SEVERAL_GRAPHS));
                }
                "graph" => defaults.push(attribute(&attributes, "edgedefault") != Some("undirected")),
                "node" => nodes.push(graph.declared_node(&required(&attributes, "id")?, place)?),
                "edge" => {
                    let (source, target) = (required(&attributes, "source")?, required(&attributes, "target")?);
                    let is_directed = defaults.last().copied().unwrap_or(true);
                    let is_directed = attribute(&attributes, "directed").map_or(is_directed, |text| text == "true");
                    let (source, target) = (graph.node(&source, place)?, graph.node(&target, place)?);
                    edge = Some(OpenEdge { source, target, is_directed, weight: None });
                }
                "hyperedge" => return Err(place.syntax("edges of more than two nodes are not supported")),
                "data" => data_key = Some(required(&attributes, "key")?),
                _ => {}
            },
            XmlEvent::End(name, text) => match &*name {
                "default" => {
                    let key = last_key.as_ref().and_then(|id| keys.get(id));
                    if key.is_some_and(|key| key.is_of_edges && key.name == "weight") {
                        default_weight = Some(text);
                    }
                }
                "data" => {
                    let id = data_key.take().unwrap_or_default();
                    let name = keys.get(&id).map_or(&*id, |key| &key.name);
                    match (&mut edge, nodes.last()) {
                        (Some(edge), _) if name == "weight" => edge.weight = Some(text),
                        (Some(_), _) | (None, None) => {}
                        (None, Some(&node)) => graph.attribute(node, name, &text, place)?,
                    }
                }
                "node" => drop(nodes.pop()),
                "edge" => {
                    if let Some(OpenEdge { source, target, is_directed, weight }) = edge.take() {
                        let weight = weight.as_deref().or(default_weight.as_deref());
                        graph.edge(&ListedEdge { source, target, is_directed, weight }, place)?;
                    }
                }
                "key" => last_key = None,
                "graph" => drop(defaults.pop()),
                _ => {}
            },
        }
    }
    graph.finish(progress)
}

/// Writes a directed graph with the key `weight` if edges have weights.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let mut writer = ListedWriter::new(graph, output)?;
    let out = &mut writer.output;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    if graph.weights.is_some() {
        writeln!(out, "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/>")?;
    }
    writeln!(out, "  <graph edgedefault=\"directed\">")?;
    writer.nodes(CODEC.format(), is_valid_text, |out, _, id| writeln!(out, "    <node id=\"{}\"/>", escaped(id)))?;
    writer.edges(progress, |out, Edge { ids: [source, target], weight, .. }| {
        write!(out, "    <edge source=\"{}\" target=\"{}\"", escaped(source), escaped(target))?;
        match weight {
            Some(weight) => writeln!(out, "><data key=\"weight\">{weight}</data></edge>"),
            None => writeln!(out, "/>"),
        }
    })?;
    writer.end("  </graph>\n</graphml>\n")
}
