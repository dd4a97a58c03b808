//! Which values all invocations of a workgroup agree on.
//!
//! Divergence spreads along edges: from operands to values, from values to the slots they are put into and on to the
//! reads of those, from conditions to the blocks they choose, from blocks to the slots that are set in them. One search
//! from what is divergent by itself finds the rest, each fact once, so this takes linear time.

use vyre_ir::BufferAccess;

use crate::kernel::{BlockId, Kernel, SlotId, Statement, ValueId};
use crate::op::{Collective, Id, Op};
use crate::table::Key;

/// What the invocations of a workgroup agree on, among those that run a place together.
#[derive(Clone, Debug)]
pub struct Uniformity {
    divergent_values: Vec<bool>,
    divergent_slots: Vec<bool>,
    divergent_blocks: Vec<bool>,
}

impl Uniformity {
    /// Finds out about a kernel.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Uniformity {
        let mut search = Search::new(kernel);
        search.collect();
        search.spread();
        search.found
    }

    /// Whether all invocations that compute a value together get the same.
    #[must_use]
    pub fn is_uniform(&self, value: ValueId) -> bool {
        !self.divergent_values.get(value.position()).copied().unwrap_or(true)
    }

    /// Whether a slot holds the same in all invocations, wherever they are together.
    #[must_use]
    pub fn is_uniform_slot(&self, slot: SlotId) -> bool {
        !self.divergent_slots.get(slot.position()).copied().unwrap_or(true)
    }

    /// Whether a block is run by all invocations of the workgroup that have not returned, or by none.
    #[must_use]
    pub fn is_uniform_block(&self, block: BlockId) -> bool {
        !self.divergent_blocks.get(block.position()).copied().unwrap_or(true)
    }
}

/// Something that may diverge.
#[derive(Clone, Copy)]
enum Fact {
    Value(ValueId),
    Slot(SlotId),
    Block(BlockId),
}

struct Search<'k> {
    kernel: &'k Kernel,
    found: Uniformity,
    pending: Vec<Fact>,
    /// By value, slot and block: what diverges with it.
    after_value: Vec<Vec<Fact>>,
    after_slot: Vec<Vec<ValueId>>,
    after_block: Vec<Vec<Fact>>,
}

impl<'k> Search<'k> {
    fn new(kernel: &'k Kernel) -> Search<'k> {
        let (values, slots, blocks) = (kernel.values.len(), kernel.slots.len(), kernel.blocks.len());
        Search {
            kernel,
            found: Uniformity {
                divergent_values: vec![false; values],
                divergent_slots: vec![false; slots],
                divergent_blocks: vec![false; blocks],
            },
            pending: Vec::new(),
            after_value: vec![Vec::new(); values],
            after_slot: vec![Vec::new(); slots],
            after_block: vec![Vec::new(); blocks],
        }
    }

    fn collect(&mut self) {
        for (value, entry) in self.kernel.values.iter() {
            if entry.op.is_leaf() && self.diverges_by_itself(entry.op) {
                self.pending.push(Fact::Value(value));
            }
        }
        // Blocks, and the one that a `Break` in them leaves.
        let mut pending = vec![(self.kernel.entry, None)];
        while let Some((block, left)) = pending.pop() {
            let kernel = self.kernel;
            for &statement in &kernel.blocks[block].statements {
                self.statement(statement, block, left);
                let leaves = match statement {
                    Statement::Loop { body, .. } | Statement::Block { body } => Some(body),
                    _ => left,
                };
                for inner in statement.blocks() {
                    self.after_block[block.position()].push(Fact::Block(inner));
                    pending.push((inner, leaves));
                }
            }
        }
    }

    fn statement(&mut self, statement: Statement, block: BlockId, left: Option<BlockId>) {
        match statement {
            Statement::Let(value) => self.value(value),
            Statement::Set { slot, value } => {
                self.after_value[value.position()].push(Fact::Slot(slot));
                self.after_block[block.position()].push(Fact::Slot(slot));
            }
            Statement::If { cond, then, otherwise } => {
                self.after_value[cond.position()].extend([Fact::Block(then), Fact::Block(otherwise)]);
            }
            Statement::Loop { variable, from, to, body } => {
                for bound in [from, to] {
                    self.after_value[bound.position()].push(Fact::Block(body));
                }
                // Invocations that have run different numbers of rounds are in different ones.
                self.after_block[body.position()].push(Fact::Value(variable));
            }
            Statement::Break => {
                // Where some have left, the rest of the block is run by fewer, and so is its next round.
                if let Some(left) = left {
                    self.after_block[block.position()].push(Fact::Block(left));
                }
            }
            // Invocations that have returned do not disagree with the others.
            Statement::Block { .. } | Statement::Store { .. } | Statement::Return | Statement::Barrier => {}
        }
    }

    fn value(&mut self, value: ValueId) {
        let op = self.kernel.op(value);
        if self.diverges_by_itself(op) {
            self.pending.push(Fact::Value(value));
        }
        match op {
            Op::Get(slot) => self.after_slot[slot.position()].push(value),
            // All invocations get the result of the whole workgroup.
            Op::Collective(Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_)) => {}
            _ => op.for_each_operand(|operand| self.after_value[operand.position()].push(Fact::Value(value))),
        }
    }

    fn diverges_by_itself(&self, op: Op) -> bool {
        match op {
            Op::Id(Id::Local | Id::Invocation, axis) => self.kernel.workgroup_size[usize::from(axis)] != 1,
            Op::Load { buffer, .. } => match self.kernel.buffers[buffer].access {
                BufferAccess::ReadOnly | BufferAccess::Uniform => false,
                BufferAccess::ReadWrite | BufferAccess::Workgroup => true,
            },
            Op::Atomic { .. } => true,
            Op::Collective(collective) => match collective {
                Collective::Shuffle(..) | Collective::ScanExclusive(..) | Collective::ScanInclusive(..) => true,
                Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_) => false,
            },
            _ => false,
        }
    }

    fn spread(&mut self) {
        while let Some(fact) = self.pending.pop() {
            let known = match fact {
                Fact::Value(value) => &mut self.found.divergent_values[value.position()],
                Fact::Slot(slot) => &mut self.found.divergent_slots[slot.position()],
                Fact::Block(block) => &mut self.found.divergent_blocks[block.position()],
            };
            if std::mem::replace(known, true) {
                continue;
            }
            match fact {
                Fact::Value(value) => self.pending.append(&mut self.after_value[value.position()]),
                Fact::Block(block) => self.pending.append(&mut self.after_block[block.position()]),
                Fact::Slot(slot) => {
                    self.pending.extend(self.after_slot[slot.position()].drain(..).map(Fact::Value));
                }
            }
        }
    }
}
