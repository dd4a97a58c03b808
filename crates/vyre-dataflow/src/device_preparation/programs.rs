//! Programs of the preparation on a device.
//!
//! Bitmaps have one bit for each node. `kept` is the set of nodes that reach a sink, which grows from the sinks. An edge is
//! *traversable* if it is open, its source is kept and no sanitizer, and its target is kept.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, ballot, local_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use crate::preparation::DROPPED;
use crate::strides::{each_invocation, each_workgroup};

/// Words of the buffer `state`.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `IS_DONE` | 1 if a round added no node to `kept` |
/// | 1 | `ROUNDS` | number of rounds |
/// | 2 | `KEPT` | number of kept nodes |
/// | 3 | `SLICED` | number of kept nodes with [`MIN_SLICED`] or more incoming edges |
/// | 4 | `EDGES` | number of traversable edges |
pub(crate) mod state {
    pub(crate) const IS_DONE: u32 = 0;
    pub(crate) const ROUNDS: u32 = 1;
    pub(crate) const KEPT: u32 = 2;
    pub(crate) const SLICED: u32 = 3;
    pub(crate) const EDGES: u32 = 4;
    pub(crate) const WORDS: usize = 5;
}

/// Workgroup size of programs with an invocation for each position.
pub(crate) const WORKGROUP: u32 = 64;
/// Workgroup size of programs with a workgroup for each node.
const LANES: u32 = 32;
/// Number of nodes that an invocation sorts.
pub(crate) const CHUNK: u32 = 64;
/// Number of classes of in-degrees: the leading zero bits of a degree.
pub(crate) const CLASSES: u32 = 33;
/// Minimum in-degree of the nodes that come first: the smallest of the classes before [`FIRST_UNSLICED`].
pub(crate) const MIN_SLICED: u32 = 256;
/// First class of degrees below [`MIN_SLICED`].
const FIRST_UNSLICED: u32 = MIN_SLICED.leading_zeros() + 1;

/// Number of the role of a node: bits 16 to 23 of its word.
pub(crate) fn role(word: impl Into<Expr>) -> Expr {
    (word.into() >> 16u32) & 0xffu32
}

fn is_sanitizer(word: impl Into<Expr>) -> Expr {
    role(word).eq(4u32)
}

/// Roles 2 and 3 are sinks.
fn is_sink(word: impl Into<Expr>) -> Expr {
    (role(word) >> 1u32).eq(1u32)
}

/// Bit of a node in a bitmap.
fn bit(bitmap: &Handle, node: impl Into<Expr>) -> Expr {
    let node = node.into();
    (bitmap.load(node.clone() >> 5u32) >> (node & 31u32)) & 1u32
}

/// The graph as it was loaded, in the bindings of a program.
struct RawGraph {
    offsets: Handle,
    targets: Handle,
    node_data: Handle,
    /// A 0 for each edge that is blocked.
    passes: Option<Handle>,
}

impl RawGraph {
    fn declare(p: &mut ProgramBuilder, is_filtered: bool) -> RawGraph {
        let [offsets, targets, node_data] = ["offsets", "targets", "node_data"].map(|name| p.read(name, DataType::U32));
        RawGraph { offsets, targets, node_data, passes: is_filtered.then(|| p.read("passes", DataType::U32)) }
    }

    /// Calls `visit` with the target of an edge for each invocation, and with a condition that is 1 if the invocation has an edge,
    /// the edge is open and its target is kept. The workgroup visits all edges of a node.
    fn each_edge(&self, b: &mut Body<'_>, node: &Var, kept: &Handle, visit: impl FnOnce(&mut Body<'_>, &Var, &Var)) {
        let begin = b.let_("begin", self.offsets.load(node));
        let end = b.let_("end", self.offsets.load(node + 1u32));
        b.for_("step", 0u32, (&end - &begin + (LANES - 1)) / LANES, |b, step| {
            let edge = b.let_("edge", &begin + step * LANES + local_id(0));
            let target = b.let_("target", self.targets.load(&edge));
            let open = edge.lt(&end).and(bit(kept, &target));
            let open = self.passes.iter().fold(open, |open, passes| open.and(passes.load(&edge)));
            let is_open = b.let_("is_open", open);
            visit(b, &target, &is_open);
        });
    }
}

