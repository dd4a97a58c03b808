//! BFS program for one source: each workgroup searches from one source at a time, level by level.
//!
//! Workgroups claim sources from a counter. Each workgroup has a slot with a visited set and a queue. If many invocations share
//! a search, the visited set is a bitmap. If one invocation searches alone, the set has a stamp for each node: stamps of
//! earlier searches differ, so the set needs no clearing between searches.
//!
//! Queue entries and targets have the format of [`device_graph`](crate::device_graph).
//!
//! If searches end at a region, a search appends a record of two words to the *access list* of its source for each access node
//! that it reaches: the number of the access node in a distance table, and the depth plus the length that belongs to the node.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, select, workgroup_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use super::params;
use super::work_counter::for_each_claimed;
use crate::device_graph::{ACCESS, NODE, SINK, STOP};
use crate::transfer::{Edge, Transfer};

/// Number of edges of a node that are visited without a branch on the degree. A mispredicted branch costs more than a visit.
pub(super) const BRANCH_FREE_EDGES: u32 = 3;

/// Buffers of the program.
struct Buffers {
    offsets: Handle,
    targets: Handle,
    /// Column of each sink in the depth matrix.
    sink_columns: Handle,
    starts: Handle,
    metadata: Handle,
    params: Handle,
    /// Work counter.
    counter: Handle,
    visited: Handle,
    queue: Handle,
    depths: Handle,
    /// Length of the queue, in workgroup memory, if many invocations share a search.
    tail: Option<Handle>,
    access: Option<AccessBuffers>,
}

/// Buffers of searches that end at a region.
struct AccessBuffers {
    /// Two words for each access node.
    records: Handle,
    /// Number of records of each source.
    counts: Handle,
    /// Records of each source.
    lists: Handle,
}

/// One search.
struct Search<'s> {
    buffers: &'s Buffers,
    transfer: Option<&'s Transfer>,
    by_edge: bool,
    /// Queue entry of the source.
    first: Var,
    /// Node of the source.
    start: Var,
    /// Position of the source among those of the dispatch.
    position: Var,
    /// Index of the first depth of the source.
    depths: Var,
    /// Index of the first word of the visited set of the workgroup.
    set: Var,
    /// Index of the first entry of the queue of the workgroup.
    first_entry: Var,
}

impl Search<'_> {
    /// Writes the depth of a node if it is a sink. Appends a record if it is an access node.
    fn report(&self, b: &mut Body<'_>, entry: &Var, depth: &Var) {
        let Buffers { sink_columns, depths, access, .. } = self.buffers;
        b.if_(entry.ge(SINK), |b| {
            let column = b.let_("column", sink_columns.load(entry & NODE));
            match access {
                None => b.store(depths, &self.depths + &column, depth),
                Some(access) => b.if_else(
                    entry.ge(ACCESS),
                    |b| self.record(b, access, &column, depth),
                    |b| b.store(depths, &self.depths + &column, depth),
                ),
            }
        });
    }

    /// Appends the record of an access node.
    fn record(&self, b: &mut Body<'_>, access: &AccessBuffers, number: &Var, depth: &Var) {
        let AccessBuffers { records, counts, lists } = access;
        // A search reaches each node once, so the list has room.
        let at = b.atomic("record", AtomicOp::Add, counts, &self.position, 1u32);
        let list = &self.position * self.buffers.params.load(params::MAX_RECORDS);
        let at = b.let_("record_word", (list + &at) * 2u32);
        b.store(lists, &at, records.load(number * 2u32));
        b.store(lists, &at + 1u32, records.load(number * 2u32 + 1u32) + depth);
    }

    /// Condition that the transfer function does not block an edge. None without a transfer function.
    fn passes(&self, current: &Var, edge: &Expr, target: &Var) -> Option<Expr> {
        self.transfer.map(|transfer| {
            let node = target & NODE;
            let index = if self.by_edge { edge.clone() } else { node.clone() };
            let metadata = self.buffers.metadata.load(index);
            let edge = Edge { source: (&self.start).into(), current: current.into(), target: node, metadata };
            transfer.call(edge, 1u32.into()).ne(0u32)
        })
    }
}

