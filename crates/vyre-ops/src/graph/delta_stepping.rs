//! Shortest distances by delta-stepping (Meyer, Sanders, 2003): nodes are processed in the order of their distances, in steps of a
//! width delta, and in any order within a step.
//!
//! Delta is a power of 16. A small one gives steps with little parallelism, a large one makes nodes of a step change their distances
//! often. It begins as the smallest power of 16 above the median of the positive weights. The buckets decrease it if nodes are
//! visited too often, so that the number of visits is linear in the number of nodes for any weights.

use vyre_ir::Program;
use vyre_runtime::{Bindings, Buffer, CommandList};

use super::buckets::{self, DIGIT_BITS, FRONT, LISTS, SCANNED};
use super::device::{Edges, GraphOps};
use super::error::GraphError;
use super::frontier;
use super::relaxation::UNREACHED;
use super::rounds::{ROUND, Rounds, Width};

pub(crate) fn narrow() -> Program {
    buckets::program(Width::Narrow)
}

pub(crate) fn wide() -> Program {
    buckets::program(Width::Wide)
}

/// Maximum number of weights of which the median is computed.
const SAMPLE: usize = 1 << 16;

/// More rounds for each node than any search has: a round visits or scans a node at least. A list scans a node at most fifteen times, and
/// the allowance bounds the visits.
const MAX_ROUNDS_PER_NODE: u64 = 1 << 10;

/// Steps of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Number of hexadecimal digits of delta before the first step: delta is 16 to this power.
    digits: u32,
    /// Number of lists that distances need.
    lists: u32,
}

impl Steps {
    /// Steps for these weights, or `None` if label correction is as good, because all weights are equal, or if the device has too
    /// small buffers.
    pub(crate) fn new(ops: &GraphOps, nodes: usize, weights: &[u32]) -> Option<Steps> {
        let (smallest, largest) = (*weights.iter().min()?, *weights.iter().max()?);
        if smallest == largest {
            return None;
        }
        let longest = (nodes as u64).saturating_mul(u64::from(largest)).clamp(1, u64::from(UNREACHED));
        let lists = longest.ilog2() / DIGIT_BITS + 1;
        let words = u64::from(lists) * nodes as u64;
        let fits = words <= (ops.device().limits().buffer_bytes / 4).min(u64::from(u32::MAX));
        fits.then(|| Steps { digits: first_digits(weights, largest).min(lists), lists })
    }
}

/// Number of digits of a typical weight.
fn first_digits(weights: &[u32], largest: u32) -> u32 {
    let step = weights.len().div_ceil(SAMPLE);
    let mut sample: Vec<u32> = weights.iter().copied().step_by(step).filter(|&weight| weight > 0).collect();
    let middle = sample.len() / 2;
    let median = if sample.is_empty() { largest } else { *sample.select_nth_unstable(middle).1 };
    (median.ilog2() / DIGIT_BITS + 1).min(LISTS - 1)
}

/// Work of a search.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "tests bound the work by it"))]
pub(crate) struct Work {
    /// Number of rounds.
    pub(crate) rounds: u32,
    /// Number of nodes whose edges were relaxed, with repetitions.
    pub(crate) visits: u32,
    /// Number of items of lists, with repetitions.
    pub(crate) scanned: u32,
    /// Number of dispatches.
    pub(crate) dispatches: u64,
}

