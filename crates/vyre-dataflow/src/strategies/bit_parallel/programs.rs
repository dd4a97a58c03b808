//! Programs of the bit-parallel multi-source BFS.
//!
//! Each node has a *source set*: a bitset with one bit for each source of the batch. `seen` holds the sources that have reached
//! the node, `frontier` those that reached it in the last level. A node is *active* if its frontier set is not empty. A level is
//! a sequence of dispatches:
//!
//! 1. `advance` counts the level and selects its mode: dense, sparse or stop.
//! 2. `mark`, in sparse levels: successors of active nodes become candidates.
//! 3. `pull`: every node, or every candidate, unites the frontier sets of its active predecessors. One workgroup owns a set, and
//!    no invocation writes what another reads in this level, so there are no races.
//! 4. `slices` and `merge`, for nodes with too many incoming edges for one workgroup: `slices` pulls parts of the edges, `merge`
//!    unites the parts.
//! 5. `harvest`: sinks write the depth for each source that has just reached them.
//! 6. `collect` lists the active nodes and counts their outgoing edges.
//!
//! The buffer `active` has this format, for sets of W words:
//!
//! | Words | Meaning |
//! |---|---|
//! | 0..W | union of all frontier sets: sources that are still searching |
//! | W.. | one bit for each node: 1 if it is active |

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, ballot, invocation_id, local_id, reduce, select};
use vyre_ir::{AtomicOp, DataType, Expr, Program, ReduceOp};

use crate::preparation::DROPPED;
use crate::search::MAX_BUFFER_WORDS;
use crate::strides::{each_invocation, each_workgroup};

/// Words of the buffer `state`.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `LEVEL` | depth of the nodes that this level finds |
/// | 1 | `MODE` | `STOP`, `DENSE` or `SPARSE` |
/// | 2 | `MAX_DEPTH` | maximum number of edges of a path |
/// | 3 | `ACTIVE` | number of active nodes |
/// | 4 | `MAX_SPARSE_EDGES` | maximum number of outgoing edges of the active nodes of a sparse level |
/// | 5 | `DENSE_LEVELS` | number of dense levels so far |
/// | 6 | `SPARSE_LEVELS` | number of sparse levels so far |
pub(crate) mod state {
    pub(crate) const LEVEL: u32 = 0;
    pub(crate) const MODE: u32 = 1;
    pub(crate) const MAX_DEPTH: u32 = 2;
    pub(crate) const ACTIVE: u32 = 3;
    pub(crate) const MAX_SPARSE_EDGES: u32 = 4;
    pub(crate) const DENSE_LEVELS: u32 = 5;
    pub(crate) const SPARSE_LEVELS: u32 = 6;
    pub(crate) const WORDS: usize = 7;

    pub(crate) const STOP: u32 = 0;
    pub(crate) const DENSE: u32 = 1;
    pub(crate) const SPARSE: u32 = 2;
}

/// Words of the buffer `counts`.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `ACTIVE` | number of nodes that have become active in this level |
/// | 1 | `EDGES` | number of their outgoing edges |
pub(crate) mod counts {
    pub(crate) const ACTIVE: u32 = 0;
    pub(crate) const EDGES: u32 = 1;
    pub(crate) const WORDS: usize = 2;
}

/// Workgroup size of programs that do not work on source sets.
pub(crate) const WORKGROUP: u32 = 64;
/// Words of a slice: its node, its first edge, and the end of its edges.
pub(crate) const SLICE_WORDS: u32 = 3;
/// Number of edges between two checks whether a set is complete.
const EDGES_PER_CHECK: u32 = 32;

/// Scan of the incoming edges of a node by a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scan {
    /// One edge after the other, for CPUs.
    Edges,
    /// One edge for each invocation at a time, with a ballot of the active ones, for GPUs.
    Ballots,
}

/// Parameters of the programs on source sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Number of invocations of a workgroup.
    pub(crate) invocations: u32,
    /// Number of words of a set that each invocation owns. They are `invocations` words apart.
    pub(crate) words_each: u32,
    /// Scan of the incoming edges.
    pub(crate) scan: Scan,
}

impl Shape {
    /// Number of words of a set.
    pub(crate) fn words(self) -> u32 {
        self.invocations * self.words_each
    }

    /// Declares a variable for each word of an invocation.
    fn each(self, b: &mut Body<'_>, name: &str, value: impl Fn(&mut Body<'_>, usize) -> Expr) -> Vec<Var> {
        (0..self.words_each as usize)
            .map(|at| {
                let value = value(b, at);
                b.let_(name, value)
            })
            .collect()
    }

    /// Index of a word of an invocation, in a set that begins at `set`.
    fn index(self, set: &Var, local: &Var, at: usize) -> Expr {
        set + (at as u32 * self.invocations) + local
    }
}

