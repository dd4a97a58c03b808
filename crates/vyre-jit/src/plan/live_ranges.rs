//! Live range analysis: bounds the number of values that are live where control flow splits and joins.
//!
//! A register allocator visits each live register at each basic block, and the construction of SSA form visits each variable
//! at each join. Both are quadratic for a kernel with many long live ranges and many branches or loops. This pass estimates
//! the number of pairs of a live range and a control-flow statement within it. If there are too many, it spills the ranges
//! with the most pairs for each use (compare the spill cost of Chaitin, PLDI 1982), until the number of pairs is linear in
//! the number of control-flow statements. A spilled value is stored when it is computed and loaded at each use.
//!
//! Usual kernels are far below the bound, and no value is spilled.

use vyre_kernel::{BlockId, Kernel, Key, Op, SlotId, Statement, ValueId};

use super::step::{Region, Step};
use crate::storage::{StorageClass, storage_words};

/// Permitted number of pairs of a live range and a control-flow statement within it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveRangeLimit {
    /// Number that is always permitted.
    pub(crate) min_pairs: u64,
    /// Number that is permitted for each control-flow statement.
    pub(crate) pairs_per_branch: u64,
}

impl Default for LiveRangeLimit {
    fn default() -> LiveRangeLimit {
        LiveRangeLimit { min_pairs: 1 << 18, pairs_per_branch: 64 }
    }
}

/// Storage classes of a kernel, which this pass changes.
pub(super) struct Storage<'p> {
    /// By value.
    pub(super) values: &'p mut [StorageClass],
    /// By slot.
    pub(super) slots: &'p mut [StorageClass],
    /// Words of spilled values and slots.
    pub(super) spilled_words: &'p mut u32,
}

/// Spills long live ranges. Returns a flag for each value: true if it is in an array and is loaded at each use.
pub(super) fn spill_long_ranges(
    kernel: &Kernel,
    steps: &mut [Step],
    storage: Storage<'_>,
    limit: LiveRangeLimit,
) -> Vec<bool> {
    let mut is_loaded_at_use = vec![false; kernel.values.len()];
    let mut ranges = Ranges::new(kernel, storage.slots);
    ranges.steps(steps);
    ranges.close_all();
    let Ranges { branches, values, slots, .. } = ranges;
    let mut excess = total_pairs(&values).saturating_add(total_pairs(&slots));
    let permitted = limit.min_pairs.max(limit.pairs_per_branch.saturating_mul(u64::from(branches)));
    if excess <= permitted {
        return is_loaded_at_use;
    }
    excess -= permitted;
    let value_items = kernel.values.keys().zip(&values).map(|(value, range)| (Item::Value(value), range));
    let slot_items = kernel.slots.keys().zip(&slots).map(|(slot, range)| (Item::Slot(slot), range));
    let mut items: Vec<(Item, u64, u64)> = value_items
        .chain(slot_items)
        .map(|(item, range)| (item, range.pairs / (range.uses + 1), range.pairs))
        .collect();
    items.sort_by_key(|&(_, benefit, _)| std::cmp::Reverse(benefit));
    for (item, _, pairs) in items {
        if excess == 0 || pairs == 0 {
            break;
        }
        excess = excess.saturating_sub(pairs);
        let (class, ty) = match item {
            Item::Value(value) => (&mut storage.values[value.position()], kernel.ty(value)),
            Item::Slot(slot) => (&mut storage.slots[slot.position()], kernel.slots[slot].ty),
        };
        match (*class, item) {
            (StorageClass::InvocationRegister | StorageClass::WorkgroupRegister, _) => {
                let shared = *class == StorageClass::WorkgroupRegister;
                *class = StorageClass::Spilled { offset: *storage.spilled_words, shared };
                *storage.spilled_words += storage_words(ty);
            }
            (StorageClass::InvocationArray { .. }, Item::Value(value)) => is_loaded_at_use[value.position()] = true,
            (StorageClass::InvocationArray { .. } | StorageClass::Spilled { .. }, _) => {}
        }
    }
    mark_scalar_regions(kernel, steps, storage.values, &is_loaded_at_use);
    is_loaded_at_use
}

/// A value or a slot.
#[derive(Clone, Copy)]
enum Item {
    Value(ValueId),
    Slot(SlotId),
}

/// Live range of a value or slot. The ranges of a value in several regions are added up.
#[derive(Clone, Copy, Default)]
struct Range {
    /// Position of the definition, from 1; 0 before it.
    defined: u32,
    /// Number of control-flow statements before the definition and before the end.
    first: u32,
    last: u32,
    /// Number of control-flow statements in closed ranges.
    pairs: u64,
    uses: u64,
}

impl Range {
    fn close(&mut self) {
        self.pairs += u64::from(self.last - self.first);
        self.first = self.last;
    }
}

fn total_pairs(ranges: &[Range]) -> u64 {
    ranges.iter().map(|range| range.pairs).sum()
}

