//! Parser of the nodes to which the random surfer of PageRank jumps.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail};

use super::labels::read_attributes_of;
use super::load::LoadedGraph;
use super::progress::Bar;
use super::sources::selected;
use crate::output::visible;

/// Name of the column of weights.
const WEIGHT: &str = "weight";

/// Maximum number of bytes of a header.
const MAX_HEADER_BYTES: u64 = 1 << 16;

/// Nodes with their weights: a CSV file with the columns `node` and `weight`, otherwise nodes of equal weights as those of `--sources`. A
/// node that occurs more often has a higher weight.
pub(crate) fn restart(graph: &LoadedGraph, text: &str, bar: &Bar) -> anyhow::Result<Vec<(u32, u32)>> {
    let path = Path::new(text);
    if !has_weights(path) {
        return Ok(selected(graph, "--personalise", text, bar)?.into_iter().map(|node| (node, 1)).collect());
    }
    let attributes = read_attributes_of(path, graph, bar)?;
    let weights = attributes.column(WEIGHT).context("the header of the file has changed")?;
    let mut restart = Vec::new();
    for node in 0..graph.view().csr.node_count() as u32 {
        let Some(weight) = weights.value(node) else { continue };
        match weight.trim().parse() {
            Ok(weight) => restart.push((node, weight)),
            Err(_) => bail!(
                "{}: the weight `{}` of node {node} is not a whole number up to {}",
                visible(text),
                visible(weight),
                u32::MAX
            ),
        }
    }
    Ok(restart)
}

/// Reports whether the first line of a CSV file names a column of weights.
fn has_weights(path: &Path) -> bool {
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let header = || {
        let mut line = String::new();
        BufReader::new(File::open(path)?.take(MAX_HEADER_BYTES)).read_line(&mut line).map(|_| line)
    };
    // A file that cannot be read is an error of its reader.
    is_csv
        && header().is_ok_and(|line| line.split([',', ';', '\t']).any(|field| field.trim().trim_matches('"') == WEIGHT))
}
