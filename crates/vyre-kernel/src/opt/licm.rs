//! Loop-invariant code motion: what is the same in every round of a loop is computed once before it.
//!
//! A loop may run no round at all, so only what is harmless anywhere is moved: operations without effect, reads of slots
//! and of memory that the loop leaves alone. Accesses without a guard stay, and so do divisions and shifts unless it is
//! plain that the divisor is not 0 and the amount below 32; what proved them harmless may be the place where they stand.

use super::effects::Effects;
use crate::kernel::{BlockId, Kernel, Statement, ValueId};
use crate::op::{Binary, Compare, Effect, Op};
use crate::table::Key;

pub(super) fn run(kernel: &mut Kernel) -> bool {
    let effects = Effects::of(kernel);
    let depths = vec![0; kernel.values.len()];
    let mut licm = Licm { kernel, effects, depths, loops: Vec::new(), changed: false };
    let entry = licm.kernel.entry;
    licm.block(entry);
    licm.changed
}

struct Licm<'k> {
    kernel: &'k mut Kernel,
    effects: Effects,
    /// By value: how many loops are around the place where it is computed.
    depths: Vec<u32>,
    /// The loops around the current place, outermost first.
    loops: Vec<OpenLoop>,
    changed: bool,
}

struct OpenLoop {
    body: BlockId,
    /// How many branches are around the current place within the loop.
    branches: u32,
    /// What is to be computed before the loop.
    hoisted: Vec<Statement>,
}

impl Licm<'_> {
    fn block(&mut self, block: BlockId) {
        let statements = self.kernel.take_block(block);
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            match statement {
                Statement::Let(value) => {
                    let depth = self.destination(value);
                    self.depths[value.position()] = depth;
                    match self.loops.get_mut(depth as usize) {
                        Some(around) => {
                            around.hoisted.push(statement);
                            self.changed = true;
                        }
                        None => out.push(statement),
                    }
                }
                Statement::If { cond: _, then, otherwise } => {
                    self.change_branches(1);
                    self.block(then);
                    self.block(otherwise);
                    self.change_branches(-1);
                    out.push(statement);
                }
                Statement::Loop { variable, from: _, to: _, body } => {
                    self.loops.push(OpenLoop { body, branches: 0, hoisted: Vec::new() });
                    self.depths[variable.position()] = self.depth();
                    self.block(body);
                    if let Some(mut done) = self.loops.pop() {
                        out.append(&mut done.hoisted);
                    }
                    out.push(statement);
                }
                Statement::Block { body } => {
                    self.change_branches(1);
                    self.block(body);
                    self.change_branches(-1);
                    out.push(statement);
                }
                Statement::Set { .. }
                | Statement::Store { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => out.push(statement),
            }
        }
        self.kernel.blocks[block].statements = out;
    }

    fn depth(&self) -> u32 {
        self.loops.len() as u32
    }

    fn change_branches(&mut self, by: i32) {
        if let Some(innermost) = self.loops.last_mut() {
            innermost.branches = innermost.branches.saturating_add_signed(by);
        }
    }

    /// How many loops are to be around the place where a value is computed.
    fn destination(&self, value: ValueId) -> u32 {
        let op = self.kernel.op(value);
        let mut least = 0;
        op.for_each_operand(|operand| least = least.max(self.depths[operand.position()]));
        // Costly operations that a round may skip are not done ahead of it.
        let (may_speculate, is_cheap) = match op {
            // A guard that always holds is none.
            Op::Load { buffer: _, index: _, guard } => {
                (guard.is_some_and(|guard| self.kernel.as_bool(guard) != Some(true)), false)
            }
            Op::Binary(Binary::Div | Binary::Mod, _, divisor) => (self.is_never_zero(divisor), false),
            Op::Binary(Binary::Shl | Binary::Shr, _, amount) => (self.is_shift_amount(amount), true),
            Op::Get(_) => (true, true),
            _ => (op.effect() == Effect::None, true),
        };
        if !may_speculate {
            return self.depth();
        }
        let mut depth = self.depth();
        while depth > least {
            let around = &self.loops[depth as usize - 1];
            let changes = match op.effect() {
                Effect::ReadsSlot(slot) => self.effects.sets(around.body, slot),
                Effect::Reads(buffer) => self.effects.changes(self.kernel, around.body, buffer),
                Effect::None => false,
                Effect::Updates(_) | Effect::Rendezvous => true,
            };
            if changes || !is_cheap && around.branches > 0 {
                break;
            }
            depth -= 1;
        }
        depth
    }

    /// Whether an amount is below 32 wherever it is computed, as lowering makes them.
    fn is_shift_amount(&self, amount: ValueId) -> bool {
        match self.kernel.op(amount) {
            Op::Word(word) => word < 32,
            Op::Binary(Binary::And, _, mask) => self.kernel.as_word(mask).is_some_and(|mask| mask < 32),
            _ => false,
        }
    }

    /// Whether a divisor is not 0 wherever it is computed, as lowering makes them.
    fn is_never_zero(&self, divisor: ValueId) -> bool {
        match self.kernel.op(divisor) {
            Op::Word(word) => word != 0,
            Op::Select(cond, one, other) => {
                let guards = match self.kernel.op(cond) {
                    Op::Compare(Compare::Eq, tested, zero) => tested == other && self.kernel.as_word(zero) == Some(0),
                    _ => false,
                };
                guards && self.kernel.as_word(one).is_some_and(|word| word != 0)
            }
            _ => false,
        }
    }
}
