//! Slots: mutable variables of the kernel, in registers, arrays or spilled.

use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_frontend::Variable;
use vyre_kernel::{Key, SlotId, Type, ValueId};

use super::{Emitter, SimdValue, Words, aligned, word_type};
use crate::storage::{StorageClass, storage_words};

impl Emitter<'_, '_> {
    /// Declares variables for slots in registers.
    pub(super) fn declare_slots(&mut self) {
        for (slot, entry) in self.kernel.slots.iter() {
            if !matches!(
                self.plan.slots[slot.position()],
                StorageClass::InvocationRegister | StorageClass::WorkgroupRegister
            ) {
                continue;
            }
            let ty = word_type(entry.ty);
            let zero = self.builder.ins().iconst(ty, 0);
            let first = self.builder.declare_var(ty);
            let mut variables = [first; 4];
            for variable in variables.iter_mut().take(storage_words(entry.ty) as usize).skip(1) {
                *variable = self.builder.declare_var(ty);
            }
            for &variable in variables.iter().take(storage_words(entry.ty) as usize) {
                self.builder.def_var(variable, zero);
            }
            self.variables[slot.position()] = Some(variables);
        }
    }

    /// Clears the slots of the workgroup, whose registers hold values of the workgroup before.
    pub(super) fn clear_shared_slots(&mut self) {
        for slot in self.kernel.slots.keys() {
            if let StorageClass::WorkgroupRegister | StorageClass::Spilled { shared: true, .. } =
                self.plan.slots[slot.position()]
            {
                self.clear_slot(slot);
            }
        }
    }

    /// Assigns to a slot of the invocation or workgroup that runs.
    pub(super) fn set(&mut self, slot: SlotId, value: ValueId) {
        let ty = self.kernel.slots[slot].ty;
        let stored = self.operand(value);
        match self.plan.slots[slot.position()] {
            StorageClass::InvocationArray { offset } => self.spill_words(offset, ty, stored),
            StorageClass::Spilled { offset, shared: _ } => self.store_spilled(offset, ty, stored),
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister => {
                if let Some(variables) = self.variables[slot.position()] {
                    for (&variable, &word) in variables.iter().zip(&stored).take(storage_words(ty) as usize) {
                        self.builder.def_var(variable, word);
                    }
                }
            }
        }
    }

    /// Reads a slot of the invocation or workgroup that runs.
    pub(super) fn get(&mut self, slot: SlotId) -> Words {
        let ty = self.kernel.slots[slot].ty;
        match (self.plan.slots[slot.position()], self.variables[slot.position()]) {
            (StorageClass::InvocationArray { offset }, _) => {
                let invocation = self.invocation.index;
                self.load_words(offset, ty, invocation)
            }
            (StorageClass::Spilled { offset, shared: _ }, _) => self.load_spilled(offset, ty),
            (StorageClass::InvocationRegister | StorageClass::WorkgroupRegister, Some(variables)) => {
                let mut read = [self.builder.use_var(variables[0]); 4];
                for (word, &variable) in read.iter_mut().zip(&variables).take(storage_words(ty) as usize).skip(1) {
                    *word = self.builder.use_var(variable);
                }
                read
            }
            (StorageClass::InvocationRegister | StorageClass::WorkgroupRegister, None) => {
                [self.builder.ins().iconst(word_type(ty), 0); 4]
            }
        }
    }

    /// Stores the words of a spilled slot or value.
    pub(super) fn store_spilled(&mut self, offset: u32, ty: Type, stored: Words) {
        for (at, &word) in stored.iter().enumerate().take(storage_words(ty) as usize) {
            let is_bool = self.builder.func.dfg.value_type(word) == types::I8;
            let word = if is_bool { self.builder.ins().uextend(types::I32, word) } else { word };
            let byte = self.spilled_offset(offset, at as u32);
            self.builder.ins().store(aligned(), word, self.scratch, byte);
        }
    }

    /// Loads the words of a spilled slot or value.
    pub(super) fn load_spilled(&mut self, offset: u32, ty: Type) -> Words {
        let mut read = [self.scratch; 4];
        for at in 0..storage_words(ty) {
            let byte = self.spilled_offset(offset, at);
            let word = self.builder.ins().load(types::I32, aligned(), self.scratch, byte);
            let is_bool = ty == Type::Bool;
            read[at as usize] = if is_bool { self.builder.ins().ireduce(types::I8, word) } else { word };
        }
        for at in storage_words(ty) as usize..4 {
            read[at] = read[0];
        }
        read
    }

    /// Clears a slot of the invocation or workgroup that runs.
    pub(super) fn clear_slot(&mut self, slot: SlotId) {
        let ty = self.kernel.slots[slot].ty;
        if let StorageClass::Spilled { offset, shared: _ } = self.plan.slots[slot.position()] {
            let zero = self.builder.ins().iconst(types::I32, 0);
            for at in 0..storage_words(ty) {
                let byte = self.spilled_offset(offset, at);
                self.builder.ins().store(aligned(), zero, self.scratch, byte);
            }
        } else if let Some(variables) = self.variables[slot.position()] {
            let zero = self.builder.ins().iconst(word_type(ty), 0);
            for &variable in variables.iter().take(storage_words(ty) as usize) {
                self.builder.def_var(variable, zero);
            }
        }
    }

