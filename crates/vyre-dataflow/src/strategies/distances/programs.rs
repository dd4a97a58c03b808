//! Programs of the distances strategy.
//!
//! A workgroup processes a batch of sources. Each node has a *distance vector*: its distance from each source of the batch. A
//! node whose vector has changed is queued until it is visited; the visit relaxes its outgoing edges. The order of visits
//! changes the number of visits, not the result.
//!
//! Each invocation owns its components of all vectors, and invocation 0 owns everything else, so there are no races and no
//! barriers.

use vyre_ir::build::{
    Body, Buffer as Handle, ProgramBuilder, Var, broadcast, local_id, num_workgroups, reduce, select, workgroup_id,
};
use vyre_ir::{DataType, Expr, Program, ReduceOp};

use super::buffers::{NONE, UNREACHED, params, state};
use super::queue::{Queue, VisitOrder};
use crate::strategies::vectors::Shape;

/// Number of components that an invocation processes together, so that they fit in registers.
const COMPONENTS_AT_ONCE: usize = 8;
/// Workgroup size of programs whose invocations are independent.
const WORKGROUP: u32 = 64;

/// Distributes the indices below `count`: each workgroup gets a contiguous range, and each invocation one index at a time.
fn for_each_index(b: &mut Body<'_>, count: Expr, body: impl FnOnce(&mut Body<'_>, &Var)) {
    let count = b.let_("count", count);
    let per_group = b.let_("per_group", (&count / num_workgroups(0) / WORKGROUP + 1u32) * WORKGROUP);
    let first = b.let_("first", workgroup_id(0) * &per_group);
    b.for_("iteration", 0u32, &per_group / WORKGROUP, |b, iteration| {
        let at = b.let_("at", &first + iteration * WORKGROUP + local_id(0));
        b.if_(at.lt(&count), |b| body(b, &at));
    });
}

/// Sets all distances to unreached and empties the queue. Nodes without outgoing edges have the key 0, which no other key is
/// below, so they are never queued.
pub(crate) fn clear() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, offsets] = ["params", "offsets"].map(|name| p.read(name, DataType::U32));
    let [distances, nodes] = ["distances", "nodes"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        for_each_index(b, distances.len(), |b, at| b.store(&distances, at, UNREACHED));
        let all = b.let_("all", params.load(params::NODES));
        for_each_index(b, nodes.len() / 2u32, |b, at| {
            let node = b.let_("node", at % &all);
            let is_leaf = offsets.load(&node).eq(offsets.load(&node + 1u32));
            b.store(&nodes, at * 2u32, select(is_leaf, 0u32, NONE));
        });
    })
}

/// Queues the nodes of the sources, with distance 0 from their sources.
pub(crate) fn seed(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.invocations, 1, 1]);
    let [params, starts] = ["params", "starts"].map(|name| p.read(name, DataType::U32));
    let distances = p.read_write("distances", DataType::U32);
    let queue = Queue::declare(&mut p);
    p.entry(|b| {
        let first = b.let_("first", workgroup_id(0) * shape.components());
        let local = b.let_("local", local_id(0));
        let first_node = b.let_("first_node_of_group", workgroup_id(0) * params.load(params::NODES));
        b.for_("at", 0u32, shape.components_each, |b, at| {
            let source = b.let_("source", at * shape.invocations + &local);
            let node = b.let_("node", starts.load(&first + &source));
            b.if_(node.ne(NONE), |b| b.store(&distances, (&first_node + &node) * shape.components() + &source, 0u32));
        });
        b.if_(local.eq(0u32), |b| {
            let queue = Queue::new(b, &queue, &params);
            b.for_("source", 0u32, shape.components(), |b, source| {
                let node = b.let_("node", starts.load(&first + source));
                b.if_(node.ne(NONE), |b| {
                    b.if_(queue.nodes.load(queue.key(&node)).eq(NONE), |b| {
                        let key = b.let_("key", 0u32);
                        b.store(&queue.nodes, queue.key(&node), &key);
                        let number = &node >> params.load(params::BUCKET_SHIFT);
                        let bucket = b.let_("bucket", queue.bucket(number));
                        queue.insert(b, &node, &bucket, &key);
                    });
                });
            });
        });
    })
}

