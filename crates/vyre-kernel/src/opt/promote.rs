//! Promotion of slots to values (mem2reg without phi functions; copy propagation).
//!
//! The form has no phi functions, so a slot remains where control flow joins with different contents. Dead code
//! elimination removes slots without reads.

use super::effects::Effects;
use super::pass::Pass;
use super::replace::Replacements;
use crate::ids::{BlockId, SlotId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::Op;
use crate::table::Key;

/// The pass.
pub(super) const PASS: Pass = Pass {
    name: "promote",
    summary: "Replaces reads of a slot by the value that was written to it, where that value is known.",
    run,
};

fn run(kernel: &mut Kernel) -> bool {
    let effects = Effects::of(kernel);
    let contents = vec![None; kernel.slots.len()];
    let visible = vec![false; kernel.values.len()];
    let mut promote = Promote {
        kernel,
        effects,
        replaced: Replacements::default(),
        contents,
        log: Vec::new(),
        visible,
        changed: false,
    };
    let entry = promote.kernel.entry;
    promote.block(entry);
    promote.changed
}

struct Promote<'k> {
    kernel: &'k mut Kernel,
    effects: Effects,
    replaced: Replacements,
    /// Known contents of each slot.
    contents: Vec<Option<ValueId>>,
    /// Undo log: slots and their former contents.
    log: Vec<(SlotId, Option<ValueId>)>,
    /// True for each value that is visible; leaves except loop variables are always visible.
    visible: Vec<bool>,
    changed: bool,
}

impl Promote<'_> {
    fn set_contents(&mut self, slot: SlotId, value: Option<ValueId>) {
        let old = std::mem::replace(&mut self.contents[slot.position()], value);
        self.log.push((slot, old));
    }

    /// Invalidates the contents of the slots that a block sets.
    fn invalidate(&mut self, block: BlockId) {
        let slots: Vec<SlotId> = self.effects.slots_set(block).collect();
        for slot in slots {
            if self.contents[slot.position()].is_some() {
                self.set_contents(slot, None);
            }
        }
    }

    /// Processes a block and returns true if its end is reachable.
    fn block(&mut self, block: BlockId) -> bool {
        let statements = self.kernel.take_block(block);
        let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
        let mut defined = Vec::new();
        for statement in statements {
            let statement = self.replaced.statement(statement);
            if let Statement::Let(value) = statement {
                let op = self.replaced.op(self.kernel.op(value));
                self.kernel.values[value].op = op;
                if let Op::Get(slot) = op {
                    if let Some(known) = self.contents[slot.position()] {
                        self.replaced.insert(value, known);
                        self.changed = true;
                        continue;
                    }
                    self.set_contents(slot, Some(value));
                }
                self.visible[value.position()] = true;
                defined.push(value);
            } else if !self.statement(statement) {
                self.changed = true;
                continue;
            }
            out.push(statement);
        }
        for value in defined {
            self.visible[value.position()] = false;
        }
        let end_is_reachable = out.last().is_none_or(|last| !last.is_exit());
        self.kernel.blocks[block].statements = out;
        end_is_reachable
    }

    /// Processes a statement and returns true if it is kept.
    fn statement(&mut self, statement: Statement) -> bool {
        match statement {
            Statement::Set { slot, value } => {
                if self.contents[slot.position()] == Some(value) {
                    return false;
                }
                self.set_contents(slot, Some(value));
            }
            Statement::If { cond: _, then, otherwise } => self.branch(then, otherwise),
            Statement::Loop { variable, from: _, to: _, body } => {
                // The writes of an iteration are visible in the next one, and after the loop if it has an iteration.
                self.invalidate(body);
                let start = self.log.len();
                self.visible[variable.position()] = true;
                self.block(body);
                self.visible[variable.position()] = false;
                self.revert(start);
            }
            Statement::Block { body } => {
                // Every `Break` may leave the block.
                let start = self.log.len();
                self.block(body);
                self.revert(start);
                self.invalidate(body);
            }
            Statement::Let(_) | Statement::Store { .. } | Statement::Break | Statement::Return | Statement::Barrier => {
            }
        }
        true
    }

    fn branch(&mut self, then: BlockId, otherwise: BlockId) {
        let start = self.log.len();
        let then_ends = self.block(then);
        let after_then = self.revert(start);
        let otherwise_ends = self.block(otherwise);
        let after_otherwise = self.revert(start);
        let mut slots: Vec<SlotId> = after_then.iter().chain(&after_otherwise).map(|&(slot, _)| slot).collect();
        slots.sort_unstable();
        slots.dedup();
        let final_of = |list: &[(SlotId, Option<ValueId>)], slot: SlotId, before: Option<ValueId>| {
            let found = list.binary_search_by_key(&slot, |&(slot, _)| slot);
            found.map_or(before, |position| list[position].1)
        };
        for slot in slots {
            let before = self.contents[slot.position()];
            let first = final_of(&after_then, slot, before);
            let second = final_of(&after_otherwise, slot, before);
            let merged = match (then_ends, otherwise_ends) {
                (true, true) if first == second => first,
                (true, true) => None,
                (true, false) => first,
                // If neither end is reachable, no statement follows.
                (false, _) => second,
            };
            let merged = merged.filter(|&value| self.is_visible(value));
            if merged != before {
                self.set_contents(slot, merged);
            }
        }
    }

    /// Reverts the log from `start` on and returns the contents before the reversion, sorted by slot.
    fn revert(&mut self, start: usize) -> Vec<(SlotId, Option<ValueId>)> {
        let mut last: Vec<(SlotId, Option<ValueId>)> = Vec::new();
        for &(slot, _) in &self.log[start..] {
            last.push((slot, self.contents[slot.position()]));
        }
        for (slot, old) in self.log.drain(start..).rev() {
            self.contents[slot.position()] = old;
        }
        last.sort_by_key(|&(slot, _)| slot);
        last.dedup_by_key(|&mut (slot, _)| slot);
        last
    }

    fn is_visible(&self, value: ValueId) -> bool {
        let op = self.kernel.op(value);
        op.is_leaf() && op != Op::LoopVariable || self.visible[value.position()]
    }
}
