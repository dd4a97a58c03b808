//! Node-link JSON, as networkx and D3 write it: an object with arrays `nodes`, and `links` or `edges`.

use std::io::{Read, Write};

use crate::file::codec::{Codec, Parsed};
use crate::file::error::{ReadError, WriteError};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::listed_writer::{Edge, ListedWriter};
use crate::file::node_link::read_node_link;
use crate::file::options::ReadOptions;
use crate::file::progress::Progress;

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "json",
        noun: "a node-link JSON file",
        summary: "Node-link JSON of networkx and D3",
        extensions: &["json"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::All },
        is_text: true,
        detect: Some(is_node_link),
    },
    read: |stream, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// Reports whether bytes are the beginning of an object with an array `nodes`, `links` or `edges`. Other objects, such as lock files,
/// are not node-link JSON.
fn is_node_link(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let has_array = |key: &[u8]| {
        memchr::memmem::find_iter(head, key).any(|at| {
            let rest = head[at + key.len()..].trim_ascii_start();
            rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"["))
        })
    };
    head.starts_with(b"{") && [&b"\"nodes\""[..], b"\"links\"", b"\"edges\""].into_iter().any(has_array)
}

fn read(input: impl Read, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    read_node_link(input, options)?.finish(progress)
}

/// Writes a directed graph. Identifiers are numbers if nodes have no names.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let mut writer = ListedWriter::new(graph, output)?;
    let has_names = graph.names.is_some();
    let text = |id: &str| if has_names { serde_json::Value::from(id).to_string() } else { id.to_owned() };
    let is_multigraph = has_parallel_edges(graph);
    write!(writer.output, "{{\"directed\": true, \"multigraph\": {is_multigraph}, \"graph\": {{}},\n\"nodes\": [")?;
    writer.nodes(
        CODEC.format(),
        |_| true,
        |out, node, id| write!(out, "{}\n{{\"id\": {}}}", if node == 0 { "" } else { "," }, text(id)),
    )?;
    write!(writer.output, "\n],\n\"edges\": [")?;
    writer.edges(progress, |out, Edge { position, ids: [source, target], weight, .. }| {
        let separator = if position == 0 { "" } else { "," };
        write!(out, "{separator}\n{{\"source\": {}, \"target\": {}", text(source), text(target))?;
        match weight {
            Some(weight) => write!(out, ", \"weight\": {weight}}}"),
            None => write!(out, "}}"),
        }
    })?;
    writer.end("\n]}\n")
}

/// Reports whether two edges have the same ends.
fn has_parallel_edges(graph: GraphView<'_>) -> bool {
    let mut sorted = Vec::new();
    (0..graph.csr.node_count() as u32).any(|node| {
        sorted.clear();
        sorted.extend_from_slice(graph.csr.neighbours(node));
        sorted.sort_unstable();
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    })
}
