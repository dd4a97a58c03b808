//! Level-synchronous traversal with a frontier queue.
//!
//! A frontier is the set of nodes of a level. Visiting its nodes adds the nodes of the next level to the queue. A level is a round
//! of [`rounds`].
//!
//! The queue is a ring whose length is a power of two, so positions may wrap around 2^32. It must have room for two consecutive
//! levels.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, CommandList, Pipeline};

use super::device::GraphOps;
use super::error::GraphError;
use super::rounds::{self, BEGIN, END, ROUND, Rounds, Width};

/// Word of the buffer `state`: position after the last node of the queue.
pub(crate) const TAIL: u32 = 2;

/// The queue in a program.
pub(crate) struct FrontierQueue {
    queue: Handle,
    pub(crate) state: Handle,
}

impl FrontierQueue {
    /// Declares the buffers of the queue after those that the program already has.
    pub(crate) fn declare(p: &mut ProgramBuilder) -> FrontierQueue {
        FrontierQueue { queue: p.read_write("queue", DataType::U32), state: p.read_write("state", DataType::U32) }
    }

    /// Adds a node to the next level.
    pub(crate) fn add(&self, b: &mut Body<'_>, node: &Var) {
        let slot = b.atomic("slot", AtomicOp::Add, &self.state, TAIL, 1u32);
        b.store(&self.queue, self.index(slot), node);
    }

    /// Node at a position.
    pub(crate) fn load(&self, position: impl Into<Expr>) -> Expr {
        self.queue.load(self.index(position))
    }

    /// Index of a position in the ring.
    fn index(&self, position: impl Into<Expr>) -> Expr {
        position.into() & (self.queue.len() - 1u32)
    }
}

/// Builds a program that visits the nodes of levels. `visit` gets the node and the number of its level.
pub(crate) fn program(
    width: Width,
    mut p: ProgramBuilder,
    visit: impl FnOnce(&mut Body<'_>, &FrontierQueue, &Var, &Var),
) -> Program {
    let queue = FrontierQueue::declare(&mut p);
    let state = &queue.state;
    // The nodes after the last level become the new level.
    let advance = |b: &mut Body<'_>| {
        b.store(state, BEGIN, state.load(END));
        b.store(state, END, Expr::atomic_load(state.name(), TAIL));
        b.store(state, ROUND, state.load(ROUND) + 1u32);
    };
    rounds::program(width, p, state, advance, |b, position, level| {
        let node = b.let_("node", queue.load(position));
        visit(b, &queue, &node, level);
    })
}

/// Creates a queue with room for two levels of a graph with this number of nodes.
pub(crate) fn ring(ops: &GraphOps, nodes: usize) -> Result<Buffer, GraphError> {
    ops.zeroed((2 * nodes as u64).max(2).next_power_of_two())
}

/// The queue on a device.
pub(crate) struct Frontier<'o> {
    ops: &'o GraphOps,
    rounds: Rounds<'o>,
    pub(crate) queue: Buffer,
    pub(crate) state: Buffer,
}

impl<'o> Frontier<'o> {
    /// Creates an empty queue for a graph with this number of nodes. A run must have at most one level for each node, as searches have
    /// that follow shortest paths.
    pub(crate) fn new(ops: &'o GraphOps, nodes: usize) -> Result<Frontier<'o>, GraphError> {
        let queue = ring(ops, nodes)?;
        // The first iteration advances this to level 0.
        let state = ops.upload(&[0, 0, 0, u32::MAX])?;
        Ok(Frontier { ops, rounds: Rounds::new(ops, nodes, nodes as u64 + 1), queue, state })
    }

    /// Adds nodes to a queue that no program has used yet.
    pub(crate) fn seed(&self, nodes: &[u32]) -> Result<(), GraphError> {
        self.ops.write(&self.queue, nodes)?;
        self.ops.write(&self.state, &[0, 0, nodes.len() as u32, u32::MAX])
    }

    /// Reports whether no node was added after the last level.
    pub(crate) fn is_empty(&self) -> Result<bool, GraphError> {
        Ok(is_empty(&self.ops.read(&self.state)?))
    }

    /// Processes levels until the frontier is empty. `first` runs before them, in the same command list.
    pub(crate) fn run(
        &mut self,
        first: CommandList,
        pipelines: [&Pipeline; 2],
        bindings: &Bindings,
    ) -> Result<(), GraphError> {
        self.rounds.run(first, pipelines, bindings, &self.state, is_empty).map(drop)
    }
}

/// Reports whether the last level ends with the queue.
fn is_empty(state: &[u32]) -> bool {
    state[TAIL as usize] == state[END as usize]
}
