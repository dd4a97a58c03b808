//! Loop-invariant code motion.
//!
//! A loop may have no iteration, so the pass hoists only operations that are safe to speculate: operations without
//! effect, and reads of slots and memory that the loop does not change. It does not hoist accesses without a guard, and
//! it hoists a division or shift only if the operands alone show that the divisor is not 0 or the shift amount is below
//! 32: elsewhere only the position of the operation may make it safe.

use super::effects::Effects;
use super::pass::Pass;
use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Binary, Compare, Effect, Op};
use crate::table::Key;

/// The pass.
pub(super) const PASS: Pass =
    Pass { name: "licm", summary: "Moves loop-invariant computations and loads before the loop.", run };

fn run(kernel: &mut Kernel) -> bool {
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
    /// Loop depth of the definition of each value.
    depths: Vec<u32>,
    /// Open loops, outermost first.
    loops: Vec<OpenLoop>,
    changed: bool,
}

struct OpenLoop {
    body: BlockId,
    /// Number of open branches in the loop.
    branches: u32,
    /// Statements to insert before the loop.
    hoisted: Vec<Statement>,
}

/// Properties of an operation that decide if it can be hoisted.
struct Speculation {
    /// True if the operation can run in an iteration that would not run it.
    is_safe: bool,
    is_cheap: bool,
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

    /// Smallest loop depth at which a value can be computed.
    fn destination(&self, value: ValueId) -> u32 {
        let op = self.kernel.op(value);
        let mut min_depth = 0;
        op.for_each_operand(|operand| min_depth = min_depth.max(self.depths[operand.position()]));
        // An expensive operation is not hoisted out of a branch, because an iteration may skip it.
        let Speculation { is_safe, is_cheap } = match op {
            // A guard that is constantly true guards nothing.
            Op::Load { buffer: _, index: _, guard } => {
                let is_safe = guard.is_some_and(|guard| self.kernel.as_bool(guard) != Some(true));
                Speculation { is_safe, is_cheap: false }
            }
            Op::Binary(Binary::Div | Binary::Mod, _, divisor) => {
                Speculation { is_safe: self.is_never_zero(divisor), is_cheap: false }
            }
            Op::Binary(Binary::Shl | Binary::Shr, _, amount) => {
                Speculation { is_safe: self.is_shift_amount(amount), is_cheap: true }
            }
            Op::Get(_) => Speculation { is_safe: true, is_cheap: true },
            _ => Speculation { is_safe: op.effect() == Effect::None, is_cheap: true },
        };
        if !is_safe {
            return self.depth();
        }
        let mut depth = self.depth();
        while depth > min_depth {
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

    /// True if a shift amount is below 32 by its operation alone, as lowering emits it.
    fn is_shift_amount(&self, amount: ValueId) -> bool {
        match self.kernel.op(amount) {
            Op::Word(word) => word < 32,
            Op::Binary(Binary::And, _, mask) => self.kernel.as_word(mask).is_some_and(|mask| mask < 32),
            _ => false,
        }
    }

    /// True if a divisor is not 0 by its operation alone, as lowering emits it.
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
