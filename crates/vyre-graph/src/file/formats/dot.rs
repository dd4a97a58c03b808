//! DOT, the language of Graphviz (Gansner, Koutsofios, North, 2006).

use std::borrow::Cow;
use std::io::{Read, Write};

use crate::file::codec::{Codec, Parsed};
use crate::file::dot_parser::DotParser;
use crate::file::dot_tokens::{DotToken, DotTokens};
use crate::file::error::{ReadError, WriteError};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::listed_writer::{Edge, ListedWriter};
use crate::file::options::ReadOptions;
use crate::file::progress::Progress;
use crate::role::{Role, role_of};

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "dot",
        noun: "a DOT file",
        summary: "DOT, the language of Graphviz",
        extensions: &["dot", "gv"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::All },
        is_text: true,
        detect: Some(is_dot),
    },
    read: |stream, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// Reports whether a text that starts with these bytes begins as `[strict] (graph | digraph) [name] {`.
fn is_dot(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut tokens = DotTokens::new(head);
    let mut words = 0;
    let mut is_graph = false;
    loop {
        match tokens.next() {
            Ok(Some((DotToken::Id(word, is_quoted), _))) if words < 3 => {
                let is = |keyword| !is_quoted && word.eq_ignore_ascii_case(keyword);
                is_graph |= words < 2 && (is("graph") || is("digraph"));
                if words == 0 && !is_graph && !is("strict") {
                    return false;
                }
                words += 1;
            }
            Ok(Some((DotToken::Mark(b'{'), _))) => return is_graph,
            _ => return false,
        }
    }
}

fn read(input: impl Read, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    DotParser::new(input, options).parse()?.finish(progress)
}

/// Writes a directed graph. All nodes are listed before the edges.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let mut writer = ListedWriter::new(graph, output)?;
    writeln!(writer.output, "digraph {{")?;
    writer.nodes(CODEC.format(), is_valid, |out, node, id| {
        writeln!(out, "  {}{};", quoted(id), mark(role_of(graph.csr.node_data[node as usize])))
    })?;
    writer.edges(progress, |out, Edge { ids: [source, target], weight, .. }| {
        write!(out, "  {} -> {}", quoted(source), quoted(target))?;
        match weight {
            Some(weight) => writeln!(out, " [weight={weight}];"),
            None => writeln!(out, ";"),
        }
    })?;
    writer.end("}\n")
}

/// Attributes that show the role of a node. Readers keep `role` as an attribute.
fn mark(role: Role) -> &'static str {
    match role {
        Role::Normal => "",
        Role::Source => " [role=source, shape=box, style=rounded]",
        Role::Sink => " [role=sink, shape=box, peripheries=2]",
        Role::SourceAndSink => " [role=\"source+sink\", shape=box, style=rounded, peripheries=2]",
        Role::Sanitizer => " [role=sanitizer, shape=box, style=dashed]",
    }
}

/// Reports whether a quoted text can be this one: a backslash has a meaning before quotes and line ends, and doubled ones stay so.
fn is_valid(id: &str) -> bool {
    let is_special = |pair: &[u8]| pair[0] == b'\\' && matches!(pair[1], b'"' | b'\n');
    !id.contains('\0') && !id.ends_with('\\') && !id.as_bytes().windows(2).any(is_special)
}

/// The identifier, quoted unless it is a number.
fn quoted(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("\"{}\"", id.replace('"', "\\\"")))
}
