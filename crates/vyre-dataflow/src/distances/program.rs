//! The programs of the distance path.
//!
//! A workgroup has a batch of sources, and for each node a *row*: its distance from each of them. A node whose row has changed
//! waits until it is visited, which may make the rows of its neighbours smaller. In which order nodes are visited does not
//! change the result, but how often they are.
//!
//! Rows belong to lanes word by word, and everything else that is written to lane 0, so there are no races and no barriers.

use std::ops::Range;

use vyre_ir::build::{
    Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, num_workgroups, reduce, select, workgroup_id,
};
use vyre_ir::{DataType, Expr, Program, ReduceOp};

use super::queue::{Order, Queue};

/// Where things are in the buffer `params`.
pub(crate) mod params {
    pub(crate) const NODES: u32 = 0;
    /// How many buckets there are, and the power of two that is the number of nodes of each.
    pub(crate) const BUCKETS: u32 = 1;
    pub(crate) const BUCKET_SHIFT: u32 = 2;
    /// How far distances that are worked on are apart, and the power of two of those that share a list.
    pub(crate) const WINDOW: u32 = 3;
    pub(crate) const LIST_SHIFT: u32 = 4;
    /// The most edges of a way.
    pub(crate) const MAX_DEPTH: u32 = 5;
    /// The most visits of a dispatch.
    pub(crate) const VISITS: u32 = 6;
    /// The position of the first source, and how many sources there are.
    pub(crate) const FIRST: u32 = 7;
    pub(crate) const SOURCES: u32 = 8;
    pub(crate) const WORDS: usize = 9;
}

/// Where things are in the part of the buffer `state` that a workgroup has.
pub(crate) mod state {
    /// Which lists have nodes, and which is next.
    pub(crate) const FILLED: u32 = 0;
    pub(crate) const TURN: u32 = 1;
    /// The bucket whose nodes are in the lists, and what leads to the next: 1 or -1.
    pub(crate) const BUCKET: u32 = 2;
    pub(crate) const STEP: u32 = 3;
    /// Nodes beyond this distance wait.
    pub(crate) const LIMIT: u32 = 4;
    /// How many visits there were.
    pub(crate) const VISITS: u32 = 5;
    /// Whether no node waits.
    pub(crate) const IS_DONE: u32 = 6;
    pub(crate) const WORDS: u32 = 8;
}

/// A distance that no way has. A weight can be added to it.
pub(crate) const FAR: u32 = 0x7fff_ffff;
/// The most words of all rows, a power of two.
pub(crate) const MOST_WORDS: u32 = 1 << 30;
/// No node, and the key of nodes that do not wait.
pub(super) const NONE: u32 = u32::MAX;
/// How many words of a row a lane works on at a time; more would not be in registers.
const AT_ONCE: usize = 8;
/// The workgroup of programs in which lanes have nothing to do with each other.
pub(crate) const WORKGROUP: u32 = 64;

/// What programs depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The lanes of a workgroup.
    pub(crate) lanes: u32,
    /// How many words of a row each lane has. They are `lanes` words apart.
    pub(crate) per_lane: u32,
}

impl Shape {
    /// The words of a row, and so the sources of a batch.
    pub(crate) fn words(self) -> u32 {
        self.lanes * self.per_lane
    }

    /// The first word of a lane, in the row of a node.
    fn row(self, b: &mut Body<'_>, first_row: &Var, node: &Var) -> Var {
        // The mask shows that places in the row do not wrap.
        b.let_("row", ((first_row + node * self.words()) & (MOST_WORDS - 1)) + local_id(0))
    }

    /// Where some of a lane's words are. If the last of them is in range, which is tested once, all are.
    fn with_places(
        self,
        b: &mut Body<'_>,
        rows: &Handle,
        row: &Var,
        words: Range<u32>,
        body: impl FnOnce(&mut Body<'_>, &[Var]),
    ) {
        let last = b.let_("place", row + (words.end - 1) * self.lanes);
        b.if_(last.lt(rows.len()), |b| {
            // Downwards, since the optimizer compares each with those just before it.
            let others = (words.start..words.end - 1).rev().map(|at| b.let_("place", row + at * self.lanes));
            let mut places: Vec<Var> = [last.clone()].into_iter().chain(others).collect();
            places.reverse();
            body(b, &places);
        });
    }
}

/// A part of `count` things that no other workgroup has, one for each lane at a time.
fn part_of(b: &mut Body<'_>, count: Expr, body: impl FnOnce(&mut Body<'_>, &Var)) {
    let count = b.let_("count", count);
    let per_group = b.let_("per_group", (&count / num_workgroups(0) / WORKGROUP + 1u32) * WORKGROUP);
    let first = b.let_("first", workgroup_id(0) * &per_group);
    b.for_("round", 0u32, &per_group / WORKGROUP, |b, round| {
        let at = b.let_("at", &first + round * WORKGROUP + local_id(0));
        b.if_(at.lt(&count), |b| body(b, &at));
    });
}