/// Union of these words over all invocations of the workgroup.
fn any(words: impl IntoIterator<Item = Expr>) -> Expr {
    reduce(ReduceOp::Or, words.into_iter().reduce(|a, b| a | b).expect("a set has words"))
}

/// Begins the next level and selects its mode.
pub(crate) fn advance() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let [state, counts, candidates] = ["state", "counts", "candidates"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let active = b.let_("active", counts.load(counts::ACTIVE));
        let edges = b.let_("edges", counts.load(counts::EDGES));
        let level = b.let_("level", state.load(state::LEVEL));
        b.store(&state, state::ACTIVE, &active);
        b.store(&counts, counts::ACTIVE, 0u32);
        b.store(&counts, counts::EDGES, 0u32);
        b.store(&candidates, 0u32, 0u32);
        b.if_else(
            active.eq(0u32).or(level.ge(state.load(state::MAX_DEPTH))),
            |b| b.store(&state, state::MODE, state::STOP),
            |b| {
                b.store(&state, state::LEVEL, &level + 1u32);
                b.if_else(
                    edges.gt(state.load(state::MAX_SPARSE_EDGES)),
                    |b| {
                        b.store(&state, state::MODE, state::DENSE);
                        b.store(&state, state::DENSE_LEVELS, state.load(state::DENSE_LEVELS) + 1u32);
                    },
                    |b| {
                        b.store(&state, state::MODE, state::SPARSE);
                        b.store(&state, state::SPARSE_LEVELS, state.load(state::SPARSE_LEVELS) + 1u32);
                    },
                );
            },
        );
    })
}

/// Sets the bit of each source in the sets of its node. `starts` has original ids.
pub(crate) fn seed(words: u32) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [starts, new_ids] = ["starts", "new_ids"].map(|name| p.read(name, DataType::U32));
    let [seen, frontier, active] = ["seen", "frontier", "active"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let source = b.let_("source", invocation_id(0));
        b.if_(source.lt(starts.len()), |b| {
            let start = b.let_("start", starts.load(&source));
            let node = b.let_("node", start.lt(new_ids.len()).select(new_ids.load(&start), DROPPED));
            // A source whose node was removed reaches no sink.
            b.if_(node.ne(DROPPED), |b| {
                let word = b.let_("word", &node * words + (&source >> 5u32));
                let bit = b.let_("bit", 1u32 << (&source & 31u32));
                b.discard(Expr::atomic(AtomicOp::Or, seen.name(), &word, &bit));
                b.discard(Expr::atomic(AtomicOp::Or, frontier.name(), &word, &bit));
                b.discard(Expr::atomic(AtomicOp::Or, active.name(), &source >> 5u32, &bit));
                let index = b.let_("index", (&node >> 5u32) + words);
                b.discard(Expr::atomic(AtomicOp::Or, active.name(), &index, 1u32 << (&node & 31u32)));
            });
        });
    })
}

/// Lists the candidates of a sparse level: their number, then the nodes. `marks` holds the last level in which a node was a
/// candidate.
pub(crate) fn mark() -> Program {
    let mut p = ProgramBuilder::new([32, 1, 1]);
    let [state, offsets, targets, list] =
        ["state", "offsets", "targets", "list"].map(|name| p.read(name, DataType::U32));
    let [marks, candidates] = ["marks", "candidates"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::MODE).ne(state::SPARSE), |b| b.return_());
        let level = b.let_("level", state.load(state::LEVEL));
        let active = b.let_("active", state.load(state::ACTIVE));
        each_workgroup(b, &active, |b, position| {
            let node = b.let_("node", list.load(position));
            let begin = b.let_("begin", offsets.load(&node));
            let end = b.let_("end", offsets.load(&node + 1u32));
            b.for_("step", 0u32, (&end - &begin + 31u32) / 32u32, |b, step| {
                let edge = b.let_("edge", &begin + step * 32u32 + local_id(0));
                b.if_(edge.lt(&end), |b| {
                    let target = b.let_("target", targets.load(&edge));
                    let before = b.atomic("before", AtomicOp::Exchange, &marks, &target, &level);
                    b.if_(before.ne(&level), |b| {
                        let slot = b.atomic("slot", AtomicOp::Add, &candidates, 0u32, 1u32);
                        b.store(&candidates, &slot + 1u32, &target);
                    });
                });
            });
        });
    })
}