/// BFS program for workgroups of `invocations` invocations. A single invocation uses no atomics for its search. The metadata
/// of the transfer function has a word for each edge if `by_edge`, else for each node. With `has_access`, searches end at the
/// access nodes of a region, and the program has three more buffers.
pub(crate) fn program(invocations: u32, transfer: Option<&Transfer>, by_edge: bool, has_access: bool) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let [offsets, targets, sink_columns, starts, metadata] =
        ["offsets", "targets", "sink_columns", "starts", "metadata"].map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let [counter, visited, queue, depths] =
        ["counter", "visited", "queue", "depths"].map(|name| p.read_write(name, DataType::U32));
    let access = has_access.then(|| AccessBuffers {
        records: p.read("access_records", DataType::U32),
        counts: p.read_write("access_counts", DataType::U32),
        lists: p.read_write("access_lists", DataType::U32),
    });
    let tail = (invocations > 1).then(|| p.workgroup("tail", 1, DataType::U32));
    let buffers = Buffers {
        offsets,
        targets,
        sink_columns,
        starts,
        metadata,
        params,
        counter,
        visited,
        queue,
        depths,
        tail,
        access,
    };
    p.entry(|b| {
        let nodes = b.let_("nodes", buffers.params.load(params::NODES));
        let words = b.let_("words", set_words(invocations, &nodes));
        let set = b.let_("set", workgroup_id(0) * &words);
        let first_entry = b.let_("first_entry", workgroup_id(0) * (&nodes + 1u32));
        let count = b.let_("count", buffers.params.load(params::UNITS));
        for_each_claimed(b, invocations, &buffers.counter, &count, |b, position| {
            let first = b.let_("source_entry", buffers.starts.load(&position));
            b.if_(first.ne(u32::MAX), |b| {
                let start = b.let_("start", &first & NODE);
                let row = &position + buffers.params.load(params::FIRST);
                let depths = b.let_("row", row * buffers.params.load(params::SINKS));
                let (set, first_entry) = (set.clone(), first_entry.clone());
                let search =
                    Search { buffers: &buffers, transfer, by_edge, first, start, position, depths, set, first_entry };
                match &buffers.tail {
                    None => {
                        let stamp = b.let_("stamp", &search.position + buffers.params.load(params::STAMP));
                        search_alone(b, &search, &nodes, &stamp);
                    }
                    Some(tail) => search_shared(b, &search, tail, invocations, &words),
                }
            });
        });
    })
}

/// Number of words of a visited set, with room for one node after the last.
fn set_words(invocations: u32, nodes: &Var) -> Expr {
    if invocations == 1 { nodes + 1u32 } else { (nodes >> 5u32) + 1u32 }
}