/// Visits queued nodes until none is left, or until the maximum number of visits of a dispatch.
pub(crate) fn visit(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([shape.invocations, 1, 1]);
    let [params, offsets, edges] = ["params", "offsets", "edges"].map(|name| p.read(name, DataType::U32));
    let distances = p.read_write("distances", DataType::U32);
    let queue = Queue::declare(&mut p);
    let state = p.read_write("state", DataType::U32);
    p.entry(|b| {
        let local = b.let_("local", local_id(0));
        let first_vector = b.let_("first_vector", workgroup_id(0) * params.load(params::NODES) * shape.components());
        let first_state = b.let_("first_state", workgroup_id(0) * state::WORDS);
        let queue = Queue::new(b, &queue, &params);
        let [filled, current_list, bucket, step, limit] =
            ["filled", "current_list", "bucket", "step", "limit"].map(|name| b.let_(name, 0u32));
        let saved = [
            (state::FILLED, &filled),
            (state::CURRENT_LIST, &current_list),
            (state::BUCKET, &bucket),
            (state::STEP, &step),
            (state::LIMIT, &limit),
        ];
        b.if_(local.eq(0u32), |b| {
            for (at, var) in saved {
                b.assign(var, state.load(&first_state + at));
            }
        });
        let list_shift = b.let_("list_shift", params.load(params::LIST_SHIFT));
        let [filled, current_list, bucket, step, limit] =
            [&filled, &current_list, &bucket, &step, &limit].map(Var::clone);
        let order = VisitOrder { filled, current_list, bucket, step, limit, list_shift };
        let [chosen, key] = ["chosen", "key"].map(|name| b.let_(name, 0u32));
        let visits = b.let_("visits", 0u32);
        b.for_("visit", 0u32, params.load(params::VISITS), |b, _| {
            b.if_(local.eq(0u32), |b| order.pop_next(b, &queue, &params, &chosen, &key));
            let node = b.let_("node", broadcast(&chosen, 0u32));
            b.if_(node.eq(NONE), |b| b.break_());
            b.assign(&visits, &visits + 1u32);
            let begin = b.let_("begin", offsets.load(&node));
            let end = b.let_("end", offsets.load(&node + 1u32));
            b.for_("part", 0u32, (&end - &begin + 31u32) / 32u32, |b, part| {
                let first = b.let_("first", &begin + part * 32u32);
                let group = Group { shape, distances: &distances, edges: &edges, first_vector: &first_vector };
                let changed = group.relax(b, &node, &first, &end);
                b.if_(local.eq(0u32), |b| {
                    let left = b.let_("left", &changed);
                    b.for_("bit", 0u32, changed.popcount(), |b, _| {
                        let edge = b.let_("edge", (&first + left.ctz()) * 2u32);
                        b.assign(&left, &left & (&left - 1u32));
                        let target = b.let_("target", edges.load(&edge));
                        let key = b.let_("key", &key + edges.load(&edge + 1u32));
                        order.enqueue(b, &queue, &params, &target, &key);
                    });
                });
            });
        });
        b.if_(local.eq(0u32), |b| {
            for (at, var) in saved {
                b.store(&state, &first_state + at, var);
            }
            let count = b.let_("count", &first_state + state::VISITS);
            b.store(&state, &count, state.load(&count) + &visits);
            b.store(&state, &first_state + state::IS_DONE, chosen.eq(NONE));
        });
    })
}

/// Distance vectors and edges of a workgroup.
struct Group<'p> {
    shape: Shape,
    distances: &'p Handle,
    /// Two words for each edge: target and weight.
    edges: &'p Handle,
    /// Index of the first vector of the workgroup.
    first_vector: &'p Var,
}

impl Group<'_> {
    /// Relaxes up to 32 outgoing edges of a node. The result has a bit for each edge at whose target a distance has decreased.
    fn relax(&self, b: &mut Body<'_>, node: &Var, first: &Var, end: &Var) -> Var {
        let Group { shape, distances, edges, first_vector } = *self;
        let last = b.let_("last", (first + 32u32).min(end));
        let changed = b.let_("changed", 0u32);
        let vector = shape.vector(b, first_vector, node);
        shape.with_indices(b, distances, &vector, 0..shape.components_each, |b, indices| {
            let from: Vec<Var> = indices.iter().map(|index| b.let_("from", distances.load(index))).collect();
            b.for_("edge", first, &last, |b, edge| {
                let target = b.let_("target", edges.load(edge * 2u32));
                let weight = b.let_("weight", edges.load(edge * 2u32 + 1u32));
                let vector = shape.vector(b, first_vector, &target);
                let differs = b.let_("differs", 0u32);
                for (first, from) in (0..).step_by(COMPONENTS_AT_ONCE).zip(from.chunks(COMPONENTS_AT_ONCE)) {
                    shape.with_indices(b, distances, &vector, first..first + from.len() as u32, |b, indices| {
                        for (index, from) in indices.iter().zip(from) {
                            let old = b.let_("old", distances.load(index));
                            let new = b.let_("new", old.min(from + &weight));
                            b.store(distances, index, &new);
                            b.assign(&differs, &differs | (&old ^ &new));
                        }
                    });
                }
                b.assign(&changed, &changed | select(differs.ne(0u32), 1u32 << (edge - first), 0u32));
            });
        });
        b.let_("any", reduce(ReduceOp::Or, &changed))
    }
}

/// Writes the depths of the sinks for each source of these batches.
pub(crate) fn harvest(shape: Shape) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, sinks, distances] = ["params", "sinks", "distances"].map(|name| p.read(name, DataType::U32));
    let depths = p.read_write("depths", DataType::U32);
    p.entry(|b| {
        let [nodes, first, sources, max_depth] = [params::NODES, params::FIRST, params::SOURCES, params::MAX_DEPTH]
            .map(|at| b.let_("param", params.load(at)));
        let count = b.let_("count", sinks.len());
        let batches = (&sources + (shape.components() - 1)) / shape.components();
        b.for_("batch", 0u32, batches, |b, batch| {
            for_each_index(b, (&count).into(), |b, sink| {
                let vector = b.let_("vector", (batch * &nodes + sinks.load(sink)) * shape.components());
                let end = (&sources - batch * shape.components()).min(shape.components());
                b.for_("source", 0u32, end, |b, source| {
                    let distance = b.let_("distance", distances.load(&vector + source));
                    let depth = select(distance.le(&max_depth), &distance, 0u32);
                    b.store(&depths, (&first + batch * shape.components() + source) * &count + sink, depth);
                });
            });
        });
    })
}
