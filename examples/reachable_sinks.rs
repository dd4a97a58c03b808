//! Which dangerous calls does untrusted input reach? Reads a call graph and its roles, searches it on a device, and checks the
//! findings against plain Rust.

use vyre::graph::{Format, Input, NodeIds, ReadOptions, Role, Separators, read_graph, read_nodes, role_of};
use vyre::ops::graph::{GraphOps, Traversal, reachable_sinks, shortest_path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls = include_bytes!("calls.csv");
    let roles = include_bytes!("calls-roles.csv");
    let mut options = ReadOptions::default();
    options.format = Some(Format::Csv);
    options.nodes = NodeIds::Names;
    let mut graph = read_graph(Input::from(&calls[..]), &options, &())?.into_graph();
    let names = graph.names.as_ref().map(|names| names.view());
    read_nodes(&roles[..], Separators::Csv, names, &mut graph.csr.node_data, &())?;

    let view = graph.csr.view();
    let sources: Vec<u32> =
        (0..).zip(view.node_data).filter(|(_, word)| role_of(**word).is_source()).map(|(node, _)| node).collect();
    let ops = GraphOps::new(vyre::any_device()?);
    let on_device = ops.load(view)?;
    let findings = on_device.bfs(&sources, &Traversal::default())?;
    assert_eq!(findings, reachable_sinks(view, &sources, u32::MAX));

    // A way to each sink: sanitizers are no part of it, so their edges weigh more than all others together.
    let heavy = view.edge_count() as u32;
    let weight = |node: u32| if role_of(view.node_data[node as usize]) == Role::Sanitizer { heavy } else { 1 };
    let weights: Vec<u32> = (0..view.node_count() as u32)
        .flat_map(|node| view.neighbours(node).iter().map(move |_| weight(node)))
        .collect();
    let name = |node: u32| names.and_then(|names| names.name(node)).unwrap_or_default();
    for finding in &findings {
        let distances = on_device.shortest_paths(Some(&weights), &[finding.source])?;
        let way = shortest_path(view, Some(&weights), &distances, &[finding.source], finding.node).ok_or("a way")?;
        assert_eq!(way.len(), finding.depth as usize + 1);
        println!("{}", way.into_iter().map(name).collect::<Vec<&str>>().join(" -> "));
    }
    println!("{}: {} findings", ops.device().name(), findings.len());
    Ok(())
}