/// Makes all rows far away, and all nodes not wait. Nodes without ways out never do: nothing is below their key.
pub(crate) fn clear() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, offsets] = ["params", "offsets"].map(|name| p.read(name, DataType::U32));
    let [rows, nodes] = ["rows", "nodes"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        part_of(b, rows.len(), |b, at| b.store(&rows, at, FAR));
        let all = b.let_("all", params.load(params::NODES));
        part_of(b, nodes.len() / 2u32, |b, at| {
            let node = b.let_("node", at % &all);
            let is_end = offsets.load(&node).eq(offsets.load(&node + 1u32));
            b.store(&nodes, at * 2u32, select(is_end, 0u32, NONE));
        });
    })
}

/// The sources' nodes wait, at no distance from their sources.
pub(crate) fn seed(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.lanes, 1, 1]);
    let [params, starts] = ["params", "starts"].map(|name| p.read(name, DataType::U32));
    let rows = p.read_write("rows", DataType::U32);
    let queue = Queue::declare(&mut p);
    p.entry(|b| {
        let first = b.let_("first", workgroup_id(0) * shape.words());
        let lane = b.let_("lane", local_id(0));
        let row = b.let_("row", workgroup_id(0) * params.load(params::NODES));
        b.for_("at", 0u32, shape.per_lane, |b, at| {
            let source = b.let_("source", at * shape.lanes + &lane);
            let node = b.let_("node", starts.load(&first + &source));
            b.if_(node.ne(NONE), |b| b.store(&rows, (&row + &node) * shape.words() + &source, 0u32));
        });
        b.if_(lane.eq(0u32), |b| {
            let queue = Queue::new(b, &queue, &params);
            b.for_("source", 0u32, shape.words(), |b, source| {
                let node = b.let_("node", starts.load(&first + source));
                b.if_(node.ne(NONE), |b| {
                    b.if_(queue.nodes.load(queue.key(&node)).eq(NONE), |b| {
                        let key = b.let_("key", 0u32);
                        b.store(&queue.nodes, queue.key(&node), &key);
                        let number = &node >> params.load(params::BUCKET_SHIFT);
                        let bucket = b.let_("bucket", queue.bucket(number));
                        queue.wait(b, &node, &bucket, &key);
                    });
                });
            });
        });
    })
}