/// A search by one invocation.
fn search_alone(b: &mut Body<'_>, search: &Search<'_>, nodes: &Var, stamp: &Var) {
    let Search { buffers, start, set, first_entry, .. } = search;
    let Buffers { offsets, targets, visited, queue, .. } = buffers;
    // Edges beyond the degree lead to a node after the last, which counts as visited.
    for node in [nodes, start] {
        b.store(visited, set + node, stamp);
    }
    b.store(queue, first_entry, &search.first);
    let length = b.let_("length", first_entry + 1u32);
    let begin = b.let_("begin", first_entry);
    // Every target is written behind the queue; the queue grows only if it is new.
    let visit = |b: &mut Body<'_>, current: &Var, edge: Expr, target: &Var| {
        let index = b.let_("index", set + (target & NODE));
        let is_new = b.let_("is_new", visited.load(&index).ne(stamp));
        b.store(queue, &length, target);
        match search.passes(current, &edge, target) {
            None => {
                b.store(visited, &index, stamp);
                b.assign(&length, &length + &is_new);
            }
            Some(passes) => {
                let is_reached = b.let_("is_reached", &is_new & passes);
                b.if_(&is_reached, |b| b.store(visited, &index, stamp));
                b.assign(&length, &length + &is_reached);
            }
        }
    };
    b.for_("level", 0u32, buffers.params.load(params::MAX_DEPTH), |b, level| {
        let end = b.let_("end", &length);
        b.if_(begin.eq(&end), |b| b.break_());
        b.for_("at", &begin, &end, |b, at| {
            let entry = b.let_("entry", queue.load(at));
            search.report(b, &entry, level);
            let current = b.let_("current", &entry & NODE);
            let first = b.let_("first", offsets.load(&current));
            let last = b.let_("last", select(&entry & STOP, &first, offsets.load(&current + 1u32)));
            for number in 0..BRANCH_FREE_EDGES {
                let edge = b.let_("edge", &first + number);
                let target = b.let_("target", select(edge.lt(&last), targets.load(&edge), nodes));
                visit(b, &current, (&edge).into(), &target);
            }
            b.for_("edge", &first + BRANCH_FREE_EDGES, &last, |b, edge| {
                let target = b.let_("target", targets.load(edge));
                visit(b, &current, edge.into(), &target);
            });
        });
        b.assign(&begin, &end);
    });
    // The nodes of the last level are not reported yet.
    let depth = b.let_("depth", buffers.params.load(params::MAX_DEPTH));
    b.for_("at", &begin, &length, |b, at| {
        let entry = b.let_("entry", queue.load(at));
        search.report(b, &entry, &depth);
    });
}

/// A search by all invocations of a workgroup. `tail` holds the length of the queue.
fn search_shared(b: &mut Body<'_>, search: &Search<'_>, tail: &Handle, invocations: u32, words: &Var) {
    let Search { buffers, start, set, first_entry, .. } = search;
    let Buffers { offsets, targets, visited, queue, .. } = buffers;
    let local = b.let_("local", local_id(0));
    b.for_("step", 0u32, (words + (invocations - 1)) / invocations, |b, step| {
        let word = b.let_("word", step * invocations + &local);
        b.if_(word.lt(words), |b| {
            b.discard(Expr::atomic(AtomicOp::Exchange, visited.name(), set + &word, 0u32));
        });
    });
    b.barrier();
    b.if_(local.eq(0u32), |b| {
        let word = b.let_("word", set + (start >> 5u32));
        b.discard(Expr::atomic(AtomicOp::Or, visited.name(), &word, 1u32 << (start & 31u32)));
        b.store(queue, first_entry, &search.first);
        b.store(tail, 0u32, 1u32);
        if buffers.access.is_some() {
            // A start may be an access node. It has no mark of a sink.
            let depth = b.let_("start_depth", 0u32);
            search.report(b, &search.first, &depth);
        }
    });
    b.barrier();
    let begin = b.let_("begin", 0u32);
    let end = b.let_("end", 1u32);
    b.for_("level", 0u32, buffers.params.load(params::MAX_DEPTH), |b, level| {
        b.if_(begin.eq(&end), |b| b.break_());
        let depth = b.let_("depth", level + 1u32);
        b.for_("step", 0u32, (&end - &begin + (invocations - 1)) / invocations, |b, step| {
            let at = b.let_("at", &begin + step * invocations + &local);
            b.if_(at.lt(&end), |b| {
                let entry = b.let_("entry", queue.load(first_entry + &at));
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
                            let slot = b.workgroup_atomic("slot", AtomicOp::Add, tail, 0u32, 1u32);
                            b.store(queue, first_entry + &slot, &target);
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
        // The broadcast also keeps all invocations from the next level until invocation 0 has read the length.
        b.assign(&end, broadcast(Expr::workgroup_atomic_load(tail.name(), 0u32), 0u32));
    });
}
