//! Level-synchronous traversal with a frontier queue.
//!
//! A frontier is the set of nodes of a level. Visiting its nodes adds the nodes of the next level to the queue. An iteration has
//! two dispatches. The first is one workgroup: it advances to the next level, and continues through levels as long as they are
//! short, because a dispatch costs more than a short level. The second is a grid of workgroups for a level that is too long for
//! one workgroup. The host reads the counters after several iterations.
//!
//! The queue is a ring whose length is a power of two, so positions may wrap around 2^32. It must have room for two consecutive
//! levels.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, invocation_id, local_id, num_workgroups};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Pipeline};

use super::device::{GraphOps, Progress};
use super::error::GraphError;

/// Program of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// One workgroup that processes many short levels.
    Narrow,
    /// A grid of workgroups that processes one level.
    Wide,
}

/// Workgroup size of both programs.
const WORKGROUP: u32 = 64;
/// Maximum number of nodes of a level that one workgroup processes.
const MAX_NARROW_NODES: u32 = 512;
/// Maximum number of levels of a dispatch, which bounds the time of a dispatch.
const MAX_LEVELS_PER_DISPATCH: u32 = 1024;

// Words of the buffer `state`:
//
// | Word | Contents |
// |---|---|
// | `BEGIN` | position of the first node of the level |
// | `END` | position after the last node of the level |
// | `TAIL` | position after the last node of the queue |
// | `LEVEL` | number of the level |
const BEGIN: u32 = 0;
const END: u32 = 1;
const TAIL: u32 = 2;
const LEVEL: u32 = 3;
const STATE_WORDS: usize = 4;

/// The queue in a program.
pub(crate) struct FrontierQueue {
    queue: Handle,
    state: Handle,
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
    p.entry(|b| match width {
        Width::Narrow => narrow(b, &queue, visit),
        Width::Wide => wide(b, &queue, visit),
    })
}

/// Builder of a program for [`program`].
pub(crate) fn builder() -> ProgramBuilder {
    ProgramBuilder::new([WORKGROUP, 1, 1])
}

fn narrow(b: &mut Body<'_>, queue: &FrontierQueue, visit: impl FnOnce(&mut Body<'_>, &FrontierQueue, &Var, &Var)) {
    let state = &queue.state;
    let invocation = b.let_("invocation", local_id(0));
    // The nodes after the last level become the new level.
    let advance = |b: &mut Body<'_>| {
        b.if_(invocation.eq(0u32), |b| {
            b.store(state, BEGIN, state.load(END));
            b.store(state, END, Expr::atomic_load(state.name(), TAIL));
            b.store(state, LEVEL, state.load(LEVEL) + 1u32);
        });
        b.barrier();
    };
    advance(b);
    b.for_("iteration", 0u32, MAX_LEVELS_PER_DISPATCH, |b, _| {
        // All invocations load the same words. The broadcast makes that visible to the validator.
        let [begin, end, level] = [("begin", BEGIN), ("end", END), ("level", LEVEL)]
            .map(|(name, at)| b.let_(name, broadcast(state.load(at), 0u32)));
        let count = b.let_("count", &end - &begin);
        b.if_(count.eq(0u32).or(count.gt(MAX_NARROW_NODES)), |b| b.break_());
        b.for_("step", 0u32, (&count + (WORKGROUP - 1)) / WORKGROUP, |b, step| {
            let position = b.let_("position", step * WORKGROUP + &invocation);
            b.if_(position.lt(&count), |b| {
                let node = b.let_("node", queue.queue.load(queue.index(&begin + &position)));
                visit(b, queue, &node, &level);
            });
        });
        b.barrier();
        advance(b);
    });
}

fn wide(b: &mut Body<'_>, queue: &FrontierQueue, visit: impl FnOnce(&mut Body<'_>, &FrontierQueue, &Var, &Var)) {
    let [begin, end, level] =
        [("begin", BEGIN), ("end", END), ("level", LEVEL)].map(|(name, at)| b.let_(name, queue.state.load(at)));
    let count = b.let_("count", &end - &begin);
    let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
    b.for_("step", 0u32, &count / &stride + 1u32, |b, step| {
        let position = b.let_("position", step * &stride + invocation_id(0));
        b.if_(position.ge(&count), |b| b.break_());
        let node = b.let_("node", queue.queue.load(queue.index(&begin + &position)));
        visit(b, queue, &node, &level);
    });
}

/// The queue on a device, with the number of levels so far.
pub(crate) struct Frontier<'o> {
    ops: &'o GraphOps,
    pub(crate) queue: Buffer,
    pub(crate) state: Buffer,
    workgroups: u32,
    levels: u64,
}

impl<'o> Frontier<'o> {
    /// Creates an empty queue with room for two levels of a graph with this number of nodes.
    pub(crate) fn new(ops: &'o GraphOps, nodes: usize) -> Result<Frontier<'o>, GraphError> {
        let queue = ops.zeroed((2 * nodes as u64).max(2).next_power_of_two())?;
        // The first iteration advances this to level 0.
        let state = ops.upload(&[0, 0, 0, u32::MAX])?;
        let workgroups = (nodes as u64).div_ceil(u64::from(WORKGROUP)).clamp(1, 1024) as u32;
        Ok(Frontier { ops, queue, state, workgroups, levels: 0 })
    }

    /// Adds nodes to a queue that no program has used yet.
    pub(crate) fn seed(&self, nodes: &[u32]) -> Result<(), GraphError> {
        self.ops.write(&self.queue, nodes)?;
        self.ops.write(&self.state, &[0, 0, nodes.len() as u32, u32::MAX])
    }

    /// Reports whether no node was added after the last level.
    pub(crate) fn is_empty(&self) -> Result<bool, GraphError> {
        let state = self.ops.read(&self.state)?;
        debug_assert_eq!(state.len(), STATE_WORDS);
        Ok(state[TAIL as usize] == state[END as usize])
    }

    /// Processes levels until the frontier is empty. `first` runs before them, in the same command list.
    pub(crate) fn run(
        &mut self,
        mut first: CommandList,
        [narrow, wide]: [&Pipeline; 2],
        bindings: &Bindings,
    ) -> Result<(), GraphError> {
        let mut iteration = CommandList::new();
        iteration.dispatch(narrow, bindings, [1, 1, 1]);
        iteration.dispatch(wide, bindings, [self.workgroups, 1, 1]);
        let mut count = 1;
        loop {
            let mut commands = std::mem::take(&mut first);
            commands.push(Command::Repeat { count, commands: iteration.clone() });
            self.ops.run(&commands)?;
            let state = self.ops.read(&self.state)?;
            self.levels = self.levels.max(u64::from(state[LEVEL as usize]));
            self.ops.report(Progress::new("levels", self.levels, None));
            // The wide program has processed the last level.
            if state[TAIL as usize] == state[END as usize] {
                return Ok(());
            }
            count = (count * 2).min(64);
        }
    }
}
