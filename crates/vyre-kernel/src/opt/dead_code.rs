//! Aggressive dead code elimination by mark and sweep.
//!
//! The roots are writes to memory and barriers. A marked statement marks its operands, the statements that compute
//! them, the writes to the slots that they read, and its control dependences: enclosing statements, and the exits that
//! may skip it. Loops are bounded, so a loop without effect is dead.

use super::pass::Pass;
use crate::ids::{BlockId, SlotId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Effect, Op};
use crate::table::Key;

/// Maximum number of iterations. A removed write to a slot may make more code dead.
const MAX_ITERATIONS: usize = 4;

/// The pass.
pub(super) const PASS: Pass = Pass { name: "dead-code", summary: "Removes computations without effect.", run };

fn run(kernel: &mut Kernel) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ITERATIONS {
        let mut marker = Marker::new(kernel);
        marker.collect(kernel);
        marker.mark(kernel);
        let Marker { needed, live_values, live_slots, .. } = marker;
        let mut sweep =
            Sweep { kernel, needed, live_values, live_slots, next: 0, changed: false, dropped_overwritten: false };
        let entry = sweep.kernel.entry;
        sweep.block(entry);
        changed |= sweep.changed;
        if !sweep.dropped_overwritten {
            break;
        }
    }
    changed
}

/// Number of a statement in preorder.
type StatementIndex = usize;

/// Position of a statement in the block tree.
#[derive(Clone, Copy)]
struct Site {
    statement: Statement,
    /// Statement that owns its block.
    parent: Option<StatementIndex>,
    /// Loop or breakable block that a `Break` at this position leaves.
    innermost: Option<StatementIndex>,
}

struct Marker {
    sites: Vec<Site>,
    /// Statement that computes each value.
    computed_at: Vec<Option<StatementIndex>>,
    /// Statements that set each slot.
    set_at: Vec<Vec<StatementIndex>>,
    /// Breaks that leave each loop or breakable block.
    breaks: Vec<Vec<StatementIndex>>,
    returns: Vec<StatementIndex>,
    needed: Vec<bool>,
    live_values: Vec<bool>,
    live_slots: Vec<bool>,
    pending: Vec<StatementIndex>,
}

impl Marker {
    fn new(kernel: &Kernel) -> Marker {
        Marker {
            sites: Vec::new(),
            computed_at: vec![None; kernel.values.len()],
            set_at: vec![Vec::new(); kernel.slots.len()],
            breaks: Vec::new(),
            returns: Vec::new(),
            needed: Vec::new(),
            live_values: vec![false; kernel.values.len()],
            live_slots: vec![false; kernel.slots.len()],
            pending: Vec::new(),
        }
    }

    /// Numbers the statements in preorder, which is the order of [`Sweep`].
    fn collect(&mut self, kernel: &Kernel) {
        let mut open: Vec<(BlockId, usize, Option<StatementIndex>, Option<StatementIndex>)> =
            vec![(kernel.entry, 0, None, None)];
        while let Some((block, next, parent, innermost)) = open.last_mut() {
            let (parent, innermost) = (*parent, *innermost);
            let Some(&statement) = kernel.blocks[*block].statements.get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            let index = self.sites.len();
            self.sites.push(Site { statement, parent, innermost });
            self.breaks.push(Vec::new());
            match statement {
                Statement::Let(value) => {
                    self.computed_at[value.position()] = Some(index);
                    if has_effect(kernel, value) {
                        self.pending.push(index);
                    }
                }
                Statement::Set { slot, value: _ } => self.set_at[slot.position()].push(index),
                Statement::Store { .. } | Statement::Barrier => self.pending.push(index),
                Statement::If { cond: _, then, otherwise } => {
                    open.push((otherwise, 0, Some(index), innermost));
                    open.push((then, 0, Some(index), innermost));
                }
                Statement::Loop { variable, from: _, to: _, body } => {
                    self.computed_at[variable.position()] = Some(index);
                    open.push((body, 0, Some(index), Some(index)));
                }
                Statement::Block { body } => open.push((body, 0, Some(index), Some(index))),
                Statement::Break => {
                    if let Some(innermost) = innermost {
                        self.breaks[innermost].push(index);
                    }
                }
                Statement::Return => self.returns.push(index),
            }
        }
        self.needed = vec![false; self.sites.len()];
    }

