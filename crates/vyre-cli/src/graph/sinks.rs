//! Sinks of an analysis by arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;
use vyre::graph::{Role, role_of};

use super::load::LoadedGraph;
use super::packages::{read_advisories, unaffected_note};
use super::progress::Bar;
use super::sources::selected;

/// Identifiers of the advisories about packages, by node.
pub(crate) type AdvisoryIds = BTreeMap<u32, Vec<String>>;

/// Makes the nodes of `--sinks` and the packages of `--advisory` the only sinks. Without both, the roles of nodes stay. A sanitizer
/// stays one, so that nothing is found behind it.
pub(crate) fn set_sinks(
    graph: &mut LoadedGraph,
    sinks: &[String],
    advisories: &[PathBuf],
    bar: &Bar,
) -> anyhow::Result<AdvisoryIds> {
    let mut ids = AdvisoryIds::new();
    if sinks.is_empty() && advisories.is_empty() {
        return Ok(ids);
    }
    let mut nodes: Vec<u32> = Vec::new();
    for text in sinks {
        nodes.extend(selected(graph, "--sinks", text, bar)?);
    }
    if !advisories.is_empty() {
        let advisories = read_advisories(advisories, bar)?;
        let Some(packages) = graph.packages() else {
            bail!("--advisory is about packages, and this graph is no lock file and no SBOM");
        };
        let affected = packages.affected(&advisories);
        if let Some(note) = unaffected_note(&advisories, &affected) {
            bar.note(&note);
        }
        nodes.extend(affected.iter().map(|(node, _)| *node));
        ids.extend(affected);
    }
    let mut words = graph.view().csr.node_data.to_vec();
    for word in &mut words {
        let role = match role_of(*word) {
            Role::Sink => Role::Normal,
            Role::SourceAndSink => Role::Source,
            role => role,
        };
        *word = role.set_in(*word);
    }
    for node in nodes {
        let word = &mut words[node as usize];
        *word = role_of(*word).merged(Role::Sink).set_in(*word);
    }
    graph.set_node_data(words);
    Ok(ids)
}