/// Visits nodes until none waits, or there were enough for a dispatch.
pub(crate) fn visit(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.lanes, 1, 1]);
    let [params, offsets, ways] = ["params", "offsets", "ways"].map(|name| p.read(name, DataType::U32));
    let rows = p.read_write("rows", DataType::U32);
    let queue = Queue::declare(&mut p);
    let state = p.read_write("state", DataType::U32);
    p.entry(|b| {
        let lane = b.let_("lane", local_id(0));
        let first_row = b.let_("first_row", workgroup_id(0) * params.load(params::NODES) * shape.words());
        let first_state = b.let_("first_state", workgroup_id(0) * state::WORDS);
        let queue = Queue::new(b, &queue, &params);
        let [filled, turn, bucket, step, limit] =
            ["filled", "turn", "bucket", "step", "limit"].map(|name| b.let_(name, 0u32));
        let kept = [
            (state::FILLED, &filled),
            (state::TURN, &turn),
            (state::BUCKET, &bucket),
            (state::STEP, &step),
            (state::LIMIT, &limit),
        ];
        b.if_(lane.eq(0u32), |b| {
            for (at, var) in kept {
                b.assign(var, state.load(&first_state + at));
            }
        });
        let list_shift = b.let_("list_shift", params.load(params::LIST_SHIFT));
        let [filled, turn, bucket, step, limit] = [&filled, &turn, &bucket, &step, &limit].map(Var::clone);
        let order = Order { filled, turn, bucket, step, limit, list_shift };
        let [chosen, key] = ["chosen", "key"].map(|name| b.let_(name, 0u32));
        let visits = b.let_("visits", 0u32);
        b.for_("visit", 0u32, params.load(params::VISITS), |b, _| {
            b.if_(lane.eq(0u32), |b| order.choose(b, &queue, &params, &chosen, &key));
            let node = b.let_("node", broadcast(&chosen, 0u32));
            b.if_(node.eq(NONE), |b| b.break_());
            b.assign(&visits, &visits + 1u32);
            let begin = b.let_("begin", offsets.load(&node));
            let end = b.let_("end", offsets.load(&node + 1u32));
            b.for_("part", 0u32, (&end - &begin + 31u32) / 32u32, |b, part| {
                let first = b.let_("first", &begin + part * 32u32);
                let changed = relax(b, shape, &rows, &ways, &first_row, &node, [&first, &end]);
                b.if_(lane.eq(0u32), |b| {
                    let left = b.let_("left", &changed);
                    b.for_("bit", 0u32, changed.popcount(), |b, _| {
                        let way = b.let_("way", (&first + left.ctz()) * 2u32);
                        b.assign(&left, &left & (&left - 1u32));
                        let target = b.let_("target", ways.load(&way));
                        let key = b.let_("key", &key + ways.load(&way + 1u32));
                        order.wake(b, &queue, &params, &target, &key);
                    });
                });
            });
        });
        b.if_(lane.eq(0u32), |b| {
            for (at, var) in kept {
                b.store(&state, &first_state + at, var);
            }
            let count = b.let_("count", &first_state + state::VISITS);
            b.store(&state, &count, state.load(&count) + &visits);
            b.store(&state, &first_state + state::IS_DONE, chosen.eq(NONE));
        });
    })
}

/// Goes along up to 32 ways out of a node. The result has a bit for each at whose end a distance has become smaller.
fn relax(
    b: &mut Body<'_>,
    shape: Shape,
    rows: &Handle,
    ways: &Handle,
    first_row: &Var,
    node: &Var,
    [first, end]: [&Var; 2],
) -> Var {
    let last = b.let_("last", (first + 32u32).min(end));
    let changed = b.let_("changed", 0u32);
    let row = shape.row(b, first_row, node);
    shape.with_places(b, rows, &row, 0..shape.per_lane, |b, places| {
        let from: Vec<Var> = places.iter().map(|place| b.let_("from", rows.load(place))).collect();
        b.for_("way", first, &last, |b, way| {
            let target = b.let_("target", ways.load(way * 2u32));
            let weight = b.let_("weight", ways.load(way * 2u32 + 1u32));
            let row = shape.row(b, first_row, &target);
            let differs = b.let_("differs", 0u32);
            for (first, from) in (0..).step_by(AT_ONCE).zip(from.chunks(AT_ONCE)) {
                shape.with_places(b, rows, &row, first..first + from.len() as u32, |b, places| {
                    for (place, from) in places.iter().zip(from) {
                        let old = b.let_("old", rows.load(place));
                        let new = b.let_("new", old.min(from + &weight));
                        b.store(rows, place, &new);
                        b.assign(&differs, &differs | (&old ^ &new));
                    }
                });
            }
            b.assign(&changed, &changed | select(differs.ne(0u32), 1u32 << (way - first), 0u32));
        });
    });
    b.let_("any", reduce(ReduceOp::Or, &changed))
}

/// The depths of the sinks, for each source of these batches.
pub(crate) fn harvest(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, sinks, rows] = ["params", "sinks", "rows"].map(|name| p.read(name, DataType::U32));
    let depths = p.read_write("depths", DataType::U32);
    p.entry(|b| {
        let [nodes, first, sources, most] = [params::NODES, params::FIRST, params::SOURCES, params::MAX_DEPTH]
            .map(|at| b.let_("param", params.load(at)));
        let count = b.let_("count", sinks.len());
        let batches = (&sources + (shape.words() - 1)) / shape.words();
        b.for_("batch", 0u32, batches, |b, batch| {
            part_of(b, (&count).into(), |b, sink| {
                let row = b.let_("row", (batch * &nodes + sinks.load(sink)) * shape.words());
                let end = (&sources - batch * shape.words()).min(shape.words());
                b.for_("source", 0u32, end, |b, source| {
                    let distance = b.let_("distance", rows.load(&row + source));
                    let depth = select(distance.le(&most), &distance, 0u32);
                    b.store(&depths, (&first + batch * shape.words() + source) * &count + sink, depth);
                });
            });
        });
    })
}
