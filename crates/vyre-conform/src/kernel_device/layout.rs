//! Where the values and slots of a kernel lie while it is evaluated.

use std::ops::Range;

use vyre_kernel::{BlockId, Kernel, Key, Op, SlotId, Statement, Type, Uniformity, ValueId};

/// How many rows a value of a type takes.
pub(super) fn row_count(ty: Type) -> usize {
    match ty {
        Type::Bool | Type::U32 => 1,
        Type::Vec2 => 2,
        Type::Vec4 => 4,
    }
}

/// The rows of a kernel, each of which holds a word for each lane.
///
/// Leaves come first, then values in the order in which statements compute them, so that operands lie before what is
/// computed from them and the values of a block with all blocks within are one range.
pub(super) struct Layout {
    /// By value: its first row. Values that nothing computes have none.
    values: Vec<Option<usize>>,
    /// By slot: its first row among the rows of slots.
    slots: Vec<usize>,
    /// By block: the rows of the values that it and the blocks within compute.
    blocks: Vec<Range<usize>>,
    /// Leaves that are used, by ascending row, from row 0 on.
    pub(super) leaves: Vec<Op>,
    pub(super) rows: usize,
    pub(super) slot_rows: usize,
    /// What the analysis says, which the evaluation checks.
    pub(super) uniformity: Uniformity,
}

impl Layout {
    pub(super) fn new(kernel: &Kernel) -> Layout {
        let mut layout = Layout {
            values: vec![None; kernel.values.len()],
            slots: Vec::with_capacity(kernel.slots.len()),
            blocks: vec![0..0; kernel.blocks.len()],
            leaves: Vec::new(),
            rows: 0,
            slot_rows: 0,
            uniformity: Uniformity::of(kernel),
        };
        for (_, slot) in kernel.slots.iter() {
            layout.slots.push(layout.slot_rows);
            layout.slot_rows += row_count(slot.ty);
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

    /// Gives an operand a row if it is a leaf without one.
    fn leaf(&mut self, kernel: &Kernel, operand: ValueId) {
        let op = kernel.op(operand);
        let row = &mut self.values[operand.position()];
        if row.is_none() && op.is_leaf() && op != Op::LoopVariable {
            *row = Some(self.rows);
            self.rows += 1;
            self.leaves.push(op);
        }
    }

    /// Blocks are nested to a fixed depth, so this may recurse.
    fn block(&mut self, kernel: &Kernel, block: BlockId) {
        let first = self.rows;
        for &statement in &kernel.blocks[block].statements {
            match statement {
                Statement::Let(value) => self.value(kernel, value),
                // The variable belongs to the body.
                Statement::Loop { variable, from: _, to: _, body } => {
                    let first = self.rows;
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
        self.blocks[block.position()] = first..self.rows;
    }

    fn value(&mut self, kernel: &Kernel, value: ValueId) {
        self.values[value.position()] = Some(self.rows);
        self.rows += row_count(kernel.ty(value));
    }

    pub(super) fn value_row(&self, value: ValueId) -> Option<usize> {
        self.values[value.position()]
    }

    pub(super) fn slot_row(&self, slot: SlotId) -> usize {
        self.slots[slot.position()]
    }

    pub(super) fn block_rows(&self, block: BlockId) -> Range<usize> {
        self.blocks[block.position()].clone()
    }
}
