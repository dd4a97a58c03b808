//! Processing of items in rounds, where each round decides the items of the next one.
//!
//! An iteration has two dispatches. The first is one workgroup: it advances to the next round, and continues through rounds as long
//! as they are short, because a dispatch costs more than a short round. The second is a grid of workgroups for a round that is too
//! long for one workgroup. The host reads the counters after several iterations.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, invocation_id, local_id, num_workgroups};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline};

use super::device::{GraphOps, Progress};
use super::error::GraphError;

/// Program of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// One workgroup that processes many short rounds.
    Narrow,
    /// A grid of workgroups that processes one round.
    Wide,
}

/// Workgroup size of both programs.
const WORKGROUP: u32 = 64;
/// Maximum number of items of a round that one workgroup processes.
const MAX_NARROW_ITEMS: u32 = 512;
/// Maximum number of rounds of a dispatch, which bounds the time of a dispatch.
const MAX_ROUNDS_PER_DISPATCH: u32 = 1024;

// Words of the buffer `state`. Those from 2 on, but for `ROUND`, belong to the user of this module.
//
// | Word | Contents |
// |---|---|
// | `BEGIN` | position of the first item of the round |
// | `END` | position after the last item of the round |
// | `ROUND` | number of the round |
pub(crate) const BEGIN: u32 = 0;
pub(crate) const END: u32 = 1;
pub(crate) const ROUND: u32 = 3;

/// Builder of a program for [`program`].
pub(crate) fn builder() -> ProgramBuilder {
    ProgramBuilder::new([WORKGROUP, 1, 1])
}

/// Builds a program that visits the items of rounds. One invocation executes `advance`, which sets the words of the next round.
/// `visit` gets the position of an item and the number of its round.
pub(crate) fn program(
    width: Width,
    p: ProgramBuilder,
    state: &Handle,
    advance: impl Fn(&mut Body<'_>),
    visit: impl FnOnce(&mut Body<'_>, Expr, &Var),
) -> vyre_ir::Program {
    p.entry(|b| match width {
        Width::Narrow => narrow(b, state, advance, visit),
        Width::Wide => wide(b, state, visit),
    })
}

fn narrow(
    b: &mut Body<'_>,
    state: &Handle,
    advance: impl Fn(&mut Body<'_>),
    visit: impl FnOnce(&mut Body<'_>, Expr, &Var),
) {
    let invocation = b.let_("invocation", local_id(0));
    let advance = |b: &mut Body<'_>| {
        b.if_(invocation.eq(0u32), &advance);
        b.barrier();
    };
    advance(b);
    b.for_("iteration", 0u32, MAX_ROUNDS_PER_DISPATCH, |b, _| {
        // All invocations load the same words. The broadcast makes that visible to the validator.
        let [begin, end, round] = [("begin", BEGIN), ("end", END), ("level", ROUND)]
            .map(|(name, at)| b.let_(name, broadcast(state.load(at), 0u32)));
        let count = b.let_("count", &end - &begin);
        b.if_(count.eq(0u32).or(count.gt(MAX_NARROW_ITEMS)), |b| b.break_());
        b.for_("step", 0u32, (&count + (WORKGROUP - 1)) / WORKGROUP, |b, step| {
            let position = b.let_("position", step * WORKGROUP + &invocation);
            b.if_(position.lt(&count), |b| visit(b, &begin + &position, &round));
        });
        b.barrier();
        advance(b);
    });
}

fn wide(b: &mut Body<'_>, state: &Handle, visit: impl FnOnce(&mut Body<'_>, Expr, &Var)) {
    let [begin, end, round] =
        [("begin", BEGIN), ("end", END), ("level", ROUND)].map(|(name, at)| b.let_(name, state.load(at)));
    let count = b.let_("count", &end - &begin);
    let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
    b.for_("step", 0u32, &count / &stride + 1u32, |b, step| {
        let position = b.let_("position", step * &stride + invocation_id(0));
        b.if_(position.ge(&count), |b| b.break_());
        visit(b, &begin + &position, &round);
    });
}

/// Runs the programs of iterations and reports the number of rounds.
pub(crate) struct Rounds<'o> {
    ops: &'o GraphOps,
    workgroups: u32,
    /// More rounds than any run has.
    max_rounds: u64,
    done: u64,
}

impl<'o> Rounds<'o> {
    /// Rounds of at most this number of items. A run with more than `max_rounds` rounds is a defect of the device.
    pub(crate) fn new(ops: &'o GraphOps, items: usize, max_rounds: u64) -> Rounds<'o> {
        let workgroups = (items as u64).div_ceil(u64::from(WORKGROUP)).clamp(1, 1024) as u32;
        Rounds { ops, workgroups, max_rounds, done: 0 }
    }

    /// Runs iterations until the words of `state` are those of an end. `first` runs before them, in the same command list. Returns
    /// the words and the number of iterations. Fails if the words of a device never end.
    pub(crate) fn run(
        &mut self,
        mut first: CommandList,
        [narrow, wide]: [&Pipeline; 2],
        bindings: &Bindings,
        state: &Buffer,
        is_end: impl Fn(&[u32]) -> bool,
    ) -> Result<(Vec<u32>, u64), GraphError> {
        let mut iteration = CommandList::new();
        iteration.dispatch(narrow, bindings, [1, 1, 1]);
        iteration.dispatch(wide, bindings, [self.workgroups, 1, 1]);
        let (mut count, mut iterations) = (1, 0);
        let mut before: Option<Vec<u32>> = None;
        loop {
            let mut commands = std::mem::take(&mut first);
            commands.push(Command::Repeat { count, commands: iteration.clone() });
            self.ops.run(&commands)?;
            iterations += u64::from(count);
            let words = self.ops.read(state)?;
            self.done = self.done.max(u64::from(words[ROUND as usize]));
            self.ops.report(Progress::new("levels", self.done, None));
            if is_end(&words) {
                return Ok((words, iterations));
            }
            // An iteration before the end processes a round of at least one item.
            if before.is_some_and(|before| is_stalled(&before, &words)) || iterations > self.max_rounds {
                let what = "a graph op has neither progress nor an end";
                return Err(GraphError::Device(Error::InconsistentResult { what }));
            }
            before = Some(words);
            count = (count * 2).min(64);
        }
    }
}

/// Reports whether no word but the number of the round has changed.
fn is_stalled(before: &[u32], words: &[u32]) -> bool {
    (0..).zip(before.iter().zip(words)).all(|(word, (before, now))| word == ROUND || before == now)
}