/// A loop whose body is visited. Items that are defined before it and used within it are live until its end.
struct OpenLoop {
    start: u32,
    used: Vec<Item>,
}

struct Ranges<'p> {
    kernel: &'p Kernel,
    slot_classes: &'p [StorageClass],
    /// Number of statements so far.
    position: u32,
    /// Number of control-flow statements so far.
    branches: u32,
    values: Vec<Range>,
    slots: Vec<Range>,
    loops: Vec<OpenLoop>,
}

impl<'p> Ranges<'p> {
    fn new(kernel: &'p Kernel, slot_classes: &'p [StorageClass]) -> Ranges<'p> {
        Ranges {
            kernel,
            slot_classes,
            position: 0,
            branches: 0,
            values: vec![Range::default(); kernel.values.len()],
            slots: vec![Range::default(); kernel.slots.len()],
            loops: Vec::new(),
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.position += 1;
            match step {
                Step::Compute(value) => self.compute(*value),
                Step::Collective(value) => {
                    // A collective is a loop over the invocations.
                    self.branches += 1;
                    self.compute(*value);
                }
                Step::Set { slot, value } => {
                    self.use_value(*value);
                    self.access_slot(*slot);
                }
                Step::Region(region) => self.region(region),
                Step::If { cond, then, otherwise } => {
                    self.use_value(*cond);
                    self.branches += 1;
                    self.steps(then);
                    self.branches += 1;
                    self.steps(otherwise);
                }
                Step::Loop { variable: _, from, to, body } => {
                    self.use_value(*from);
                    self.use_value(*to);
                    self.open_loop();
                    self.steps(body);
                    self.close_loop();
                }
                Step::Break | Step::Return => {}
            }
        }
    }

    fn region(&mut self, region: &Region) {
        self.open_loop();
        self.position += 1;
        for &input in &region.inputs {
            self.define(Item::Value(input));
        }
        for &statement in &region.statements {
            self.statement(statement);
        }
        for &input in &region.inputs {
            self.values[input.position()].close();
        }
        self.close_loop();
    }

    /// Visits a statement. Blocks nest to a fixed depth.
    fn statement(&mut self, statement: Statement) {
        self.position += 1;
        statement.for_each_operand(|operand| self.use_value(operand));
        match statement {
            Statement::Let(value) => self.compute(value),
            Statement::Set { slot, value: _ } => self.access_slot(slot),
            Statement::If { cond: _, then, otherwise } => {
                self.branches += 1;
                self.block(then);
                self.branches += 1;
                self.block(otherwise);
            }
            Statement::Loop { variable: _, from: _, to: _, body } => {
                self.open_loop();
                self.block(body);
                self.close_loop();
            }
            Statement::Block { body } => {
                self.branches += 1;
                self.block(body);
            }
            Statement::Store { .. } | Statement::Break | Statement::Return | Statement::Barrier => {}
        }
    }

    fn block(&mut self, block: BlockId) {
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            self.statement(statement);
        }
    }

    fn open_loop(&mut self) {
        self.branches += 1;
        self.position += 1;
        self.loops.push(OpenLoop { start: self.position, used: Vec::new() });
    }

    fn close_loop(&mut self) {
        self.branches += 1;
        let Some(OpenLoop { used, .. }) = self.loops.pop() else { return };
        for item in used {
            self.extend(item);
        }
    }

    fn compute(&mut self, value: ValueId) {
        let op = self.kernel.op(value);
        op.for_each_operand(|operand| self.use_value(operand));
        if let Op::Get(slot) = op {
            self.access_slot(slot);
        }
        self.define(Item::Value(value));
    }

    fn range(&mut self, item: Item) -> &mut Range {
        match item {
            Item::Value(value) => &mut self.values[value.position()],
            Item::Slot(slot) => &mut self.slots[slot.position()],
        }
    }

    fn define(&mut self, item: Item) {
        let (position, branches) = (self.position, self.branches);
        let range = self.range(item);
        range.close();
        *range = Range { defined: position, first: branches, last: branches, ..*range };
    }

    /// Extends a range to this statement, and to the end of the innermost loop that begins within it.
    fn extend(&mut self, item: Item) {
        let branches = self.branches;
        let range = self.range(item);
        range.last = branches;
        let defined = range.defined;
        if let Some(innermost) = self.loops.last_mut()
            && defined < innermost.start
        {
            innermost.used.push(item);
        }
    }

    fn use_value(&mut self, value: ValueId) {
        // Leaves, and loop variables, are in no long ranges.
        if self.kernel.op(value).is_leaf() || self.values[value.position()].defined == 0 {
            return;
        }
        self.values[value.position()].uses += 1;
        self.extend(Item::Value(value));
    }

    fn access_slot(&mut self, slot: SlotId) {
        let is_in_register = matches!(
            self.slot_classes[slot.position()],
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister
        );
        if !is_in_register {
            return;
        }
        // The first access is the one that dominates the others.
        if self.slots[slot.position()].defined == 0 {
            self.define(Item::Slot(slot));
        }
        self.slots[slot.position()].uses += 1;
        self.extend(Item::Slot(slot));
    }

    fn close_all(&mut self) {
        for range in self.values.iter_mut().chain(&mut self.slots) {
            range.close();
        }
    }
}

