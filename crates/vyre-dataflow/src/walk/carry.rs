//! The program that carries words: one workgroup goes through the graph with a word of bits for each node, level by level.
//!
//! The bits are facts of one source, or neighbouring sources that share most of their way. A node waits in the queue of the next
//! level if bits have arrived that were not there before, so it may wait in several levels, but in each only once.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, select, workgroup_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};

use super::super::transfer::{Edge, Transfer};
use super::program::{NODE, SINK, STOP, params};
use super::turns::in_turns;

/// The edges of a node that are looked at without asking whether there are so many.
const STRAIGHT: u32 = 3;
/// The words of a node: bits that have been there, and those that arrive in even and in odd levels.
pub(crate) const STATE_WORDS: u32 = 4;
const ARRIVING: u32 = 1;

/// What the bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bits {
    /// One for each of up to 32 sources.
    Sources,
    /// Facts of one source.
    Facts,
}

struct Buffers {
    offsets: Handle,
    targets: Handle,
    sink_of: Handle,
    /// With [`Bits::Sources`] the nodes of all sources, 32 for each group. With [`Bits::Facts`] pairs of node and facts.
    starts: Handle,
    metadata: Handle,
    params: Handle,
    counter: Handle,
    state: Handle,
    queues: Handle,
    depths: Handle,
}

struct Search<'s> {
    buffers: &'s Buffers,
    bits: Bits,
    transfer: Option<&'s Transfer>,
    by_edge: bool,
    lanes: u32,
    nodes: &'s Var,
    /// The number of the group of sources or of the source.
    position: Var,
    /// The node of the source, where there is one source.
    start: Var,
    /// Where the state and the queues of the workgroup begin.
    state: Var,
    lines: Var,
    /// The counters of the two queues.
    tails: Var,
}

/// Bits on their way to the next level.
struct Flow<'f> {
    bits: &'f Var,
    /// Whether the next level is an even or an odd one.
    parity: &'f Expr,
    /// Counts the queue of the next level where one lane fills it.
    length: &'f Var,
}

