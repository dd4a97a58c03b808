//! Expansion of summary edges on small graphs.

use super::*;
use crate::limits::Effort;
use crate::value_flow::Edge;
use crate::value_flow::layers::layers;
use crate::value_flow::summaries::summarize;

const RULE: RuleMask = 1;
const OTHER: RuleMask = 2;

fn compact(nodes: u32, edges: &[(u32, u32, EdgeKind, RuleMask)]) -> CompactGraph {
    let mut edges: Vec<Edge> = edges.iter().map(|&(from, to, kind, mask)| Edge { from, to, kind, mask }).collect();
    edges.sort_unstable();
    let summaries = summarize(nodes as usize, &edges, Effort(100), &|| false);
    assert!(summaries.is_complete);
    let layered = layers(nodes, &edges, &summaries);
    // Numbers of the value-flow graph differ from those of the compact one.
    let originals = (0..nodes).map(|node| node + 100).collect();
    let backward = crate::search::compact::backward_edges(&layered);
    CompactGraph { originals, numbers: Vec::new(), edges, summaries, layered, backward, is_complete: true }
}

/// Shortest path over both layers, as a search finds it.
fn shortest(graph: &CompactGraph, mask: RuleMask, source: u32, sink: u32) -> Vec<u32> {
    let nodes = graph.layered.nodes;
    let mut previous: HashMap<u32, u32> = HashMap::from([(source, source)]);
    let mut queue = VecDeque::from([source]);
    while let Some(node) = queue.pop_front() {
        if node % nodes == sink {
            let mut path = vec![node];
            while path[path.len() - 1] != source {
                path.push(previous[&path[path.len() - 1]]);
            }
            path.reverse();
            return path;
        }
        for edge in graph.layered.edges.iter().filter(|edge| edge.0 == node && edge.2 & mask == mask) {
            previous.entry(edge.1).or_insert_with(|| {
                queue.push_back(edge.1);
                node
            });
        }
    }
    panic!("{source} does not reach {sink}");
}

/// Expands the shortest path, checks that the graph has its steps, and that calls and returns match.
fn expand(graph: &CompactGraph, mask: RuleMask, source: u32, sink: u32) -> Vec<u32> {
    let path = shortest(graph, mask, source, sink);
    let steps = Expansion::new(graph, mask).expand(&path);
    assert_eq!((steps[0].node, steps[0].edge), (source + 100, None));
    assert_eq!(steps[steps.len() - 1].node, sink + 100);
    let mut stack = Vec::new();
    for pair in steps.windows(2) {
        let (from, to) = (pair[0].node - 100, pair[1].node - 100);
        let kind = pair[1].edge.expect("a kind");
        let is_edge = |edge: &Edge| (edge.from, edge.to, edge.kind) == (from, to, kind) && edge.mask & mask == mask;
        assert!(graph.edges.iter().any(is_edge), "{from} -> {to} {kind:?} is no edge: {steps:?}");
        match kind {
            EdgeKind::Intra => {}
            EdgeKind::Heap => stack.clear(),
            EdgeKind::Call(call) => stack.push(call),
            EdgeKind::Return(call) => assert!(stack.pop().is_none_or(|top| top == call), "{steps:?}"),
        }
    }
    steps.iter().map(|step| step.node - 100).collect()
}

use EdgeKind::{Call, Heap, Intra, Return};

#[test]
fn a_path_without_calls_stays_as_it_is() {
    let graph = compact(3, &[(0, 1, Intra, RULE), (1, 2, Heap, RULE)]);
    assert_eq!(expand(&graph, RULE, 0, 2), [0, 1, 2]);
    assert_eq!(expand(&graph, RULE, 1, 1), [1]);
    assert!(Expansion::new(&graph, RULE).expand(&[]).is_empty());
}

/// `function id(1) { 2 = 1; return 2 }`, called with 0 to 3 and with 4 to 5.
#[test]
fn a_call_is_entered_and_left() {
    let edges = [
        (0, 1, Call(7), RULE),
        (1, 2, Intra, RULE),
        (2, 3, Return(7), RULE),
        (4, 1, Call(8), RULE),
        (2, 5, Return(8), RULE),
    ];
    let graph = compact(6, &edges);
    assert_eq!(expand(&graph, RULE, 0, 3), [0, 1, 2, 3]);
    assert_eq!(expand(&graph, RULE, 4, 5), [4, 1, 2, 5]);
    let steps = Expansion::new(&graph, RULE).expand(&[0, 3]);
    assert_eq!(steps[1], PathStep { node: 101, edge: Some(Call(7)) });
    assert_eq!(steps[3], PathStep { node: 103, edge: Some(Return(7)) });
}

#[test]
fn the_path_ascends_and_descends_around_calls() {
    // 0 is returned to 1, passed through `id` (2, 3) to 4, and passed down to 5.
    let edges = [
        (0, 1, Return(1), RULE),
        (1, 2, Call(2), RULE),
        (2, 3, Intra, RULE),
        (3, 4, Return(2), RULE),
        (4, 5, Call(3), RULE),
        (5, 2, Call(4), RULE),
        (3, 6, Return(4), RULE),
    ];
    assert_eq!(expand(&compact(7, &edges), RULE, 0, 6), [0, 1, 2, 3, 4, 5, 2, 3, 6]);
}