/// Begins with the sinks, or with all nodes without pruning, as the set of kept nodes.
pub(crate) fn begin(prunes: bool) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let node_data = p.read("node_data", DataType::U32);
    let [kept, next] = ["kept", "next"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let count = b.let_("count", kept.len());
        let nodes = b.let_("nodes", node_data.len());
        each_invocation(b, WORKGROUP, &count, |b, word| {
            let bits = b.let_("bits", 0u32);
            b.for_("at", 0u32, 32u32, |b, at| {
                let node = b.let_("node", word * 32u32 + at);
                let is_kept = if prunes { is_sink(node_data.load(&node)) } else { 1u32.into() };
                b.if_(node.lt(&nodes).and(is_kept), |b| b.assign(&bits, &bits | (1u32 << at)));
            });
            b.store(&kept, word, &bits);
            b.store(&next, word, &bits);
        });
    })
}

/// Adds the nodes with an edge to a kept node to `next`, and their number to `added`.
pub(crate) fn reach(is_filtered: bool) -> Program {
    let mut p = ProgramBuilder::new([LANES, 1, 1]);
    let graph = RawGraph::declare(&mut p, is_filtered);
    let [kept, state] = ["kept", "state"].map(|name| p.read(name, DataType::U32));
    let [next, added] = ["next", "added"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::IS_DONE), |b| b.return_());
        let nodes = b.let_("nodes", graph.node_data.len());
        let new = b.let_("new", 0u32);
        each_workgroup(b, &nodes, |b, node| {
            let is_candidate = bit(&kept, node).eq(0u32).and(is_sanitizer(graph.node_data.load(node)).eq(0u32));
            b.if_(is_candidate, |b| {
                graph.each_edge(b, node, &kept, |b, _, is_open| {
                    b.if_(ballot(is_open).ne(0u32), |b| {
                        b.if_(local_id(0).eq(0u32), |b| {
                            let word = b.let_("word", node >> 5u32);
                            b.discard(Expr::atomic(AtomicOp::Or, next.name(), &word, 1u32 << (node & 31u32)));
                        });
                        b.assign(&new, &new + 1u32);
                        b.break_();
                    });
                });
            });
        });
        b.if_(local_id(0).eq(0u32).and(new.ne(0u32)), |b| {
            b.discard(Expr::atomic(AtomicOp::Add, added.name(), 0u32, &new));
        });
    })
}

/// Ends a round.
pub(crate) fn round() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let [added, state] = ["added", "state"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::IS_DONE).eq(0u32), |b| {
            b.store(&state, state::ROUNDS, state.load(state::ROUNDS) + 1u32);
            b.if_(added.load(0u32).eq(0u32), |b| b.store(&state, state::IS_DONE, 1u32));
            b.store(&added, 0u32, 0u32);
        });
    })
}

/// Counts the traversable edges that leave and enter each node.
pub(crate) fn degrees(is_filtered: bool) -> Program {
    let mut p = ProgramBuilder::new([LANES, 1, 1]);
    let graph = RawGraph::declare(&mut p, is_filtered);
    let kept = p.read("kept", DataType::U32);
    let [out_degrees, in_degrees] = ["out_degrees", "in_degrees"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let nodes = b.let_("nodes", graph.node_data.len());
        each_workgroup(b, &nodes, |b, node| {
            let degree = b.let_("degree", 0u32);
            b.if_(bit(&kept, node).and(is_sanitizer(graph.node_data.load(node)).eq(0u32)), |b| {
                graph.each_edge(b, node, &kept, |b, target, is_open| {
                    b.if_(is_open, |b| b.discard(Expr::atomic(AtomicOp::Add, in_degrees.name(), target, 1u32)));
                    b.assign(&degree, &degree + ballot(is_open).popcount());
                });
            });
            b.if_(local_id(0).eq(0u32), |b| b.store(&out_degrees, node, &degree));
        });
    })
}

/// Calls `visit` for each kept node of each chunk, with the counter of the chunk for the class of the node.
fn each_kept_node(
    b: &mut Body<'_>,
    kept: &Handle,
    in_degrees: &Handle,
    visit: impl FnOnce(&mut Body<'_>, &Var, &Var, &Var),
    dropped: impl FnOnce(&mut Body<'_>, &Var),
) {
    let nodes = b.let_("nodes", in_degrees.len());
    let chunks = b.let_("chunks", (&nodes + (CHUNK - 1)) / CHUNK);
    each_invocation(b, WORKGROUP, &chunks, |b, chunk| {
        let first = b.let_("first", chunk * CHUNK);
        b.for_("at", 0u32, (&nodes - &first).min(CHUNK), |b, at| {
            let node = b.let_("node", &first + at);
            b.if_else(
                bit(kept, &node),
                |b| {
                    let degree = b.let_("degree", in_degrees.load(&node));
                    let counter = b.let_("counter", degree.clz() * &chunks + chunk);
                    visit(b, &node, &degree, &counter);
                },
                |b| dropped(b, &node),
            );
        });
    });
}

/// Counts the kept nodes of each chunk, by class of in-degree.
pub(crate) fn count_classes() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [kept, in_degrees] = ["kept", "in_degrees"].map(|name| p.read(name, DataType::U32));
    let counters = p.read_write("counters", DataType::U32);
    p.entry(|b| {
        let count = |b: &mut Body<'_>, _: &Var, _: &Var, counter: &Var| {
            b.store(&counters, counter, counters.load(counter) + 1u32);
        };
        each_kept_node(b, &kept, &in_degrees, count, |_, _| {});
    })
}

