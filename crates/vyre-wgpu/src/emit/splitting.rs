//! Block splitting: bounds the number of values of a block.
//!
//! naga's MSL writer removes the names of a block one by one from the front of an ordered map. Each removal moves all later
//! names, so the time grows with the square of the number of values of the block. Here a long block becomes a sequence of
//! nested blocks, the *runs*, of a bounded number of expressions each. A value that outlives its run is stored to a local
//! variable, and its later uses load the variable; compilers keep such variables in registers.

use naga::{Block, Expression, Handle, Span, Statement as Step};
use vyre_kernel::{BlockId, Kernel, Key as _, Statement, ValueId};

use super::Emitter;

/// Number of expressions after which a run ends.
const MAX_RUN_EXPRESSIONS: usize = 512;

/// Lifetimes of values, and the variables of those that outlive their run.
#[derive(Default)]
pub(super) struct Spills {
    /// For each value, the position of the last statement that uses it, itself or in a nested block. The position is that in
    /// the block that computes the value.
    last_uses: Vec<usize>,
    /// Pointer to the variable of each value that outlived its run.
    pointers: Vec<Option<Handle<Expression>>>,
}

impl Spills {
    /// Computes the lifetimes of the values of a kernel.
    pub(super) fn of(kernel: &Kernel) -> Spills {
        let count = kernel.values.len();
        let mut lifetimes =
            Lifetimes { kernel, path: Vec::new(), depths: vec![None; count], last_uses: vec![0; count] };
        lifetimes.block(kernel.entry);
        Spills { last_uses: lifetimes.last_uses, pointers: vec![None; count] }
    }

    /// Pointer to the variable of a value that outlived its run.
    pub(super) fn pointer(&self, value: ValueId) -> Option<Handle<Expression>> {
        self.pointers.get(value.position()).copied().flatten()
    }
}

/// Traversal that computes lifetimes.
struct Lifetimes<'k> {
    kernel: &'k Kernel,
    /// Position of the current statement in each open block.
    path: Vec<usize>,
    /// Nesting depth of the block that computes each value; `None` for leaves.
    depths: Vec<Option<usize>>,
    last_uses: Vec<usize>,
}

impl Lifetimes<'_> {
    /// Traverses a block. Validation limits the nesting depth.
    fn block(&mut self, block: BlockId) {
        let kernel = self.kernel;
        let depth = self.path.len();
        self.path.push(0);
        for (position, &statement) in kernel.blocks[block].statements.iter().enumerate() {
            self.path[depth] = position;
            statement.for_each_operand(|operand| self.note_use(operand));
            if let Statement::Let(value) = statement {
                kernel.op(value).for_each_operand(|operand| self.note_use(operand));
                self.depths[value.position()] = Some(depth);
            }
            statement.blocks().for_each(|block| self.block(block));
        }
        self.path.pop();
    }

    fn note_use(&mut self, value: ValueId) {
        let Some(depth) = self.depths[value.position()] else { return };
        if let Some(&position) = self.path.get(depth) {
            self.last_uses[value.position()] = position;
        }
    }
}

impl Emitter<'_> {
    /// Emits the statements of a block in runs.
    pub(super) fn split_statements(&mut self, statements: &[Statement]) {
        self.in_runs(
            statements,
            |emitter, statement| {
                emitter.statement(statement);
                if let Statement::Let(value) = statement { Some(value) } else { None }
            },
            |spills, value, position| spills.last_uses[value.position()] > position,
        );
    }

    /// Emits the leaves of the kernel in runs.
    pub(super) fn split_leaves(&mut self, leaves: &[ValueId], mut emit: impl FnMut(&mut Self, ValueId)) {
        self.in_runs(
            leaves,
            |emitter, leaf| {
                emit(emitter, leaf);
                Some(leaf)
            },
            // Any statement may use a leaf.
            |_, _, _| true,
        );
    }

    /// Emits items in runs. `emit` returns the value that an item computes; `outlives` tells if a value has uses after the item
    /// at a position.
    fn in_runs<T: Copy>(
        &mut self,
        items: &[T],
        mut emit: impl FnMut(&mut Self, T) -> Option<ValueId>,
        outlives: impl Fn(&Spills, ValueId, usize) -> bool,
    ) {
        let mut runs = std::mem::take(&mut self.block);
        let mut start = self.function.expressions.len();
        let mut values = Vec::new();
        for (position, &item) in items.iter().enumerate() {
            values.extend(emit(self, item));
            let is_last = position + 1 == items.len();
            if is_last || self.function.expressions.len() - start < MAX_RUN_EXPRESSIONS {
                continue;
            }
            for value in values.drain(..) {
                if outlives(&self.spills, value, position) {
                    self.spill(value);
                }
            }
            runs.push(Step::Block(std::mem::take(&mut self.block)), Span::UNDEFINED);
            start = self.function.expressions.len();
        }
        // The last run needs no block: nothing follows it.
        let mut last: Block = std::mem::replace(&mut self.block, runs);
        self.block.append(&mut last);
    }

    /// Stores a value to a variable, from which later uses load it.
    fn spill(&mut self, value: ValueId) {
        let Some(handle) = self.values[value.position()] else { return };
        // Literals and the like have no scope.
        if self.function.expressions[handle].needs_pre_emit() {
            return;
        }
        let pointer = self.variable(format!("kept_{value}"), self.types.of(self.kernel.ty(value)));
        self.store(pointer, handle);
        self.spills.pointers[value.position()] = Some(pointer);
    }
}