    /// Offset of a word of a spilled slot from the start of scratch memory.
    fn spilled_offset(&self, offset: u32, word: u32) -> i32 {
        // The device checks the size of scratch memory before it runs code.
        let bytes = self.plan.spilled_start() + u64::from(offset + word) * 16;
        i32::try_from(bytes).unwrap_or(i32::MAX)
    }

    /// Vector variables of a slot, which are declared on the first use.
    fn vector_slot(&mut self, slot: SlotId) -> [Variable; 4] {
        if let Some(known) = self.vector_variables[slot.position()] {
            return known;
        }
        let first = self.builder.declare_var(types::I32X4);
        let mut variables = [first; 4];
        for variable in variables.iter_mut().take(storage_words(self.kernel.slots[slot].ty) as usize).skip(1) {
            *variable = self.builder.declare_var(types::I32X4);
        }
        self.vector_variables[slot.position()] = Some(variables);
        variables
    }

    /// Clears a slot that holds a vector.
    pub(super) fn clear_vector_slot(&mut self, slot: SlotId) {
        let zero = self.splat_constant(0);
        if let StorageClass::Spilled { offset, shared: _ } = self.plan.slots[slot.position()] {
            let ty = self.kernel.slots[slot].ty;
            self.store_spilled_slot(offset, ty, [zero; 4]);
            return;
        }
        for variable in self.vector_slot(slot) {
            self.builder.def_var(variable, zero);
        }
    }

    /// Assigns to a slot for the lanes of the group in the mask.
    pub(super) fn simd_set(&mut self, slot: SlotId, value: ValueId, mask: Option<ir::Value>) {
        let ty = self.kernel.slots[slot].ty;
        let is_vector = self.simd_plan.is_some_and(|plan| plan.vector_slots.contains(&slot));
        match self.plan.slots[slot.position()] {
            StorageClass::InvocationArray { offset } => {
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let invocation = self.invocation.index;
                    let before = self.load_vectors(offset, ty, invocation);
                    vectors = self.blend(mask, vectors, before, storage_words(ty) as usize);
                }
                self.spill_vectors(offset, ty, vectors);
            }
            StorageClass::Spilled { offset, shared: false } => {
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let before = self.load_spilled_slot(offset, ty);
                    vectors = self.blend(mask, vectors, before, storage_words(ty) as usize);
                }
                self.store_spilled_slot(offset, ty, vectors);
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister if is_vector => {
                let variables = self.vector_slot(slot);
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let before = variables.map(|variable| self.builder.use_var(variable));
                    vectors = self.blend(mask, vectors, before, storage_words(ty) as usize);
                }
                for (&variable, &vector) in variables.iter().zip(&vectors).take(storage_words(ty) as usize) {
                    self.builder.def_var(variable, vector);
                }
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister | StorageClass::Spilled { .. } => {
                self.set(slot, value)
            }
        }
    }

    /// Reads a slot for the group.
    pub(super) fn simd_get(&mut self, slot: SlotId, value: ValueId) {
        let ty = self.kernel.slots[slot].ty;
        let is_vector = self.simd_plan.is_some_and(|plan| plan.vector_slots.contains(&slot));
        match self.plan.slots[slot.position()] {
            StorageClass::InvocationArray { offset } => {
                let invocation = self.invocation.index;
                let vectors = self.load_vectors(offset, ty, invocation);
                self.simd_values[value.position()] = Some(SimdValue::Varying(vectors));
            }
            StorageClass::Spilled { offset, shared: false } => {
                let vectors = self.load_spilled_slot(offset, ty);
                self.simd_values[value.position()] = Some(SimdValue::Varying(vectors));
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister if is_vector => {
                let variables = self.vector_slot(slot);
                let vectors = variables.map(|variable| self.builder.use_var(variable));
                self.simd_values[value.position()] = Some(SimdValue::Varying(vectors));
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister | StorageClass::Spilled { .. } => {
                self.words[value.position()] = Some(self.get(slot));
            }
        }
    }

    /// Blends two values by a mask.
    fn blend(&mut self, mask: ir::Value, a: Words, b: Words, count: usize) -> Words {
        let mut chosen = [self.builder.ins().bitselect(mask, a[0], b[0]); 4];
        for at in 1..count {
            chosen[at] = self.builder.ins().bitselect(mask, a[at], b[at]);
        }
        chosen
    }

    fn load_spilled_slot(&mut self, offset: u32, ty: Type) -> Words {
        self.load_each(ty, |emitter, word| (emitter.scratch, emitter.spilled_offset(offset, word)))
    }

    fn store_spilled_slot(&mut self, offset: u32, ty: Type, vectors: Words) {
        self.store_each(ty, vectors, |emitter, word| (emitter.scratch, emitter.spilled_offset(offset, word)));
    }
}
