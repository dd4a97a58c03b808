//! The engine's two paths as native code of one thread: the same preparation, the same algorithms.

mod prepare;
mod rows;
mod walk;

use std::time::Duration;

use vyre_dataflow::Strategy;
use vyre_graph::CsrView;

use self::prepare::{Order, prepare};
use super::answer::Found;

/// How long the parts took that the engine leaves to programs.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// Going through the graph, without preparing it and without handing findings on.
    pub traversal: Duration,
}

/// Does what the engine does on this path, and hands the findings on in order. Nothing where there is no twin of the path.
///
/// Bit-parallel levels are all dense.
pub fn twin(path: Strategy, graph: CsrView<'_>, sources: &[u32], receive: impl FnMut(Found)) -> Option<Twin> {
    let traversal = match path {
        Strategy::BitParallel => {
            let left = prepare(graph, Order::ByIncoming);
            // Rows have no more bits than they need.
            match sources.len().div_ceil(64).next_power_of_two() {
                1 => rows::search::<1>(&left, sources, receive),
                2 => rows::search::<2>(&left, sources, receive),
                4 => rows::search::<4>(&left, sources, receive),
                8 => rows::search::<8>(&left, sources, receive),
                _ => rows::search::<16>(&left, sources, receive),
            }
        }
        Strategy::PerSource => walk::search(&prepare(graph, Order::Kept), sources, receive),
        _ => return None,
    };
    Some(Twin { traversal })
}

/// Hands on what a source has found: a depth for each sink, or 0.
fn hand_on(source: u32, sinks: &[u32], depths: &[u32], receive: &mut impl FnMut(Found)) {
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
    use super::super::plain::Plain;
    use super::super::workload::sources_of;
    use super::*;

    #[test]
    fn both_find_what_a_plain_search_finds() {
        let graphs = [rmat(8, 8, 1).expect("a small graph"), calls(3000, 512, 2).expect("a small graph")];
        for mut graph in graphs {
            roles(&mut graph, 3);
            let all = Plain::roles(graph.view());
            for count in [1, 33, 64, 100] {
                let sources = sources_of(graph.view(), count).expect("enough nodes");
                let expected = naive(Plain::new(graph.view(), &all), &sources);
                for path in [Strategy::BitParallel, Strategy::PerSource] {
                    let mut found = Vec::new();
                    twin(path, graph.view(), &sources, |finding| found.push(finding)).expect("there is a twin");
                    assert_eq!(found, expected, "{path}, {count} sources");
                }
            }
        }
    }
}
