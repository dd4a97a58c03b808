//! Random graphs of many shapes, with roles, weights, sources and depths.

use std::sync::Arc;

use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrGraph, Role, try_to_csr};
use vyre_ops::graph::{
    GraphOnDevice, GraphOps, PageRankOptions, TraversalOptions, components_on_host, pagerank_on_host, reachable_nodes,
    reachable_sinks, scc_on_host, shortest_paths_on_host, toposort_on_host,
};
use vyre_runtime::{Device, RunOptions};

use super::case::{Disagreement, GraphCase, same};
use super::host::check_host;
use super::shapes::Shape;
use crate::generated::Seeds;

/// Sizes of graphs. Interpreters get smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Maximum number of nodes of most graphs.
    pub max_nodes: u32,
    /// Length of long chains, which are few.
    pub chain: u32,
}

impl Sizes {
    /// For devices that run machine code.
    pub const LARGE: Sizes = Sizes { max_nodes: 3_000, chain: 100_000 };
    /// For devices that interpret programs.
    pub const SMALL: Sizes = Sizes { max_nodes: 120, chain: 1_500 };
    /// For devices that interpret single instructions.
    pub const TINY: Sizes = Sizes { max_nodes: 60, chain: 300 };
}

/// Generates the graph of a seed. The first seeds are long chains in both directions, stars, an empty graph and roads.
#[must_use]
pub fn graph_case(seed: u64, sizes: Sizes) -> GraphCase {
    let mut random = SplitMix64::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(77));
    let (name, shape) = match seed {
        0 => ("a long chain".to_owned(), Shape::chain(sizes.chain)),
        1 => ("a long backward chain".to_owned(), Shape::backward_chain(sizes.chain)),
        2 => ("a long renumbered chain".to_owned(), Shape::chain(sizes.chain).renumbered(&mut random)),
        3 => ("a long cycle".to_owned(), Shape::cycle(sizes.chain)),
        4 => ("a long chain of pairs".to_owned(), Shape::chain_of_pairs(sizes.chain / 2).renumbered(&mut random)),
        5 => ("a large star".to_owned(), Shape::star(sizes.chain)),
        6 => ("a large star to its middle".to_owned(), Shape::sink_star(sizes.chain)),
        7 => ("nothing".to_owned(), Shape::empty(0)),
        8 => ("a road".to_owned(), Shape::road(sizes.chain / 4, 0)),
        9 => ("a road with expensive loops".to_owned(), Shape::road(sizes.chain / 4, 3)),
        _ => random_shape(sizes, &mut random),
    };
    let mut graph = try_to_csr(shape.nodes, &shape.edges).expect("shapes have edges inside");
    let is_long = shape.nodes > sizes.max_nodes;
    let roles = set_roles(&mut graph, &mut random);
    let weights = match random.below(5) {
        _ if matches!(seed, 8 | 9) => road_weights(&graph),
        0 => vec![1; graph.edge_count()],
        1 => (0..graph.edge_count()).map(|_| random.below(3) as u32).collect(),
        2 => (0..graph.edge_count()).map(|_| random.below(1_000) as u32).collect(),
        3 => (0..graph.edge_count()).map(|_| 1 << random.below(27)).collect(),
        // Sums sometimes overflow 32 bits.
        _ => (0..graph.edge_count()).map(|_| random.below(1 << 31) as u32).collect(),
    };
    // Searches from all nodes of a long graph would be slow.
    let most_sources = if is_long { 2 } else { 80 };
    let count = if shape.nodes == 0 { 0 } else { random.below(most_sources) };
    let mut sources: Vec<u32> = (0..count).map(|_| random.below(u64::from(shape.nodes)) as u32).collect();
    if is_long {
        // Searches from the ends traverse the whole length.
        sources.extend([0, shape.nodes - 1]);
    }
    let max_depth = [0, 1, 2, 3, 7, 50, u32::MAX, u32::MAX][random.below(8) as usize];
    let max_depth = if is_long { u32::MAX } else { max_depth };
    let ranking = PageRankOptions::default()
        .with_damping([0.85, 0.5, 1.0, 0.0][random.below(4) as usize])
        .with_max_iterations([0, 1, 5, 20, 40][random.below(5) as usize])
        .with_tolerance([0.0, 1e-6, 1e-3][random.below(3) as usize]);
    let name = format!("{name}, {} nodes, {} edges, {roles}", graph.node_count(), graph.edge_count());
    GraphCase { name, graph, weights, sources, max_depth, ranking }
}

/// Weights of a road on which the path with the fewest edges is never the shortest one. Loops are expensive, so that a typical weight says
/// nothing about distances.
fn road_weights(graph: &CsrGraph) -> Vec<u32> {
    let weight = |node: u32, target: u32| match node.abs_diff(target) {
        0 => 1 << 20,
        1 => 1,
        _ => 15,
    };
    let nodes = 0..graph.node_count() as u32;
    nodes.flat_map(|node| graph.view().neighbours(node).iter().map(move |&target| weight(node, target))).collect()
}

fn random_shape(sizes: Sizes, random: &mut SplitMix64) -> (String, Shape) {
    let (name, mut shape) = simple_shape(sizes.max_nodes, random);
    let mut name = name.to_owned();
    if random.below(4) == 0 {
        let (other, more) = simple_shape(sizes.max_nodes, random);
        name = format!("{name} beside {other}");
        shape = shape.beside(more);
    }
    if random.below(3) == 0 {
        name.push_str(" with loops");
        shape = shape.with_loops(1 + random.below(5) as usize);
    }
    if random.below(3) == 0 {
        name.push_str(" with parallel edges");
        shape = shape.with_parallel_edges(1 + random.below(5) as usize);
    }
    if random.below(2) == 0 {
        name.push_str(", renumbered");
        shape = shape.renumbered(random);
    }
    (name, shape)
}

