//! Which slots lie in memory because registers would not do.
//!
//! A slot in registers that is set in a branch or loop and used around it needs a merge wherever control flow joins. A machine
//! has some fifteen registers, so merging many slots in one place gains nothing, and the time that the compiler takes grows
//! with their number, times the depth to which loops nest.

use vyre_kernel::{BlockId, Kernel, Key, Op, SlotId, Statement};

/// How many slots are merged at the end of a statement.
const MOST_MERGED: usize = 32;

/// How many merges a kernel has in all, besides one for every other statement.
const MERGES: usize = 256;

/// Finds the slots that are too many; by slot.
pub(crate) fn crowded_slots(kernel: &Kernel) -> Vec<bool> {
    let count = kernel.slots.len();
    let crowded = vec![false; count];
    if count <= MOST_MERGED / 2 {
        return crowded;
    }
    let mut survey = Survey { kernel, clock: 0, uses: vec![Use::default(); count] };
    survey.block(kernel.entry, 1);
    let left = MERGES + survey.clock as usize / 2;
    let mut merger = Merger { kernel, uses: survey.uses, clock: 0, left, crowded };
    merger.block(kernel.entry);
    merger.crowded
}

/// Where and how often a slot is used.
#[derive(Clone, Copy, Default)]
struct Use {
    first: u32,
    last: u32,
    weight: u64,
}

struct Survey<'k> {
    kernel: &'k Kernel,
    /// Statements so far.
    clock: u32,
    uses: Vec<Use>,
}

impl Survey<'_> {
    /// Blocks nest to a fixed depth.
    fn block(&mut self, block: BlockId, weight: u64) {
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            self.clock += 1;
            match statement {
                Statement::Set { slot, value: _ } => self.note(slot, weight),
                Statement::Let(value) => {
                    if let Op::Get(slot) = kernel.op(value) {
                        self.note(slot, weight);
                    }
                }
                _ => {}
            }
            let is_loop = matches!(statement, Statement::Loop { .. });
            for inner in statement.blocks() {
                self.block(inner, if is_loop { weight.saturating_mul(8) } else { weight });
            }
        }
    }

    fn note(&mut self, slot: SlotId, weight: u64) {
        let entry = &mut self.uses[slot.position()];
        if entry.first == 0 {
            entry.first = self.clock;
        }
        entry.last = self.clock;
        entry.weight = entry.weight.saturating_add(weight);
    }
}

struct Merger<'k> {
    kernel: &'k Kernel,
    uses: Vec<Use>,
    clock: u32,
    /// How many merges are left.
    left: usize,
    crowded: Vec<bool>,
}

impl Merger<'_> {
    /// Gives the slots that a block sets, each once, and finds those that are too many on the way, inner loops first.
    fn block(&mut self, block: BlockId) -> Vec<SlotId> {
        let kernel = self.kernel;
        let mut all = Vec::new();
        for &statement in &kernel.blocks[block].statements {
            self.clock += 1;
            let start = self.clock;
            if let Statement::Set { slot, value: _ } = statement {
                all.push(slot);
            }
            let mut set = Vec::new();
            for inner in statement.blocks() {
                set.append(&mut self.block(inner));
            }
            set.sort_unstable();
            set.dedup();
            self.statement(&set, matches!(statement, Statement::Loop { .. }), start);
            all.append(&mut set);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The end of a statement that has set some slots.
    fn statement(&mut self, set: &[SlotId], is_loop: bool, start: u32) {
        let mut merged: Vec<SlotId> = set.to_vec();
        // What is used nowhere else is not merged, except that a loop may bring it back to its start.
        merged.retain(|slot| {
            let Use { first, last, .. } = self.uses[slot.position()];
            !self.crowded[slot.position()] && (is_loop || first < start || last > self.clock)
        });
        let most = MOST_MERGED.min(self.left);
        if merged.len() > most {
            merged.sort_by_key(|slot| std::cmp::Reverse(self.uses[slot.position()].weight));
            for slot in merged.drain(most..) {
                self.crowded[slot.position()] = true;
            }
        }
        self.left -= merged.len();
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::lower;

    use super::*;

    /// A loop in which so many variables are set; the last one is set most often.
    fn crowded(count: usize) -> Vec<bool> {
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
        crowded_slots(&lower(&valid).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn many_slots_in_a_loop_are_too_many() {
        assert!(crowded(MOST_MERGED).iter().all(|&crowded| !crowded));
        let found = crowded(MOST_MERGED + 10);
        assert_eq!(found.iter().filter(|&&crowded| crowded).count(), 10);
        assert!(!found[MOST_MERGED + 9], "what is used most stays");
    }
}
