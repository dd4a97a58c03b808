//! Storage assignment: values and slots that are live across regions are spilled to per-invocation arrays.
//!
//! A register of an invocation lives for one iteration of an invocation loop. A value that one region defines and another uses
//! therefore gets an array with one element per invocation (context arrays of pocl), unless it is rematerialized: a few cheap
//! operations on ids and workgroup values are computed again instead. Arrays of a block are free again at its end.

use vyre_kernel::{Binary, Effect, Kernel, Key, Op, SlotId, Statement, ValueId};

use super::live_ranges::{LiveRangeLimit, Storage, spill_long_ranges};
use super::regions::Formation;
use super::register_pressure::spilled_slots;
use super::step::Step;
use crate::storage::{StorageClass, storage_words};

/// Maximum number of operations that are rematerialized for one value.
const MAX_REMATERIALIZED_OPERATIONS: usize = 4;

/// Maximum number of slots for which a region records that it sets them before their first use.
const MAX_DEFINED_SLOTS: usize = 64;

/// An array whose offset is not assigned yet.
const UNASSIGNED_ARRAY: StorageClass = StorageClass::InvocationArray { offset: u32::MAX };

/// Storage of a kernel, and its final steps.
pub(super) struct StorageAssignment {
    pub(super) steps: Vec<Step>,
    /// By value.
    pub(super) values: Vec<StorageClass>,
    /// By value: true if it is in an array and is loaded at each use.
    pub(super) is_loaded_at_use: Vec<bool>,
    /// By slot.
    pub(super) slots: Vec<StorageClass>,
    /// Words of slot arrays for each invocation, which come first.
    pub(super) slot_array_words: u32,
    /// Words of all arrays for each invocation.
    pub(super) array_words: u32,
    /// Words of slots and values that are spilled because of register pressure.
    pub(super) spilled_words: u32,
    /// True if a region must skip invocations that returned in an earlier one.
    pub(super) tracks_returns: bool,
}

/// Assigns storage to all values and slots. Rematerialized operations are added to the regions that need them, and values
/// that have no use any more are dropped.
pub(super) fn assign_storage(kernel: &Kernel, formation: Formation, limit: LiveRangeLimit) -> StorageAssignment {
    let Formation { mut steps, is_workgroup_value, is_shared_slot } = formation;
    let register =
        |of_workgroup| if of_workgroup { StorageClass::WorkgroupRegister } else { StorageClass::InvocationRegister };
    let mut assignment = Assignment {
        kernel,
        values: is_workgroup_value.into_iter().map(register).collect(),
        slots: is_shared_slot.into_iter().map(register).collect(),
        defining_region: vec![0; kernel.values.len()],
        rematerialized_in: vec![0; kernel.values.len()],
        slot_uses: vec![SlotUse::None; kernel.slots.len()],
        regions: 0,
        has_return: false,
    };
    assignment.find_definitions(&steps, false);
    let slot_array_words = assignment.assign_slot_arrays();
    let mut spilled_words = assignment.spill_slots();
    assignment.find_inputs(&mut steps, &mut 0);
    let mut used_in = vec![0; kernel.values.len()];
    assignment.drop_unused(&mut steps, &mut used_in, &mut 0);
    let array_words = assignment.assign_offsets(&steps, slot_array_words);
    let (values, slots) = (&mut assignment.values, &mut assignment.slots);
    let storage = Storage { values, slots, spilled_words: &mut spilled_words };
    let is_loaded_at_use = spill_long_ranges(kernel, &mut steps, storage, limit);
    StorageAssignment {
        steps,
        values: assignment.values,
        is_loaded_at_use,
        slots: assignment.slots,
        slot_array_words,
        array_words,
        spilled_words,
        tracks_returns: assignment.has_return && assignment.regions > 1,
    }
}

struct Assignment<'k> {
    kernel: &'k Kernel,
    values: Vec<StorageClass>,
    slots: Vec<StorageClass>,
    /// By value: the region that defines it, from 1; 0 if none does.
    defining_region: Vec<u32>,
    /// By value: the last region that rematerializes it.
    rematerialized_in: Vec<u32>,
    slot_uses: Vec<SlotUse>,
    regions: u32,
    has_return: bool,
}

/// The regions that access a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotUse {
    None,
    One(u32),
    Several,
}

/// Position of a statement in the steps of a workgroup.
#[derive(Clone, Copy)]
struct Position {
    region: u32,
    /// The region is in a loop of the workgroup.
    in_workgroup_loop: bool,
    /// The statement stands directly in the region, so that every iteration of the invocation loop runs it.
    is_unconditional: bool,
}

