//! Slot promotion: reads of a slot become the value that was put into it, where that is known.
//!
//! There are no phis, so a slot stays where control flow joins with different values in it. Slots that nothing reads any
//! more go away with dead code.

use super::effects::Effects;
use super::replace::Replacements;
use crate::kernel::{BlockId, Kernel, SlotId, Statement, ValueId};
use crate::op::Op;
use crate::table::Key;

pub(super) fn run(kernel: &mut Kernel) -> bool {
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
    /// By slot: the value that is in it.
    contents: Vec<Option<ValueId>>,
    /// Slots whose contents have changed and what they were, so that branches can be taken back.
    log: Vec<(SlotId, Option<ValueId>)>,
    /// By value: whether it is known here; leaves other than loop variables always are.
    visible: Vec<bool>,
    changed: bool,
}

impl Promote<'_> {
    fn put(&mut self, slot: SlotId, value: Option<ValueId>) {
        let old = std::mem::replace(&mut self.contents[slot.position()], value);
        self.log.push((slot, old));
    }

    /// Forgets what is in the slots that a block sets.
    fn forget(&mut self, block: BlockId) {
        let slots: Vec<SlotId> = self.effects.slots_set(block).collect();
        for slot in slots {
            if self.contents[slot.position()].is_some() {
                self.put(slot, None);
            }
        }
    }

    /// Goes through a block and tells whether its end is reached.
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
                    self.put(slot, Some(value));
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
        let ends = out.last().is_none_or(|last| !last.is_exit());
        self.kernel.blocks[block].statements = out;
        ends
    }

    /// Whether the statement stays.
    fn statement(&mut self, statement: Statement) -> bool {
        match statement {
            Statement::Set { slot, value } => {
                if self.contents[slot.position()] == Some(value) {
                    return false;
                }
                self.put(slot, Some(value));
            }
            Statement::If { cond: _, then, otherwise } => self.branch(then, otherwise),
            Statement::Loop { variable, from: _, to: _, body } => {
                // What a round puts into slots is in them at the start of the next one, and perhaps after the loop.
                self.forget(body);
                let start = self.log.len();
                self.visible[variable.position()] = true;
                self.block(body);
                self.visible[variable.position()] = false;
                self.take_back(start);
            }
            Statement::Block { body } => {
                // The block may be left at any `Break`.
                let start = self.log.len();
                self.block(body);
                self.take_back(start);
                self.forget(body);
            }
            Statement::Let(_) | Statement::Store { .. } | Statement::Break | Statement::Return | Statement::Barrier => {
            }
        }
        true
    }

    fn branch(&mut self, then: BlockId, otherwise: BlockId) {
        let start = self.log.len();
        let then_ends = self.block(then);
        let after_then = self.take_back(start);
        let otherwise_ends = self.block(otherwise);
        let after_otherwise = self.take_back(start);
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
                // Where neither end is reached nothing follows.
                (false, _) => second,
            };
            let merged = merged.filter(|&value| self.is_visible(value));
            if merged != before {
                self.put(slot, merged);
            }
        }
    }

    /// Undoes what is in the log from `start` on, and gives what was in those slots, in the order of slots.
    fn take_back(&mut self, start: usize) -> Vec<(SlotId, Option<ValueId>)> {
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
