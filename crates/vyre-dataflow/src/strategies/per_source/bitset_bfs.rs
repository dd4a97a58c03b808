//! BFS program with a word of bits for each node: each workgroup propagates bits from its starts, level by level.
//!
//! The bits are the facts of one source, or up to 32 sources that share a queue. A node enters the queue of the next level if
//! bits have arrived that are new there. It can be in the queues of several levels, but only once in each.
//!
//! The state of a node has [`STATE_WORDS`] words:
//!
//! | Word | Meaning |
//! |---|---|
//! | 0 | bits that have arrived so far |
//! | 1 | bits that arrive for the next even level |
//! | 2 | bits that arrive for the next odd level |
//! | 3 | unused |

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, select, workgroup_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use super::bfs::BRANCH_FREE_EDGES;
use super::params;
use super::work_counter::for_each_claimed;
use crate::device_graph::{NODE, SINK, STOP};
use crate::transfer::{Edge, Transfer};

/// Number of state words of a node.
pub(crate) const STATE_WORDS: u32 = 4;
/// First of the two words of arriving bits.
const ARRIVING: u32 = 1;

/// Meaning of the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bits {
    /// One bit for each of up to 32 sources.
    Sources,
    /// Facts of one source.
    Facts,
}

/// Buffers of the program.
struct Buffers {
    offsets: Handle,
    targets: Handle,
    /// Column of each sink in the depth matrix.
    sink_columns: Handle,
    /// With [`Bits::Sources`], 32 nodes for each group of sources. With [`Bits::Facts`], pairs of node and facts.
    starts: Handle,
    metadata: Handle,
    params: Handle,
    /// Work counter.
    counter: Handle,
    state: Handle,
    queues: Handle,
    depths: Handle,
    /// Lengths of the two queues, in workgroup memory, if many invocations share a search.
    tails: Option<Handle>,
}

/// One search.
struct Search<'s> {
    buffers: &'s Buffers,
    bits: Bits,
    transfer: Option<&'s Transfer>,
    by_edge: bool,
    invocations: u32,
    nodes: &'s Var,
    /// Position of the source or of the group of sources.
    position: Var,
    /// Queue entry of the source, with [`Bits::Facts`].
    start: Var,
    /// Index of the first state word of the workgroup.
    state: Var,
    /// Index of the first queue entry of the workgroup.
    first_entry: Var,
}

/// Bits that leave a node for the next level.
struct Propagation<'f> {
    bits: &'f Var,
    /// Parity of the next level.
    parity: &'f Expr,
    /// Length of the queue of the next level, if one invocation fills it.
    length: &'f Var,
}

