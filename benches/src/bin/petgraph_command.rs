//! Reads an edge list and runs an algorithm of petgraph: the peer of `benches/graph-commands.py`.
//!
//! `petgraph_command ALGORITHM FILE [FROM [TO]]` prints one number: of components, of levels, of rows, or a distance. Lines are
//! `from to` or `from to weight`. It needs nothing but petgraph.

use std::error::Error;
use std::fs;

use petgraph::algo::{connected_components, dijkstra, kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Bfs;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, file, rest @ ..] = &arguments[..] else {
        return Err("petgraph_command ALGORITHM FILE [FROM [TO]]".into());
    };
    let graph = read(&fs::read_to_string(file)?)?;
    let node = |text: &String| Ok::<_, Box<dyn Error>>(NodeIndex::new(text.parse()?));
    let number = match (&**algorithm, rest) {
        ("components", []) => connected_components(&graph) as u64,
        // `tarjan_scc` recurses, so long graphs overflow the stack.
        ("scc", []) => kosaraju_scc(&graph).len() as u64,
        ("toposort", []) => toposort(&graph, None).map_err(|_| "the graph has a cycle")?.len() as u64,
        ("reach", [sources]) => {
            let mut rows = 0;
            for source in sources.split(',') {
                let mut search = Bfs::new(&graph, NodeIndex::new(source.parse()?));
                while search.next(&graph).is_some() {
                    rows += 1;
                }
                rows -= 1;
            }
            rows
        }
        ("path", [from, to]) => {
            let to = node(to)?;
            *dijkstra(&graph, node(from)?, Some(to), |edge| u64::from(*edge.weight())).get(&to).ok_or("no path")?
        }
        ("path", [from]) => dijkstra(&graph, node(from)?, None, |edge| u64::from(*edge.weight())).len() as u64,
        _ => return Err("ALGORITHM is components, scc, toposort, reach or path".into()),
    };
    println!("{number}");
    Ok(())
}

/// Parses an edge list.
fn read(text: &str) -> Result<DiGraph<(), u32>, Box<dyn Error>> {
    let mut graph = DiGraph::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(from), Some(to)) = (words.next(), words.next()) else { continue };
        let (from, to): (u32, u32) = (from.parse()?, to.parse()?);
        while graph.node_count() <= from.max(to) as usize {
            graph.add_node(());
        }
        graph.add_edge(from.into(), to.into(), words.next().map_or(Ok(1), str::parse)?);
    }
    Ok(graph)
}
