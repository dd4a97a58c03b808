//! Bucketed work queue of nodes, swept in both directions. One invocation of a workgroup executes all of it.
//!
//! Like delta-stepping (Meyer and Sanders, 2003), the queue orders nodes by tentative distance; unlike it, nodes are first
//! grouped by id, because visits of adjacent nodes share cache lines. Queued nodes are in *buckets* of adjacent ids. A sweep
//! goes up and down over the buckets. It distributes the nodes of the current bucket to *lists* by key and visits them in
//! roughly ascending order of key. Nodes whose key exceeds the limit stay in their buckets: their distances would probably decrease
//! again, and each decrease is propagated.
//!
//! The key of a queued node is a lower bound of the distances that have decreased since its last visit.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, workgroup_id};
use vyre_ir::{DataType, Expr};

use super::buffers::{NONE, params};

/// Number of lists: one for each bit of a word.
pub(crate) const LISTS: u32 = 32;
/// Bound of loops that end by `break`.
const UNBOUNDED: u32 = u32::MAX;

/// Buffers of the queue, which invocation 0 owns.
pub(super) struct Queue {
    /// Two words for each node: its key, and the next node of its list.
    pub(super) nodes: Handle,
    /// First node of each list, then two words for each bucket: its first node, and the minimum of its keys.
    lists: Handle,
    /// Index of the first word of the workgroup in `nodes`.
    first_node: Var,
    /// Index of the first word of the workgroup in `lists`.
    first_list: Var,
}

impl Queue {
    /// Declares the buffers `nodes` and `lists`.
    pub(super) fn declare(p: &mut ProgramBuilder) -> [Handle; 2] {
        ["nodes", "lists"].map(|name| p.read_write(name, DataType::U32))
    }

    /// The part of the buffers that a workgroup owns.
    pub(super) fn new(b: &mut Body<'_>, [nodes, lists]: &[Handle; 2], params: &Handle) -> Queue {
        let first_node = b.let_("first_node", workgroup_id(0) * params.load(params::NODES) * 2u32);
        let words = params.load(params::BUCKETS) * 2u32 + LISTS;
        let first_list = b.let_("first_list", workgroup_id(0) * words);
        Queue { nodes: nodes.clone(), lists: lists.clone(), first_node, first_list }
    }

    /// Index of the key of a node.
    pub(super) fn key(&self, node: &Var) -> Expr {
        &self.first_node + node * 2u32
    }

    /// Index of the successor of a node in its list.
    fn next(&self, node: &Var) -> Expr {
        &self.first_node + node * 2u32 + 1u32
    }

    /// Index of the first node of a list.
    fn list(&self, number: &Var) -> Expr {
        &self.first_list + number
    }

    /// Index of the first node of a bucket. The minimum of its keys follows.
    pub(super) fn bucket(&self, number: impl Into<Expr>) -> Expr {
        &self.first_list + (number.into() * 2u32 + LISTS)
    }

    /// Prepends a node to the list that begins at `list`.
    fn prepend(&self, b: &mut Body<'_>, node: &Var, list: &Var) {
        b.store(&self.nodes, self.next(node), self.lists.load(list));
        b.store(&self.lists, list, node);
    }

    /// Inserts a node into the bucket that begins at `bucket`.
    pub(super) fn insert(&self, b: &mut Body<'_>, node: &Var, bucket: &Var, key: &Var) {
        self.prepend(b, node, bucket);
        self.lower_min(b, bucket, key);
    }

    /// Lowers the minimum key of a bucket to `key`.
    fn lower_min(&self, b: &mut Body<'_>, bucket: &Var, key: &Var) {
        let min = b.let_("min", bucket + 1u32);
        b.store(&self.lists, &min, self.lists.load(&min).min(key));
    }
}

/// State of the sweep, which invocation 0 keeps from visit to visit. Its words are those of
/// [`state`](super::buffers::state).
pub(super) struct VisitOrder {
    pub(super) filled: Var,
    pub(super) current_list: Var,
    pub(super) bucket: Var,
    pub(super) step: Var,
    pub(super) limit: Var,
    pub(super) list_shift: Var,
}

impl VisitOrder {
    /// Inserts a node into the list of its key.
    fn insert(&self, b: &mut Body<'_>, queue: &Queue, node: &Var, key: &Var) {
        let number = b.let_("number", (key >> &self.list_shift) & (LISTS - 1));
        let list = b.let_("list", queue.list(&number));
        queue.prepend(b, node, &list);
        b.assign(&self.filled, &self.filled | (1u32 << &number));
    }

