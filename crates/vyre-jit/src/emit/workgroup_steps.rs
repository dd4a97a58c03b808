//! Steps of a workgroup: code that runs once for all invocations.

use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_kernel::{Key, ValueId};

use super::loops::{LoopBounds, LoopPlan};
use super::{Emitter, word_type};
use crate::plan::Step;
use crate::storage::StorageClass;

impl<'e> Emitter<'e, '_> {
    /// Emits steps.
    pub(super) fn steps(&mut self, steps: &'e [Step]) {
        for step in steps {
            match step {
                Step::Compute(value) => self.compute(*value),
                Step::Collective(value) => {
                    self.poll_if_many_invocations();
                    self.collective(*value);
                    self.store_if_spilled(*value);
                }
                Step::Set { slot, value } => self.set(*slot, *value),
                Step::Region(region) => {
                    self.poll_if_many_invocations();
                    self.region(region);
                }
                Step::If { cond, then, otherwise } => {
                    let cond = self.workgroup_word(*cond);
                    let blocks = [(); 3].map(|()| self.builder.create_block());
                    let [then_block, otherwise_block, after] = blocks;
                    self.builder.ins().brif(cond, then_block, &[], otherwise_block, &[]);
                    for (block, steps) in [(then_block, then), (otherwise_block, otherwise)] {
                        self.builder.switch_to_block(block);
                        self.builder.seal_block(block);
                        self.steps(steps);
                        if !ends_in_exit(steps) {
                            self.jump(after);
                        }
                    }
                    self.builder.switch_to_block(after);
                    self.builder.seal_block(after);
                }
                Step::Loop { variable, from, to, body } => {
                    let bounds = LoopBounds { from: self.workgroup_word(*from), to: self.workgroup_word(*to) };
                    self.counted_loop(*variable, bounds, &LoopPlan::polled(), &mut |emitter| {
                        emitter.steps(body);
                        !ends_in_exit(body)
                    });
                }
                Step::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                }
                Step::Return => {
                    let end = self.workgroup_end;
                    self.jump(end);
                }
            }
        }
    }

    /// The first word of a uniform value.
    pub(super) fn workgroup_word(&mut self, value: ValueId) -> ir::Value {
        match self.plan.values[value.position()] {
            StorageClass::InvocationArray { offset } => {
                let ty = word_type(self.kernel.ty(value));
                let first = self.builder.ins().iconst(types::I32, 0);
                self.load_array(offset, 0, ty, first)
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister | StorageClass::Spilled { .. } => {
                self.operand(value)[0]
            }
        }
    }
}

/// Reports whether the end of steps is not reachable.
pub(super) fn ends_in_exit(steps: &[Step]) -> bool {
    matches!(steps.last(), Some(Step::Break | Step::Return))
}
