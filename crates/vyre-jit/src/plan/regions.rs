//! Region formation: loop fission of the invocation loop at barriers and collectives.
//!
//! Conceptually one loop over the invocations surrounds the whole kernel. Region formation splits it at each rendezvous, as the
//! work-item loops of pocl do (Jääskeläinen et al., IJPP 2015). The statements between two rendezvous become a region. Uniform
//! values leave the loop: the workgroup computes them once.

use vyre_kernel::{Binary, BlockId, Collective, Effect, Kernel, Key, Op, SlotId, Statement, Uniformity, ValueId};

use super::step::{Region, Step};
use super::workgroup_control::WorkgroupControl;

/// Maximum number of attempts at shrinking the set of shared slots before it is given up.
const MAX_ATTEMPTS: usize = 8;

/// Result of region formation.
pub(super) struct Formation {
    pub(super) steps: Vec<Step>,
    /// By value: true if the workgroup computes it once.
    pub(super) is_workgroup_value: Vec<bool>,
    /// By slot: true if the workgroup shares it.
    pub(super) is_shared_slot: Vec<bool>,
}

/// Splits a kernel into regions.
///
/// A slot is shared if it is uniform and every assignment to it is a step of the workgroup. An assignment of a value that the
/// workgroup does not compute excludes the slot, which may exclude others, so formation is repeated.
pub(super) fn form_regions(kernel: &Kernel) -> Formation {
    let uniformity = Uniformity::of(kernel);
    let control = WorkgroupControl::of(kernel, &uniformity);
    let mut is_shared_slot = shared_slot_candidates(kernel, &uniformity, &control);
    for attempt in 0.. {
        if attempt == MAX_ATTEMPTS {
            is_shared_slot.fill(false);
        }
        let mut builder = Builder {
            kernel,
            uniformity: &uniformity,
            control: &control,
            is_shared_slot: &is_shared_slot,
            is_workgroup_value: vec![false; kernel.values.len()],
            rejected: Vec::new(),
            may_have_left: false,
        };
        let steps = builder.block(kernel.entry);
        let Builder { is_workgroup_value, rejected, .. } = builder;
        if rejected.is_empty() {
            return Formation { steps, is_workgroup_value, is_shared_slot };
        }
        for slot in rejected {
            is_shared_slot[slot.position()] = false;
        }
    }
    unreachable!("an attempt without shared slots rejects none")
}

/// Uniform slots whose assignments all stand in workgroup-wide blocks.
fn shared_slot_candidates(kernel: &Kernel, uniformity: &Uniformity, control: &WorkgroupControl) -> Vec<bool> {
    let mut shared: Vec<bool> = kernel.slots.keys().map(|slot| uniformity.is_uniform_slot(slot)).collect();
    let mut pending = vec![kernel.entry];
    while let Some(block) = pending.pop() {
        for &statement in &kernel.blocks[block].statements {
            if let Statement::Set { slot, value: _ } = statement
                && !control.is_wide_block(block)
            {
                shared[slot.position()] = false;
            }
            pending.extend(statement.blocks());
        }
    }
    shared
}

/// Translates blocks into steps.
struct Builder<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    control: &'k WorkgroupControl,
    is_shared_slot: &'k [bool],
    is_workgroup_value: Vec<bool>,
    /// Slots that cannot be shared after all.
    rejected: Vec<SlotId>,
    /// Some or all invocations may not reach the next statement.
    may_have_left: bool,
}

