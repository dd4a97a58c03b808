//! Register allocation of the evaluator: registers for values and slots, without reuse.

use std::ops::Range;

use vyre_kernel::{BlockId, Kernel, Key, Op, SlotId, Statement, Type, Uniformity, ValueId};

/// Number of registers of a value.
pub(super) fn register_count(ty: Type) -> usize {
    match ty {
        Type::Bool | Type::U32 => 1,
        Type::Vec2 => 2,
        Type::Vec4 => 4,
    }
}

/// Vector registers of a kernel. A register has a word for each invocation of the workgroup.
///
/// Leaves come first, then values in the order of their statements. Operands therefore precede results, and the values of a
/// block and of all blocks within it are one range.
pub(super) struct RegisterLayout {
    /// By value: its first register. Values without a statement have none.
    values: Vec<Option<usize>>,
    /// By slot: its first register among those of slots.
    slots: Vec<usize>,
    /// By block: the registers of its values and of those of the blocks within it.
    blocks: Vec<Range<usize>>,
    /// Leaves that are used, by register from 0.
    pub(super) leaves: Vec<Op>,
    pub(super) registers: usize,
    pub(super) slot_registers: usize,
    /// Result of the uniformity analysis, which the evaluation checks.
    pub(super) uniformity: Uniformity,
}

impl RegisterLayout {
    pub(super) fn new(kernel: &Kernel) -> RegisterLayout {
        let mut layout = RegisterLayout {
            values: vec![None; kernel.values.len()],
            slots: Vec::with_capacity(kernel.slots.len()),
            blocks: vec![0..0; kernel.blocks.len()],
            leaves: Vec::new(),
            registers: 0,
            slot_registers: 0,
            uniformity: Uniformity::of(kernel),
        };
        for (_, slot) in kernel.slots.iter() {
            layout.slots.push(layout.slot_registers);
            layout.slot_registers += register_count(slot.ty);
        }
        kernel.for_each_statement(|statement| {
            statement.for_each_operand(|operand| layout.leaf(kernel, operand));
            if let Statement::Let(value) = statement {
                kernel.op(value).for_each_operand(|operand| layout.leaf(kernel, operand));
            }
        });
        layout.block(kernel, kernel.entry);
        layout
    }

    /// Allocates a register for an operand that is a leaf without one.
    fn leaf(&mut self, kernel: &Kernel, operand: ValueId) {
        let op = kernel.op(operand);
        let register = &mut self.values[operand.position()];
        if register.is_none() && op.is_leaf() && op != Op::LoopVariable {
            *register = Some(self.registers);
            self.registers += 1;
            self.leaves.push(op);
        }
    }

    /// Allocates the registers of a block. Blocks nest to a fixed depth, so this may recurse.
    fn block(&mut self, kernel: &Kernel, block: BlockId) {
        let first = self.registers;
        for &statement in &kernel.blocks[block].statements {
            match statement {
                Statement::Let(value) => self.value(kernel, value),
                // The variable belongs to the range of the body.
                Statement::Loop { variable, from: _, to: _, body } => {
                    let first = self.registers;
                    self.value(kernel, variable);
                    self.block(kernel, body);
                    self.blocks[body.position()].start = first;
                }
                Statement::If { cond: _, then, otherwise } => {
                    self.block(kernel, then);
                    self.block(kernel, otherwise);
                }
                Statement::Block { body } => self.block(kernel, body),
                Statement::Set { .. }
                | Statement::Store { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => {}
            }
        }
        self.blocks[block.position()] = first..self.registers;
    }

    fn value(&mut self, kernel: &Kernel, value: ValueId) {
        self.values[value.position()] = Some(self.registers);
        self.registers += register_count(kernel.ty(value));
    }

    pub(super) fn value_register(&self, value: ValueId) -> Option<usize> {
        self.values[value.position()]
    }

    pub(super) fn slot_register(&self, slot: SlotId) -> usize {
        self.slots[slot.position()]
    }

    pub(super) fn block_registers(&self, block: BlockId) -> Range<usize> {
        self.blocks[block.position()].clone()
    }
}