impl Search<'_> {
    /// Whether the lanes of a workgroup share the search, and so need atomics.
    fn is_shared(&self) -> bool {
        self.lanes > 1
    }

    /// Where the word of a node is.
    fn word(&self, node: &Expr, at: impl Into<Expr>) -> Expr {
        &self.state + node.clone() * STATE_WORDS + at.into()
    }

    /// Where a place of the queue for a level is.
    fn place(&self, parity: &Expr, place: &Expr) -> Expr {
        &self.lines + parity.clone() * (self.nodes + 1u32) + place.clone()
    }

    /// Sets bits of a word, and gives what was there before.
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

    /// Bits go along an edge.
    fn visit(&self, b: &mut Body<'_>, current: &Var, edge: &Expr, target: &Var, flow: &Flow<'_>) {
        let Flow { bits, parity, length } = *flow;
        let node: Expr = target & NODE;
        let bits = match self.transfer {
            None => bits.clone(),
            Some(transfer) => {
                let place = if self.by_edge { edge.clone() } else { node.clone() };
                let metadata = self.buffers.metadata.load(place);
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
        if self.is_shared() {
            b.if_(new.ne(0u32), |b| {
                let before = self.set_bits(b, arriving, &new);
                b.if_(before.eq(0u32), |b| {
                    let slot =
                        b.atomic("slot", AtomicOp::Add, &self.buffers.counter, &self.tails + parity.clone(), 1u32);
                    b.store(&self.buffers.queues, self.place(parity, &(&slot).into()), target);
                });
            });
        } else {
            let before = self.set_bits(b, arriving, &new);
            b.store(&self.buffers.queues, self.place(parity, &length.into()), target);
            b.assign(length, length + (new.ne(0u32) & before.eq(0u32)));
        }
    }

    /// Writes what has arrived at a sink.
    fn report(&self, b: &mut Body<'_>, entry: &Var, bits: &Var, depth: &Expr) {
        let depths = &self.buffers.depths;
        let params = &self.buffers.params;
        b.if_(entry.ge(SINK), |b| {
            let sink = b.let_("sink", self.buffers.sink_of.load(entry & NODE));
            let sinks = b.let_("sinks", params.load(params::SINKS));
            let row = b.let_("row", &self.position + params.load(params::FIRST));
            match self.bits {
                Bits::Sources => {
                    let left = b.let_("left", bits);
                    b.for_("bit", 0u32, bits.popcount(), |b, _| {
                        let source = &row * 32u32 + left.ctz();
                        b.store(depths, source * &sinks + &sink, depth.clone());
                        b.assign(&left, &left & (&left - 1u32));
                    });
                }
                // Two words for each sink: the depth and the facts. A node is in one place of the queue at a time.
                Bits::Facts => {
                    let at = b.let_("at", (&row * &sinks + &sink) * 2u32);
                    b.if_(depths.load(&at).eq(0u32).and((entry & NODE).ne(&self.start & NODE)), |b| {
                        b.store(depths, &at, depth.clone())
                    });
                    b.store(depths, &at + 1u32, depths.load(&at + 1u32) | bits);
                }
            }
        });
    }

    /// Takes the bits that have arrived at a node that waits.
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

    /// Visits the neighbours of a node.
    fn expand(&self, b: &mut Body<'_>, entry: &Var, flow: &Flow<'_>) {
        let Buffers { offsets, targets, .. } = self.buffers;
        let current = b.let_("current", entry & NODE);
        let first = b.let_("first", offsets.load(&current));
        let last = b.let_("last", select(entry & STOP, &first, offsets.load(&current + 1u32)));
        let straight = if self.is_shared() || self.transfer.is_some() { 0 } else { STRAIGHT };
        for number in 0..straight {
            let edge = b.let_("edge", &first + number);
            let target = b.let_("target", select(edge.lt(&last), targets.load(&edge), self.nodes));
            self.visit(b, &current, &(&edge).into(), &target, flow);
        }
        b.for_("edge", &first + straight, &last, |b, edge| {
            let target = b.let_("target", targets.load(edge));
            self.visit(b, &current, &edge.into(), &target, flow);
        });
    }

    /// The bits of the sources themselves. One lane does this.
    fn seed(&self, b: &mut Body<'_>, length: &Var) {
        let starts = &self.buffers.starts;
        let begin = |b: &mut Body<'_>, start: &Var, bits: &Var| {
            let node: Expr = start & NODE;
            self.set_bits(b, self.word(&node, 0u32), bits);
            let before = self.set_bits(b, self.word(&node, ARRIVING), bits);
            b.if_(before.eq(0u32), |b| {
                b.store(&self.buffers.queues, self.place(&0u32.into(), &length.into()), start);
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

/// The program for workgroups of so many lanes. One lane needs no atomics. Metadata is by edge or by node.
pub(crate) fn program(lanes: u32, bits: Bits, transfer: Option<&Transfer>, by_edge: bool) -> Program {
    let mut p = ProgramBuilder::new([lanes, 1, 1]);
    let [offsets, targets, sink_of, starts, metadata] =
        ["offsets", "targets", "sink_of", "starts", "metadata"].map(|name| p.read(name, DataType::U32));
    let params = p.uniform("params", DataType::U32);
    let [counter, state, queues, depths] =
        ["counter", "state", "queues", "depths"].map(|name| p.read_write(name, DataType::U32));
    let buffers = Buffers { offsets, targets, sink_of, starts, metadata, params, counter, state, queues, depths };
    p.entry(|b| {
        let nodes = b.let_("nodes", buffers.params.load(params::NODES));
        let state = b.let_("state_of_group", workgroup_id(0) * (&nodes + 1u32) * STATE_WORDS);
        let lines = b.let_("lines", workgroup_id(0) * (&nodes + 1u32) * 2u32);
        let tails = b.let_("tails", workgroup_id(0) * 2u32 + 1u32);
        let count = b.let_("count", buffers.params.load(params::SOURCES));
        in_turns(b, lanes, &buffers.counter, &count, |b, position| {
            let start = b.let_("start", buffers.starts.load(&position * 2u32));
            let [state, lines, tails] = [&state, &lines, &tails].map(Clone::clone);
            let search = Search {
                buffers: &buffers,
                bits,
                transfer,
                by_edge,
                lanes,
                nodes: &nodes,
                position,
                start,
                state,
                lines,
                tails,
            };
            match lanes {
                1 => alone(b, &search),
                _ => together(b, &search),
            }
        });
    })
}

/// A search by one lane.
fn alone(b: &mut Body<'_>, search: &Search<'_>) {
    let Buffers { state, queues, params, .. } = search.buffers;
    b.for_("word", 0u32, search.nodes * STATE_WORDS, |b, word| b.store(state, &search.state + word, 0u32));
    // Edges that are not there lead to a node behind the last, which has all bits.
    b.store(state, search.word(&search.nodes.into(), 0u32), u32::MAX);
    let waiting = b.let_("waiting", 0u32);
    search.seed(b, &waiting);
    let depth = b.let_("depth", 0u32);
    b.for_("level", 0u32, params.load(params::MAX_DEPTH), |b, level| {
        b.if_(waiting.eq(0u32), |b| b.break_());
        let [now, next]: [Expr; 2] = [level & 1u32, (level + 1u32) & 1u32];
        let length = b.let_("length", 0u32);
        b.for_("place", 0u32, &waiting, |b, place| {
            let entry = b.let_("entry", queues.load(search.place(&now, &place.into())));
            let bits = search.take(b, &entry, &now);
            search.report(b, &entry, &bits, &level.into());
            search.expand(b, &entry, &Flow { bits: &bits, parity: &next, length: &length });
        });
        b.assign(&waiting, &length);
        b.assign(&depth, level + 1u32);
    });
    let now: Expr = &depth & 1u32;
    b.for_("place", 0u32, &waiting, |b, place| {
        let entry = b.let_("entry", queues.load(search.place(&now, &place.into())));
        let bits = search.take(b, &entry, &now);
        search.report(b, &entry, &bits, &(&depth).into());
    });
}

/// A search by all lanes of a workgroup.
fn together(b: &mut Body<'_>, search: &Search<'_>) {
    let Buffers { state, queues, params, counter, .. } = search.buffers;
    let lanes = search.lanes;
    let lane = b.let_("lane", local_id(0));
    let words = b.let_("words", search.nodes * STATE_WORDS);
    b.for_("step", 0u32, (&words + (lanes - 1)) / lanes, |b, step| {
        let word = b.let_("word", step * lanes + &lane);
        b.if_(word.lt(&words), |b| {
            b.discard(Expr::atomic(AtomicOp::Exchange, state.name(), &search.state + &word, 0u32));
        });
    });
    let waiting = b.let_("first_waiting", 0u32);
    b.barrier();
    b.if_(lane.eq(0u32), |b| search.seed(b, &waiting));
    b.barrier();
    let waiting = b.let_("waiting", broadcast(&waiting, 0u32));
    let depth = b.let_("depth", 0u32);
    let unused = b.let_("unused", 0u32);
    // All lanes go through the queue of a level; `expands` is off behind the last one.
    let level_of = |b: &mut Body<'_>, level: &Expr, expands: bool| {
        let [now, next]: [Expr; 2] = [level.clone() & 1u32, (level.clone() + 1u32) & 1u32];
        b.for_("step", 0u32, (&waiting + (lanes - 1)) / lanes, |b, step| {
            let place = b.let_("place", step * lanes + &lane);
            b.if_(place.lt(&waiting), |b| {
                let entry = b.let_("entry", queues.load(search.place(&now, &(&place).into())));
                let bits = search.take(b, &entry, &now);
                search.report(b, &entry, &bits, level);
                if expands {
                    search.expand(b, &entry, &Flow { bits: &bits, parity: &next, length: &unused });
                }
            });
        });
    };
    b.for_("level", 0u32, params.load(params::MAX_DEPTH), |b, level| {
        b.if_(waiting.eq(0u32), |b| b.break_());
        let next: Expr = (level + 1u32) & 1u32;
        b.if_(lane.eq(0u32), |b| {
            b.discard(Expr::atomic(AtomicOp::Exchange, counter.name(), &search.tails + next.clone(), 0u32));
        });
        b.barrier();
        level_of(b, &level.into(), true);
        b.barrier();
        b.assign(&waiting, broadcast(Expr::atomic_load(counter.name(), &search.tails + next), 0u32));
        b.assign(&depth, level + 1u32);
    });
    level_of(b, &(&depth).into(), false);
    b.barrier();
}
