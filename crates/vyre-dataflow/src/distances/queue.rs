//! Which nodes wait, and which of them is next. All of this is done by one lane.
//!
//! Nodes wait in *buckets* of neighbours, since a row that is in a cache is cheap. One bucket after the other, up and down, has
//! its nodes put into *lists* by distance, from which they are taken in turn. Nodes that are further away than others by more
//! than a window are left in their buckets, for what is still going to change would have to be told on from them again.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, workgroup_id};
use vyre_ir::{DataType, Expr};

use super::program::{NONE, params};

/// How many lists there are: a bit of a word tells whether there is a node in one.
pub(crate) const LISTS: u32 = 32;
/// For loops that end by themselves.
const EVER: u32 = u32::MAX;

/// The buffers in which lane 0 keeps which nodes wait.
pub(super) struct Queue {
    /// For each node its key, which is no more than any distance that has changed there, and the next node of its list.
    pub(super) nodes: Handle,
    /// The first node of each list, then for each bucket the first node that waits in it, and the smallest key of them.
    lists: Handle,
    first_node: Var,
    first_list: Var,
}

impl Queue {
    pub(super) fn declare(p: &mut ProgramBuilder) -> [Handle; 2] {
        ["nodes", "lists"].map(|name| p.read_write(name, DataType::U32))
    }

    pub(super) fn new(b: &mut Body<'_>, [nodes, lists]: &[Handle; 2], params: &Handle) -> Queue {
        let first_node = b.let_("first_node", workgroup_id(0) * params.load(params::NODES) * 2u32);
        let words = params.load(params::BUCKETS) * 2u32 + LISTS;
        let first_list = b.let_("first_list", workgroup_id(0) * words);
        Queue { nodes: nodes.clone(), lists: lists.clone(), first_node, first_list }
    }

    pub(super) fn key(&self, node: &Var) -> Expr {
        &self.first_node + node * 2u32
    }

    fn next(&self, node: &Var) -> Expr {
        &self.first_node + node * 2u32 + 1u32
    }

    fn list(&self, number: &Var) -> Expr {
        &self.first_list + number
    }

    /// Where the first node of a bucket is. The smallest key comes next.
    pub(super) fn bucket(&self, number: impl Into<Expr>) -> Expr {
        &self.first_list + (number.into() * 2u32 + LISTS)
    }

    /// Puts a node before those of a list that begins at `list`.
    fn put(&self, b: &mut Body<'_>, node: &Var, list: &Var) {
        b.store(&self.nodes, self.next(node), self.lists.load(list));
        b.store(&self.lists, list, node);
    }

    /// Puts a node into the bucket that begins at `bucket`, with a key.
    pub(super) fn wait(&self, b: &mut Body<'_>, node: &Var, bucket: &Var, key: &Var) {
        self.put(b, node, bucket);
        self.lower(b, bucket, key);
    }

    /// A node of a bucket has this key.
    fn lower(&self, b: &mut Body<'_>, bucket: &Var, key: &Var) {
        let least = b.let_("least", bucket + 1u32);
        b.store(&self.lists, &least, self.lists.load(&least).min(key));
    }
}

/// What lane 0 remembers from visit to visit.
pub(super) struct Order {
    pub(super) filled: Var,
    pub(super) turn: Var,
    pub(super) bucket: Var,
    pub(super) step: Var,
    pub(super) limit: Var,
    pub(super) list_shift: Var,
}

impl Order {
    /// Puts a node into the list of its key.
    fn put(&self, b: &mut Body<'_>, queue: &Queue, node: &Var, key: &Var) {
        let number = b.let_("number", (key >> &self.list_shift) & (LISTS - 1));
        let list = b.let_("list", queue.list(&number));
        queue.put(b, node, &list);
        b.assign(&self.filled, &self.filled | (1u32 << &number));
    }

