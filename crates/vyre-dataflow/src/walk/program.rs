//! The program of the per-source path: one workgroup goes through the graph for one source, level by level.
//!
//! Workgroups take sources from a counter. Each has a set of visited nodes and a queue of its own, in the slot of its number. The
//! set is a bitmap where many lanes share it, and a stamp for each node where one lane has it for itself: stamps of another
//! search mean nothing, so nobody has to take them away.
//! A node in the queue or at the end of an edge has bits that tell sinks and sanitizers, so that others are not looked up.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, select, workgroup_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use super::super::transfer::{Edge, Transfer};
use super::turns::in_turns;

/// Marks sinks among nodes.
pub(crate) const SINK: u32 = 1 << 31;
/// Marks nodes that are not left again.
pub(crate) const STOP: u32 = 1 << 30;
/// The bits of a node without marks.
pub(crate) const NODE: u32 = STOP - 1;
/// The edges of a node that are looked at without asking whether there are so many: to guess that wrong takes longer.
const STRAIGHT: u32 = 3;

/// Where things are in the buffer `params`.
pub(crate) mod params {
    /// How many sources there are.
    pub(crate) const SOURCES: u32 = 0;
    /// How many nodes there are.
    pub(crate) const NODES: u32 = 1;
    /// The most edges of a way.
    pub(crate) const MAX_DEPTH: u32 = 2;
    /// How many sinks there are.
    pub(crate) const SINKS: u32 = 3;
    /// What is added to the position of a source to find its row of depths.
    pub(crate) const FIRST: u32 = 4;
    /// What is added to the position of a source to get a stamp that no other search has.
    pub(crate) const STAMP: u32 = 5;
}

/// The buffers of the program.
struct Buffers {
    offsets: Handle,
    targets: Handle,
    /// The position of each sink among the sinks.
    sink_of: Handle,
    starts: Handle,
    metadata: Handle,
    params: Handle,
    counter: Handle,
    visited: Handle,
    queue: Handle,
    depths: Handle,
}

/// One search.
struct Search<'s> {
    buffers: &'s Buffers,
    transfer: Option<&'s Transfer>,
    by_edge: bool,
    /// The source, with and without marks, and where its depths are.
    first: Var,
    start: Var,
    depths: Var,
    /// Where the set of visited nodes and the queue of the workgroup begin.
    set: Var,
    line: Var,
}

impl Search<'_> {
    /// Writes the depth of a node where it is a sink.
    fn report(&self, b: &mut Body<'_>, entry: &Var, depth: &Var) {
        b.if_(entry.ge(SINK), |b| {
            let sink = b.let_("sink", self.buffers.sink_of.load(entry & NODE));
            b.store(&self.buffers.depths, &self.depths + &sink, depth);
        });
    }

    /// Whether the transfer function lets the source through an edge.
    fn passes(&self, current: &Var, edge: &Expr, target: &Var) -> Option<Expr> {
        self.transfer.map(|transfer| {
            let node = target & NODE;
            let place = if self.by_edge { edge.clone() } else { node.clone() };
            let metadata = self.buffers.metadata.load(place);
            let edge = Edge { source: (&self.start).into(), current: current.into(), target: node, metadata };
            transfer.call(edge, 1u32.into()).ne(0u32)
        })
    }
}

/// The program for workgroups of so many lanes. One lane needs no atomics. Metadata is by edge or by node.
pub(crate) fn program(lanes: u32, transfer: Option<&Transfer>, by_edge: bool) -> Program {
    let mut p = ProgramBuilder::new([lanes, 1, 1]);
    let [offsets, targets, sink_of, starts, metadata] =
        ["offsets", "targets", "sink_of", "starts", "metadata"].map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let [counter, visited, queue, depths] =
        ["counter", "visited", "queue", "depths"].map(|name| p.read_write(name, DataType::U32));
    let buffers = Buffers { offsets, targets, sink_of, starts, metadata, params, counter, visited, queue, depths };
    p.entry(|b| {
        let nodes = b.let_("nodes", buffers.params.load(params::NODES));
        let words = b.let_("words", words_of_set(lanes, &nodes));
        let set = b.let_("set", workgroup_id(0) * &words);
        let line = b.let_("line", workgroup_id(0) * (&nodes + 1u32));
        let count = b.let_("count", buffers.params.load(params::SOURCES));
        in_turns(b, lanes, &buffers.counter, &count, |b, position| {
            let first = b.let_("first_entry", buffers.starts.load(&position));
            b.if_(first.ne(u32::MAX), |b| {
                let start = b.let_("start", &first & NODE);
                let row = &position + buffers.params.load(params::FIRST);
                let depths = b.let_("row", row * buffers.params.load(params::SINKS));
                let (set, line) = (set.clone(), line.clone());
                let search = Search { buffers: &buffers, transfer, by_edge, first, start, depths, set, line };
                match lanes {
                    1 => {
                        let stamp = b.let_("stamp", &position + buffers.params.load(params::STAMP));
                        alone(b, &search, &nodes, &stamp);
                    }
                    _ => together(b, &search, lanes, &words),
                }
            });
        });
    })
}

/// The words of a set of visited nodes, with one for a node behind the last.
pub(crate) fn words_of_set(lanes: u32, nodes: &Var) -> Expr {
    if lanes == 1 { nodes + 1u32 } else { (nodes >> 5u32) + 1u32 }
}

