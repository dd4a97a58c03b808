//! Divergence analysis (uniformity analysis) of kernels: finds the values that are equal in all invocations of a
//! workgroup.
//!
//! Divergence propagates along data and control dependences: from operands to values, from values to slots and to the
//! reads of slots, from conditions to blocks, and from blocks to the slots that they set. A worklist starts at the
//! sources of divergence (local ids, loads of shared memory, atomics) and visits each fact once, so the analysis takes
//! linear time.

use vyre_ir::BufferAccess;

use crate::ids::{BlockId, SlotId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Collective, Id, Op};
use crate::table::Key;

/// Values, slots and blocks that are uniform among the invocations that execute a statement together.
#[derive(Clone, Debug)]
pub struct Uniformity {
    divergent_values: Vec<bool>,
    divergent_slots: Vec<bool>,
    divergent_blocks: Vec<bool>,
}

impl Uniformity {
    /// Analyses a kernel.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Uniformity {
        let mut analysis = Analysis::new(kernel);
        analysis.collect();
        analysis.propagate();
        analysis.result
    }

    /// True if all invocations that compute a value together get the same result.
    #[must_use]
    pub fn is_uniform(&self, value: ValueId) -> bool {
        !self.divergent_values.get(value.position()).copied().unwrap_or(true)
    }

    /// True if a slot has the same contents in all invocations that execute a statement together.
    #[must_use]
    pub fn is_uniform_slot(&self, slot: SlotId) -> bool {
        !self.divergent_slots.get(slot.position()).copied().unwrap_or(true)
    }

    /// True if all invocations of the workgroup that have not returned run a block together.
    #[must_use]
    pub fn is_uniform_block(&self, block: BlockId) -> bool {
        !self.divergent_blocks.get(block.position()).copied().unwrap_or(true)
    }
}

/// A value, slot or block that may be divergent.
#[derive(Clone, Copy)]
enum Fact {
    Value(ValueId),
    Slot(SlotId),
    Block(BlockId),
}

struct Analysis<'k> {
    kernel: &'k Kernel,
    result: Uniformity,
    pending: Vec<Fact>,
    /// Facts that a divergent value, slot or block makes divergent.
    after_value: Vec<Vec<Fact>>,
    after_slot: Vec<Vec<ValueId>>,
    after_block: Vec<Vec<Fact>>,
}

impl<'k> Analysis<'k> {
    fn new(kernel: &'k Kernel) -> Analysis<'k> {
        let (values, slots, blocks) = (kernel.values.len(), kernel.slots.len(), kernel.blocks.len());
        Analysis {
            kernel,
            result: Uniformity {
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
            if entry.op.is_leaf() && self.is_divergence_source(entry.op) {
                self.pending.push(Fact::Value(value));
            }
        }
        // Pairs of a block and the block that a `Break` in it leaves.
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
                // Invocations that diverge in the body are in different iterations.
                self.after_block[body.position()].push(Fact::Value(variable));
            }
            Statement::Break => {
                // A divergent `Break` makes the rest of the body and its next iterations divergent.
                if let Some(left) = left {
                    self.after_block[block.position()].push(Fact::Block(left));
                }
            }
            // Invocations that have returned do not count.
            Statement::Block { .. } | Statement::Store { .. } | Statement::Return | Statement::Barrier => {}
        }
    }

    fn value(&mut self, value: ValueId) {
        let op = self.kernel.op(value);
        if self.is_divergence_source(op) {
            self.pending.push(Fact::Value(value));
        }
        match op {
            Op::Get(slot) => self.after_slot[slot.position()].push(value),
            // The result is the same in all invocations.
            Op::Collective(Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_)) => {}
            _ => op.for_each_operand(|operand| self.after_value[operand.position()].push(Fact::Value(value))),
        }
    }

    fn is_divergence_source(&self, op: Op) -> bool {
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

    fn propagate(&mut self) {
        while let Some(fact) = self.pending.pop() {
            let known = match fact {
                Fact::Value(value) => &mut self.result.divergent_values[value.position()],
                Fact::Slot(slot) => &mut self.result.divergent_slots[slot.position()],
                Fact::Block(block) => &mut self.result.divergent_blocks[block.position()],
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