    /// A node's row has changed by a way that ends with this key.
    pub(super) fn wake(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle, node: &Var, key: &Var) {
        let old = b.let_("old", queue.nodes.load(queue.key(node)));
        b.if_(key.lt(&old).and(key.lt(params.load(params::MAX_DEPTH))), |b| {
            b.store(&queue.nodes, queue.key(node), key);
            let number = b.let_("bucket", node >> params.load(params::BUCKET_SHIFT));
            let bucket = b.let_("place", queue.bucket(&number));
            b.if_else(
                old.ne(NONE),
                |b| queue.lower(b, &bucket, key),
                |b| {
                    b.if_else(
                        number.eq(&self.bucket).and(key.le(&self.limit)),
                        |b| self.put(b, queue, node, key),
                        |b| queue.wait(b, node, &bucket, key),
                    );
                },
            );
        });
    }

    /// Takes a node out of the lists.
    fn take(&self, b: &mut Body<'_>, queue: &Queue, node: &Var) {
        let turned = (&self.filled >> &self.turn) | (&self.filled << (0u32 - &self.turn));
        b.assign(&self.turn, (&self.turn + turned.ctz()) & (LISTS - 1));
        let list = b.let_("list", queue.list(&self.turn));
        b.assign(node, queue.lists.load(&list));
        let next = b.let_("next", queue.nodes.load(queue.next(node)));
        b.store(&queue.lists, &list, &next);
        b.assign(&self.filled, &self.filled & !(next.eq(NONE) << &self.turn));
    }

    /// Goes up and down the buckets to one with a node within the limit, which moves where there is none. Tells whether any
    /// node waits.
    fn find(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle) -> Var {
        let is_found = b.let_("is_found", 0u32);
        let ends = b.let_("ends", 0u32);
        let buckets = b.let_("buckets", params.load(params::BUCKETS));
        b.for_("probe", 0u32, EVER, |b, _| {
            let bucket = b.let_("bucket", queue.bucket(&self.bucket));
            let least = queue.lists.load(&bucket + 1u32);
            b.if_(least.le(&self.limit).and(queue.lists.load(&bucket).ne(NONE)), |b| {
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
            // From one end to the other there was none.
            b.if_(ends.eq(2u32), |b| {
                b.assign(&ends, 0u32);
                let least = b.let_("least", NONE);
                b.for_("number", 0u32, &buckets, |b, number| {
                    let bucket = b.let_("bucket", queue.bucket(number));
                    b.if_(queue.lists.load(&bucket).ne(NONE), |b| {
                        b.assign(&least, least.min(queue.lists.load(&bucket + 1u32)));
                    });
                });
                b.if_(least.eq(NONE), |b| b.break_());
                b.assign(&self.limit, &least + params.load(params::WINDOW));
            });
        });
        is_found
    }

    /// Puts the nodes of the bucket that are within the limit into the lists.
    fn spread(&self, b: &mut Body<'_>, queue: &Queue) {
        let bucket = b.let_("bucket", queue.bucket(&self.bucket));
        let node = b.let_("node", queue.lists.load(&bucket));
        b.store(&queue.lists, &bucket, NONE);
        b.store(&queue.lists, &bucket + 1u32, NONE);
        let least = b.let_("least", NONE);
        b.for_("waiting", 0u32, EVER, |b, _| {
            b.if_(node.eq(NONE), |b| b.break_());
            let next = b.let_("next", queue.nodes.load(queue.next(&node)));
            let key = b.let_("key", queue.nodes.load(queue.key(&node)));
            b.if_else(
                key.le(&self.limit),
                |b| {
                    self.put(b, queue, &node, &key);
                    b.assign(&least, least.min(&key));
                },
                |b| queue.wait(b, &node, &bucket, &key),
            );
            b.assign(&node, &next);
        });
        b.assign(&self.turn, (&least >> &self.list_shift) & (LISTS - 1));
    }

    /// Chooses the node that is visited next, and its key. There may be none.
    pub(super) fn choose(&self, b: &mut Body<'_>, queue: &Queue, params: &Handle, node: &Var, key: &Var) {
        b.assign(node, NONE);
        b.for_("try", 0u32, EVER, |b, _| {
            b.if_(self.filled.ne(0u32), |b| {
                self.take(b, queue, node);
                b.assign(key, queue.nodes.load(queue.key(node)));
                b.store(&queue.nodes, queue.key(node), NONE);
                b.break_();
            });
            let is_found = self.find(b, queue, params);
            b.if_(is_found.eq(0u32), |b| b.break_());
            self.spread(b, queue);
        });
    }
}
