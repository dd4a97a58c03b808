//! Parser of node arguments.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use vyre::graph::{GraphView, ReadError, Separators, generate, read_node_list, role_of};

use super::load::LoadedGraph;
use super::progress::Bar;
use super::reading::{open_reader, read_error, separators};
use crate::argument::parse_seed;
use crate::input::Input;
use crate::output::visible;

/// Parses `--sources`. Without it, returns the nodes with the role source.
pub(crate) fn sources(graph: &LoadedGraph, argument: Option<&str>, bar: &Bar) -> anyhow::Result<Vec<u32>> {
    let view = graph.view();
    let Some(text) = argument else { return by_role(view) };
    if let Some(rest) = text.strip_prefix("random:") {
        let (count, seed) = random(rest)?;
        if count == 0 {
            bail!("--sources: `{}` chooses no node, so there is nowhere to begin", visible(text));
        }
        return generate::sources(view.csr, count, seed).with_context(|| format!("--sources {text}"));
    }
    selected(graph, "--sources", text, bar)
}

/// Nodes that an argument names: a list, a file, or packages of a lock file. `option` is the name of the argument in messages.
pub(crate) fn selected(graph: &LoadedGraph, option: &str, text: &str, bar: &Bar) -> anyhow::Result<Vec<u32>> {
    let view = graph.view();
    if let Some(packages) = graph.packages() {
        return packages.select(option, text);
    }
    let is_list = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' '));
    let is_file = text == "-" || Path::new(text).exists();
    if is_list || !is_file && view.names.is_some() {
        listed(view, option, text)
    } else if is_file {
        from_file(view, text, bar)
    } else {
        let random = if option == "--sources" { ", nor random:K:SEED" } else { "" };
        bail!("{option}: `{}` is neither nodes as 1,2,3{random}, nor an existing file", visible(text))
    }
}

/// Ends of paths, without repetitions.
pub(crate) struct PathEnds {
    pub(crate) nodes: Vec<u32>,
    /// True if one argument names exactly one node, not a list or a file.
    pub(crate) is_single: bool,
}

/// Nodes that arguments of an option name: each is a node, a list, a file, or packages of a lock file.
pub(crate) fn path_ends(graph: &LoadedGraph, option: &str, texts: &[String], bar: &Bar) -> anyhow::Result<PathEnds> {
    let mut nodes = Vec::new();
    let mut is_single = texts.len() == 1;
    for text in texts {
        let is_several = text == "-" || text.contains([',', ' ']) || Path::new(text).exists();
        match node(graph, option, text) {
            Ok(node) => nodes.push(node),
            Err(_) if is_several || graph.packages().is_some() => {
                nodes.extend(selected(graph, option, text, bar)?);
                is_single = false;
            }
            Err(error) => return Err(error),
        }
    }
    let mut seen = HashSet::new();
    nodes.retain(|&node| seen.insert(node));
    Ok(PathEnds { nodes, is_single })
}

/// Parses an argument that identifies a node by name or number.
fn node(graph: &LoadedGraph, option: &str, text: &str) -> anyhow::Result<u32> {
    let view = graph.view();
    let nodes = view.csr.node_count();
    if let Some(packages) = graph.packages() {
        return match packages.select(option, text)?[..] {
            [node] => Ok(node),
            ref nodes => bail!("{option}: `{}` matches {} packages", visible(text), nodes.len()),
        };
    }
    let node = match view.names {
        Some(names) => names.find(text),
        None => text.parse().ok().filter(|&node: &u32| (node as usize) < nodes),
    };
    node.ok_or_else(|| {
        let hint = match (view.names.is_some(), nodes) {
            (_, 0) => "the graph has no nodes".to_owned(),
            (true, 1) => "the only node has another name".to_owned(),
            (true, _) => format!("none of the {nodes} nodes has this name"),
            (false, 1) => "the only node is 0".to_owned(),
            (false, _) => format!("nodes are 0 to {}", nodes - 1),
        };
        anyhow!("{option}: there is no node `{}`; {hint}", visible(text))
    })
}

/// Rejects a graph without sinks, in which a search for sinks finds nothing.
pub(crate) fn check_sinks(graph: &LoadedGraph) -> anyhow::Result<()> {
    if graph.view().csr.node_data.iter().any(|&word| role_of(word).is_sink()) {
        return Ok(());
    }
    bail!(
        "no node has the role sink, so nothing can be found; give nodes roles with `--nodes FILE` (`taint` also takes \
         `--rules FILE`)"
    )
}

fn by_role(graph: GraphView<'_>) -> anyhow::Result<Vec<u32>> {
    let words = (0..).zip(graph.csr.node_data);
    let sources: Vec<u32> = words.filter(|(_, word)| role_of(**word).is_source()).map(|(node, _)| node).collect();
    if sources.is_empty() {
        bail!(
            "no node has the role source, so there is nowhere to begin; name nodes with `--sources 1,2,3`, choose some with \
             `--sources random:10:1`, or give nodes roles with `--nodes FILE` (`taint` also takes `--rules FILE`)"
        );
    }
    Ok(sources)
}

fn random(text: &str) -> anyhow::Result<(usize, u64)> {
    let parse = || {
        let (count, seed) = text.split_once(':')?;
        Some((count.parse().ok()?, parse_seed(seed).ok()?))
    };
    let syntax_error =
        || anyhow!("--sources: `random:{}` is not of the form random:K:SEED, such as random:64:0x5EED", visible(text));
    parse().ok_or_else(syntax_error)
}

fn listed(graph: GraphView<'_>, option: &str, text: &str) -> anyhow::Result<Vec<u32>> {
    if let Some(node) = graph.names.and_then(|names| names.find(text)) {
        return Ok(vec![node]);
    }
    let separators = if graph.names.is_some() && text.contains(',') { Separators::Commas } else { Separators::Any };
    let nodes = read_node_list(text.as_bytes(), separators, graph.names, graph.csr.node_count(), &());
    let nodes = nodes.map_err(|error| match error {
        // An argument has no line numbers.
        ReadError::Text { kind, .. } => anyhow!("{option}: {kind}"),
        error => anyhow!("{option}: {error}"),
    })?;
    if nodes.is_empty() {
        bail!("{option}: there are no nodes in this list");
    }
    Ok(nodes)
}

fn from_file(graph: GraphView<'_>, text: &str, bar: &Bar) -> anyhow::Result<Vec<u32>> {
    let input = Input::new(Path::new(text));
    let opened = open_reader(&input).map_err(ReadError::from);
    let read =
        opened.and_then(|reader| read_node_list(reader, separators(&input), graph.names, graph.csr.node_count(), bar));
    bar.clear();
    let nodes = read.map_err(|error| read_error(&input.name(), &error))?;
    if nodes.is_empty() {
        bail!("{}: there are no nodes in this file", visible(&input.name()));
    }
    Ok(nodes)
}
