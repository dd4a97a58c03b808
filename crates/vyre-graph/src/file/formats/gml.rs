//! GML (Himsolt, 1997): nested lists of keys and values.

use std::borrow::Cow;
use std::io::{Read, Write};

use crate::file::codec::{Codec, Parsed};
use crate::file::error::{ReadError, WriteError};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::gml_tokens::{GmlToken, GmlTokens};
use crate::file::graph::GraphView;
use crate::file::listed::{ListedEdge, ListedGraph, Place, SEVERAL_GRAPHS};
use crate::file::listed_writer::{Edge, ListedWriter};
use crate::file::options::ReadOptions;
use crate::file::progress::Progress;

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "gml",
        noun: "a GML file",
        summary: "GML",
        extensions: &["gml"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::All },
        is_text: true,
        detect: Some(is_gml),
    },
    read: |stream, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// Maximum depth of lists.
const MAX_DEPTH: usize = 256;

/// Reports whether a text that starts with these bytes has a list `graph` among its first keys.
fn is_gml(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut tokens = GmlTokens::new(head);
    // Keys before the list have values: `Creator "a program"`, `Version 1`.
    for _ in 0..16 {
        let Ok(Some((GmlToken::Word(key), _))) = tokens.next() else { return false };
        match tokens.next() {
            Ok(Some((GmlToken::Open, _))) => return key.eq_ignore_ascii_case("graph"),
            Ok(Some((GmlToken::Text(_), _))) => {}
            Ok(Some((GmlToken::Word(value), _))) if value.starts_with(|first: char| first.is_ascii_digit()) => {}
            _ => return false,
        }
    }
    false
}

/// A list `node` or `edge` that has not ended.
struct Element {
    is_edge: bool,
    place: Place,
    /// Keys with dots between those of nested lists, and values.
    fields: Vec<(String, String)>,
}

impl Element {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    fn required(&self, name: &str) -> Result<&str, ReadError> {
        self.field(name).ok_or_else(|| self.place.syntax(format!("the key `{name}` is missing")))
    }

    /// Adds the node or edge to the graph.
    fn add(&self, graph: &mut ListedGraph<'_>, labels: &mut Vec<Option<String>>) -> Result<(), ReadError> {
        if self.is_edge {
            let source = graph.node(self.required("source")?, self.place)?;
            let target = graph.node(self.required("target")?, self.place)?;
            let weight = self.field("weight").or_else(|| self.field("value"));
            return graph.edge(&ListedEdge { source, target, is_directed: true, weight }, self.place);
        }
        let node = graph.declared_node(self.required("id")?, self.place)?;
        labels.resize(labels.len().max(node as usize + 1), None);
        for (key, value) in &self.fields {
            match &**key {
                "id" => {}
                "label" => labels[node as usize] = Some(value.clone()),
                key => graph.attribute(node, key, value, self.place)?,
            }
        }
        Ok(())
    }
}

/// Reads nodes and edges. Labels are the names of nodes if they are distinct.
fn read(input: impl Read, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let mut tokens = GmlTokens::new(input);
    let mut graph = ListedGraph::new(options);
    let mut labels = Vec::new();
    let mut is_directed = false;
    let mut has_graph = false;
    let mut open: Vec<String> = Vec::new();
    let mut element: Option<Element> = None;
    while let Some((token, place)) = tokens.next()? {
        let key = match token {
            GmlToken::Word(key) => key.to_ascii_lowercase(),
            GmlToken::Close if open.pop().is_some() => {
                if open.len() == 1
                    && let Some(element) = element.take()
                {
                    element.add(&mut graph, &mut labels)?;
                }
                continue;
            }
            _ => return Err(place.syntax("a key is expected here")),
        };
        match tokens.next()? {
            Some((GmlToken::Open, place)) => {
                if open.len() == MAX_DEPTH {
                    return Err(place.syntax(format!("lists are nested more than {MAX_DEPTH} deep")));
                }
                if open.is_empty() && key == "graph" && std::mem::replace(&mut has_graph, true) {
                    return Err(place.syntax(SEVERAL_GRAPHS));
                }
                if open.len() == 1 && open[0] == "graph" && (key == "node" || key == "edge") {
                    element = Some(Element { is_edge: key == "edge", place, fields: Vec::new() });
                }
                open.push(key);
            }
            Some((GmlToken::Word(value) | GmlToken::Text(value), _)) => match &mut element {
                Some(element) => {
                    let path = open[2.min(open.len())..].iter().map(|key| &**key).chain([&*key]);
                    element.fields.push((path.collect::<Vec<_>>().join("."), value));
                }
                None if open == ["graph"] && key == "directed" => is_directed = value == "1",
                None => {}
            },
            Some((GmlToken::Close, place)) => return Err(place.syntax(format!("the key `{key}` has no value"))),
            None => return Err(place.syntax(format!("the text ends after the key `{key}`"))),
        }
    }
    if !open.is_empty() {
        return Err(tokens.place().syntax("the text ends within a list"));
    }
    // The key `directed` may stand behind the edges.
    if !is_directed {
        graph.mirror(tokens.place())?;
    }
    labels.resize(graph.node_count(), None);
    graph.rename(&labels);
    graph.finish(progress)
}

/// Writes a directed graph. The identifiers of nodes are numbers, and their labels are names.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let mut writer = ListedWriter::new(graph, output)?;
    writeln!(writer.output, "graph [\n  directed 1\n  multigraph 1")?;
    writer.nodes(
        CODEC.format(),
        |id| !id.contains('\0'),
        |out, node, id| writeln!(out, "  node [\n    id {node}\n    label \"{}\"\n  ]", escaped(id)),
    )?;
    writer.edges(progress, |out, Edge { nodes: [source, target], weight, .. }| {
        writeln!(out, "  edge [\n    source {source}\n    target {target}")?;
        if let Some(weight) = weight {
            writeln!(out, "    weight {weight}")?;
        }
        writeln!(out, "  ]")
    })?;
    writer.end("]\n")
}

/// Replaces quotes, ampersands and characters that are not printable ASCII by their numbers.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| matches!(character, ' '..='~') && !matches!(character, '"' | '&');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            character if is_plain(character) => escaped.push(character),
            character => escaped.push_str(&format!("&#{};", u32::from(character))),
        }
    }
    Cow::Owned(escaped)
}
