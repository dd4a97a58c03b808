//! Emission of statements and control flow.

use naga::{Barrier, BinaryOperator, Block, Expression, Handle, Statement as Step, UnaryOperator};
use vyre_ir::BufferAccess;
use vyre_kernel::{BlockId, Key as _, Statement, ValueId};

use super::Emitter;

impl Emitter<'_> {
    /// Emits the statements of a block. Validation limits the nesting depth.
    pub(super) fn statements(&mut self, block: BlockId) {
        let kernel = self.kernel;
        let statements = &kernel.blocks[block].statements;
        if self.features.split_blocks {
            return self.split_statements(statements);
        }
        for &statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: Statement) {
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
                self.branch(condition, accept, reject);
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

    /// Emits a branch. NVIDIA's shader compiler (driver 580) ends the process with a segmentation fault at some branches with an empty first
    /// arm whose second arm returns, so the condition of such a branch is negated.
    fn branch(&mut self, condition: Handle<Expression>, accept: Block, reject: Block) {
        let step = if accept.is_empty() && !reject.is_empty() {
            Step::If { condition: self.negated(condition), accept: reject, reject: accept }
        } else {
            Step::If { condition, accept, reject }
        };
        self.push(step);
    }

    /// The negation of a condition: the opposite comparison of words, or a complement.
    fn negated(&mut self, condition: Handle<Expression>) -> Handle<Expression> {
        match self.function.expressions[condition] {
            Expression::Binary { op: BinaryOperator::Equal, left, right } => {
                self.binary(BinaryOperator::NotEqual, left, right)
            }
            Expression::Binary { op: BinaryOperator::NotEqual, left, right } => {
                self.binary(BinaryOperator::Equal, left, right)
            }
            _ => self.add(Expression::Unary { op: UnaryOperator::LogicalNot, expr: condition }),
        }
    }

    fn count(&mut self, variable: ValueId, from: ValueId, to: ValueId, body: BlockId) {
        // Loops without iterations are omitted, as the optimizer does: compilers of drivers mishandle them.
        if let (Some(from), Some(to)) = (self.kernel.as_word(from), self.kernel.as_word(to))
            && from >= to
        {
            return;
        }
        let counter = self.variable(format!("next_{variable}"), self.types.word);
        let (from, to) = (self.value(from), self.value(to));
        // An iteration follows the previous one, and the loop may end after any iteration or before the first.
        self.scratch.is_in_use |= self.leaves_scratch_in_use(body);
        let before = self.scratch.is_in_use;
        let one = self.word(1);
        self.count_up(counter, (from, to, one), |emitter, number| {
            emitter.set_named(variable, number);
            emitter.statements(body);
        });
        self.scratch.is_in_use |= before;
    }

    /// Emits a counting loop from the first bound to the second, exclusive, by steps of the third.
    pub(super) fn count_up(
        &mut self,
        counter: Handle<Expression>,
        (from, to, step): (Handle<Expression>, Handle<Expression>, Handle<Expression>),
        body: impl FnOnce(&mut Self, Handle<Expression>),
    ) {
        self.store(counter, from);
        let iteration = self.within(|emitter| {
            let number = emitter.add(Expression::Load { pointer: counter });
            let continues = emitter.binary(BinaryOperator::Less, number, to);
            let reject = emitter.within(|emitter| emitter.push(Step::Break));
            emitter.push(Step::If { condition: continues, accept: Block::new(), reject });
            body(emitter, number);
        });
        let continuing = self.within(|emitter| {
            let number = emitter.add(Expression::Load { pointer: counter });
            let next = emitter.binary(BinaryOperator::Add, number, step);
            emitter.store(counter, next);
        });
        self.push(Step::Loop { body: iteration, continuing, break_if: None });
    }

    /// Emits a workgroup barrier.
    pub(super) fn barrier(&mut self, flags: Barrier) {
        self.push(Step::ControlBarrier(flags));
        self.scratch.is_in_use = false;
    }

    /// Memory that barriers of the program order: storage buffers only if invocations can observe each other's writes there.
    fn barrier_flags(&self) -> Barrier {
        let is_shared = self.kernel.buffers.iter().any(|(id, decl)| {
            let usage = self.usage.buffer(id);
            decl.access == BufferAccess::ReadWrite && usage.is_read && usage.is_written
        });
        if is_shared { Barrier::STORAGE | Barrier::WORK_GROUP } else { Barrier::WORK_GROUP }
    }
}