    fn mark(&mut self, kernel: &Kernel) {
        // A return is live if a live statement may follow it.
        let last = self.pending.iter().copied().max();
        let returns = std::mem::take(&mut self.returns);
        for index in returns {
            let repeats = self.in_loop(index);
            if repeats || last.is_some_and(|last| last > index) {
                self.pending.push(index);
            }
        }
        while let Some(index) = self.pending.pop() {
            if std::mem::replace(&mut self.needed[index], true) {
                continue;
            }
            let Site { statement, parent, innermost: _ } = self.sites[index];
            self.pending.extend(parent);
            statement.for_each_operand(|operand| self.need_value(operand));
            match statement {
                Statement::Let(value) => {
                    self.live_values[value.position()] = true;
                    let op = kernel.op(value);
                    op.for_each_operand(|operand| self.need_value(operand));
                    if let Op::Get(slot) = op {
                        self.need_slot(slot);
                    }
                }
                Statement::Loop { .. } | Statement::Block { .. } => {
                    let breaks = std::mem::take(&mut self.breaks[index]);
                    self.pending.extend(breaks);
                }
                Statement::Set { .. }
                | Statement::Store { .. }
                | Statement::If { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => {}
            }
        }
    }

    /// True if a statement is in a loop, where earlier statements may follow it.
    fn in_loop(&self, index: StatementIndex) -> bool {
        let mut around = self.sites[index].innermost;
        while let Some(index) = around {
            if matches!(self.sites[index].statement, Statement::Loop { .. }) {
                return true;
            }
            around = self.sites[index].innermost;
        }
        false
    }

    fn need_value(&mut self, value: ValueId) {
        if let Some(index) = self.computed_at[value.position()]
            && !self.needed[index]
        {
            self.pending.push(index);
        }
    }

    fn need_slot(&mut self, slot: SlotId) {
        if !std::mem::replace(&mut self.live_slots[slot.position()], true) {
            let sets = std::mem::take(&mut self.set_at[slot.position()]);
            self.pending.extend(sets);
        }
    }
}

/// True if an operation has a side effect.
fn has_effect(kernel: &Kernel, value: ValueId) -> bool {
    match kernel.op(value).effect() {
        Effect::Updates(_) => !matches!(kernel.op(value), Op::Atomic { op: vyre_ir::AtomicOp::Load, .. }),
        Effect::None | Effect::ReadsSlot(_) | Effect::Reads(_) | Effect::Rendezvous => false,
    }
}

struct Sweep<'k> {
    kernel: &'k mut Kernel,
    needed: Vec<bool>,
    live_values: Vec<bool>,
    live_slots: Vec<bool>,
    next: StatementIndex,
    changed: bool,
    /// True if a `Set` was removed, which may make more code dead.
    dropped_overwritten: bool,
}

impl Sweep<'_> {
    fn block(&mut self, block: BlockId) {
        let statements = self.kernel.take_block(block);
        let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
        for statement in statements {
            let needed = self.needed[self.next];
            self.next += 1;
            for inner in statement.blocks() {
                self.block(inner);
            }
            if needed {
                out.push(statement);
            } else {
                self.changed = true;
            }
        }
        self.drop_overwritten(&mut out);
        self.kernel.blocks[block].statements = out;
    }

    /// Removes writes to slots that are overwritten before a read.
    fn drop_overwritten(&mut self, statements: &mut Vec<Statement>) {
        let mut overwritten: Vec<SlotId> = Vec::new();
        let mut keep = vec![true; statements.len()];
        for (position, &statement) in statements.iter().enumerate().rev() {
            match statement {
                Statement::Set { slot, value: _ } if self.live_slots[slot.position()] => {
                    if overwritten.contains(&slot) {
                        keep[position] = false;
                        self.changed = true;
                        self.dropped_overwritten = true;
                    } else if overwritten.len() < MAX_OVERWRITTEN {
                        overwritten.push(slot);
                    }
                }
                Statement::Let(value) if self.live_values[value.position()] => {
                    if let Op::Get(read) = self.kernel.op(value) {
                        overwritten.retain(|&slot| slot != read);
                    }
                }
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {}
                Statement::If { .. }
                | Statement::Loop { .. }
                | Statement::Block { .. }
                | Statement::Break
                | Statement::Return => overwritten.clear(),
            }
        }
        let mut keep = keep.into_iter();
        statements.retain(|_| keep.next().unwrap_or(true));
    }
}

/// Maximum number of tracked slots, which bounds the time for each statement.
const MAX_OVERWRITTEN: usize = 32;
