//! Statements and control flow.

use vyre_kernel::{BlockId, Effect, Key as _, Statement, Type, ValueId};

use super::emitter::{Emitter, line};
use super::operand::{Operand, Predicate, Word, Words};

/// Loop iterations between two polls of the cancel word; a power of two.
const ITERATIONS_PER_POLL: u32 = 1024;

/// Iterations of a batch.
const BATCH_ITERATIONS: u32 = 4;

/// Maximum statements of a loop body that is executed in batches.
const MAX_BATCHED_STATEMENTS: usize = 48;

impl Emitter<'_> {
    /// Allocates the registers of all slots and sets them to zero.
    pub(super) fn declare_slots(&mut self) {
        for (_, slot) in self.kernel.slots.iter() {
            let registers = self.new_operand(slot.ty);
            let zero = match slot.ty {
                Type::Bool => Operand::Predicate(Predicate::Constant(false)),
                _ => Operand::Words(Words::of([Word::Constant(0); 4])),
            };
            self.copy(registers, zero);
            self.slots.push(registers);
        }
    }

    /// Emits the statements of a block. Validation limits the nesting of blocks, and so this recursion.
    pub(super) fn block(&mut self, block: BlockId) {
        let kernel = self.kernel;
        for (position, &statement) in kernel.blocks[block].statements.iter().enumerate() {
            match self.vectors.role(block, position) {
                Some(role) => self.vector(role),
                None => self.statement(statement),
            }
        }
    }

    fn statement(&mut self, statement: Statement) {
        match statement {
            Statement::Let(value) => self.compute(value),
            Statement::Set { slot, value } => {
                let (target, source) = (self.slots[slot.position()], self.operand(value));
                self.copy(target, source);
            }
            Statement::Store { buffer, index, value, guard } => {
                let value = self.words(value);
                self.store(buffer, index, value, guard);
            }
            Statement::If { cond, then, otherwise } => self.if_else(cond, then, otherwise),
            Statement::Loop { variable, from, to, body } => self.counted_loop(variable, (from, to), body),
            Statement::Block { body } => {
                let end = self.new_label();
                self.exits.push(end);
                self.block(body);
                self.exits.pop();
                self.place_label(end);
            }
            Statement::Break => {
                if let Some(&end) = self.exits.last() {
                    line!(self, "bra {end}");
                }
            }
            Statement::Return => line!(self, "exit"),
            Statement::Barrier => self.barrier(),
        }
    }

    fn if_else(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId) {
        let cond = self.predicate(cond);
        let cond = self.predicate_register(cond);
        let end = self.new_label();
        let has_any = |block: BlockId| !self.kernel.blocks[block].statements.is_empty();
        match (has_any(then), has_any(otherwise)) {
            (false, false) => {}
            (true, false) => {
                line!(self, "@!{cond} bra {end}");
                self.block(then);
            }
            (false, true) => {
                line!(self, "@{cond} bra {end}");
                self.block(otherwise);
            }
            (true, true) => {
                let second = self.new_label();
                line!(self, "@!{cond} bra {second}");
                self.block(then);
                line!(self, "bra {end}");
                self.place_label(second);
                self.block(otherwise);
            }
        }
        self.place_label(end);
    }

    fn counted_loop(&mut self, variable: ValueId, (from, to): (ValueId, ValueId), body: BlockId) {
        let (from, to) = (self.word(from), self.word(to));
        let end = self.new_label();
        let number = self.new_word();
        line!(self, "mov.u32 {number}, {from}");
        let is_over = self.compared("ge", from, to);
        line!(self, "@{is_over} bra {end}");
        self.exits.push(end);
        if self.is_batched(body) {
            self.batched_iterations(variable, (number, to), body);
            let is_over = self.compared("ge", number, to);
            line!(self, "@{is_over} bra {end}");
        }
        let again = self.new_label();
        self.place_label(again);
        self.iteration(variable, number, body);
        self.end_iteration(number, 1);
        let goes_on = self.compared("lt", number, to);
        line!(self, "@{goes_on} bra {again}");
        self.exits.pop();
        self.place_label(end);
    }

    fn iteration(&mut self, variable: ValueId, number: Word, body: BlockId) {
        self.values[variable.position()] = Operand::Words(Words::of([number]));
        self.block(body);
    }

    fn end_iteration(&mut self, number: Word, step: u32) {
        if self.target.can_cancel {
            self.poll_cancel_periodically();
        }
        // The number is at least `step` below the end, so the sum does not wrap.
        line!(self, "add.u32 {number}, {number}, {step}");
    }

    /// Executes iterations in batches while at least a whole batch is left. `number` is then that of the next iteration.
    fn batched_iterations(&mut self, variable: ValueId, (number, to): (Word, Word), body: BlockId) {
        let (again, rest) = (self.new_label(), self.new_label());
        self.place_label(again);
        let left = self.computed("sub.u32", &[to, number]);
        let are_few = self.compared("lt", left, Word::Constant(BATCH_ITERATIONS));
        line!(self, "@{are_few} bra {rest}");
        for iteration in 0..BATCH_ITERATIONS {
            let number = match iteration {
                0 => number,
                iteration => self.computed("add.u32", &[number, Word::Constant(iteration)]),
            };
            self.iteration(variable, number, body);
        }
        self.end_iteration(number, BATCH_ITERATIONS);
        line!(self, "bra {again}");
        self.place_label(rest);
    }

    /// Reports whether iterations are executed in batches: in workgroups within a warp whose loop body synchronizes. The
    /// assembler makes the warp reconverge wherever its lanes may have diverged. That is after each iteration, and with
    /// batches only after each batch.
    fn is_batched(&self, body: BlockId) -> bool {
        let statements = &self.kernel.blocks[body].statements;
        let synchronizes = |statement: &Statement| match statement {
            Statement::Barrier => true,
            Statement::Let(value) => self.kernel.op(*value).effect() == Effect::Rendezvous,
            _ => false,
        };
        let is_straight = |statement: &Statement| statement.blocks().next().is_none() && !statement.is_exit();
        self.packing.is_within_warp()
            && self.packing.invocations != 1
            && statements.len() <= MAX_BATCHED_STATEMENTS
            && statements.iter().all(is_straight)
            && statements.iter().any(synchronizes)
    }

    /// Polls the cancel word once in [`ITERATIONS_PER_POLL`] iterations.
    fn poll_cancel_periodically(&mut self) {
        let iterations = match self.prologue_values.iterations {
            Some(iterations) => iterations,
            None => {
                let iterations = self.in_prologue(|this| {
                    let iterations = this.new_word();
                    line!(this, "mov.u32 {iterations}, 0");
                    iterations
                });
                self.prologue_values.iterations = Some(iterations);
                iterations
            }
        };
        let skip = self.new_label();
        line!(self, "add.u32 {iterations}, {iterations}, 1");
        let low = self.computed("and.b32", &[iterations, Word::Constant(ITERATIONS_PER_POLL - 1)]);
        let is_not_yet = self.compared("ne", low, Word::Constant(0));
        line!(self, "@{is_not_yet} bra {skip}");
        self.poll_cancel();
        self.place_label(skip);
    }
}