    /// Queues a node after a distance of at least `key` has decreased, or lowers the key of a queued node.
    pub(super) fn enqueue(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle, node: &Var, key: &Var) {
        let old = b.let_("old", queue.nodes.load(queue.key(node)));
        b.if_(key.lt(&old).and(key.lt(params.load(params::MAX_DEPTH))), |b| {
            b.store(&queue.nodes, queue.key(node), key);
            let number = b.let_("bucket", node >> params.load(params::BUCKET_SHIFT));
            let bucket = b.let_("first_of_bucket", queue.bucket(&number));
            b.if_else(
                old.ne(NONE),
                |b| queue.lower_min(b, &bucket, key),
                |b| {
                    b.if_else(
                        number.eq(&self.bucket).and(key.le(&self.limit)),
                        |b| self.insert(b, queue, node, key),
                        |b| queue.insert(b, node, &bucket, key),
                    );
                },
            );
        });
    }

    /// Removes the next node from the lists.
    fn pop(&self, b: &mut Body<'_>, queue: &Queue, node: &Var) {
        let rotated = (&self.filled >> &self.current_list) | (&self.filled << (0u32 - &self.current_list));
        b.assign(&self.current_list, (&self.current_list + rotated.ctz()) & (LISTS - 1));
        let list = b.let_("list", queue.list(&self.current_list));
        b.assign(node, queue.lists.load(&list));
        let next = b.let_("next", queue.nodes.load(queue.next(node)));
        b.store(&queue.lists, &list, &next);
        b.assign(&self.filled, &self.filled & !(next.eq(NONE) << &self.current_list));
    }

    /// Sweeps the buckets to one with a key within the limit. Raises the limit if no bucket has one. The result is 0 if no node
    /// is queued.
    fn find_bucket(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle) -> Var {
        let is_found = b.let_("is_found", 0u32);
        let ends = b.let_("ends", 0u32);
        let buckets = b.let_("buckets", params.load(params::BUCKETS));
        b.for_("probe", 0u32, UNBOUNDED, |b, _| {
            let bucket = b.let_("bucket", queue.bucket(&self.bucket));
            let min = queue.lists.load(&bucket + 1u32);
            b.if_(min.le(&self.limit).and(queue.lists.load(&bucket).ne(NONE)), |b| {
                b.assign(&is_found, 1u32);
                b.break_();
            });
            let next = b.let_("next", &self.bucket + &self.step);
            b.if_else(
                next.lt(&buckets),
                |b| b.assign(&self.bucket, &next),
                |b| {
                    b.assign(&self.step, 0u32 - &self.step);
                    b.assign(&ends, &ends + 1u32);
                },
            );
            // A complete sweep has found no key within the limit.
            b.if_(ends.eq(2u32), |b| {
                b.assign(&ends, 0u32);
                let min = b.let_("min", NONE);
                b.for_("number", 0u32, &buckets, |b, number| {
                    let bucket = b.let_("bucket", queue.bucket(number));
                    b.if_(queue.lists.load(&bucket).ne(NONE), |b| {
                        b.assign(&min, min.min(queue.lists.load(&bucket + 1u32)));
                    });
                });
                b.if_(min.eq(NONE), |b| b.break_());
                b.assign(&self.limit, &min + params.load(params::WINDOW));
            });
        });
        is_found
    }

    /// Distributes the nodes of the bucket that are within the limit to the lists.
    fn distribute(&self, b: &mut Body<'_>, queue: &Queue) {
        let bucket = b.let_("bucket", queue.bucket(&self.bucket));
        let node = b.let_("node", queue.lists.load(&bucket));
        b.store(&queue.lists, &bucket, NONE);
        b.store(&queue.lists, &bucket + 1u32, NONE);
        let min = b.let_("min", NONE);
        b.for_("queued", 0u32, UNBOUNDED, |b, _| {
            b.if_(node.eq(NONE), |b| b.break_());
            let next = b.let_("next", queue.nodes.load(queue.next(&node)));
            let key = b.let_("key", queue.nodes.load(queue.key(&node)));
            b.if_else(
                key.le(&self.limit),
                |b| {
                    self.insert(b, queue, &node, &key);
                    b.assign(&min, min.min(&key));
                },
                |b| queue.insert(b, &node, &bucket, &key),
            );
            b.assign(&node, &next);
        });
        b.assign(&self.current_list, (&min >> &self.list_shift) & (LISTS - 1));
    }

    /// Removes the next node from the queue, with its key. The node is [`NONE`] if the queue is empty.
    pub(super) fn pop_next(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle, node: &Var, key: &Var) {
        b.assign(node, NONE);
        b.for_("try", 0u32, UNBOUNDED, |b, _| {
            b.if_(self.filled.ne(0u32), |b| {
                self.pop(b, queue, node);
                b.assign(key, queue.nodes.load(queue.key(node)));
                b.store(&queue.nodes, queue.key(node), NONE);
                b.break_();
            });
            let is_found = self.find_bucket(b, queue, params);
            b.if_(is_found.eq(0u32), |b| b.break_());
            self.distribute(b, queue);
        });
    }
}