/// Source set of a node: one variable for each word of an invocation.
struct SourceSet {
    /// Index of its first word.
    begin: Var,
    /// Sources that have reached the node.
    known: Vec<Var>,
    /// Searching sources that have not reached the node.
    missing: Vec<Var>,
}

impl SourceSet {
    fn load(b: &mut Body<'_>, shape: Shape, node: &Var, local: &Var, seen: &Handle, searching: &[Var]) -> SourceSet {
        let begin = b.let_("set", node * shape.words());
        let known = shape.each(b, "known", |_, at| seen.load(shape.index(&begin, local, at)));
        let missing = shape.each(b, "missing", |_, at| &searching[at] & !&known[at]);
        SourceSet { begin, known, missing }
    }

    /// Reports whether a searching source has not reached the node.
    fn is_incomplete(&self) -> Expr {
        any(self.missing.iter().map(Expr::from)).ne(0u32)
    }
}

/// Loads the union of all frontier sets.
fn searching(b: &mut Body<'_>, shape: Shape, active: &Handle, local: &Var) -> Vec<Var> {
    shape.each(b, "searching", |_, at| active.load(local + (at as u32 * shape.invocations)))
}

/// Buffers of the incoming edges and of the last level.
struct Incoming<'p> {
    sources: &'p Handle,
    active: &'p Handle,
    frontier: &'p Handle,
}

/// A range of edges.
struct EdgeRange<'v> {
    begin: &'v Var,
    end: &'v Var,
}

/// Unites the frontier sets of active nodes at the edges `begin..end`, until no bit of `missing` is missing.
fn gather(
    b: &mut Body<'_>,
    shape: Shape,
    incoming: &Incoming<'_>,
    local: &Var,
    edges: &EdgeRange<'_>,
    missing: &[Var],
) -> Vec<Var> {
    let Incoming { sources, active, frontier } = *incoming;
    let EdgeRange { begin, end } = *edges;
    let words = shape.words();
    let gathered = shape.each(b, "gathered", |_, _| 0u32.into());
    let is_active = |node: &Var| (active.load((node >> 5u32) + words) >> (node & 31u32)) & 1u32;
    let add = |b: &mut Body<'_>, sums: &[Var], node: &Var| {
        // The mask proves that indices in the set do not wrap. All are in range if the last is.
        let set = b.let_("set", ((node * words) & (MAX_BUFFER_WORDS - 1)) + local);
        let last = b.let_("index", &set + (shape.words_each - 1) * shape.invocations);
        b.if_(last.lt(frontier.len()), |b| {
            // In descending order: bounds-check elimination compares each index with those just before it.
            let others = (0..shape.words_each - 1).rev().map(|at| b.let_("index", &set + at * shape.invocations));
            let indices: Vec<Var> = [last.clone()].into_iter().chain(others).collect();
            for (index, sum) in indices.iter().rev().zip(sums) {
                b.assign(sum, sum | frontier.load(index));
            }
        });
    };
    let chunk = match shape.scan {
        Scan::Edges => EDGES_PER_CHECK,
        Scan::Ballots => shape.invocations,
    };
    b.for_("chunk", 0u32, (end - begin + (chunk - 1)) / chunk, |b, number| {
        let first = b.let_("first", begin + number * chunk);
        match shape.scan {
            Scan::Edges => {
                let last = b.let_("last", (&first + chunk).min(end));
                // Variables that live only for this chunk can be in registers.
                let sums = shape.each(b, "sum", |_, _| 0u32.into());
                b.for_("edge", &first, &last, |b, edge| {
                    let node = b.let_("node", sources.load(edge));
                    b.if_(is_active(&node), |b| add(b, &sums, &node));
                });
                for (all, sum) in gathered.iter().zip(&sums) {
                    b.assign(all, all | sum);
                }
            }
            Scan::Ballots => {
                let own = b.let_("own", &first + local);
                let node = b.let_("node", sources.load(&own));
                let found = b.let_("found", ballot(select(own.lt(end), is_active(&node), 0u32)));
                b.for_("bit", 0u32, found.popcount(), |b, _| {
                    let next = b.let_("next", sources.load(&first + found.ctz()));
                    b.assign(&found, &found & (&found - 1u32));
                    add(b, &gathered, &next);
                });
            }
        }
        let left = any(missing.iter().zip(&gathered).map(|(missing, gathered)| missing & !gathered));
        b.if_(left.eq(0u32), |b| b.break_());
    });
    gathered
}

