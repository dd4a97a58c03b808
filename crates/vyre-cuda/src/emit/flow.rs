//! Control flow.

use vyre_kernel::{BlockId, Key as _, Statement, Type, ValueId};

use super::operand::{Held, Truth, Word, Words};
use super::{Emitter, Label, line};

/// How many rounds of loops a thread runs before it looks again whether the run was cancelled; a power of two.
const ROUNDS_BETWEEN_LOOKS: u32 = 1024;

impl Emitter<'_> {
    /// Gives every slot its registers, which hold zero.
    pub(super) fn declare_slots(&mut self) {
        for (_, slot) in self.kernel.slots.iter() {
            let held = self.new_held(slot.ty);
            let zero = match slot.ty {
                Type::Bool => Held::Truth(Truth::Constant(false)),
                _ => Held::Words(Words::of([Word::Constant(0); 4])),
            };
            self.copy(held, zero);
            self.slots.push(held);
        }
    }

    /// Runs the statements of a block. Blocks nest at most as deep as validation lets them.
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
                let (target, source) = (self.slots[slot.position()], self.held(value));
                self.copy(target, source);
            }
            Statement::Store { buffer, index, value, guard } => {
                let value = self.words(value);
                self.store(buffer, index, value, guard);
            }
            Statement::If { cond, then, otherwise } => self.choose(cond, then, otherwise),
            Statement::Loop { variable, from, to, body } => self.count(variable, (from, to), body),
            Statement::Once { body } => {
                let end = self.new_label();
                self.exits.push(end);
                self.block(body);
                self.exits.pop();
                self.place(end);
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

    fn choose(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId) {
        let cond = self.truth(cond);
        let cond = self.predicate(cond);
        let is_empty = |block: BlockId| self.kernel.blocks[block].statements.is_empty();
        let (end, has_then, has_otherwise) = (Label(self.labels), !is_empty(then), !is_empty(otherwise));
        self.labels += 1;
        match (has_then, has_otherwise) {
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
                self.place(second);
                self.block(otherwise);
            }
        }
        self.place(end);
    }

    fn count(&mut self, variable: ValueId, (from, to): (ValueId, ValueId), body: BlockId) {
        let (from, to) = (self.word(from), self.word(to));
        let (again, end) = (self.new_label(), self.new_label());
        let number = self.new_word();
        line!(self, "mov.u32 {number}, {from}");
        let is_over = self.compared("ge", from, to);
        line!(self, "@{is_over} bra {end}");
        self.place(again);
        self.values[variable.position()] = Held::Words(Words::of([number]));
        self.exits.push(end);
        self.block(body);
        self.exits.pop();
        if self.target.can_cancel {
            self.look_now_and_then();
        }
        // The number is below the end, so it does not wrap.
        line!(self, "add.u32 {number}, {number}, 1");
        let goes_on = self.compared("lt", number, to);
        line!(self, "@{goes_on} bra {again}");
        self.place(end);
    }

    /// Ends the thread if the run was cancelled, as far as it looks: once in many rounds.
    fn look_now_and_then(&mut self) {
        let rounds = match self.known.rounds {
            Some(rounds) => rounds,
            None => {
                let rounds = self.before(|this| {
                    let rounds = this.new_word();
                    line!(this, "mov.u32 {rounds}, 0");
                    rounds
                });
                self.known.rounds = Some(rounds);
                rounds
            }
        };
        let over = self.new_label();
        line!(self, "add.u32 {rounds}, {rounds}, 1");
        let low = self.computed("and.b32", &[rounds, Word::Constant(ROUNDS_BETWEEN_LOOKS - 1)]);
        let is_not_yet = self.compared("ne", low, Word::Constant(0));
        line!(self, "@{is_not_yet} bra {over}");
        self.look_for_cancel();
        self.place(over);
    }

    /// A rendezvous of the workgroup.
    pub(super) fn barrier(&mut self) {
        if self.layout.invocations == 1 {
            return;
        }
        if self.layout.is_within_warp() {
            let members = self.members();
            line!(self, "bar.warp.sync {members}");
        } else {
            line!(self, "barrier.sync 0");
        }
    }
}
