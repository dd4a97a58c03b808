//! Finds the dangerous calls that untrusted input reaches: reads a call graph with roles, searches it on a device and compares
//! the findings with the reference implementation.

use vyre::graph::{Format, Input, NodeIds, ReadOptions, Role, Separators, read_graph, read_nodes, role_of};
use vyre::ops::graph::{GraphOps, TraversalOptions, reachable_sinks, shortest_path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls = include_bytes!("calls.csv");
    let roles = include_bytes!("calls-roles.csv");
    let mut options = ReadOptions::default();
    options.format = Some(Format::CSV);
    options.nodes = NodeIds::Names;
    let mut graph = read_graph(Input::from(&calls[..]), &options, &())?.into_graph();
    let names = graph.names.as_ref().map(|names| names.view());
    read_nodes(&roles[..], Separators::Csv, names, &mut graph.csr.node_data, &())?;

    let view = graph.csr.view();
    let sources: Vec<u32> =
        (0..).zip(view.node_data).filter(|(_, word)| role_of(**word).is_source()).map(|(node, _)| node).collect();
    let ops = GraphOps::new(vyre::any_device()?);
    let on_device = ops.load(view)?;
    let findings = on_device.bfs(&sources, &TraversalOptions::default())?;
    assert_eq!(findings, reachable_sinks(view, &sources, u32::MAX));

    // A path to each sink must avoid sanitizers, so an edge that leaves one weighs more than all other edges together.
    let heavy = view.edge_count() as u32;
    let weight = |node: u32| if role_of(view.node_data[node as usize]) == Role::Sanitizer { heavy } else { 1 };
    let weights: Vec<u32> = (0..view.node_count() as u32)
        .flat_map(|node| view.neighbours(node).iter().map(move |_| weight(node)))
        .collect();
    let name = |node: u32| names.and_then(|names| names.name(node)).unwrap_or_default();
    for finding in &findings {
        let distances = on_device.shortest_paths(Some(&weights), &[finding.source])?;
        let path = shortest_path(view, Some(&weights), &distances, &[finding.source], finding.node)
            .ok_or("a finding has a path")?;
        assert_eq!(path.len(), finding.depth as usize + 1);
        println!("{}", path.into_iter().map(name).collect::<Vec<&str>>().join(" -> "));
    }
    println!("{}: {} findings", ops.device().name(), findings.len());
    Ok(())
}
