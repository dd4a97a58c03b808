//! Going through a graph level by level: nodes wait in a queue, and visiting a level adds the next one.
//!
//! A round is two dispatches. The first is one workgroup: it makes what was added the new level, and goes on through levels by
//! itself as long as they are short, because a dispatch costs more than a short level. The second is many workgroups, for a
//! level that was too long for one. The host looks at the counters every few rounds.
//!
//! The queue is a ring whose length is a power of two, so positions may count on beyond 32 bits. It must have room for a level
//! and the next one.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, invocation_id, local_id, num_workgroups};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Pipeline};

use super::error::GraphError;
use super::resident::{GraphOps, Progress};

/// Which of the two programs of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// One workgroup that goes through many short levels.
    Narrow,
    /// Many workgroups that go through one level.
    Wide,
}

/// The workgroup of both programs.
const WORKGROUP: u32 = 64;
/// The longest level that one workgroup takes on.
const NARROW: u32 = 512;
/// The most levels of one dispatch; it bounds how long a dispatch takes.
const LEVELS: u32 = 1024;

/// Where things are in the buffer `state`.
const BEGIN: u32 = 0;
const END: u32 = 1;
const TAIL: u32 = 2;
const LEVEL: u32 = 3;
const WORDS: usize = 4;

/// The queue as a program sees it.
pub(crate) struct Queue {
    queue: Handle,
    state: Handle,
}

impl Queue {
    /// Declares its buffers, which come after those that are there.
    pub(crate) fn declare(p: &mut ProgramBuilder) -> Queue {
        Queue { queue: p.read_write("queue", DataType::U32), state: p.read_write("state", DataType::U32) }
    }

    /// Adds a node to the next level.
    pub(crate) fn add(&self, b: &mut Body<'_>, node: &Var) {
        let slot = b.atomic("slot", AtomicOp::Add, &self.state, TAIL, 1u32);
        b.store(&self.queue, self.place(slot), node);
    }

    fn place(&self, position: impl Into<Expr>) -> Expr {
        position.into() & (self.queue.len() - 1u32)
    }
}

/// A program that visits the nodes of levels. `visit` is given the node and the number of its level.
pub(crate) fn program(
    width: Width,
    mut p: ProgramBuilder,
    visit: impl FnOnce(&mut Body<'_>, &Queue, &Var, &Var),
) -> Program {
    let queue = Queue::declare(&mut p);
    p.entry(|b| match width {
        Width::Narrow => narrow(b, &queue, visit),
        Width::Wide => wide(b, &queue, visit),
    })
}

/// An empty program for [`program`].
pub(crate) fn builder() -> ProgramBuilder {
    ProgramBuilder::new([WORKGROUP, 1, 1])
}

fn narrow(b: &mut Body<'_>, queue: &Queue, visit: impl FnOnce(&mut Body<'_>, &Queue, &Var, &Var)) {
    let state = &queue.state;
    let lane = b.let_("lane", local_id(0));
    // What was added is the new level.
    let advance = |b: &mut Body<'_>| {
        b.if_(lane.eq(0u32), |b| {
            b.store(state, BEGIN, state.load(END));
            b.store(state, END, Expr::atomic_load(state.name(), TAIL));
            b.store(state, LEVEL, state.load(LEVEL) + 1u32);
        });
        b.barrier();
    };
    advance(b);
    b.for_("round", 0u32, LEVELS, |b, _| {
        // All lanes load the same; the broadcast tells the validator so.
        let [begin, end, level] = [("begin", BEGIN), ("end", END), ("level", LEVEL)]
            .map(|(name, at)| b.let_(name, broadcast(state.load(at), 0u32)));
        let count = b.let_("count", &end - &begin);
        b.if_(count.eq(0u32).or(count.gt(NARROW)), |b| b.break_());
        b.for_("step", 0u32, (&count + (WORKGROUP - 1)) / WORKGROUP, |b, step| {
            let position = b.let_("position", step * WORKGROUP + &lane);
            b.if_(position.lt(&count), |b| {
                let node = b.let_("node", queue.queue.load(queue.place(&begin + &position)));
                visit(b, queue, &node, &level);
            });
        });
        b.barrier();
        advance(b);
    });
}

fn wide(b: &mut Body<'_>, queue: &Queue, visit: impl FnOnce(&mut Body<'_>, &Queue, &Var, &Var)) {
    let [begin, end, level] =
        [("begin", BEGIN), ("end", END), ("level", LEVEL)].map(|(name, at)| b.let_(name, queue.state.load(at)));
    let count = b.let_("count", &end - &begin);
    let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
    b.for_("step", 0u32, &count / &stride + 1u32, |b, step| {
        let position = b.let_("position", step * &stride + invocation_id(0));
        b.if_(position.ge(&count), |b| b.break_());
        let node = b.let_("node", queue.queue.load(queue.place(&begin + &position)));
        visit(b, queue, &node, &level);
    });
}

/// The queue on a device.
pub(crate) struct Waiting<'o> {
    ops: &'o GraphOps,
    pub(crate) queue: Buffer,
    pub(crate) state: Buffer,
    workgroups: u32,
    levels: u64,
}

impl<'o> Waiting<'o> {
    /// An empty queue with room for two levels of a graph of so many nodes.
    pub(crate) fn new(ops: &'o GraphOps, nodes: usize) -> Result<Waiting<'o>, GraphError> {
        let queue = ops.zeros((2 * nodes as u64).max(2).next_power_of_two())?;
        // The first round makes this level 0.
        let state = ops.words(&[0, 0, 0, u32::MAX])?;
        let workgroups = (nodes as u64).div_ceil(u64::from(WORKGROUP)).clamp(1, 1024) as u32;
        Ok(Waiting { ops, queue, state, workgroups, levels: 0 })
    }

    /// Adds nodes from the host to a queue that nothing has used yet.
    pub(crate) fn start_with(&self, nodes: &[u32]) -> Result<(), GraphError> {
        self.ops.write(&self.queue, nodes)?;
        self.ops.write(&self.state, &[0, 0, nodes.len() as u32, u32::MAX])
    }

    /// Whether nothing was added since the last level.
    pub(crate) fn is_empty(&self) -> Result<bool, GraphError> {
        let state = self.ops.read(&self.state)?;
        debug_assert_eq!(state.len(), WORDS);
        Ok(state[TAIL as usize] == state[END as usize])
    }

    /// Goes through levels until there is none. `first` runs before, in the same command list.
    pub(crate) fn run(
        &mut self,
        mut first: CommandList,
        [narrow, wide]: [&Pipeline; 2],
        bindings: &Bindings,
    ) -> Result<(), GraphError> {
        let mut round = CommandList::new();
        round.dispatch(narrow, bindings, [1, 1, 1]);
        round.dispatch(wide, bindings, [self.workgroups, 1, 1]);
        let mut count = 1;
        loop {
            let mut commands = std::mem::take(&mut first);
            commands.push(Command::Repeat { count, commands: round.clone() });
            self.ops.run(&commands)?;
            let state = self.ops.read(&self.state)?;
            self.levels = self.levels.max(u64::from(state[LEVEL as usize]));
            self.ops.tell(Progress::new("levels", self.levels, None));
            // The wide program has been through the last level.
            if state[TAIL as usize] == state[END as usize] {
                return Ok(());
            }
            count = (count * 2).min(64);
        }
    }
}
