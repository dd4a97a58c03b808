//! Control flow.

use vyre_kernel::{BlockId, Effect, Key as _, Statement, Type, ValueId};

use super::operand::{Held, Truth, Word, Words};
use super::{Emitter, line};

/// How many rounds of loops a thread runs before it looks again whether the run was cancelled; a power of two.
const ROUNDS_BETWEEN_LOOKS: u32 = 1024;

/// The rounds of a batch.
const BATCH: u32 = 4;

/// The most statements of a round that is run in batches.
const MOST_BATCHED: usize = 48;

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
            Statement::Block { body } => {
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
                self.place(second);
                self.block(otherwise);
            }
        }
        self.place(end);
    }

    fn count(&mut self, variable: ValueId, (from, to): (ValueId, ValueId), body: BlockId) {
        let (from, to) = (self.word(from), self.word(to));
        let end = self.new_label();
        let number = self.new_word();
        line!(self, "mov.u32 {number}, {from}");
        let is_over = self.compared("ge", from, to);
        line!(self, "@{is_over} bra {end}");
        self.exits.push(end);
        if self.is_batched(body) {
            self.batches(variable, (number, to), body);
            let is_over = self.compared("ge", number, to);
            line!(self, "@{is_over} bra {end}");
        }
        let again = self.new_label();
        self.place(again);
        self.round(variable, number, body);
        self.next_round(number, 1);
        let goes_on = self.compared("lt", number, to);
        line!(self, "@{goes_on} bra {again}");
        self.exits.pop();
        self.place(end);
    }

    fn round(&mut self, variable: ValueId, number: Word, body: BlockId) {
        self.values[variable.position()] = Held::Words(Words::of([number]));
        self.block(body);
    }

    fn next_round(&mut self, number: Word, step: u32) {
        if self.target.can_cancel {
            self.look_now_and_then();
        }
        // The number is that far below the end at least, so it does not wrap.
        line!(self, "add.u32 {number}, {number}, {step}");
    }

    /// Runs rounds of a loop in a row, as long as there are as many. `number` is the next one afterwards.
    fn batches(&mut self, variable: ValueId, (number, to): (Word, Word), body: BlockId) {
        let (again, rest) = (self.new_label(), self.new_label());
        self.place(again);
        let left = self.computed("sub.u32", &[to, number]);
        let are_few = self.compared("lt", left, Word::Constant(BATCH));
        line!(self, "@{are_few} bra {rest}");
        for round in 0..BATCH {
            let number = match round {
                0 => number,
                round => self.computed("add.u32", &[number, Word::Constant(round)]),
            };
            self.round(variable, number, body);
        }
        self.next_round(number, BATCH);
        line!(self, "bra {again}");
        self.place(rest);
    }

    /// Whether rounds are run in batches: where workgroups that share a warp meet in each. The assembler finds out which of
    /// its lanes are together wherever they could have parted, which is after each round, and then once for all of a batch.
    fn is_batched(&self, body: BlockId) -> bool {
        let statements = &self.kernel.blocks[body].statements;
        let meets = |statement: &Statement| match statement {
            Statement::Barrier => true,
            Statement::Let(value) => self.kernel.op(*value).effect() == Effect::Rendezvous,
            _ => false,
        };
        let is_straight = |statement: &Statement| statement.blocks().next().is_none() && !statement.is_exit();
        self.layout.is_within_warp()
            && self.layout.invocations != 1
            && statements.len() <= MOST_BATCHED
            && statements.iter().all(is_straight)
            && statements.iter().any(meets)
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