impl Search<'_> {
    /// Reports whether several invocations share the search and need atomics.
    fn is_shared(&self) -> bool {
        self.buffers.tails.is_some()
    }

    /// Index of a state word of a node.
    fn word(&self, node: &Expr, at: impl Into<Expr>) -> Expr {
        &self.state + node.clone() * STATE_WORDS + at.into()
    }

    /// Index of an entry of the queue of a level.
    fn entry(&self, parity: &Expr, at: &Expr) -> Expr {
        &self.first_entry + parity.clone() * (self.nodes + 1u32) + at.clone()
    }

    /// Sets bits of a state word and returns its old value.
    fn set_bits(&self, b: &mut Body<'_>, word: Expr, bits: &Var) -> Var {
        let state = &self.buffers.state;
        if self.is_shared() {
            return b.atomic("before", AtomicOp::Or, state, word, bits);
        }
        let word = b.let_("word", word);
        let before = b.let_("before", state.load(&word));
        b.store(state, &word, &before | bits);
        before
    }

    /// Propagates bits along an edge.
    fn visit(&self, b: &mut Body<'_>, current: &Var, edge: &Expr, target: &Var, propagation: &Propagation<'_>) {
        let Propagation { bits, parity, length } = *propagation;
        let node: Expr = target & NODE;
        let bits = match self.transfer {
            None => bits.clone(),
            Some(transfer) => {
                let index = if self.by_edge { edge.clone() } else { node.clone() };
                let metadata = self.buffers.metadata.load(index);
                let source = &self.start & NODE;
                let edge = Edge { source, current: current.into(), target: node.clone(), metadata };
                let result = transfer.call(edge, bits.into());
                let result = if transfer.carries_facts() { result } else { select(result.ne(0u32), bits, 0u32) };
                b.let_("result", result)
            }
        };
        let known = self.set_bits(b, self.word(&node, 0u32), &bits);
        let new = b.let_("new", &bits & !&known);
        let arriving = self.word(&node, parity.clone() + ARRIVING);
        if let Some(tails) = &self.buffers.tails {
            b.if_(new.ne(0u32), |b| {
                let before = self.set_bits(b, arriving, &new);
                b.if_(before.eq(0u32), |b| {
                    let slot = b.workgroup_atomic("slot", AtomicOp::Add, tails, parity.clone(), 1u32);
                    b.store(&self.buffers.queues, self.entry(parity, &(&slot).into()), target);
                });
            });
        } else {
            let before = self.set_bits(b, arriving, &new);
            b.store(&self.buffers.queues, self.entry(parity, &length.into()), target);
            b.assign(length, length + (new.ne(0u32) & before.eq(0u32)));
        }
    }

    /// Writes the depth and the bits that have arrived, if the node is a sink.
    fn report(&self, b: &mut Body<'_>, entry: &Var, bits: &Var, depth: &Expr) {
        let depths = &self.buffers.depths;
        let params = &self.buffers.params;
        b.if_(entry.ge(SINK), |b| {
            let column = b.let_("column", self.buffers.sink_columns.load(entry & NODE));
            let sinks = b.let_("sinks", params.load(params::SINKS));
            let row = b.let_("row", &self.position + params.load(params::FIRST));
            match self.bits {
                Bits::Sources => {
                    let left = b.let_("left", bits);
                    b.for_("bit", 0u32, bits.popcount(), |b, _| {
                        let source = &row * 32u32 + left.ctz();
                        b.store(depths, source * &sinks + &column, depth.clone());
                        b.assign(&left, &left & (&left - 1u32));
                    });
                }
                // Only one invocation processes a node in a level, so it updates both words without atomics.
                Bits::Facts => {
                    let at = b.let_("at", (&row * &sinks + &column) * 2u32);
                    b.if_(depths.load(&at).eq(0u32).and((entry & NODE).ne(&self.start & NODE)), |b| {
                        b.store(depths, &at, depth.clone())
                    });
                    b.store(depths, &at + 1u32, depths.load(&at + 1u32) | bits);
                }
            }
        });
    }

    /// Takes the bits that have arrived at a queued node.
    fn take(&self, b: &mut Body<'_>, entry: &Var, parity: &Expr) -> Var {
        let word = b.let_("word", self.word(&(entry & NODE), parity.clone() + ARRIVING));
        let state = &self.buffers.state;
        if self.is_shared() {
            return b.atomic("bits", AtomicOp::Exchange, state, &word, 0u32);
        }
        let bits = b.let_("bits", state.load(&word));
        b.store(state, &word, 0u32);
        bits
    }

    /// Propagates bits along the outgoing edges of a node.
    fn expand(&self, b: &mut Body<'_>, entry: &Var, propagation: &Propagation<'_>) {
        let Buffers { offsets, targets, .. } = self.buffers;
        let current = b.let_("current", entry & NODE);
        let first = b.let_("first", offsets.load(&current));
        let last = b.let_("last", select(entry & STOP, &first, offsets.load(&current + 1u32)));
        let branch_free = if self.is_shared() || self.transfer.is_some() { 0 } else { BRANCH_FREE_EDGES };
        for number in 0..branch_free {
            let edge = b.let_("edge", &first + number);
            let target = b.let_("target", select(edge.lt(&last), targets.load(&edge), self.nodes));
            self.visit(b, &current, &(&edge).into(), &target, propagation);
        }
        b.for_("edge", &first + branch_free, &last, |b, edge| {
            let target = b.let_("target", targets.load(edge));
            self.visit(b, &current, &edge.into(), &target, propagation);
        });
    }

    /// Sets the bits of the starts and queues their nodes. One invocation executes this.
    fn seed(&self, b: &mut Body<'_>, length: &Var) {
        let starts = &self.buffers.starts;
        let begin = |b: &mut Body<'_>, start: &Var, bits: &Var| {
            let node: Expr = start & NODE;
            self.set_bits(b, self.word(&node, 0u32), bits);
            let before = self.set_bits(b, self.word(&node, ARRIVING), bits);
            b.if_(before.eq(0u32), |b| {
                b.store(&self.buffers.queues, self.entry(&0u32.into(), &length.into()), start);
                b.assign(length, length + 1u32);
            });
        };
        match self.bits {
            Bits::Sources => b.for_("bit", 0u32, 32u32, |b, bit| {
                let start = b.let_("start", starts.load(&self.position * 32u32 + bit));
                b.if_(start.ne(u32::MAX), |b| {
                    let bits = b.let_("bits", 1u32 << bit);
                    begin(b, &start, &bits);
                });
            }),
            Bits::Facts => {
                let bits = b.let_("bits", starts.load(&self.position * 2u32 + 1u32));
                begin(b, &self.start, &bits);
            }
        }
    }
}

