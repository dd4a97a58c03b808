//! Drawings of graphs.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use vyre::graph::drawing::{Drawing, DrawingError};
use vyre::graph::{GraphView, NodeNames};

use crate::args::graph::SVG;

/// Reports whether a file name is that of a drawing.
pub(super) fn is_svg(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(SVG))
}

/// A drawing of a graph, as an SVG file.
pub(super) fn svg(graph: GraphView<'_>, title: &str) -> Result<String, DrawingError> {
    let name = |node: u32| match graph.names.and_then(|names| names.name(node)) {
        Some(name) => name.to_owned(),
        None => node.to_string(),
    };
    Ok(Drawing::new(graph.csr, name)?.svg(title))
}

/// Message for a graph that is not drawn. `advice` says how to draw less.
pub(crate) fn drawing_error(error: &DrawingError, advice: &str) -> anyhow::Error {
    match error {
        DrawingError::Graph(_) => anyhow!("{error}"),
        _ => anyhow!("{error}; {advice}"),
    }
}

/// Names of some nodes of a graph: their names, or their numbers.
pub(crate) fn names_of(graph: GraphView<'_>, nodes: &[u32]) -> anyhow::Result<NodeNames> {
    let mut names = NodeNames::new();
    for &node in nodes {
        let name = graph.names.and_then(|names| names.name(node).map(str::to_owned));
        names.intern(&name.unwrap_or_else(|| node.to_string())).context("the names are too long")?;
    }
    Ok(names)
}