#[test]
fn nested_calls_are_expanded() {
    // 0 -> outer(1 .. 6) -> 7; outer calls middle(2 .. 5), which calls inner(3 .. 4).
    let edges = [
        (0, 1, Call(1), RULE),
        (1, 2, Call(2), RULE),
        (2, 3, Call(3), RULE),
        (3, 4, Intra, RULE),
        (4, 5, Return(3), RULE),
        (5, 6, Return(2), RULE),
        (6, 7, Return(1), RULE),
    ];
    assert_eq!(expand(&compact(8, &edges), RULE, 0, 7), [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// The short path through the callee sanitises the rule; the long one does not.
#[test]
fn the_expansion_avoids_sanitizers() {
    let edges = [
        (0, 1, Call(1), RULE | OTHER),
        (1, 3, Intra, OTHER),
        (1, 2, Intra, RULE),
        (2, 3, Intra, RULE),
        (3, 4, Return(1), RULE | OTHER),
    ];
    let graph = compact(5, &edges);
    assert_eq!(expand(&graph, RULE, 0, 4), [0, 1, 2, 3, 4]);
    assert_eq!(expand(&graph, OTHER, 0, 4), [0, 1, 3, 4]);
}

/// Both calls of the callee are summary edges with the same ends; only one keeps the rule.
#[test]
fn the_expansion_takes_the_call_of_the_rule() {
    let edges = [
        (0, 1, Call(1), RULE | OTHER),
        (1, 2, Intra, OTHER),
        (2, 5, Return(1), RULE | OTHER),
        (0, 3, Call(2), RULE | OTHER),
        (3, 4, Intra, RULE),
        (4, 5, Return(2), RULE | OTHER),
    ];
    let graph = compact(6, &edges);
    assert_eq!(expand(&graph, RULE, 0, 5), [0, 3, 4, 5]);
    assert_eq!(expand(&graph, OTHER, 0, 5), [0, 1, 2, 5]);
}

/// A function whose shortest way to its result is the call of itself: the witness shows the way that ends.
#[test]
fn a_recursive_call_does_not_expand_to_itself() {
    let edges = [
        (0, 1, Call(1), RULE),
        (4, 5, Return(1), RULE),
        // Inside: 1 -> 2 -> 3 -> 4, or 1 -> call of itself -> 4.
        (1, 2, Intra, RULE),
        (2, 3, Intra, RULE),
        (3, 4, Intra, RULE),
        (1, 1, Call(2), RULE),
        (4, 4, Return(2), RULE),
    ];
    assert_eq!(expand(&compact(6, &edges), RULE, 0, 5), [0, 1, 2, 3, 4, 5]);
}

/// Two functions that call each other; only the second one has a way without a call.
#[test]
fn mutual_recursion_ends() {
    let edges = [
        (0, 1, Call(1), RULE),
        (2, 9, Return(1), RULE),
        // even(1 -> 2) calls odd(3 -> 4), which calls even, or goes the long way.
        (1, 3, Call(2), RULE),
        (4, 2, Return(2), RULE),
        (3, 1, Call(3), RULE),
        (2, 4, Return(3), RULE),
        (3, 5, Intra, RULE),
        (5, 6, Intra, RULE),
        (6, 7, Intra, RULE),
        (7, 8, Intra, RULE),
        (8, 4, Intra, RULE),
    ];
    assert_eq!(expand(&compact(10, &edges), RULE, 0, 9), [0, 1, 3, 5, 6, 7, 8, 4, 2, 9]);
}

/// The result needs two more rounds of the recursion: `f(a, b)` returns `b`, and passes `a` on as `b`.
#[test]
fn recursion_that_rotates_parameters_is_shown() {
    let edges = [
        (0, 1, Call(1), RULE),
        (5, 9, Return(1), RULE),
        // Parameters 1, 2, 3; the call inside passes 1 as 2, 2 as 3; 3 is returned at 5.
        (1, 2, Call(2), RULE),
        (2, 3, Call(2), RULE),
        (3, 5, Intra, RULE),
        (5, 6, Return(2), RULE),
        (6, 5, Intra, RULE),
    ];
    assert_eq!(expand(&compact(10, &edges), RULE, 0, 9), [0, 1, 2, 3, 5, 6, 5, 6, 5, 9]);
}

#[test]
fn calls_beyond_the_limits_are_one_step() {
    // A chain of functions: function `i` has the parameter 2i + 1 and the result 2i + 2, and calls the next one.
    let depth = 3 * MAX_EXPANSION;
    let nodes = 2 * depth + 4;
    let last = 2 * depth + 1;
    let mut edges = vec![(0, 1, Call(0), RULE), (2, nodes - 1, Return(0), RULE), (last, last + 1, Intra, RULE)];
    for function in 0..depth {
        edges.push((2 * function + 1, 2 * function + 3, Call(function + 1), RULE));
        edges.push((2 * function + 4, 2 * function + 2, Return(function + 1), RULE));
    }
    let graph = compact(nodes, &edges);
    let path = shortest(&graph, RULE, 0, nodes - 1);
    assert_eq!(path.len(), 2);
    let steps = Expansion::new(&graph, RULE).expand(&path);
    assert_eq!(steps.len() as u32, 2 * MAX_EXPANSION + 2);
    assert_eq!(steps[steps.len() - 1].node, nodes - 1 + 100);

    // Many calls, one after the other: the expansion ends at the limit of steps, the path does not.
    let calls = 2 * MAX_STEPS as u32;
    let mut edges = vec![(0, 1, Intra, RULE)];
    for call in 0..calls {
        edges.push((call + 2, 0, Call(call), RULE));
        edges.push((1, call + 3, Return(call), RULE));
    }
    let graph = compact(calls + 3, &edges);
    let path: Vec<u32> = (2..calls + 3).collect();
    let steps = Expansion::new(&graph, RULE).expand(&path);
    assert!(steps.len() >= path.len() && steps.len() <= path.len() + MAX_STEPS, "{}", steps.len());
    assert_eq!(steps[steps.len() - 1].node, calls + 2 + 100);
}