/// A search by one lane.
fn alone(b: &mut Body<'_>, search: &Search<'_>, nodes: &Var, stamp: &Var) {
    let Search { buffers, start, set, line, .. } = search;
    let Buffers { offsets, targets, visited, queue, .. } = buffers;
    // Edges that are not there lead to a node behind the last, which is always visited.
    for node in [nodes, start] {
        b.store(visited, set + node, stamp);
    }
    b.store(queue, line, &search.first);
    let length = b.let_("length", line + 1u32);
    let begin = b.let_("begin", line);
    // Every node is put into the queue, and stays only if it is new.
    let visit = |b: &mut Body<'_>, current: &Var, edge: Expr, target: &Var| {
        let place = b.let_("place", set + (target & NODE));
        let is_new = b.let_("is_new", visited.load(&place).ne(stamp));
        b.store(queue, &length, target);
        match search.passes(current, &edge, target) {
            None => {
                b.store(visited, &place, stamp);
                b.assign(&length, &length + &is_new);
            }
            Some(passes) => {
                let is_reached = b.let_("is_reached", &is_new & passes);
                b.if_(&is_reached, |b| b.store(visited, &place, stamp));
                b.assign(&length, &length + &is_reached);
            }
        }
    };
    b.for_("level", 0u32, buffers.params.load(params::MAX_DEPTH), |b, level| {
        let end = b.let_("end", &length);
        b.if_(begin.eq(&end), |b| b.break_());
        b.for_("place", &begin, &end, |b, place| {
            let entry = b.let_("entry", queue.load(place));
            search.report(b, &entry, level);
            let current = b.let_("current", &entry & NODE);
            let first = b.let_("first", offsets.load(&current));
            let last = b.let_("last", select(&entry & STOP, &first, offsets.load(&current + 1u32)));
            for number in 0..STRAIGHT {
                let edge = b.let_("edge", &first + number);
                let target = b.let_("target", select(edge.lt(&last), targets.load(&edge), nodes));
                visit(b, &current, (&edge).into(), &target);
            }
            b.for_("edge", &first + STRAIGHT, &last, |b, edge| {
                let target = b.let_("target", targets.load(edge));
                visit(b, &current, edge.into(), &target);
            });
        });
        b.assign(&begin, &end);
    });
    // What was found at the last depth is still to be reported.
    let depth = b.let_("depth", buffers.params.load(params::MAX_DEPTH));
    b.for_("place", &begin, &length, |b, place| {
        let entry = b.let_("entry", queue.load(place));
        search.report(b, &entry, &depth);
    });
}

/// A search by all lanes of a workgroup.
fn together(b: &mut Body<'_>, search: &Search<'_>, lanes: u32, words: &Var) {
    let Search { buffers, start, set, line, .. } = search;
    let Buffers { offsets, targets, visited, queue, counter, .. } = buffers;
    let lane = b.let_("lane", local_id(0));
    let tail = b.let_("tail", workgroup_id(0) + 1u32);
    b.for_("step", 0u32, (words + (lanes - 1)) / lanes, |b, step| {
        let word = b.let_("word", step * lanes + &lane);
        b.if_(word.lt(words), |b| {
            b.discard(Expr::atomic(AtomicOp::Exchange, visited.name(), set + &word, 0u32));
        });
    });
    b.barrier();
    b.if_(lane.eq(0u32), |b| {
        let word = b.let_("word", set + (start >> 5u32));
        b.discard(Expr::atomic(AtomicOp::Or, visited.name(), &word, 1u32 << (start & 31u32)));
        b.store(queue, line, &search.first);
        b.discard(Expr::atomic(AtomicOp::Exchange, counter.name(), &tail, 1u32));
    });
    b.barrier();
    let begin = b.let_("begin", 0u32);
    let end = b.let_("end", 1u32);
    b.for_("level", 0u32, buffers.params.load(params::MAX_DEPTH), |b, level| {
        b.if_(begin.eq(&end), |b| b.break_());
        let depth = b.let_("depth", level + 1u32);
        b.for_("step", 0u32, (&end - &begin + (lanes - 1)) / lanes, |b, step| {
            let place = b.let_("place", &begin + step * lanes + &lane);
            b.if_(place.lt(&end), |b| {
                let entry = b.let_("entry", queue.load(line + &place));
                let current = b.let_("current", &entry & NODE);
                let first = b.let_("first", offsets.load(&current));
                let last = b.let_("last", select(&entry & STOP, &first, offsets.load(&current + 1u32)));
                b.for_("edge", &first, &last, |b, edge| {
                    let target = b.let_("target", targets.load(edge));
                    let node = b.let_("node", &target & NODE);
                    let word = b.let_("word", set + (&node >> 5u32));
                    let bit = b.let_("bit", 1u32 << (&node & 31u32));
                    let reach = |b: &mut Body<'_>| {
                        let before = b.atomic("before", AtomicOp::Or, visited, &word, &bit);
                        b.if_((&before & &bit).is_zero(), |b| {
                            let slot = b.atomic("slot", AtomicOp::Add, counter, &tail, 1u32);
                            b.store(queue, line + &slot, &target);
                            search.report(b, &target, &depth);
                        });
                    };
                    match search.passes(&current, &edge.into(), &target) {
                        None => reach(b),
                        Some(passes) => b.if_(passes, reach),
                    }
                });
            });
        });
        b.barrier();
        b.assign(&begin, &end);
        // Nobody goes on before lane 0 has looked.
        b.assign(&end, broadcast(Expr::atomic_load(counter.name(), &tail), 0u32));
    });
}
