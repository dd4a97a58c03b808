//! Statements of a kernel.

use naga::{Barrier, BinaryOperator, Block, Expression, Handle, Statement as Step};
use vyre_ir::BufferAccess;
use vyre_kernel::{BlockId, Key as _, Statement, ValueId};

use super::Emitter;

impl Emitter<'_> {
    /// Adds the statements of a block. Blocks nest only as deep as validation lets them.
    pub(super) fn statements(&mut self, block: BlockId) {
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: Statement) {
        match statement {
            Statement::Let(value) => self.compute(value),
            Statement::Set { slot, value } => {
                let value = self.value(value);
                self.store(self.slots[slot.position()], value);
            }
            Statement::Store { buffer, index, value, guard } => self.store_element(buffer, index, value, guard),
            Statement::If { cond, then, otherwise } => {
                let condition = self.value(cond);
                let before = self.scratch.is_in_use;
                let accept = self.within(|emitter| emitter.statements(then));
                let after_then = std::mem::replace(&mut self.scratch.is_in_use, before);
                let reject = self.within(|emitter| emitter.statements(otherwise));
                self.scratch.is_in_use |= after_then;
                self.push(Step::If { condition, accept, reject });
            }
            Statement::Loop { variable, from, to, body } => self.count(variable, from, to, body),
            Statement::Block { body } => {
                let body = self.within(|emitter| {
                    emitter.statements(body);
                    emitter.push(Step::Break);
                });
                self.push(Step::Loop { body, continuing: Block::new(), break_if: None });
            }
            Statement::Break => self.push(Step::Break),
            Statement::Return => self.push(Step::Return { value: None }),
            Statement::Barrier => self.barrier(self.barrier_flags()),
        }
    }

    fn count(&mut self, variable: ValueId, from: ValueId, to: ValueId, body: BlockId) {
        // A loop that is known to have no rounds is left out, as the optimizer does where it ran: compilers of drivers have
        // trouble with such loops.
        if let (Some(from), Some(to)) = (self.kernel.as_word(from), self.kernel.as_word(to))
            && from >= to
        {
            return;
        }
        let counter = self.variable(format!("next_{variable}"), self.types.word);
        let (from, to) = (self.value(from), self.value(to));
        // A round begins where the one before has ended, and what follows the loop where some round was left, or where none was.
        self.scratch.is_in_use |= self.has_collective(body);
        let before = self.scratch.is_in_use;
        let one = self.word(1);
        self.count_up(counter, (from, to, one), |emitter, number| {
            emitter.set_named(variable, number);
            emitter.statements(body);
        });
        self.scratch.is_in_use |= before;
    }

    /// A loop over the numbers from the first to the one before the second, by steps of the third; `body` gets each.
    pub(super) fn count_up(
        &mut self,
        counter: Handle<Expression>,
        (from, to, step): (Handle<Expression>, Handle<Expression>, Handle<Expression>),
        body: impl FnOnce(&mut Self, Handle<Expression>),
    ) {
        self.store(counter, from);
        let rounds = self.within(|emitter| {
            let number = emitter.add(Expression::Load { pointer: counter });
            let goes_on = emitter.binary(BinaryOperator::Less, number, to);
            let reject = emitter.within(|emitter| emitter.push(Step::Break));
            emitter.push(Step::If { condition: goes_on, accept: Block::new(), reject });
            body(emitter, number);
        });
        let continuing = self.within(|emitter| {
            let number = emitter.add(Expression::Load { pointer: counter });
            let next = emitter.binary(BinaryOperator::Add, number, step);
            emitter.store(counter, next);
        });
        self.push(Step::Loop { body: rounds, continuing, break_if: None });
    }

    /// A rendezvous of the workgroup.
    pub(super) fn barrier(&mut self, flags: Barrier) {
        self.push(Step::ControlBarrier(flags));
        self.scratch.is_in_use = false;
    }

    /// The memory that a barrier of the program puts in order: that of the device only where invocations can see in it what
    /// others have written.
    fn barrier_flags(&self) -> Barrier {
        let is_seen = self.kernel.buffers.iter().any(|(id, decl)| {
            let usage = self.usage.buffer(id);
            decl.access == BufferAccess::ReadWrite && usage.is_read && usage.is_written
        });
        if is_seen { Barrier::STORAGE | Barrier::WORK_GROUP } else { Barrier::WORK_GROUP }
    }
}
