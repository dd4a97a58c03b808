//! Weighted and personalised PageRank (Haveliwala, 2002) by power iteration in fixed point, on the host.
//!
//! Ranks are integers in units of 2^-63, as those of `graph.pagerank`. Probabilities are fractions of 2^64, rounded down. All products are
//! rounded down too, and sums of integers do not depend on the order of their terms, so ranks do not depend on the number of threads.

use rayon::prelude::*;
use vyre_graph::CsrView;

use super::error::GraphError;
use super::host_run::HostRun;
use super::pagerank::{ONE, PageRank, PageRankOptions, power_iteration};

/// Maximum number of nodes of a unit of parallel work. Few nodes can have most edges.
const MAX_UNIT: usize = 1 << 10;

/// Weighted and personalised ranks. Without weights each edge counts 1. `restart` has nodes to which the random surfer jumps, with their
/// weights; without it these are all nodes.
pub(crate) fn pull(
    run: &HostRun,
    graph: CsrView<'_>,
    weights: Option<&[u32]>,
    restart: Option<&[(u32, u32)]>,
    options: &PageRankOptions,
) -> Result<PageRank, GraphError> {
    let (nodes, edges) = (graph.node_count(), graph.edge_count());
    if let Some(found) = weights.map(<[u32]>::len).filter(|&found| found != edges) {
        return Err(GraphError::Weights { found, edges });
    }
    let restart = restart_fractions(nodes, restart)?;
    if nodes == 0 {
        return Ok(PageRank { ranks: Vec::new(), iterations: 0, change: 0 });
    }
    let totals: Vec<u64> = (0..nodes as u32)
        .into_par_iter()
        .map(|node| {
            let edges = graph.edges_of(node);
            weights.map_or(edges.len() as u64, |weights| weights[edges].iter().map(|&weight| u64::from(weight)).sum())
        })
        .collect();
    let incoming = Incoming::new(graph, weights, &totals);
    let jumps = options.jumps();
    let mut ranks: Vec<u64> = restart.iter().map(|&fraction| product(ONE, fraction)).collect();
    let mut before = ranks.clone();
    let (iterations, change) = power_iteration(run, options, || {
        std::mem::swap(&mut ranks, &mut before);
        let dangling: u64 =
            totals.par_iter().zip(&before).filter(|(total, _)| **total == 0).map(|(_, &rank)| rank).sum();
        let units = ranks.par_iter_mut().zip(&restart).enumerate().with_max_len(MAX_UNIT);
        units
            .map(|(node, (rank, &fraction))| {
                let received = incoming.sum(node as u32, &before) + product(dangling, fraction);
                let damped = (u128::from(received) * u128::from(options.damping)) >> 32;
                *rank = product(jumps, fraction) + damped as u64;
                rank.abs_diff(before[node])
            })
            .sum()
    })?;
    Ok(PageRank { ranks, iterations, change })
}

/// Edges by their ends, with the probability of each.
struct Incoming {
    graph: vyre_graph::CsrGraph,
    /// Probability that the random surfer at the beginning of the edge follows it, as a fraction of 2^64.
    probabilities: Vec<u64>,
}

impl Incoming {
    /// `totals` has the sum of the weights of the edges of each node.
    fn new(graph: CsrView<'_>, weights: Option<&[u32]>, totals: &[u64]) -> Incoming {
        let (graph, weights) = match weights {
            Some(weights) => {
                let (graph, weights) = graph.transposed_with_weights(weights);
                (graph, Some(weights))
            }
            None => (graph.transposed(), None),
        };
        let probability = |(edge, &source): (usize, &u32)| {
            let weight = weights.as_ref().map_or(1, |weights| weights[edge]);
            fraction(weight.into(), totals[source as usize])
        };
        let probabilities = graph.targets.par_iter().enumerate().map(probability).collect();
        Incoming { graph, probabilities }
    }

    /// Sum of the ranks that a node gets along its edges.
    fn sum(&self, node: u32, ranks: &[u64]) -> u64 {
        let edges = self.graph.view().edges_of(node);
        let sources = self.graph.targets[edges.clone()].iter().zip(&self.probabilities[edges]);
        sources.map(|(&source, &probability)| product(ranks[source as usize], probability)).sum()
    }
}

/// Probability of each node after a jump, as a fraction of 2^64.
fn restart_fractions(nodes: usize, restart: Option<&[(u32, u32)]>) -> Result<Vec<u64>, GraphError> {
    let Some(restart) = restart else { return Ok(vec![fraction(1, nodes as u64); nodes]) };
    let mut weights = vec![0u64; nodes];
    for (position, &(node, weight)) in restart.iter().enumerate() {
        let sum = weights.get_mut(node as usize).ok_or(GraphError::Source { position, node, nodes })?;
        *sum += u64::from(weight);
    }
    let total = weights.iter().sum();
    if total == 0 {
        return Err(GraphError::NoRestart);
    }
    Ok(weights.into_iter().map(|weight| fraction(weight, total)).collect())
}

/// A part of a total as a fraction of 2^64, at most 1 - 2^-64; 0 of a total of 0.
fn fraction(part: u64, total: u64) -> u64 {
    // The part is at most the total, so the quotient fits.
    (u128::from(part) * u128::from(u64::MAX)).checked_div(total.into()).unwrap_or(0) as u64
}

