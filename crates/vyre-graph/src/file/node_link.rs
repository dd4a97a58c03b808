//! Streaming reader of node-link JSON. Only one node or edge is in memory as JSON at a time.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use serde_json::Value;
use serde_json::de::Deserializer;

use serde::de::{DeserializeSeed, Deserializer as _, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::ReadError;
use super::listed::{ListedEdge, ListedGraph, Place};
use super::located::Located;
use super::options::ReadOptions;
use super::text_error::shown;

/// Reads an object of node-link JSON.
///
/// # Errors
///
/// The input cannot be read, is not JSON, or has no nodes and edges.
pub(crate) fn read_node_link<'o>(input: impl Read, options: &'o ReadOptions) -> Result<ListedGraph<'o>, ReadError> {
    let input = Located::new(input);
    let mut reader = Reader {
        place: input.shared_place(),
        graph: ListedGraph::new(options),
        names: Vec::new(),
        are_strings: Vec::new(),
        nodes: 0,
        is_directed: false,
        arrays: 0,
        error: None,
    };
    let mut json = Deserializer::from_reader(input);
    let parsed = json.deserialize_map(&mut reader).and_then(|()| json.end());
    if let Some(error) = reader.error.take() {
        return Err(error);
    }
    parsed.map_err(|error| match error.io_error_kind() {
        Some(kind) => io::Error::new(kind, error.to_string()).into(),
        None => {
            let place = Place { line: error.line().max(1) as u64, at: error.column().saturating_sub(1) };
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or_default();
            place.syntax(format!("the JSON is malformed: {}", what.escape_debug()))
        }
    })?;
    if reader.arrays == 0 {
        let what = "the object has no array `nodes`, `links` or `edges`, so it is not node-link JSON";
        return Err(Place { line: 1, at: 0 }.syntax(what));
    }
    // The key `directed` may stand behind the edges.
    if !reader.is_directed {
        reader.graph.mirror(reader.place.get())?;
    }
    reader.names.resize(reader.graph.node_count(), None);
    reader.graph.rename(&reader.names);
    Ok(reader.graph)
}

/// State of the reader.
struct Reader<'o> {
    /// Position of the next byte.
    place: Rc<Cell<Place>>,
    graph: ListedGraph<'o>,
    /// Names of nodes without identifiers.
    names: Vec<Option<String>>,
    /// True for nodes whose identifier is a string, false for others.
    are_strings: Vec<bool>,
    /// Number of nodes of the array.
    nodes: u32,
    is_directed: bool,
    /// Number of arrays of nodes or edges.
    arrays: u32,
    /// Error of the graph.
    error: Option<ReadError>,
}

impl Reader<'_> {
    /// An error for the parser, which stops it.
    fn stop<E: Error>(&mut self, error: ReadError) -> E {
        self.error = Some(error);
        E::custom("stopped")
    }

    fn node(&mut self, node: &Value) -> Result<(), ReadError> {
        let place = self.place.get();
        let Value::Object(fields) = node else { return Err(place.syntax("a node is not an object")) };
        let index = self.nodes;
        self.nodes += 1;
        let number = Value::from(index);
        let id = fields.get("id").unwrap_or(&number);
        let node = self.graph.declared_node(&text_of(id), place)?;
        self.check_kind(node, id, place)?;
        if !fields.contains_key("id")
            && let Some(Value::String(name)) = fields.get("name")
        {
            self.names.resize(self.names.len().max(node as usize + 1), None);
            self.names[node as usize] = Some(name.clone());
        }
        for (name, value) in fields.iter().filter(|(name, value)| *name != "id" && !value.is_null()) {
            self.graph.attribute(node, name, &text_of(value), place)?;
        }
        Ok(())
    }

    /// Rejects identifiers such as `1` and `"1"`, which differ and have the same text.
    fn check_kind(&mut self, node: u32, id: &Value, place: Place) -> Result<(), ReadError> {
        match self.are_strings.get(node as usize) {
            None => {
                self.are_strings.resize(node as usize + 1, id.is_string());
                Ok(())
            }
            Some(&is_string) if is_string == id.is_string() => Ok(()),
            Some(_) => {
                let text = shown(text_of(id).as_bytes());
                Err(place.syntax(format!("the identifier `{text}` is a string in one place and none in another")))
            }
        }
    }

    fn edge(&mut self, edge: &Value) -> Result<(), ReadError> {
        let place = self.place.get();
        let mut end = |name: &str| -> Result<u32, ReadError> {
            let id = edge.get(name).ok_or_else(|| place.syntax(format!("an edge has no `{name}`")))?;
            let node = self.graph.node(&text_of(id), place)?;
            self.check_kind(node, id, place)?;
            Ok(node)
        };
        let (source, target) = (end("source")?, end("target")?);
        let weight = edge.get("weight").filter(|weight| !weight.is_null()).map(text_of);
        let edge = ListedEdge { source, target, is_directed: true, weight: weight.as_deref() };
        self.graph.edge(&edge, place)
    }
}

/// A string itself, and the JSON of other values.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

impl<'de> Visitor<'de> for &mut Reader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes`, and `links` or `edges`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "directed" => self.is_directed = map.next_value()?,
                "nodes" => map.next_value_seed(Items { reader: self, are_edges: false })?,
                "links" | "edges" => map.next_value_seed(Items { reader: self, are_edges: true })?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Elements of an array of nodes or edges.
struct Items<'r, 'o> {
    reader: &'r mut Reader<'o>,
    are_edges: bool,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.are_edges { "an array of edges" } else { "an array of nodes" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.reader.arrays += 1;
        while let Some(item) = items.next_element::<Value>()? {
            let added = if self.are_edges { self.reader.edge(&item) } else { self.reader.node(&item) };
            if let Err(error) = added {
                return Err(self.reader.stop(error));
            }
        }
        Ok(())
    }
}