/// Result of a pull.
struct Pulled<'v> {
    /// Union of the frontier sets of active predecessors.
    gathered: &'v [Var],
    /// Union of all new sources of the workgroup.
    used: &'v [Var],
}

/// Buffers that receive the source set of a node.
struct SetWriter {
    seen: Handle,
    next: Handle,
    next_active: Handle,
}

impl SetWriter {
    fn declare(p: &mut ProgramBuilder) -> SetWriter {
        let [seen, next, next_active] = ["seen", "next", "next_active"].map(|name| p.read_write(name, DataType::U32));
        SetWriter { seen, next, next_active }
    }

    /// Stores the sources in `gathered` that are new at the node, and adds them to `used`.
    fn store_new(
        &self,
        b: &mut Body<'_>,
        shape: Shape,
        node: &Var,
        local: &Var,
        set: &SourceSet,
        Pulled { gathered, used }: Pulled<'_>,
    ) {
        let new = shape.each(b, "new", |_, at| &gathered[at] & !&set.known[at]);
        b.if_(any(new.iter().map(Expr::from)).ne(0u32), |b| {
            for (at, new) in new.iter().enumerate() {
                let index = b.let_("index", shape.index(&set.begin, local, at));
                b.store(&self.next, &index, new);
                b.store(&self.seen, &index, &set.known[at] | new);
                b.assign(&used[at], &used[at] | new);
            }
            b.if_(local.eq(0u32), |b| {
                let word = b.let_("word", (node >> 5u32) + shape.words());
                b.discard(Expr::atomic(AtomicOp::Or, self.next_active.name(), &word, 1u32 << (node & 31u32)));
            });
        });
    }

    /// Adds the new sources of the workgroup to the searching sources of the next level.
    fn finish(&self, b: &mut Body<'_>, shape: Shape, local: &Var, used: &[Var]) {
        for (at, used) in used.iter().enumerate() {
            let word = b.let_("word", local + (at as u32 * shape.invocations));
            b.if_(used.ne(0u32), |b| b.discard(Expr::atomic(AtomicOp::Or, self.next_active.name(), &word, used)));
        }
    }
}

/// Unites the frontier sets of the active predecessors of every node, or of every candidate.
pub(crate) fn pull(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.invocations, 1, 1]);
    let [state, offsets, sources, active, frontier, candidates] =
        ["state", "in_offsets", "in_sources", "active", "frontier", "candidates"]
            .map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let writer = SetWriter::declare(&mut p);
    p.entry(|b| {
        let mode = b.let_("mode", state.load(state::MODE));
        b.if_(mode.eq(state::STOP), |b| b.return_());
        let local = b.let_("local", local_id(0));
        let searching = searching(b, shape, &active, &local);
        let used = shape.each(b, "used", |_, _| 0u32.into());
        // `slices` and `merge` handle the nodes before `first`.
        let first = b.let_("first", params.load(0u32));
        let is_dense = b.let_("is_dense", mode.eq(state::DENSE));
        let count = b.let_("count", is_dense.select(params.load(1u32) - &first, candidates.load(0u32)));
        each_workgroup(b, &count, |b, position| {
            let node = b.let_("node", is_dense.select(position + &first, candidates.load(position + 1u32)));
            b.if_(node.ge(&first), |b| {
                let set = SourceSet::load(b, shape, &node, &local, &writer.seen, &searching);
                b.if_(set.is_incomplete(), |b| {
                    let begin = b.let_("begin", offsets.load(&node));
                    let end = b.let_("end", offsets.load(&node + 1u32));
                    let incoming = Incoming { sources: &sources, active: &active, frontier: &frontier };
                    let edges = EdgeRange { begin: &begin, end: &end };
                    let gathered = gather(b, shape, &incoming, &local, &edges, &set.missing);
                    writer.store_new(b, shape, &node, &local, &set, Pulled { gathered: &gathered, used: &used });
                });
            });
        });
        writer.finish(b, shape, &local, &used);
    })
}