/// BFS program for workgroups of `invocations` invocations. A single invocation uses no atomics for its search. The metadata
/// of the transfer function has a word for each edge if `by_edge`, else for each node.
pub(crate) fn program(invocations: u32, bits: Bits, transfer: Option<&Transfer>, by_edge: bool) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let [offsets, targets, sink_columns, starts, metadata] =
        ["offsets", "targets", "sink_columns", "starts", "metadata"].map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let [counter, state, queues, depths] =
        ["counter", "state", "queues", "depths"].map(|name| p.read_write(name, DataType::U32));
    let tails = (invocations > 1).then(|| p.workgroup("tails", 2, DataType::U32));
    let buffers =
        Buffers { offsets, targets, sink_columns, starts, metadata, params, counter, state, queues, depths, tails };
    p.entry(|b| {
        let nodes = b.let_("nodes", buffers.params.load(params::NODES));
        let state = b.let_("state_of_group", workgroup_id(0) * (&nodes + 1u32) * STATE_WORDS);
        let first_entry = b.let_("first_entry", workgroup_id(0) * (&nodes + 1u32) * 2u32);
        let count = b.let_("count", buffers.params.load(params::UNITS));
        for_each_claimed(b, invocations, &buffers.counter, &count, |b, position| {
            let start = b.let_("start", buffers.starts.load(&position * 2u32));
            let [state, first_entry] = [&state, &first_entry].map(Clone::clone);
            let search = Search {
                buffers: &buffers,
                bits,
                transfer,
                by_edge,
                invocations,
                nodes: &nodes,
                position,
                start,
                state,
                first_entry,
            };
            match &buffers.tails {
                None => search_alone(b, &search),
                Some(tails) => search_shared(b, &search, tails),
            }
        });
    })
}

/// A search by one invocation.
fn search_alone(b: &mut Body<'_>, search: &Search<'_>) {
    let Buffers { state, queues, params, .. } = search.buffers;
    b.for_("word", 0u32, search.nodes * STATE_WORDS, |b, word| b.store(state, &search.state + word, 0u32));
    // Edges beyond the degree lead to a node after the last, which has all bits.
    b.store(state, search.word(&search.nodes.into(), 0u32), u32::MAX);
    let queued = b.let_("queued", 0u32);
    search.seed(b, &queued);
    let depth = b.let_("depth", 0u32);
    b.for_("level", 0u32, params.load(params::MAX_DEPTH), |b, level| {
        b.if_(queued.eq(0u32), |b| b.break_());
        let [now, next]: [Expr; 2] = [level & 1u32, (level + 1u32) & 1u32];
        let length = b.let_("length", 0u32);
        b.for_("at", 0u32, &queued, |b, at| {
            let entry = b.let_("entry", queues.load(search.entry(&now, &at.into())));
            let bits = search.take(b, &entry, &now);
            search.report(b, &entry, &bits, &level.into());
            search.expand(b, &entry, &Propagation { bits: &bits, parity: &next, length: &length });
        });
        b.assign(&queued, &length);
        b.assign(&depth, level + 1u32);
    });
    let now: Expr = &depth & 1u32;
    b.for_("at", 0u32, &queued, |b, at| {
        let entry = b.let_("entry", queues.load(search.entry(&now, &at.into())));
        let bits = search.take(b, &entry, &now);
        search.report(b, &entry, &bits, &(&depth).into());
    });
}

/// A search by all invocations of a workgroup. `tails` holds the lengths of the queues.
fn search_shared(b: &mut Body<'_>, search: &Search<'_>, tails: &Handle) {
    let Buffers { state, queues, params, .. } = search.buffers;
    let invocations = search.invocations;
    let local = b.let_("local", local_id(0));
    let words = b.let_("words", search.nodes * STATE_WORDS);
    b.for_("step", 0u32, (&words + (invocations - 1)) / invocations, |b, step| {
        let word = b.let_("word", step * invocations + &local);
        b.if_(word.lt(&words), |b| {
            b.discard(Expr::atomic(AtomicOp::Exchange, state.name(), &search.state + &word, 0u32));
        });
    });
    let queued = b.let_("first_queued", 0u32);
    b.barrier();
    b.if_(local.eq(0u32), |b| search.seed(b, &queued));
    b.barrier();
    let queued = b.let_("queued", broadcast(&queued, 0u32));
    let depth = b.let_("depth", 0u32);
    let unused = b.let_("unused", 0u32);
    // Processes the queue of a level. `expands` is false after the last level.
    let level_of = |b: &mut Body<'_>, level: &Expr, expands: bool| {
        let [now, next]: [Expr; 2] = [level.clone() & 1u32, (level.clone() + 1u32) & 1u32];
        b.for_("step", 0u32, (&queued + (invocations - 1)) / invocations, |b, step| {
            let at = b.let_("at", step * invocations + &local);
            b.if_(at.lt(&queued), |b| {
                let entry = b.let_("entry", queues.load(search.entry(&now, &(&at).into())));
                let bits = search.take(b, &entry, &now);
                search.report(b, &entry, &bits, level);
                if expands {
                    search.expand(b, &entry, &Propagation { bits: &bits, parity: &next, length: &unused });
                }
            });
        });
    };
    b.for_("level", 0u32, params.load(params::MAX_DEPTH), |b, level| {
        b.if_(queued.eq(0u32), |b| b.break_());
        let next: Expr = (level + 1u32) & 1u32;
        b.if_(local.eq(0u32), |b| {
            b.store(tails, next.clone(), 0u32);
        });
        b.barrier();
        level_of(b, &level.into(), true);
        b.barrier();
        b.assign(&queued, broadcast(Expr::workgroup_atomic_load(tails.name(), next), 0u32));
        b.assign(&depth, level + 1u32);
    });
    level_of(b, &(&depth).into(), false);
    b.barrier();
}