impl Builder<'_> {
    /// Steps of a workgroup-wide block, or of the entry.
    fn block(&mut self, block: BlockId) -> Vec<Step> {
        let in_wide_block = self.control.is_wide_block(block);
        let mut steps = Vec::new();
        let mut region = Region::default();
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            if let Statement::Let(value) = statement
                && self.is_computable_once(value)
            {
                // No earlier statement of the region can change the value, so it may precede the region.
                self.is_workgroup_value[value.position()] = true;
                steps.push(Step::Compute(value));
                continue;
            }
            if let Statement::Set { slot, value } = statement
                && self.is_shared_slot[slot.position()]
            {
                if !self.is_workgroup_value(value) {
                    self.rejected.push(slot);
                }
                end_region(&mut region, &mut steps);
                steps.push(Step::Set { slot, value });
                continue;
            }
            if !self.control.is_wide_statement(kernel, statement, in_wide_block) {
                region.statements.push(statement);
                self.may_have_left |= may_leave(kernel, statement, false);
                continue;
            }
            end_region(&mut region, &mut steps);
            match statement {
                Statement::Let(value) => {
                    let Op::Collective(collective) = kernel.op(value) else { continue };
                    self.is_workgroup_value[value.position()] = matches!(
                        collective,
                        Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_)
                    );
                    steps.push(Step::Collective(value));
                }
                Statement::If { cond, then, otherwise } => {
                    let then = self.block(then);
                    let otherwise = self.block(otherwise);
                    steps.push(Step::If { cond, then, otherwise });
                }
                Statement::Loop { variable, from, to, body } => {
                    self.is_workgroup_value[variable.position()] = true;
                    let body = self.block(body);
                    steps.push(Step::Loop { variable, from, to, body });
                }
                Statement::Break => steps.push(Step::Break),
                Statement::Return => steps.push(Step::Return),
                // One thread runs all invocations, so the end of the region is the barrier.
                Statement::Barrier => {}
                Statement::Set { .. } | Statement::Store { .. } | Statement::Block { .. } => {}
            }
        }
        end_region(&mut region, &mut steps);
        steps
    }

    fn is_workgroup_value(&self, value: ValueId) -> bool {
        match self.kernel.op(value) {
            Op::LoopVariable => self.is_workgroup_value[value.position()],
            op if op.is_leaf() => self.uniformity.is_uniform(value),
            _ => self.is_workgroup_value[value.position()],
        }
    }

    /// Reports whether the workgroup can compute a value once for all invocations.
    fn is_computable_once(&self, value: ValueId) -> bool {
        let op = self.kernel.op(value);
        let is_invariant = match op.effect() {
            Effect::None => true,
            Effect::ReadsSlot(slot) => self.is_shared_slot[slot.position()],
            Effect::Reads(buffer) => !self.kernel.buffers[buffer].access.is_writable(),
            Effect::Updates(_) | Effect::Rendezvous => false,
        };
        let mut has_operands = true;
        op.for_each_operand(|operand| has_operands &= self.is_workgroup_value(operand));
        // Control flow may guarantee an index or divisor only for invocations that get here, and possibly none does.
        let is_speculatable = !self.may_have_left || !may_fault(self.kernel, op);
        is_invariant && has_operands && is_speculatable && self.uniformity.is_uniform(value)
    }
}

fn end_region(region: &mut Region, steps: &mut Vec<Step>) {
    if !region.statements.is_empty() {
        steps.push(Step::Region(std::mem::take(region)));
    }
}

/// Reports whether invocations may leave the block that a statement stands in.
fn may_leave(kernel: &Kernel, statement: Statement, in_loop: bool) -> bool {
    match statement {
        Statement::Return => true,
        Statement::Break => !in_loop,
        _ => {
            let in_loop = in_loop || matches!(statement, Statement::Loop { .. } | Statement::Block { .. });
            statement.blocks().any(|block| {
                let statements = &kernel.blocks[block].statements;
                statements.iter().any(|&inner| may_leave(kernel, inner, in_loop))
            })
        }
    }
}

/// Reports whether an operation relies on the control flow around it: a load without a guard, or a division.
fn may_fault(kernel: &Kernel, op: Op) -> bool {
    match op {
        Op::Load { guard, .. } => guard.is_none(),
        Op::Binary(Binary::Div | Binary::Mod, _, divisor) => kernel.as_word(divisor).is_none_or(|word| word == 0),
        _ => false,
    }
}
