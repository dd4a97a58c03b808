//! GEXF, the format of Gephi: XML with the attributes of nodes in elements `attvalue`.

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
        name: "gexf",
        noun: "a GEXF file",
        summary: "GEXF, the format of Gephi",
        extensions: &["gexf"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::All },
        is_text: true,
        detect: Some(|head| has_root(head, "gexf")),
    },
    read: |stream, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// Reads nodes, which may lie in nodes, and edges. The label of a node is its attribute `label`.
fn read(input: impl Read, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let mut xml = XmlReader::new(input);
    let mut graph = ListedGraph::new(options);
    let mut titles: HashMap<String, String> = HashMap::new();
    let mut is_of_nodes = false;
    let mut nodes = Vec::new();
    let mut is_directed = false;
    let mut has_graph = false;
    while let Some(event) = xml.next()? {
        let place = xml.place();
        let required = |attributes: &[(String, String)], name: &str| match attribute(attributes, name) {
            Some(value) => Ok(value.to_owned()),
            None => Err(place.syntax(format!("the attribute `{name}` is missing"))),
        };
        match event {
            XmlEvent::Start(name, attributes) => match &*name {
                "graph" if std::mem::replace(&mut has_graph, true) => return Err(place.syntax(SEVERAL_GRAPHS)),
                "graph" => is_directed = attribute(&attributes, "defaultedgetype") == Some("directed"),
                "attributes" => is_of_nodes = attribute(&attributes, "class") == Some("node"),
                "attribute" if is_of_nodes => {
                    let id = required(&attributes, "id")?;
                    let title = attribute(&attributes, "title").unwrap_or(&id).to_owned();
                    titles.insert(id, title);
                }
                "node" => {
                    let id = required(&attributes, "id")?;
                    let node = graph.declared_node(&id, place)?;
                    if let Some(label) = attribute(&attributes, "label").filter(|label| *label != id) {
                        graph.attribute(node, "label", label, place)?;
                    }
                    nodes.push(node);
                }
                "attvalue" => {
                    if let Some(&node) = nodes.last() {
                        let (id, value) = (required(&attributes, "for")?, required(&attributes, "value")?);
                        graph.attribute(node, titles.get(&id).unwrap_or(&id), &value, place)?;
                    }
                }
                "edge" => {
                    let (source, target) = (required(&attributes, "source")?, required(&attributes, "target")?);
                    let is_directed = attribute(&attributes, "type").map_or(is_directed, |kind| kind == "directed");
                    let (source, target) = (graph.node(&source, place)?, graph.node(&target, place)?);
                    let weight = attribute(&attributes, "weight");
                    graph.edge(&ListedEdge { source, target, is_directed, weight }, place)?;
                }
                _ => {}
            },
            XmlEvent::End(name, _) if name == "node" => drop(nodes.pop()),
            XmlEvent::End(..) => {}
        }
    }
    graph.finish(progress)
}

/// Writes a static directed graph. The label of a node is its identifier.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let mut writer = ListedWriter::new(graph, output)?;
    let out = &mut writer.output;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">")?;
    writeln!(out, "  <graph mode=\"static\" defaultedgetype=\"directed\">\n    <nodes>")?;
    writer.nodes(CODEC.format(), is_valid_text, |out, _, id| {
        writeln!(out, "      <node id=\"{0}\" label=\"{0}\"/>", escaped(id))
    })?;
    writeln!(writer.output, "    </nodes>\n    <edges>")?;
    writer.edges(progress, |out, Edge { position, ids: [source, target], weight, .. }| {
        let (source, target) = (escaped(source), escaped(target));
        write!(out, "      <edge id=\"{position}\" source=\"{source}\" target=\"{target}\"")?;
        match weight {
            Some(weight) => writeln!(out, " weight=\"{weight}\"/>"),
            None => writeln!(out, "/>"),
        }
    })?;
    writer.end("    </edges>\n  </graph>\n</gexf>\n")
}