fn simple_shape(max_nodes: u32, random: &mut SplitMix64) -> (&'static str, Shape) {
    // Small graphs find the same faults, and are faster.
    let max_nodes = if random.below(3) == 0 { max_nodes } else { max_nodes.min(60) };
    let nodes = 1 + random.below(u64::from(max_nodes)) as u32;
    let side = 1 + (f64::from(nodes).sqrt() as u32).min(40);
    let edges = random.below(4 * u64::from(nodes)) as u32;
    match random.below(14) {
        0 => ("no edges", Shape::empty(nodes)),
        1 => ("a chain", Shape::chain(nodes)),
        2 => ("a backward chain", Shape::backward_chain(nodes)),
        3 => ("a cycle", Shape::cycle(nodes)),
        4 => ("a star", Shape::star(nodes)),
        5 => ("a star to its middle", Shape::sink_star(nodes)),
        6 => ("a complete graph", Shape::complete(side)),
        7 => ("a tree", Shape::tree(nodes)),
        8 => ("a lattice", Shape::lattice(side, 1 + side / 2)),
        9 => ("a chain of pairs", Shape::chain_of_pairs(1 + nodes / 2)),
        10 => ("no cycle", Shape::acyclic(nodes, edges, random)),
        11 => ("a power law", Shape::power_law(nodes, 2 * edges, random)),
        _ => ("random edges", Shape::random(nodes, edges, random)),
    }
}

/// Assigns random roles to nodes, and random values to the other bits of their words.
fn set_roles(graph: &mut CsrGraph, random: &mut SplitMix64) -> &'static str {
    let (name, chances): (_, [u64; 5]) = match random.below(6) {
        0 => ("all normal", [1, 0, 0, 0, 0]),
        1 => ("all sinks", [0, 0, 1, 0, 0]),
        2 => ("all sanitizers", [0, 0, 0, 0, 1]),
        3 => ("all sources and sinks", [0, 0, 0, 1, 0]),
        4 => ("few sinks and sanitizers", [20, 2, 2, 1, 1]),
        _ => ("all kinds of roles", [1, 1, 1, 1, 1]),
    };
    let total = chances.iter().sum();
    for word in &mut graph.node_data {
        let mut left = random.below(total);
        let role = Role::ALL.into_iter().zip(chances).find(|&(_, chance)| match left.checked_sub(chance) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        });
        *word = role.map(|(role, _)| role).unwrap_or_default().set_in(random.next_word() as u32);
    }
    name
}

/// Runs every graph op on a case and compares with the references.
///
/// # Errors
///
/// Fails at the first op that differs.
pub fn check_case(ops: &GraphOps, case: &GraphCase) -> Result<(), Disagreement> {
    let on_device = ops.load(case.graph.view());
    let graph = on_device.map_err(|error| Disagreement { op: "load", message: error.to_string() })?;
    let results = vyre_ops::ops().iter().filter_map(|op| check_op(op.id, &graph, case));
    results.collect::<Result<(), Disagreement>>()?;
    check_host(case)
}

/// Compares a graph op with its reference. `None` if there is none, as of ops that are not about graphs.
pub fn check_op(op: &'static str, graph: &GraphOnDevice<'_>, case: &GraphCase) -> Option<Result<(), Disagreement>> {
    let (view, sources, max_depth) = (case.graph.view(), case.sources.as_slice(), case.max_depth);
    let options = TraversalOptions::default().with_max_depth(max_depth);
    Some(match op {
        "graph.bfs" => same(op, &graph.bfs(sources, &options), &Ok(reachable_sinks(view, sources, max_depth))),
        "graph.reachability" => {
            same(op, &graph.reachability(sources, &options), &Ok(reachable_nodes(view, sources, max_depth)))
        }
        "graph.components" => same(op, &graph.components(), &Ok(components_on_host(view))),
        "graph.scc" => same(op, &graph.scc(), &Ok(scc_on_host(view))),
        "graph.toposort" => same(op, &graph.toposort(), &toposort_on_host(view)),
        "graph.shortest_path" => [Some(case.weights.as_slice()), None].into_iter().try_for_each(|weights| {
            same(op, &graph.shortest_paths(weights, sources), &shortest_paths_on_host(view, weights, sources))
        }),
        "graph.pagerank" => same(op, &graph.pagerank(&case.ranking), &Ok(pagerank_on_host(view, &case.ranking))),
        _ => return None,
    })
}

/// Runs every graph op on the graphs of these seeds, prints their number, and panics at the first difference.
#[track_caller]
pub fn expect_agreement(device: &Arc<dyn Device>, options: &RunOptions, seeds: Seeds, sizes: Sizes) {
    let ops = GraphOps::new(Arc::clone(device)).with_run_options(options.clone());
    let mut agreed = 0;
    for seed in seeds.iter() {
        let case = graph_case(seed, sizes);
        if crate::settings::is_traced() {
            eprintln!("seed {seed}: {}", case.name);
        }
        if let Err(disagreement) = check_case(&ops, &case) {
            panic!("seed {seed}, {}, depth {}: {disagreement}", case.name, case.max_depth);
        }
        agreed += 1;
    }
    println!("{agreed} graphs: every op agrees with its reference");
}