/// Product of a number and a fraction of 2^64, rounded down.
fn product(number: u64, fraction: u64) -> u64 {
    ((u128::from(number) * u128::from(fraction)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use vyre_graph::generate::SplitMix64;
    use vyre_graph::{CsrGraph, to_csr};

    use super::*;
    use crate::graph::GraphOnHost;

    struct Case {
        graph: CsrGraph,
        weights: Vec<u32>,
        restart: Vec<(u32, u32)>,
    }

    fn cases() -> impl Iterator<Item = Case> {
        let mut random = SplitMix64::new(0x5EED);
        (0..60).map(move |_| {
            let nodes = 1 + random.below(40) as u32;
            let mut node = || random.below(nodes.into()) as u32;
            let edges: Vec<(u32, u32)> = (0..2 * nodes).map(|_| (node(), node())).collect();
            // Some weights are 0, and some nodes have only such edges.
            let weights = edges.iter().map(|_| [0, 1, 7, 1_000_000, u32::MAX][random.below(5) as usize]).collect();
            let restart = (0..3).map(|_| (random.below(nodes.into()) as u32, 1 + random.below(9) as u32)).collect();
            Case { graph: to_csr(nodes, &edges), weights, restart }
        })
    }

    /// Power iteration with real numbers, edge by edge.
    fn in_floats(
        graph: CsrView<'_>,
        weights: &[u32],
        restart: &[(u32, u32)],
        damping: f64,
        iterations: u32,
    ) -> Vec<f64> {
        let nodes = graph.node_count();
        let mut jump = vec![0.0; nodes];
        restart.iter().for_each(|&(node, weight)| jump[node as usize] += f64::from(weight));
        let total: f64 = jump.iter().sum();
        jump.iter_mut().for_each(|weight| *weight /= total);
        let mut ranks = jump.clone();
        for _ in 0..iterations {
            let mut next: Vec<f64> = jump.iter().map(|jump| (1.0 - damping) * jump).collect();
            for (node, rank) in (0..).zip(&ranks) {
                let edges = graph.edges_of(node);
                let total: f64 = weights[edges.clone()].iter().map(|&weight| f64::from(weight)).sum();
                match total {
                    0.0 => (0..nodes).for_each(|to| next[to] += damping * rank * jump[to]),
                    total => edges.for_each(|edge| {
                        next[graph.targets[edge] as usize] += damping * rank * f64::from(weights[edge]) / total;
                    }),
                }
            }
            ranks = next;
        }
        ranks
    }

    #[test]
    fn ranks_are_those_of_real_numbers_within_the_bound() {
        const ITERATIONS: u32 = 40;
        let options = PageRankOptions::default().with_damping(0.75).with_max_iterations(ITERATIONS).with_tolerance(0.0);
        for Case { graph, weights, restart } in cases() {
            let host = GraphOnHost::new(graph.view()).expect("a valid graph");
            let found = host.weighted_pagerank(Some(&weights), Some(&restart), &options).expect("ranks");
            assert!(found.iterations <= ITERATIONS);
            // An iteration is off by at most two units for each edge and five for each node, and a quarter of that is lost with each
            // later one. Real numbers of 53 bits are less exact.
            let units = (2 * graph.edge_count() + 7 * graph.node_count()) as f64 / 0.25;
            let bound = units / ONE as f64 + 1e-13;
            let expected = in_floats(graph.view(), &weights, &restart, 0.75, found.iterations);
            for (node, expected) in (0..).zip(expected) {
                let found = found.rank(node);
                assert!((found - expected).abs() <= bound, "node {node}: {found} and {expected}");
            }
            let sum: u128 = found.ranks.iter().map(|&rank| u128::from(rank)).sum();
            assert!(sum <= ONE.into() && sum as f64 >= ONE as f64 * (1.0 - bound), "{sum}");
        }
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let options = PageRankOptions::default().with_max_iterations(16);
        for Case { graph, weights, restart } in cases() {
            let host = GraphOnHost::new(graph.view()).expect("a valid graph");
            let equal = vec![1; weights.len()];
            let nodes: Vec<(u32, u32)> = (0..graph.node_count() as u32).map(|node| (node, 5)).collect();
            for restart in [&restart, &nodes] {
                let weighted = host.weighted_pagerank(Some(&equal), Some(restart), &options);
                assert_eq!(weighted, host.weighted_pagerank(None, Some(restart), &options));
            }
            assert_eq!(
                host.weighted_pagerank(Some(&weights), Some(&nodes), &options),
                host.weighted_pagerank(Some(&weights), None, &options)
            );
        }
    }

    #[test]
    fn wrong_arguments_are_errors() {
        let graph = to_csr(2, &[(0, 1)]);
        let host = GraphOnHost::new(graph.view()).expect("a valid graph");
        let options = PageRankOptions::default();
        let error = |weights: Option<&[u32]>, restart: Option<&[(u32, u32)]>| {
            host.weighted_pagerank(weights, restart, &options).expect_err("wrong arguments")
        };
        assert_eq!(error(Some(&[]), None), GraphError::Weights { found: 0, edges: 1 });
        assert_eq!(error(None, Some(&[(2, 1)])), GraphError::Source { position: 0, node: 2, nodes: 2 });
        assert_eq!(error(None, Some(&[(1, 0)])), GraphError::NoRestart);
    }
}
