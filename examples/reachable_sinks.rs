//! Finds the dangerous calls that untrusted input reaches: reads a call graph with roles, prints the findings with their paths
//! and compares them with the reference implementation.

use vyre::Error;
use vyre::engine::dataflow::{Finding, Options};
use vyre::graph::{Format, Input, NodeIds, ReadOptions, Separators, read_graph, role_of};
use vyre::ops::graph::reachable_sinks;

fn main() -> Result<(), Error> {
    let calls = include_bytes!("calls.csv");
    let roles = include_bytes!("calls-roles.csv");
    let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
    let mut graph = read_graph(Input::from(&calls[..]), &options, &())?.into_graph();
    graph.read_roles(&roles[..], Separators::Csv)?;

    let report = vyre::taint(&graph, &Options::default())?;
    for finding in &report.findings {
        println!("{} reaches {}: {finding}", finding.source(), finding.sink());
    }
    println!("{} of {} sinks, from {} sources", report.findings.len(), report.sinks, report.sources);

    let is_source = |node: &u32| role_of(graph.csr.node_data[*node as usize]).is_source();
    let sources: Vec<u32> = (0..graph.csr.node_data.len() as u32).filter(is_source).collect();
    let expected = reachable_sinks(graph.csr.view(), &sources, u32::MAX);
    let of = |finding: &Finding| (finding.source, finding.sink, finding.depth);
    let expected: Vec<_> = expected.into_iter().map(|finding| of(&finding.into())).collect();
    assert!(report.findings.iter().map(|finding| of(&finding.finding)).eq(expected));
    Ok(())
}
