//! Loads, stores and atomics.

use vyre_ir::{AtomicOp, BufferAccess};
use vyre_kernel::{BufferId, Key as _, Op, Type, ValueId, element_type};

use super::emitter::{Emitter, line};
use super::operand::{Operand, Predicate, Word, Words};
use super::packing::WARP;
use super::vectors::{AffineIndex, Role};
use crate::ptx::PtxParameter;

/// Upper bound of an immediate address offset in an instruction.
const MAX_DISPLACEMENT_BYTES: u32 = 1 << 20;

/// Memory operand of an instruction.
pub(super) struct MemoryOperand {
    /// State space: `global` or `shared`.
    space: &'static str,
    /// State space of loads: `global.nc` if no invocation writes the buffer.
    load_space: &'static str,
    address: String,
}

impl Emitter<'_> {
    fn element(&self, buffer: BufferId) -> Type {
        element_type(self.kernel.buffers[buffer].element)
    }

    fn is_shared(&self, buffer: BufferId) -> bool {
        self.kernel.buffers[buffer].access == BufferAccess::Workgroup
    }

    fn memory_operand(&self, buffer: BufferId, address: String) -> MemoryOperand {
        if self.is_shared(buffer) {
            return MemoryOperand { space: "shared", load_space: "shared", address };
        }
        // A written buffer is bound only once, so no other binding of the same memory can write this one.
        let load_space = if self.usage.buffer(buffer).is_written { "global" } else { "global.nc" };
        MemoryOperand { space: "global", load_space, address }
    }

    /// Address of an element.
    fn element_address(&mut self, buffer: BufferId, index: ValueId) -> MemoryOperand {
        let affine = AffineIndex::of(self.kernel, index);
        let affine = if affine.is_exact(self.kernel) { affine } else { AffineIndex { base: Some(index), offset: 0 } };
        self.indexed_address(buffer, affine)
    }

    /// Address of the element at an affine index.
    fn indexed_address(&mut self, buffer: BufferId, index: AffineIndex) -> MemoryOperand {
        let bytes = self.element(buffer).words() * 4;
        let base = index.base.map_or(Word::Constant(0), |base| self.word(base));
        self.scaled_address(buffer, base, index.offset, bytes)
    }

    /// Address `(base + offset) * bytes` within a buffer.
    fn scaled_address(&mut self, buffer: BufferId, base: Word, offset: u32, bytes: u32) -> MemoryOperand {
        let displacement = u64::from(offset) * u64::from(bytes);
        // An offset that is too large for an immediate is added to the base.
        let (base, displacement) = match (base, u32::try_from(displacement)) {
            (Word::Constant(base), _) => {
                let whole = u64::from(base) * u64::from(bytes) + displacement;
                match u32::try_from(whole) {
                    Ok(whole) if whole < MAX_DISPLACEMENT_BYTES => (None, whole),
                    _ => (Some(Word::Constant(base.wrapping_add(offset))), 0),
                }
            }
            (Word::Register(_), Ok(displacement)) if displacement < MAX_DISPLACEMENT_BYTES => {
                (Some(base), displacement)
            }
            (Word::Register(_), _) => (Some(self.computed("add.u32", &[base, Word::Constant(offset)])), 0),
        };
        let immediate = |bytes: u32| if bytes == 0 { String::new() } else { format!("+{bytes}") };
        if self.is_shared(buffer) {
            let start = self.packing.offset(buffer);
            let shared = self.shared();
            let address = match base {
                None => shared,
                Some(base) if bytes == 1 => self.computed("add.u32", &[base, shared]),
                Some(base) => self.computed("mad.lo.u32", &[base, Word::Constant(bytes), shared]),
            };
            return self.memory_operand(buffer, format!("{address}{}", immediate(start + displacement)));
        }
        let position = self.position(buffer);
        let start = self.address_parameter(PtxParameter::Address(position));
        let address = match base {
            None => start,
            Some(base) => {
                // The assembler fuses these two into one instruction, but does not do so with a 64-bit `mad`.
                let (distance, address) = (self.new_address(), self.new_address());
                line!(self, "mul.wide.u32 {distance}, {base}, {bytes}");
                line!(self, "add.s64 {address}, {start}, {distance}");
                address
            }
        };
        self.memory_operand(buffer, format!("{address}{}", immediate(displacement)))
    }

    /// Guard as the prefix of an instruction. `None` if the access never happens.
    fn guarded(&mut self, guard: Option<ValueId>) -> Option<String> {
        match guard.map(|guard| self.predicate(guard)) {
            None | Some(Predicate::Constant(true)) => Some(String::new()),
            Some(Predicate::Constant(false)) => None,
            Some(guard) => Some(format!("@{guard} ")),
        }
    }

    /// Result registers of a guarded instruction. They are zero if the instruction is not executed.
    fn results(&mut self, count: u32, guard: &str) -> Words {
        let words = self.new_words(count);
        if !guard.is_empty() {
            for word in words.as_slice() {
                line!(self, "mov.u32 {word}, 0");
            }
        }
        words
    }

    pub(super) fn load(&mut self, buffer: BufferId, index: ValueId, guard: Option<ValueId>) -> Words {
        let count = self.element(buffer).words();
        match guard {
            Some(guard) if self.selects_index(buffer) => return self.load_selected(buffer, index, guard),
            _ => {}
        }
        let Some(guard) = self.guarded(guard) else { return Words::from_fn(count, || Word::Constant(0)) };
        let MemoryOperand { load_space, address, .. } = self.element_address(buffer, index);
        let words = self.results(count, &guard);
        line!(self, "{guard}ld.{load_space}.{} {}, [{address}]", words.access(), words.list());
        words
    }

    /// Reports whether guarded loads of a buffer select their index instead of having a predicate. If workgroups share a
    /// warp, they may diverge, and the assembler then adds instructions to each predicated access to global memory that cost
    /// more than two selects.
    fn selects_index(&self, buffer: BufferId) -> bool {
        let is_shared_warp = self.packing.is_within_warp() && self.packing.segment_lanes() < WARP;
        self.has_many_guards || (is_shared_warp && !self.is_shared(buffer))
    }

    /// Loads an element, or element 0, which always exists, in place of an element out of range. The result is zero then.
    fn load_selected(&mut self, buffer: BufferId, index: ValueId, guard: ValueId) -> Words {
        let bytes = self.element(buffer).words() * 4;
        let (index, guard) = (self.word(index), self.predicate(guard));
        let index = self.selected(guard, index, Word::Constant(0));
        let MemoryOperand { load_space, address, .. } = self.scaled_address(buffer, index, 0, bytes);
        let found = self.new_words(bytes / 4);
        line!(self, "ld.{load_space}.{} {}, [{address}]", found.access(), found.list());
        let mut found = found.as_slice().iter();
        let zero = Word::Constant(0);
        Words::from_fn(bytes / 4, || found.next().map_or(zero, |&word| self.selected(guard, word, zero)))
    }

    /// Loads a byte of a buffer of words. The guard concerns the word.
    pub(super) fn load_byte(&mut self, buffer: BufferId, byte: ValueId, guard: Option<ValueId>) -> Words {
        let Some(guard) = self.guarded(guard) else { return Words::of([Word::Constant(0)]) };
        let byte = self.word(byte);
        let MemoryOperand { load_space, address, .. } = self.scaled_address(buffer, byte, 0, 1);
        let words = self.results(1, &guard);
        line!(self, "{guard}ld.{load_space}.u8 {}, [{address}]", words.list());
        words
    }

    pub(super) fn store(&mut self, buffer: BufferId, index: ValueId, value: Words, guard: Option<ValueId>) {
        let Some(guard) = self.guarded(guard) else { return };
        let MemoryOperand { space, address, .. } = self.element_address(buffer, index);
        line!(self, "{guard}st.{space}.{} [{address}], {}", value.access(), value.list());
    }

    pub(super) fn atomic(
        &mut self,
        value: ValueId,
        op: AtomicOp,
        (buffer, index, guard): (BufferId, ValueId, Option<ValueId>),
        expected: Option<ValueId>,
        operand: Option<ValueId>,
    ) -> Word {
        let zero = Word::Constant(0);
        let Some(guard) = self.guarded(guard) else { return zero };
        let expected = expected.map_or(zero, |expected| self.word(expected));
        let operand = operand.map_or(zero, |operand| self.word(operand));
        let MemoryOperand { space, address, .. } = self.element_address(buffer, index);
        // A block contains whole workgroups.
        let scope = if self.is_shared(buffer) { "cta" } else { "gpu" };
        let name = match op {
            AtomicOp::Add => "add.u32",
            AtomicOp::Or => "or.b32",
            AtomicOp::And => "and.b32",
            AtomicOp::Xor => "xor.b32",
            AtomicOp::Min => "min.u32",
            AtomicOp::Max => "max.u32",
            AtomicOp::Exchange => "exch.b32",
            AtomicOp::CompareExchange => {
                let result = self.results(1, &guard).first();
                line!(self, "{guard}atom.relaxed.{scope}.{space}.cas.b32 {result}, [{address}], {expected}, {operand}");
                return result;
            }
            AtomicOp::Load => {
                let result = self.results(1, &guard).first();
                line!(self, "{guard}ld.relaxed.{scope}.{space}.u32 {result}, [{address}]");
                return result;
            }
            AtomicOp::Store => {
                line!(self, "{guard}st.relaxed.{scope}.{space}.u32 [{address}], {operand}");
                return zero;
            }
        };
        if !self.usage.is_used(value) && op != AtomicOp::Exchange {
            line!(self, "{guard}red.relaxed.{scope}.{space}.{name} [{address}], {operand}");
            return zero;
        }
        let result = self.results(1, &guard).first();
        line!(self, "{guard}atom.relaxed.{scope}.{space}.{name} {result}, [{address}], {operand}");
        result
    }

    /// Clears the workgroup buffers that the kernel may read before it writes them. All invocations share the work.
    pub(super) fn clear_workgroup_memory(&mut self) {
        let kernel = self.kernel;
        let mut is_cleared = false;
        for (id, decl) in kernel.buffers.iter().filter(|(_, decl)| decl.access == BufferAccess::Workgroup) {
            if self.usage.buffer(id).is_read && !kernel.is_written_first(id) {
                // Buffers are padded to whole vectors.
                self.clear(id, (decl.count * self.element(id).words()).div_ceil(4));
                is_cleared = true;
            }
        }
        if is_cleared {
            self.barrier();
        }
    }

    fn clear(&mut self, buffer: BufferId, vectors: u32) {
        let (invocations, index) = (self.packing.invocations, self.local_index());
        let zero = Words::of([Word::Constant(0); 4]).list();
        if vectors <= invocations {
            let MemoryOperand { address, .. } = self.scaled_address(buffer, index, 0, 16);
            let has_vector = self.compared("lt", index, Word::Constant(vectors));
            return line!(self, "@{has_vector} st.shared.v4.u32 [{address}], {zero}");
        }
        let (start, shared) = (self.packing.offset(buffer), self.shared());
        let again = self.new_label();
        let (next, address) = (self.new_word(), self.new_word());
        line!(self, "mov.u32 {next}, {index}");
        line!(self, "mad.lo.u32 {address}, {index}, 16, {shared}");
        self.place_label(again);
        line!(self, "st.shared.v4.u32 [{address}+{start}], {zero}");
        line!(self, "add.u32 {address}, {address}, {}", invocations * 16);
        line!(self, "add.u32 {next}, {next}, {invocations}");
        let goes_on = self.compared("lt", next, Word::Constant(vectors));
        line!(self, "@{goes_on} bra {again}");
    }

    /// Emits an access that is part of a vector access.
    pub(super) fn vector(&mut self, role: Role) {
        match role {
            // The first load of a vector loads all its words, and the last store stores them.
            Role::Member => {}
            Role::Load(number) => self.load_vector(number),
            Role::Store(number) => self.store_vector(number),
        }
    }

    fn load_vector(&mut self, number: usize) {
        let vector = self.vectors.load(number).clone();
        let guards = self.guards(vector.buffer, vector.index, &vector.guarded);
        let MemoryOperand { load_space, address, .. } = self.indexed_address(vector.buffer, vector.index);
        // Buffers are padded to whole vectors, so a vector with one word in range lies within the memory of the buffer.
        let guard = match guards[..] {
            [Some(lowest), ..] if guards.iter().all(Option::is_some) => format!("@{lowest} "),
            _ => String::new(),
        };
        let words = self.results(vector.values.len() as u32, &guard);
        line!(self, "{guard}ld.{load_space}.{} {}, [{address}]", words.access(), words.list());
        for ((&value, &word), guard) in vector.values.iter().zip(words.as_slice()).zip(guards) {
            let word = guard.map_or(word, |guard| self.selected(guard, word, Word::Constant(0)));
            self.values[value.position()] = Operand::Words(Words::of([word]));
        }
    }

    fn store_vector(&mut self, number: usize) {
        let vector = self.vectors.store(number).clone();
        let guards = self.guards(vector.buffer, vector.index, &vector.guarded);
        let mut values = vector.values.iter();
        let words = Words::from_fn(vector.values.len() as u32, || {
            values.next().map_or(Word::Constant(0), |&value| self.word(value))
        });
        let MemoryOperand { space, address, .. } = self.indexed_address(vector.buffer, vector.index);
        let Some(&Some(all)) = guards.last() else {
            return line!(self, "st.{space}.{} [{address}], {}", words.access(), words.list());
        };
        line!(self, "@{all} st.{space}.{} [{address}], {}", words.access(), words.list());
        // At the end of a buffer only some of the words may be in range.
        let partly = self.not(all);
        for (position, (word, guard)) in words.as_slice().iter().zip(&guards).enumerate().take(guards.len() - 1) {
            let guard = guard.map_or(partly, |guard| self.both(guard, partly));
            let offset = vector.index.offset + position as u32;
            let MemoryOperand { address, .. } =
                self.indexed_address(vector.buffer, AffineIndex { offset, ..vector.index });
            line!(self, "@{guard} st.{space}.u32 [{address}], {word}");
        }
    }

    /// Range checks of the words from an index on. `None` for words that are known to be in range.
    fn guards(&mut self, buffer: BufferId, first: AffineIndex, guarded: &[bool]) -> Vec<Option<Predicate>> {
        let length = match self.kernel.buffers[buffer].access {
            BufferAccess::Workgroup => Word::Constant(self.kernel.buffers[buffer].count),
            _ => match self.leaf(Op::Length(buffer)) {
                Operand::Words(words) => words.first(),
                _ => Word::Constant(0),
            },
        };
        let base = first.base.map_or(Word::Constant(0), |base| self.word(base));
        let mut guards = Vec::with_capacity(guarded.len());
        for (position, &is_guarded) in guarded.iter().enumerate() {
            let offset = first.offset + position as u32;
            guards.push(is_guarded.then(|| {
                let index = if offset == 0 { base } else { self.computed("add.u32", &[base, Word::Constant(offset)]) };
                self.compared("lt", index, length)
            }));
        }
        guards
    }
}
