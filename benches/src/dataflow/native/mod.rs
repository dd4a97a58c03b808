//! Native code of two strategies of the engine on one thread: the same preparation, the same algorithms.

mod ms_bfs;
mod per_source;

use std::time::Duration;

use vyre_dataflow::Strategy;
use vyre_dataflow::preparation::{NodeOrder, prepare};
use vyre_graph::CsrView;

use super::digest::Found;

/// Time of the part that the engine leaves to programs.
#[derive(Clone, Copy, Debug)]
pub struct NativeTraversal {
    /// Traversal of the graph, without its preparation and without emitting findings.
    pub time: Duration,
}

/// Searches with the algorithm of a strategy and emits the findings in order. Returns `None` for a strategy without native code.
///
/// All bit-parallel levels are dense.
pub fn native_search(
    strategy: Strategy,
    graph: CsrView<'_>,
    sources: &[u32],
    receive: impl FnMut(Found),
) -> Option<NativeTraversal> {
    let time = match strategy {
        Strategy::BitParallel => {
            let prepared = prepare(graph, None, true, NodeOrder::ByInDegree);
            // Bit sets are no wider than the sources need.
            match sources.len().div_ceil(64).next_power_of_two() {
                1 => ms_bfs::search::<1>(&prepared, sources, receive),
                2 => ms_bfs::search::<2>(&prepared, sources, receive),
                4 => ms_bfs::search::<4>(&prepared, sources, receive),
                8 => ms_bfs::search::<8>(&prepared, sources, receive),
                _ => ms_bfs::search::<16>(&prepared, sources, receive),
            }
        }
        Strategy::PerSource => per_source::search(&prepare(graph, None, true, NodeOrder::Original), sources, receive),
        _ => return None,
    };
    Some(NativeTraversal { time })
}

/// Emits the findings of a source: the depth of each sink, or 0 if it is not reached.
fn emit(source: u32, sinks: &[u32], depths: &[u32], receive: &mut impl FnMut(Found)) {
    for (&sink, &depth) in sinks.iter().zip(depths) {
        if depth != 0 && sink != source {
            receive((source, sink, depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use vyre_graph::generate::{calls, rmat, roles};

    use super::super::naive::naive;
    use super::super::taint_graph::TaintGraph;
    use super::super::workload::sources_of;
    use super::*;

    #[test]
    fn both_strategies_have_the_findings_of_the_naive_search() {
        let graphs = [rmat(8, 8, 1).expect("a small graph"), calls(3000, 512, 2).expect("a small graph")];
        for mut graph in graphs {
            roles(&mut graph, 3);
            let all = TaintGraph::roles(graph.view());
            for count in [1, 33, 64, 100] {
                let sources = sources_of(graph.view(), count).expect("enough nodes");
                let expected = naive(TaintGraph::new(graph.view(), &all), &sources);
                for strategy in [Strategy::BitParallel, Strategy::PerSource] {
                    let mut found = Vec::new();
                    native_search(strategy, graph.view(), &sources, |finding| found.push(finding))
                        .expect("the strategy has native code");
                    assert_eq!(found, expected, "{strategy}, {count} sources");
                }
            }
        }
    }
}