/// Gives each kept node its new id: by class of in-degree, descending, then by original id. `counters` is scanned.
pub(crate) fn number_nodes() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [kept, in_degrees, out_degrees] = ["kept", "in_degrees", "out_degrees"].map(|name| p.read(name, DataType::U32));
    let [counters, new_ids, in_offsets, out_offsets] =
        ["counters", "new_ids", "in_offsets", "out_offsets"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let number = |b: &mut Body<'_>, node: &Var, degree: &Var, counter: &Var| {
            let new = b.let_("new", counters.load(counter));
            b.store(&counters, counter, &new + 1u32);
            b.store(&new_ids, node, &new);
            b.store(&in_offsets, &new, degree);
            b.store(&out_offsets, &new, out_degrees.load(node));
        };
        each_kept_node(b, &kept, &in_degrees, number, |b, node| b.store(&new_ids, node, DROPPED));
    })
}

/// Stores the number of kept nodes, of nodes with many incoming edges and of traversable edges. `counters` was used to number the
/// nodes, so each has the end of its class and chunk; the offsets are scanned.
pub(crate) fn summarize() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let [counters, in_offsets] = ["counters", "in_offsets"].map(|name| p.read(name, DataType::U32));
    let state = p.read_write("state", DataType::U32);
    p.entry(|b| {
        let counted = b.let_("counted", counters.len() - 1u32);
        let chunks = b.let_("chunks", &counted / CLASSES);
        b.store(&state, state::KEPT, counters.load(&counted));
        b.store(&state, state::SLICED, counters.load(&chunks * FIRST_UNSLICED - 1u32));
        b.store(&state, state::EDGES, in_offsets.load(in_offsets.len() - 1u32));
    })
}

/// Writes the traversable edges of each node in both directions. `fronts` and `backs` hold the begin and the end of the free part of
/// the incoming edges of each node: edges from the first 1/64 of the nodes fill it from the front, the others from the back.
pub(crate) fn fill_edges(is_filtered: bool) -> Program {
    let mut p = ProgramBuilder::new([LANES, 1, 1]);
    let graph = RawGraph::declare(&mut p, is_filtered);
    let [kept, new_ids, out_offsets, state] =
        ["kept", "new_ids", "out_offsets", "state"].map(|name| p.read(name, DataType::U32));
    let [targets, fronts, backs, sources] =
        ["out_targets", "fronts", "backs", "in_sources"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let nodes = b.let_("nodes", graph.node_data.len());
        let first = b.let_("first_nodes", state.load(state::KEPT) / 64u32);
        let lower = b.let_("lower", (1u32 << local_id(0)) - 1u32);
        each_workgroup(b, &nodes, |b, node| {
            b.if_(bit(&kept, node).and(is_sanitizer(graph.node_data.load(node)).eq(0u32)), |b| {
                let source = b.let_("source", new_ids.load(node));
                let position = b.let_("row", out_offsets.load(&source));
                graph.each_edge(b, node, &kept, |b, target, is_open| {
                    let open = b.let_("open", ballot(is_open));
                    b.if_(is_open, |b| {
                        let target = b.let_("new_target", new_ids.load(target));
                        b.store(&targets, &position + (&open & &lower).popcount(), &target);
                        b.if_else(
                            source.lt(&first),
                            |b| {
                                let slot = b.atomic("slot", AtomicOp::Add, &fronts, &target, 1u32);
                                b.store(&sources, &slot, &source);
                            },
                            |b| {
                                let slot = b.atomic("slot", AtomicOp::Add, &backs, &target, u32::MAX);
                                b.store(&sources, &slot - 1u32, &source);
                            },
                        );
                    });
                    b.assign(&position, &position + open.popcount());
                });
            });
        });
    })
}

/// New ids of a list of nodes.
pub(crate) fn map_nodes() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [nodes, new_ids] = ["nodes", "new_ids"].map(|name| p.read(name, DataType::U32));
    let mapped = p.read_write("mapped", DataType::U32);
    p.entry(|b| {
        let count = b.let_("count", nodes.len());
        each_invocation(b, WORKGROUP, &count, |b, at| b.store(&mapped, at, new_ids.load(nodes.load(at))));
    })
}
