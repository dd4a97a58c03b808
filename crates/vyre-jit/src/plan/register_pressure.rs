//! Register pressure: slots that are spilled to memory.
//!
//! A slot in registers that is set in a branch or loop and used around it needs a phi wherever control flow joins. A machine
//! has some fifteen registers, so many phis at one join gain nothing, and compile time grows with their number times the
//! nesting depth of loops. This pass bounds both: it spills the slots with the lowest spill cost (uses weighted by loop depth,
//! as in Chaitin, PLDI 1982) until each join has at most 32 phis and the kernel at most a number linear in its size.

use vyre_kernel::{BlockId, Kernel, Key, Op, SlotId, Statement};

/// Maximum number of phis at one join.
const MAX_PHIS_PER_JOIN: usize = 32;

/// Maximum number of phis of a kernel, besides one for every other statement.
const MAX_PHIS: usize = 256;

/// Assumed number of iterations of a loop.
const ASSUMED_ITERATIONS: u64 = 8;

/// Finds the slots to spill. Indexed by slot.
pub(super) fn spilled_slots(kernel: &Kernel) -> Vec<bool> {
    let count = kernel.slots.len();
    let spilled = vec![false; count];
    if count <= MAX_PHIS_PER_JOIN / 2 {
        return spilled;
    }
    let mut liveness = Liveness { kernel, position: 0, ranges: vec![LiveRange::default(); count] };
    liveness.block(kernel.entry, 1);
    let phi_budget = MAX_PHIS + liveness.position as usize / 2;
    let mut spiller = Spiller { kernel, ranges: liveness.ranges, position: 0, phi_budget, spilled };
    spiller.block(kernel.entry);
    spiller.spilled
}

/// Live range of a slot: positions of its first and last use, and its spill cost.
#[derive(Clone, Copy, Default)]
struct LiveRange {
    first: u32,
    last: u32,
    spill_cost: u64,
}

struct Liveness<'k> {
    kernel: &'k Kernel,
    /// Number of statements so far.
    position: u32,
    ranges: Vec<LiveRange>,
}

impl Liveness<'_> {
    /// Visits a block that runs `weight` times. Blocks nest to a fixed depth.
    fn block(&mut self, block: BlockId, weight: u64) {
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            self.position += 1;
            match statement {
                Statement::Set { slot, value: _ } => self.add_use(slot, weight),
                Statement::Let(value) => {
                    if let Op::Get(slot) = kernel.op(value) {
                        self.add_use(slot, weight);
                    }
                }
                _ => {}
            }
            let is_loop = matches!(statement, Statement::Loop { .. });
            for inner in statement.blocks() {
                self.block(inner, if is_loop { weight.saturating_mul(ASSUMED_ITERATIONS) } else { weight });
            }
        }
    }

    fn add_use(&mut self, slot: SlotId, weight: u64) {
        let range = &mut self.ranges[slot.position()];
        if range.first == 0 {
            range.first = self.position;
        }
        range.last = self.position;
        range.spill_cost = range.spill_cost.saturating_add(weight);
    }
}

struct Spiller<'k> {
    kernel: &'k Kernel,
    ranges: Vec<LiveRange>,
    position: u32,
    /// Number of phis that the rest of the kernel may have.
    phi_budget: usize,
    spilled: Vec<bool>,
}

impl Spiller<'_> {
    /// Returns the slots that a block sets, without duplicates. Spills slots while it descends, those of inner loops first.
    fn block(&mut self, block: BlockId) -> Vec<SlotId> {
        let kernel = self.kernel;
        let mut all = Vec::new();
        for &statement in &kernel.blocks[block].statements {
            self.position += 1;
            let start = self.position;
            if let Statement::Set { slot, value: _ } = statement {
                all.push(slot);
            }
            let mut set = Vec::new();
            for inner in statement.blocks() {
                set.append(&mut self.block(inner));
            }
            set.sort_unstable();
            set.dedup();
            self.join(&set, matches!(statement, Statement::Loop { .. }), start);
            all.append(&mut set);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Limits the phis at the end of a statement that sets some slots.
    fn join(&mut self, set: &[SlotId], is_loop: bool, start: u32) {
        let mut phis: Vec<SlotId> = set.to_vec();
        // A slot without a use outside of the statement needs no phi, unless a loop carries it to its next iteration.
        phis.retain(|slot| {
            let LiveRange { first, last, .. } = self.ranges[slot.position()];
            !self.spilled[slot.position()] && (is_loop || first < start || last > self.position)
        });
        let max = MAX_PHIS_PER_JOIN.min(self.phi_budget);
        if phis.len() > max {
            phis.sort_by_key(|slot| std::cmp::Reverse(self.ranges[slot.position()].spill_cost));
            for slot in phis.drain(max..) {
                self.spilled[slot.position()] = true;
            }
        }
        self.phi_budget -= phis.len();
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::lower;

    use super::*;

    /// Spilled slots of a loop that sets `count` variables, the last one most often.
    fn spilled(count: usize) -> Vec<bool> {
        let declared: String = (0..count).map(|at| format!("let x{at} = {at};")).collect();
        let set: String = (0..count).map(|at| format!("x{at} = x{at} + k;")).collect();
        let last = format!("for j in 0..4 {{ x{} = x{0} * 3; }}", count - 1);
        let used: String = (0..count).map(|at| format!("out[{at}] = x{at};")).collect();
        let source = format!(
            "workgroup_size 4; buffer out: read_write u32 @0; entry {{ {declared} for k in 0..9 {{ {set} {last} }} {used} }}"
        );
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        spilled_slots(&lower(&valid).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn a_loop_keeps_the_slots_with_the_highest_spill_cost() {
        assert!(spilled(MAX_PHIS_PER_JOIN).iter().all(|&spilled| !spilled));
        let found = spilled(MAX_PHIS_PER_JOIN + 10);
        assert_eq!(found.iter().filter(|&&spilled| spilled).count(), 10);
        assert!(!found[MAX_PHIS_PER_JOIN + 9], "the slot with the most uses stays");
    }
}
