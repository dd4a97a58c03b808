//! Taint analysis in one call: findings with names and witnesses.

use vyre::engine::dataflow::{Options, taint_on_host};
use vyre::graph::{Format, Graph, NodeIds, ReadOptions, Role, Separators, generate, read_graph, try_to_csr};
use vyre::{Error, Session};

fn calls() -> Result<Graph, Error> {
    let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
    let calls = include_bytes!("../../../../examples/calls.csv");
    let mut graph = read_graph(calls[..].into(), &options, &())?.into_graph();
    graph.read_roles(&include_bytes!("../../../../examples/calls-roles.csv")[..], Separators::Csv)?;
    Ok(graph)
}

#[test]
fn findings_have_names_and_paths() -> Result<(), Error> {
    let report = vyre::taint(&calls()?, &Options::default())?;
    let found: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["read_request -> log -> write_file", "load_config -> run_query -> exec_sql"]);
    assert_eq!((report.sources, report.sinks, report.summary.findings), (2, 2, 2));
    let first = &report.findings[0];
    assert_eq!((first.source(), first.sink(), first.finding.depth), ("read_request", "write_file", 2));
    assert_eq!(first.path.len(), first.names.len());
    let report = vyre::taint(&calls()?, &Options::default().with_max_depth(1))?;
    assert!(report.findings.is_empty());
    Ok(())
}

#[test]
fn nodes_without_names_are_numbers() -> Result<(), Error> {
    let mut graph = try_to_csr(3, &[(0, 1), (1, 2)])?;
    graph.node_data[0] = Role::Source.word();
    graph.node_data[2] = Role::Sink.word();
    let report = vyre::taint(&graph, &Options::default())?;
    assert_eq!(report.findings[0].to_string(), "0 -> 1 -> 2");
    Ok(())
}

#[test]
fn a_graph_without_sources_or_with_a_defect_is_an_error() -> Result<(), Error> {
    let mut graph = try_to_csr(2, &[(0, 1)])?;
    assert!(matches!(vyre::taint(&graph, &Options::default()), Err(Error::NoSources)));
    graph.node_data[0] = Role::Source.word();
    graph.targets[0] = 7;
    assert!(matches!(vyre::taint(&graph, &Options::default()), Err(Error::Graph(_))));
    Ok(())
}

/// A generated graph against the reference implementation of the analysis.
#[test]
fn findings_are_those_of_the_reference() -> Result<(), Error> {
    let mut graph = generate::rmat(9, 4, 7).expect("the size is within the limits");
    generate::roles(&mut graph, 3);
    let sources = generate::sources(graph.view(), 40, 5).expect("there are enough nodes");
    for &source in &sources {
        graph.node_data[source as usize] = Role::Source.word();
    }
    let view = graph.view();
    let expected = taint_on_host(view, &sources, None, u32::MAX, |_, _, _, _, facts| facts);
    let report = Session::new()?.taint(&graph, &Options::default())?;
    assert!(!expected.is_empty());
    assert!(report.findings.iter().map(|finding| finding.finding).eq(expected));
    for finding in &report.findings {
        assert!(finding.path.windows(2).all(|edge| view.neighbours(edge[0]).contains(&edge[1])));
        assert_eq!(finding.path.len(), finding.finding.depth as usize + 1);
        assert_eq!(finding.path.first(), Some(&finding.finding.source));
        assert_eq!(finding.path.last(), Some(&finding.finding.sink));
    }
    Ok(())
}
