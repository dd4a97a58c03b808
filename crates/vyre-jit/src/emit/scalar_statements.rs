//! Statements of one invocation.

use cranelift_codegen::ir::InstBuilder;
use vyre_kernel::{BlockId, Statement, ValueId};

use super::Emitter;
use super::loops::{LoopBounds, LoopHeader};

impl Emitter<'_, '_> {
    /// Emits statements. Returns true if the last one leaves the block. Blocks nest to a fixed depth.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> bool {
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.compute(value),
                Statement::Set { slot, value } => self.set(slot, value),
                Statement::Store { buffer, index, value, guard } => self.store(buffer, index, value, guard),
                Statement::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
                Statement::Loop { variable, from, to, body } => {
                    let plan = self.plan_loop(LoopHeader { variable, from, to, body }, |_, _| true);
                    let bounds = LoopBounds { from: self.operand(from)[0], to: self.operand(to)[0] };
                    let kernel = self.kernel;
                    self.counted_loop(variable, bounds, &plan, &mut |emitter| {
                        !emitter.statements(&kernel.blocks[body].statements)
                    });
                }
                Statement::Block { body } => {
                    let kernel = self.kernel;
                    self.breakable_block(|emitter| !emitter.statements(&kernel.blocks[body].statements));
                }
                Statement::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                    return true;
                }
                Statement::Return => {
                    if self.plan.tracks_returns {
                        self.record_return();
                    }
                    let end = self.invocation_end;
                    self.jump(end);
                    return true;
                }
                // A barrier ends a region.
                Statement::Barrier => {}
            }
        }
        false
    }

    fn branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId) {
        let cond = self.operand(cond)[0];
        let kernel = self.kernel;
        let (then_block, after) = (self.builder.create_block(), self.builder.create_block());
        let has_otherwise = !kernel.blocks[otherwise].statements.is_empty();
        let otherwise_block = if has_otherwise { self.builder.create_block() } else { after };
        self.builder.ins().brif(cond, then_block, &[], otherwise_block, &[]);
        for (block, id) in [(then_block, then), (otherwise_block, otherwise)] {
            if block == after {
                continue;
            }
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            if !self.statements(&kernel.blocks[id].statements) {
                self.jump(after);
            }
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }
}
