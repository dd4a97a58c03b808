//! `vyre graph bfs`: which sinks each source reaches.

use serde_json::Value;
use vyre::ops::graph::Finding;

use super::search::{Search, Searched};
use crate::args::graph::BfsArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Shown, Table};

pub(crate) fn run(args: &BfsArgs) -> anyhow::Result<Outcome> {
    let BfsArgs { file, search, results, device, read, .. } = args;
    let search = Search { file, search, results, device, read };
    let Searched { graph, runner, sources, findings } =
        search.run(|graph, sources, options| graph.bfs(sources, options), true)?;
    let fingerprint = args.fingerprint.then(|| format!("{:016x}", fingerprint(&findings)));
    let table = Table {
        graph: &graph,
        runner: &runner,
        count: findings.len() as u64,
        fields: vec![
            ("fingerprint", fingerprint.clone().map_or(Value::Null, Value::from)),
            ("sources", sources.into()),
        ],
        columns: [
            Column::node("source", "source_name"),
            Column::node("sink", "sink_name"),
            Column::number("depth"),
            Column::number("source_index"),
        ],
    };
    let mut only = Vec::new();
    if args.count {
        only.push(("count", findings.len().to_string()));
    }
    only.extend(fingerprint.map(|fingerprint| ("fingerprint", fingerprint)));
    let row = |finding: &Finding| {
        let Finding { source, node, depth, source_index } = *finding;
        [Cell::Node(source), Cell::Node(node), Cell::Number(depth), Cell::Number(source_index)]
    };
    let shown = if only.is_empty() { Shown::Rows(findings.iter().map(row)) } else { Shown::Only(only) };
    table.write(results, shown)?;
    Ok(Outcome::Clean)
}

/// FNV-1a of 64 bits over the words source, sink and depth of all findings, low bytes first.
fn fingerprint(findings: &[Finding]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let words = findings.iter().flat_map(|finding| [finding.source, finding.node, finding.depth]);
    words.flat_map(u32::to_le_bytes).fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_those_of_fnv() {
        assert_eq!(fingerprint(&[]), 0xcbf2_9ce4_8422_2325);
        let finding = Finding { source: 1, node: 2, depth: 3, source_index: 4 };
        let other_index = Finding { source_index: 5, ..finding };
        assert_eq!(fingerprint(&[finding]), fingerprint(&[other_index]));
        assert_ne!(fingerprint(&[finding]), fingerprint(&[Finding { depth: 4, ..finding }]));
    }
}