/// Decreases distances until no edge can decrease any. Those of `starts` are 0, and all others are [`UNREACHED`].
pub(crate) fn search(
    ops: &GraphOps,
    edges: &Edges,
    [weights, distances]: [&Buffer; 2],
    nodes: usize,
    starts: &[u32],
    steps: Steps,
) -> Result<Work, GraphError> {
    let marks = ops.zeroed(nodes as u64)?;
    let queue = frontier::ring(ops, nodes)?;
    ops.write(&queue, starts)?;
    let state = ops.upload(&buckets::first_state(nodes as u32, starts.len() as u32, steps.digits))?;
    let lists = ops.zeroed(u64::from(steps.lists) * nodes as u64)?;
    let bindings =
        Bindings::in_order([&edges.offsets, &edges.targets, weights, distances, &marks, &queue, &state, &lists]);
    let narrow = ops.pipeline("shortest_path.bucket_narrow", narrow)?;
    let wide = ops.pipeline("shortest_path.bucket_wide", wide)?;
    let mut rounds = Rounds::new(ops, nodes, MAX_ROUNDS_PER_NODE * (nodes as u64 + 1));
    let (words, iterations) = rounds.run(CommandList::new(), [&narrow, &wide], &bindings, &state, buckets::is_empty)?;
    let [round, visits, scanned] = [ROUND, FRONT, SCANNED].map(|word| words[word as usize]);
    Ok(Work { rounds: round, visits, scanned, dispatches: 2 * iterations })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_graph::generate::SplitMix64;
    use vyre_graph::{CsrGraph, try_to_csr};
    use vyre_runtime::{Limits, ReferenceDevice, RunOptions};

    use super::super::shortest_path::shortest_paths_on_host;
    use super::*;

    /// A graph with weights.
    struct Weighted {
        graph: CsrGraph,
        weights: Vec<u32>,
    }

    fn weighted(nodes: u32, mut edges: Vec<(u32, u32, u32)>) -> Weighted {
        // Edges of a node keep their order in a graph.
        edges.sort_by_key(|&(from, _, _)| from);
        let pairs: Vec<(u32, u32)> = edges.iter().map(|&(from, to, _)| (from, to)).collect();
        let graph = try_to_csr(nodes, &pairs).expect("edges inside");
        Weighted { graph, weights: edges.iter().map(|&(_, _, weight)| weight).collect() }
    }

    /// A road in both directions with a dearer shortcut for each ten nodes. Label correction visits a node once for each shortcut
    /// before it.
    fn road(nodes: u32) -> Weighted {
        let way = (1..nodes).flat_map(|node| [(node - 1, node, 1), (node, node - 1, 1)]);
        let shortcuts = (10..nodes).step_by(10).map(|node| (node - 10, node, 15));
        weighted(nodes, way.chain(shortcuts).collect())
    }

    fn with_races_checked() -> GraphOps {
        let mut options = RunOptions::default();
        options.check_races = true;
        GraphOps::new(Arc::new(ReferenceDevice::new())).with_run_options(options)
    }

    /// Steps that begin with delta as 16 to this power.
    fn steps(ops: &GraphOps, graph: &Weighted, digits: u32) -> Steps {
        let steps = Steps::new(ops, graph.graph.node_count(), &graph.weights).expect("weights differ");
        Steps { digits, ..steps }
    }

    fn distances(
        ops: &GraphOps,
        Weighted { graph, weights }: &Weighted,
        starts: &[u32],
        steps: Steps,
    ) -> (Vec<u32>, Work) {
        let mut first = vec![UNREACHED; graph.node_count()];
        starts.iter().for_each(|&start| first[start as usize] = 0);
        let first = ops.upload(&first).expect("memory");
        let edges = ops.upload_edges(graph.view()).expect("memory");
        let weights = ops.upload(weights).expect("memory");
        let work = search(ops, &edges, [&weights, &first], graph.node_count(), starts, steps).expect("runs");
        (ops.read(&first).expect("runs"), work)
    }

    #[test]
    fn distances_of_random_graphs_are_those_of_dijkstra_for_every_delta() {
        let ops = with_races_checked();
        let mut random = SplitMix64::new(7);
        for case in 0..100 {
            let nodes = 2 + random.below(40) as u32;
            let kind = random.below(5);
            let weight = |random: &mut SplitMix64| match kind {
                0 => random.below(2) as u32,
                1 => random.below(20) as u32,
                2 => random.below(5_000) as u32,
                3 => 1 << random.below(27),
                _ => random.below(1 << 26) as u32,
            };
            let count = 1 + random.below(4 * u64::from(nodes));
            let mut edges: Vec<(u32, u32, u32)> = (0..count)
                .map(|_| {
                    let [from, to] = [(); 2].map(|()| random.below(u64::from(nodes)) as u32);
                    (from, to, weight(&mut random))
                })
                .collect();
            // A graph with equal weights would not take steps.
            edges.extend([(0, 1, 3), (1, 0, 0)]);
            let graph = weighted(nodes, edges);
            let mut starts: Vec<u32> = (0..=random.below(3)).map(|_| random.below(u64::from(nodes)) as u32).collect();
            starts.sort_unstable();
            starts.dedup();
            let expected = shortest_paths_on_host(graph.graph.view(), Some(&graph.weights), &starts).expect("in range");
            let (found, _) = distances(&ops, &graph, &starts, steps(&ops, &graph, case % LISTS));
            assert_eq!(found, expected, "case {case}");
        }
    }

    #[test]
    fn work_on_a_road_with_dear_shortcuts_is_linear() {
        let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
        let nodes = 2_000;
        let graph = road(nodes);
        let steps = Steps::new(&ops, nodes as usize, &graph.weights).expect("weights differ");
        assert_eq!(steps.digits, 1);
        let (found, work) = distances(&ops, &graph, &[0], steps);
        assert!(found.iter().copied().eq(0..nodes));
        let Work { rounds, visits, scanned, dispatches } = work;
        assert!(visits <= 2 * nodes && scanned <= 2 * nodes && rounds <= 2 * nodes && dispatches <= 16, "{work:?}");
    }

    /// All distances are within the first delta, so that nodes are visited in the order of label correction.
    #[test]
    fn delta_decreases_until_work_is_linear() {
        let ops = with_races_checked();
        let nodes = 1_500;
        let graph = road(nodes);
        let (found, work) = distances(&ops, &graph, &[0], steps(&ops, &graph, 4));
        assert!(found.iter().copied().eq(0..nodes));
        let Work { visits, scanned, .. } = work;
        // Five visits of each node for each delta that was too large.
        assert!(visits >= 5 * nodes && visits <= 20 * nodes && scanned <= 20 * nodes, "{work:?}");
    }

    /// Each node has a step of its own, and all nodes wait in lists at first.
    #[test]
    fn lists_are_scanned_a_few_times() {
        let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
        let nodes = 1_000;
        let graph = weighted(nodes, (1..nodes).map(|node| (0, node, 37 * node)).collect());
        let (found, work) = distances(&ops, &graph, &[0], steps(&ops, &graph, 0));
        assert!(found.iter().copied().eq((0..nodes).map(|node| 37 * node)));
        assert!(work.visits == nodes && work.scanned <= 45 * nodes, "{work:?}");
    }

    #[test]
    fn steps_depend_on_the_weights() {
        let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
        let digits = |weights: &[u32]| Steps::new(&ops, 10, weights).map(|steps| steps.digits);
        assert_eq!(digits(&[]), None);
        assert_eq!(digits(&[5, 5, 5]), None);
        assert_eq!(digits(&[1, 1, 2]), Some(1));
        assert_eq!(digits(&[0, 0, 0, 15]), Some(1));
        assert_eq!(digits(&[16, 17, 18]), Some(2));
        assert_eq!(digits(&[1, 1, u32::MAX]), Some(1));
        assert_eq!(digits(&[1, u32::MAX, u32::MAX]), Some(7));
        // No distance has more digits.
        assert_eq!(digits(&[18, 19, 20]), Some(2));
    }

    #[test]
    fn a_device_with_small_buffers_takes_no_steps() {
        let weights = [1, 1 << 20];
        let ops = |bytes| GraphOps::new(Arc::new(ReferenceDevice::with_limits(Limits::new(bytes, 1 << 15, 256))));
        assert!(Steps::new(&ops(7 * 4 * 100), 100, &weights).is_some());
        assert!(Steps::new(&ops(7 * 4 * 100 - 4), 100, &weights).is_none());
    }
}