/// Unites the frontier sets of the active predecessors of nodes with many incoming edges, for each slice of these edges.
pub(crate) fn slices(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.invocations, 1, 1]);
    let [state, slices, sources, active, frontier, seen] =
        ["state", "slices", "in_sources", "active", "frontier", "seen"].map(|name| p.read(name, DataType::U32));
    let parts = p.read_write("parts", DataType::U32);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let local = b.let_("local", local_id(0));
        let searching = searching(b, shape, &active, &local);
        let count = b.let_("count", slices.len() / SLICE_WORDS);
        each_workgroup(b, &count, |b, slice| {
            let [node, begin, end] = [("node", 0u32), ("begin", 1), ("end", 2)]
                .map(|(name, at)| b.let_(name, slices.load(slice * SLICE_WORDS + at)));
            let set = SourceSet::load(b, shape, &node, &local, &seen, &searching);
            let sums = shape.each(b, "sum_of_slice", |_, _| 0u32.into());
            b.if_(set.is_incomplete(), |b| {
                let incoming = Incoming { sources: &sources, active: &active, frontier: &frontier };
                let edges = EdgeRange { begin: &begin, end: &end };
                let gathered = gather(b, shape, &incoming, &local, &edges, &set.missing);
                for (sum, gathered) in sums.iter().zip(&gathered) {
                    b.assign(sum, gathered);
                }
            });
            let part = b.let_("part", slice * shape.words());
            for (at, sum) in sums.iter().enumerate() {
                b.store(&parts, shape.index(&part, &local, at), sum);
            }
        });
    })
}

/// Unites the slices of each node.
pub(crate) fn merge(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.invocations, 1, 1]);
    let [state, first_slices, active, parts] =
        ["state", "first_slices", "active", "parts"].map(|name| p.read(name, DataType::U32));
    let writer = SetWriter::declare(&mut p);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let local = b.let_("local", local_id(0));
        let searching = searching(b, shape, &active, &local);
        let used = shape.each(b, "used", |_, _| 0u32.into());
        let count = b.let_("count", first_slices.len() - 1u32);
        each_workgroup(b, &count, |b, node| {
            let set = SourceSet::load(b, shape, node, &local, &writer.seen, &searching);
            b.if_(set.is_incomplete(), |b| {
                let gathered = shape.each(b, "gathered", |_, _| 0u32.into());
                b.for_("slice", first_slices.load(node), first_slices.load(node + 1u32), |b, slice| {
                    let part = b.let_("part", slice * shape.words());
                    for (at, gathered) in gathered.iter().enumerate() {
                        b.assign(gathered, gathered | parts.load(shape.index(&part, &local, at)));
                    }
                });
                writer.store_new(b, shape, node, &local, &set, Pulled { gathered: &gathered, used: &used });
            });
        });
        writer.finish(b, shape, &local, &used);
    })
}

/// Writes the depth of each active sink for each source that has just reached it.
pub(crate) fn harvest(words: u32) -> Program {
    let mut p = ProgramBuilder::new([words, 1, 1]);
    let [state, sinks, active, frontier] =
        ["state", "sinks", "active", "frontier"].map(|name| p.read(name, DataType::U32));
    let depths = p.read_write("depths", DataType::U32);
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let level = b.let_("level", state.load(state::LEVEL));
        let local = b.let_("local", local_id(0));
        let count = b.let_("count", sinks.len());
        each_workgroup(b, &count, |b, sink| {
            let node = b.let_("node", sinks.load(sink));
            b.if_((active.load((&node >> 5u32) + words) >> (&node & 31u32)) & 1u32, |b| {
                let new = b.let_("new", frontier.load(&node * words + &local));
                b.for_("bit", 0u32, new.popcount(), |b, _| {
                    let source = b.let_("source", &local * 32u32 + new.ctz());
                    b.assign(&new, &new & (&new - 1u32));
                    b.store(&depths, &source * &count + sink, &level);
                });
            });
        });
    })
}

/// Lists the active nodes and counts their outgoing edges.
pub(crate) fn collect(words: u32) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [state, active, offsets] = ["state", "active", "offsets"].map(|name| p.read(name, DataType::U32));
    let [list, counts] = ["list", "counts"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        b.if_(state.load(state::MODE).eq(state::STOP), |b| b.return_());
        let count = b.let_("count", active.len() - words);
        each_invocation(b, WORKGROUP, &count, |b, index| {
            let bits = b.let_("bits", active.load(index + words));
            b.if_(bits.ne(0u32), |b| {
                let slot = b.atomic("slot", AtomicOp::Add, &counts, counts::ACTIVE, bits.popcount());
                let edges = b.let_("edges", 0u32);
                b.for_("bit", 0u32, bits.popcount(), |b, bit| {
                    let node = b.let_("node", index * 32u32 + bits.ctz());
                    b.assign(&bits, &bits & (&bits - 1u32));
                    b.assign(&edges, &edges + (offsets.load(&node + 1u32) - offsets.load(&node)));
                    b.store(&list, &slot + bit, &node);
                });
                b.discard(Expr::atomic(AtomicOp::Add, counts.name(), counts::EDGES, &edges));
            });
        });
    })
}