/// Marks the regions that compute or load values of invocations in memory: SIMD groups cannot.
fn mark_scalar_regions(kernel: &Kernel, steps: &mut [Step], classes: &[StorageClass], is_loaded_at_use: &[bool]) {
    super::step::for_each_region(steps, &mut |_, region| {
        let is_spilled = |value: ValueId| {
            is_loaded_at_use[value.position()]
                || matches!(classes[value.position()], StorageClass::Spilled { shared: false, .. })
        };
        let mut found = region.inputs.iter().any(|&input| is_spilled(input));
        region.inputs.retain(|&input| !is_loaded_at_use[input.position()]);
        let mut pending: Vec<&[Statement]> = vec![&region.statements];
        while let Some(statements) = pending.pop() {
            for &statement in statements {
                if let Statement::Let(value) = statement {
                    found |= is_spilled(value);
                }
                pending.extend(statement.blocks().map(|block| &kernel.blocks[block].statements[..]));
            }
        }
        region.is_scalar_only = found;
    });
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::lower;

    use super::super::{Plan, PlanOptions};
    use super::*;
    use crate::vectorize::VectorizationMode;

    fn kernel(size: u32, body: &str) -> Kernel {
        let source = format!(
            "workgroup_size {size}; buffer out: read_write u32 @0; buffer input: read u32 @1; entry {{ {body} }}"
        );
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{errors:?}"));
        lower(&valid).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Pairs of live ranges in registers and control-flow statements, and the number of control-flow statements.
    fn pairs(kernel: &Kernel, plan: &Plan) -> (u64, u64) {
        let mut ranges = Ranges::new(kernel, &plan.slots);
        ranges.steps(&plan.steps);
        ranges.close_all();
        let is_in_register = |&(value, _): &(ValueId, &Range)| {
            !matches!(plan.values[value.position()], StorageClass::Spilled { .. })
                && !plan.is_loaded_at_use[value.position()]
        };
        let values = kernel.values.keys().zip(&ranges.values).filter(is_in_register);
        let of_values: u64 = values.map(|(_, range)| range.pairs).sum();
        (of_values + total_pairs(&ranges.slots), u64::from(ranges.branches))
    }

    /// Bodies with `count` long live ranges and `count` branches or loops.
    fn long_bodies(count: usize) -> Vec<String> {
        let repeated = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
        let lets = repeated(&|at| format!("let x{at} = out[{at}];"));
        let uniform = repeated(&|at| format!("let x{at} = input[{at}];"));
        let ifs = repeated(&|at| format!("if out[{at}] > 3 {{ out[{at}] = 1; }}"));
        let stores = repeated(&|at| format!("out[{at}] = x{at};"));
        vec![
            repeated(&|at| format!("for i in 0..input[{at}] {{ out[i] = {at}; }}")),
            format!("{lets} {ifs} {stores}"),
            format!("{uniform} {ifs} {stores}"),
            format!("{lets} for i in 0..9 {{ {stores} {ifs} }}"),
            format!("{lets} barrier; {ifs} {stores}"),
            format!("{} {} {stores}", repeated(&|at| format!("let x{at} = 0;")), {
                repeated(&|at| format!("if out[{at}] > 3 {{ x{at} = {at}; }}"))
            }),
        ]
    }

    #[test]
    fn live_values_at_branches_are_linear_in_the_number_of_branches() {
        let limit = LiveRangeLimit::default();
        for size in [1, 64] {
            for (number, body) in long_bodies(3_000).iter().enumerate() {
                let kernel = kernel(size, body);
                let options = PlanOptions { mode: VectorizationMode::Always, live_ranges: limit };
                let (pairs, branches) = pairs(&kernel, &Plan::new(&kernel, options));
                assert!(branches >= 3_000, "{number}: {branches}");
                let permitted = limit.min_pairs.max(limit.pairs_per_branch * branches);
                assert!(pairs <= permitted, "body {number}, size {size}: {pairs} pairs, {branches} branches");
            }
        }
    }

    #[test]
    fn usual_kernels_keep_their_values_in_registers() {
        for size in [1, 64] {
            for body in long_bodies(40) {
                let kernel = kernel(size, &body);
                let plan = Plan::new(&kernel, PlanOptions::default());
                assert!(!plan.is_loaded_at_use.contains(&true));
                assert!(!plan.values.iter().any(|class| matches!(class, StorageClass::Spilled { .. })));
            }
        }
    }
}
