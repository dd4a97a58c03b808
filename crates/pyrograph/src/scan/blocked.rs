//! Guards and sanitizers between a source and a sink: where a flow is followed no further, because the value is safe from there on.

use std::collections::BTreeSet;

use super::analysed::Analysed;
use crate::flow::Op;
use crate::knowledge::{Root, RuleMask};
use crate::points_to::{ActualArgument, NodeIndex};

/// Reason for which a value is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Blocker {
    /// A test of the value.
    Guard,
    /// A call whose result is safe.
    Sanitizer,
    /// Something else, such as the text before a part of a text.
    Other,
}

/// Nodes at which values become safe for a rule: reached from the starts without one, and from which the ends are reached.
pub(super) fn blocked(
    analysed: &Analysed,
    starts: &[NodeIndex],
    ends: &[NodeIndex],
    rule: RuleMask,
) -> BTreeSet<(NodeIndex, Blocker)> {
    let (graph, program) = (&analysed.graph, &analysed.program);
    let count = graph.node_count() as usize;
    let forward =
        reach(count, starts, graph.edges.iter().filter(|edge| edge.mask & rule != 0).map(|edge| (edge.from, edge.to)));
    let backward = reach(count, ends, graph.edges.iter().map(|edge| (edge.to, edge.from)));
    let op = |node: NodeIndex| (node < program.value_count).then(|| program.module_of_value(node).instruction(node).op);
    let mut blocked = BTreeSet::new();
    let mut add = |from: NodeIndex, to: NodeIndex| {
        if forward[from as usize] && backward[to as usize] && !forward[to as usize] {
            let blocker = match op(to) {
                Some(Op::Guard(..)) => Blocker::Guard,
                Some(Op::Call(_)) => Blocker::Sanitizer,
                _ => Blocker::Other,
            };
            blocked.insert((to, blocker));
        }
    };
    for edge in graph.edges.iter().filter(|edge| edge.mask & rule == 0) {
        add(edge.from, edge.to);
    }
    // A test that makes a value safe for all rules leaves no edge.
    for module in &program.modules {
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            if let Op::Guard(origin, ..) = instruction.op {
                add(module.value(origin), module.values + position as u32);
            }
        }
    }
    // Neither does a call that makes numbers.
    for library in &analysed.points_to.library_calls {
        let Some(model) = &library.model else { continue };
        let is_sanitizer = |rules: RuleMask, root: Root| rules & rule != 0 && root == Root::Return;
        let is_safe = model.sanitizes.iter().any(|(endpoint, rules)| is_sanitizer(*rules, endpoint.root))
            || model.conditional_sanitizes.iter().any(|(rules, _)| rules & rule != 0);
        if is_safe {
            let arguments = library.arguments.iter().filter_map(|argument: &ActualArgument| argument.node());
            for origin in arguments.chain(library.receiver) {
                add(origin, library.result);
            }
        }
    }
    blocked
}

/// Nodes that edges reach.
fn reach(count: usize, starts: &[NodeIndex], edges: impl Iterator<Item = (NodeIndex, NodeIndex)>) -> Vec<bool> {
    let mut next: Vec<Vec<NodeIndex>> = vec![Vec::new(); count];
    for (from, to) in edges {
        next[from as usize].push(to);
    }
    let mut reached = vec![false; count];
    let mut stack = starts.to_vec();
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            stack.extend(&next[node as usize]);
        }
    }
    reached
}