impl Assignment<'_> {
    /// Records the region that defines each value, and the regions that access each slot.
    fn find_definitions(&mut self, steps: &[Step], in_workgroup_loop: bool) {
        for step in steps {
            match step {
                Step::Region(region) => {
                    self.regions += 1;
                    let at = Position { region: self.regions, in_workgroup_loop, is_unconditional: true };
                    let mut defined_slots = Vec::new();
                    for &statement in &region.statements {
                        self.find_definitions_in(statement, at, &mut defined_slots);
                    }
                }
                Step::If { cond: _, then, otherwise } => {
                    self.find_definitions(then, in_workgroup_loop);
                    self.find_definitions(otherwise, in_workgroup_loop);
                }
                Step::Loop { body, .. } => self.find_definitions(body, true),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
    }

    fn find_definitions_in(&mut self, statement: Statement, at: Position, defined_slots: &mut Vec<SlotId>) {
        match statement {
            Statement::Let(value) => {
                self.defining_region[value.position()] = at.region;
                if let Op::Get(slot) = self.kernel.op(value) {
                    // In a loop of the workgroup an earlier iteration may have set the slot.
                    let is_carried = at.in_workgroup_loop && !defined_slots.contains(&slot);
                    self.use_slot(slot, if is_carried { SlotUse::Several } else { SlotUse::One(at.region) });
                }
            }
            Statement::Set { slot, value: _ } => {
                if at.is_unconditional && defined_slots.len() < MAX_DEFINED_SLOTS {
                    defined_slots.push(slot);
                }
                self.use_slot(slot, SlotUse::One(at.region));
            }
            Statement::Loop { variable, .. } => self.defining_region[variable.position()] = at.region,
            Statement::Return => self.has_return = true,
            Statement::Store { .. }
            | Statement::If { .. }
            | Statement::Block { .. }
            | Statement::Break
            | Statement::Barrier => {}
        }
        for block in statement.blocks() {
            let kernel = self.kernel;
            for &inner in &kernel.blocks[block].statements {
                self.find_definitions_in(inner, Position { is_unconditional: false, ..at }, defined_slots);
            }
        }
    }

    fn use_slot(&mut self, slot: SlotId, by: SlotUse) {
        let known = &mut self.slot_uses[slot.position()];
        *known = match (*known, by) {
            (SlotUse::None, by) => by,
            (SlotUse::One(a), SlotUse::One(b)) if a == b => SlotUse::One(a),
            _ => SlotUse::Several,
        };
    }

    /// Gives arrays to slots of invocations that several regions use. Returns the number of words.
    fn assign_slot_arrays(&mut self) -> u32 {
        let mut words = 0;
        for (slot, entry) in self.kernel.slots.iter() {
            let class = &mut self.slots[slot.position()];
            if *class == StorageClass::InvocationRegister && self.slot_uses[slot.position()] == SlotUse::Several {
                *class = StorageClass::InvocationArray { offset: words };
                words += storage_words(entry.ty);
            }
        }
        words
    }

    /// Spills slots where registers would not do. Returns the number of words.
    fn spill_slots(&mut self) -> u32 {
        let mut words = 0;
        for ((slot, entry), is_spilled) in self.kernel.slots.iter().zip(spilled_slots(self.kernel)) {
            let class = &mut self.slots[slot.position()];
            if is_spilled && let StorageClass::InvocationRegister | StorageClass::WorkgroupRegister = *class {
                let shared = *class == StorageClass::WorkgroupRegister;
                *class = StorageClass::Spilled { offset: words, shared };
                words += storage_words(entry.ty);
            }
        }
        words
    }

    /// Finds the values that are live from one region to another, or to the workgroup.
    fn find_inputs(&mut self, steps: &mut [Step], number: &mut u32) {
        for step in steps {
            match step {
                Step::Region(region) => {
                    *number += 1;
                    let mut inputs = Vec::new();
                    for &statement in &region.statements {
                        self.add_inputs(statement, *number, &mut inputs);
                    }
                    inputs.sort_unstable();
                    inputs.dedup();
                    let mut operations = Vec::new();
                    inputs.retain(|&input| !self.rematerialize(input, *number, &mut operations));
                    region.statements.splice(0..0, operations.into_iter().map(Statement::Let));
                    for &input in &inputs {
                        self.spill(input);
                    }
                    region.inputs = inputs;
                }
                Step::Collective(value) => {
                    if self.values[value.position()] != StorageClass::WorkgroupRegister {
                        self.values[value.position()] = UNASSIGNED_ARRAY;
                    }
                    self.kernel.op(*value).for_each_operand(|operand| self.spill(operand));
                }
                Step::If { cond, then, otherwise } => {
                    self.spill(*cond);
                    self.find_inputs(then, number);
                    self.find_inputs(otherwise, number);
                }
                Step::Loop { variable: _, from, to, body } => {
                    self.spill(*from);
                    self.spill(*to);
                    self.find_inputs(body, number);
                }
                Step::Compute(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
    }

    /// Adds the values of other regions that a statement uses.
    fn add_inputs(&self, statement: Statement, region: u32, inputs: &mut Vec<ValueId>) {
        self.for_each_use(statement, &mut |operand| {
            let is_elsewhere = self.defining_region[operand.position()] != region;
            let is_workgroup_value = self.values[operand.position()] == StorageClass::WorkgroupRegister;
            if self.needs_storage(operand) && is_elsewhere && !is_workgroup_value {
                inputs.push(operand);
            }
        });
    }

    /// Visits the operands of a statement and of all statements within it.
    fn for_each_use(&self, statement: Statement, visit: &mut impl FnMut(ValueId)) {
        statement.for_each_operand(&mut *visit);
        if let Statement::Let(value) = statement {
            self.kernel.op(value).for_each_operand(&mut *visit);
        }
        for block in statement.blocks() {
            for &inner in &self.kernel.blocks[block].statements {
                self.for_each_use(inner, visit);
            }
        }
    }

    /// Reports whether a value is computed, as opposed to a leaf, which needs no storage.
    fn needs_storage(&self, value: ValueId) -> bool {
        let op = self.kernel.op(value);
        !op.is_leaf() || op == Op::LoopVariable
    }

    /// Gives an array to a value that invocations compute.
    fn spill(&mut self, value: ValueId) {
        if self.values[value.position()] == StorageClass::InvocationRegister && self.needs_storage(value) {
            self.values[value.position()] = UNASSIGNED_ARRAY;
        }
    }

    /// Rematerializes a value in a region if it takes a few operations on ids and workgroup values. Adds the missing ones
    /// to `operations`, and reports whether it did.
    fn rematerialize(&mut self, value: ValueId, region: u32, operations: &mut Vec<ValueId>) -> bool {
        let mut found = Vec::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let op = self.kernel.op(value);
            let is_available = !self.needs_storage(value)
                || self.values[value.position()] == StorageClass::WorkgroupRegister
                || found.contains(&value);
            if is_available {
                continue;
            }
            let is_cheap = match op {
                Op::Binary(binary, ..) => !matches!(binary, Binary::Div | Binary::Mod),
                Op::Compare(..) | Op::Not(_) | Op::Logic(..) | Op::ToWord(_) => true,
                _ => false,
            };
            if !is_cheap || found.len() == MAX_REMATERIALIZED_OPERATIONS {
                return false;
            }
            found.push(value);
            op.for_each_operand(|operand| pending.push(operand));
        }
        // Topological order: operands must precede their uses.
        found.retain(|value| self.rematerialized_in[value.position()] != region);
        while !found.is_empty() {
            let ready = found.iter().position(|&value| {
                let mut is_ready = true;
                self.kernel.op(value).for_each_operand(|operand| is_ready &= !found.contains(&operand));
                is_ready
            });
            let Some(ready) = ready else { return false };
            let value = found.remove(ready);
            self.rematerialized_in[value.position()] = region;
            operations.push(value);
        }
        true
    }

    /// Dead code elimination after rematerialization: drops values without a use, and empty regions.
    fn drop_unused(&self, steps: &mut Vec<Step>, used_in: &mut [u32], number: &mut u32) {
        steps.retain_mut(|step| {
            match step {
                Step::Region(region) => {
                    *number += 1;
                    let mut kept = Vec::with_capacity(region.statements.len());
                    for &statement in region.statements.iter().rev() {
                        if let Statement::Let(value) = statement
                            && self.values[value.position()] == StorageClass::InvocationRegister
                            && used_in[value.position()] != *number
                            && !matches!(self.kernel.op(value).effect(), Effect::Updates(_) | Effect::Rendezvous)
                        {
                            continue;
                        }
                        self.for_each_use(statement, &mut |operand| used_in[operand.position()] = *number);
                        kept.push(statement);
                    }
                    kept.reverse();
                    region.statements = kept;
                    return !region.statements.is_empty();
                }
                Step::If { cond: _, then, otherwise } => {
                    self.drop_unused(then, used_in, number);
                    self.drop_unused(otherwise, used_in, number);
                }
                Step::Loop { body, .. } => self.drop_unused(body, used_in, number),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
            true
        });
    }

    /// Assigns offsets to the arrays of values, stack-like by block. Returns the maximum number of words in use.
    fn assign_offsets(&mut self, steps: &[Step], start: u32) -> u32 {
        let mut next = start;
        let mut max = start;
        for step in steps {
            match step {
                Step::Region(region) => {
                    for &statement in &region.statements {
                        // Only values that stand directly in the region are live outside of it.
                        if let Statement::Let(value) = statement {
                            self.assign_offset(value, &mut next);
                        }
                    }
                }
                Step::Collective(value) => self.assign_offset(*value, &mut next),
                Step::If { cond: _, then, otherwise } => {
                    max = max.max(self.assign_offsets(then, next));
                    max = max.max(self.assign_offsets(otherwise, next));
                }
                Step::Loop { body, .. } => max = max.max(self.assign_offsets(body, next)),
                Step::Compute(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
            max = max.max(next);
        }
        max
    }

    fn assign_offset(&mut self, value: ValueId, next: &mut u32) {
        if self.values[value.position()] == UNASSIGNED_ARRAY {
            self.values[value.position()] = StorageClass::InvocationArray { offset: *next };
            *next = next.saturating_add(storage_words(self.kernel.ty(value)));
        }
    }
}
