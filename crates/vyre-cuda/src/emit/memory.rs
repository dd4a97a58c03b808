//! Loads, stores and atomics.

use vyre_ir::{AtomicOp, BufferAccess};
use vyre_kernel::{BufferId, Key as _, Op, Type, ValueId, element_type};

use super::layout::WARP;
use super::operand::{Truth, Word, Words};
use super::vectors::{Place, Role};
use super::{Emitter, line};
use crate::ptx::PtxParameter;

/// The largest distance from an address that stands in an instruction.
const MOST_DISPLACEMENT: u32 = 1 << 20;

/// Where an access goes, as an instruction names it.
pub(super) struct Target {
    /// `global` or `shared`.
    space: &'static str,
    /// `global.nc` where nobody writes the buffer during the launch.
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

    fn target_of(&self, buffer: BufferId, address: String) -> Target {
        if self.is_shared(buffer) {
            return Target { space: "shared", load_space: "shared", address };
        }
        // What is bound to be written is bound nowhere else, so nobody else writes it either.
        let load_space = if self.usage.buffer(buffer).is_written { "global" } else { "global.nc" };
        Target { space: "global", load_space, address }
    }

    /// The place of an element.
    fn at(&mut self, buffer: BufferId, index: ValueId) -> Target {
        let place = Place::of(self.kernel, index);
        let place = if place.is_exact(self.kernel) { place } else { Place { base: Some(index), distance: 0 } };
        self.at_place(buffer, place)
    }

    fn at_place(&mut self, buffer: BufferId, place: Place) -> Target {
        let bytes = self.element(buffer).words() * 4;
        let base = place.base.map_or(Word::Constant(0), |base| self.word(base));
        self.at_bytes(buffer, (base, bytes), (place.distance, bytes))
    }

    /// The place that is a number of units of some bytes, and another number of such, from the beginning.
    fn at_bytes(&mut self, buffer: BufferId, base: (Word, u32), distance: (u32, u32)) -> Target {
        let (base, bytes) = base;
        let far = u64::from(distance.0) * u64::from(distance.1);
        // A distance that is no constant of an instruction is part of the base.
        let (base, far) = match (base, u32::try_from(far)) {
            (Word::Constant(base), _) => {
                let whole = u64::from(base) * u64::from(bytes) + far;
                match u32::try_from(whole) {
                    Ok(whole) if whole < MOST_DISPLACEMENT => (None, whole),
                    _ => (Some(Word::Constant(base.wrapping_add(distance.0))), 0),
                }
            }
            (Word::Register(_), Ok(far)) if far < MOST_DISPLACEMENT => (Some(base), far),
            (Word::Register(_), _) => (Some(self.computed("add.u32", &[base, Word::Constant(distance.0)])), 0),
        };
        let offset = |far: u32| if far == 0 { String::new() } else { format!("+{far}") };
        if self.is_shared(buffer) {
            let begin = self.layout.offset(buffer);
            let shared = self.shared();
            let address = match base {
                None => shared,
                Some(base) if bytes == 1 => self.computed("add.u32", &[base, shared]),
                Some(base) => self.computed("mad.lo.u32", &[base, Word::Constant(bytes), shared]),
            };
            return self.target_of(buffer, format!("{address}{}", offset(begin + far)));
        }
        let position = self.position(buffer);
        let begin = self.address_parameter(PtxParameter::Address(position));
        let address = match base {
            None => begin,
            Some(base) => {
                // The assembler makes one instruction of these, but not of a multiplication with addition.
                let (distance, address) = (self.new_address(), self.new_address());
                line!(self, "mul.wide.u32 {distance}, {base}, {bytes}");
                line!(self, "add.s64 {address}, {begin}, {distance}");
                address
            }
        };
        self.target_of(buffer, format!("{address}{}", offset(far)))
    }

    /// A guard as the prefix of an instruction; `None` where the access never happens.
    fn guarded(&mut self, guard: Option<ValueId>) -> Option<String> {
        match guard.map(|guard| self.truth(guard)) {
            None | Some(Truth::Constant(true)) => Some(String::new()),
            Some(Truth::Constant(false)) => None,
            Some(guard) => Some(format!("@{guard} ")),
        }
    }

    /// The words that a guarded instruction gives, which are zero where it does nothing.
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
            Some(guard) if self.guards_are_choices(buffer) => return self.load_selected(buffer, index, guard),
            _ => {}
        }
        let Some(guard) = self.guarded(guard) else { return Words::from_fn(count, || Word::Constant(0)) };
        let Target { load_space, address, .. } = self.at(buffer, index);
        let words = self.results(count, &guard);
        line!(self, "{guard}ld.{load_space}.{} {}, [{address}]", words.access(), words.list());
        words
    }

    /// Whether loads of a buffer are guarded by choosing what to load. Where workgroups of a warp go their own ways, the
    /// assembler prepares every predicated access to global memory by itself, which takes longer than two choices.
    fn guards_are_choices(&self, buffer: BufferId) -> bool {
        let is_shared_warp = self.layout.is_within_warp() && self.layout.seat() < WARP;
        self.has_many_guards || (is_shared_warp && !self.is_shared(buffer))
    }

    /// An element, or element 0, which is always there, in place of one that is not to be read.
    fn load_selected(&mut self, buffer: BufferId, index: ValueId, guard: ValueId) -> Words {
        let bytes = self.element(buffer).words() * 4;
        let (index, guard) = (self.word(index), self.truth(guard));
        let index = self.selected(guard, index, Word::Constant(0));
        let Target { load_space, address, .. } = self.at_bytes(buffer, (index, bytes), (0, bytes));
        let found = self.new_words(bytes / 4);
        line!(self, "ld.{load_space}.{} {}, [{address}]", found.access(), found.list());
        let mut found = found.as_slice().iter();
        let zero = Word::Constant(0);
        Words::from_fn(bytes / 4, || found.next().map_or(zero, |&word| self.selected(guard, word, zero)))
    }

    /// A byte of a buffer of words; the guard is about the word.
    pub(super) fn load_byte(&mut self, buffer: BufferId, byte: ValueId, guard: Option<ValueId>) -> Words {
        let Some(guard) = self.guarded(guard) else { return Words::of([Word::Constant(0)]) };
        let byte = self.word(byte);
        let Target { load_space, address, .. } = self.at_bytes(buffer, (byte, 1), (0, 1));
        let words = self.results(1, &guard);
        line!(self, "{guard}ld.{load_space}.u8 {}, [{address}]", words.list());
        words
    }

    pub(super) fn store(&mut self, buffer: BufferId, index: ValueId, value: Words, guard: Option<ValueId>) {
        let Some(guard) = self.guarded(guard) else { return };
        let Target { space, address, .. } = self.at(buffer, index);
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
        let Target { address, .. } = self.at(buffer, index);
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
                line!(self, "{guard}atom.relaxed.gpu.global.cas.b32 {result}, [{address}], {expected}, {operand}");
                return result;
            }
            AtomicOp::Load => {
                let result = self.results(1, &guard).first();
                line!(self, "{guard}ld.relaxed.gpu.global.u32 {result}, [{address}]");
                return result;
            }
            AtomicOp::Store => {
                line!(self, "{guard}st.relaxed.gpu.global.u32 [{address}], {operand}");
                return zero;
            }
        };
        if !self.usage.is_used(value) && op != AtomicOp::Exchange {
            line!(self, "{guard}red.relaxed.gpu.global.{name} [{address}], {operand}");
            return zero;
        }
        let result = self.results(1, &guard).first();
        line!(self, "{guard}atom.relaxed.gpu.global.{name} {result}, [{address}], {operand}");
        result
    }

    /// Sets workgroup memory to zero, all lanes together, unless the kernel never sees what was in it.
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
        let (lanes, lane) = (self.layout.invocations, self.lane());
        let zero = Words::of([Word::Constant(0); 4]).list();
        if vectors <= lanes {
            let Target { address, .. } = self.at_bytes(buffer, (lane, 16), (0, 16));
            let has_one = self.compared("lt", lane, Word::Constant(vectors));
            return line!(self, "@{has_one} st.shared.v4.u32 [{address}], {zero}");
        }
        let (begin, shared) = (self.layout.offset(buffer), self.shared());
        let again = self.new_label();
        let (next, place) = (self.new_word(), self.new_word());
        line!(self, "mov.u32 {next}, {lane}");
        line!(self, "mad.lo.u32 {place}, {lane}, 16, {shared}");
        self.place(again);
        line!(self, "st.shared.v4.u32 [{place}+{begin}], {zero}");
        line!(self, "add.u32 {place}, {place}, {}", lanes * 16);
        line!(self, "add.u32 {next}, {next}, {lanes}");
        let goes_on = self.compared("lt", next, Word::Constant(vectors));
        line!(self, "@{goes_on} bra {again}");
    }

    /// An access that is part of one to a whole vector.
    pub(super) fn vector(&mut self, role: Role) {
        match role {
            // What is there has been loaded with the first of them, or is stored with the last.
            Role::Member => {}
            Role::Load(number) => self.load_vector(number),
            Role::Store(number) => self.store_vector(number),
        }
    }

    fn load_vector(&mut self, number: usize) {
        let group = self.vectors.load(number).clone();
        let guards = self.guards(group.buffer, group.place, &group.guarded);
        let Target { load_space, address, .. } = self.at_place(group.buffer, group.place);
        // A vector with one word in range lies within the memory of the buffer, which is padded to whole vectors.
        let guard = match guards[..] {
            [Some(lowest), ..] if guards.iter().all(Option::is_some) => format!("@{lowest} "),
            _ => String::new(),
        };
        let words = self.results(group.values.len() as u32, &guard);
        line!(self, "{guard}ld.{load_space}.{} {}, [{address}]", words.access(), words.list());
        for ((&value, &word), guard) in group.values.iter().zip(words.as_slice()).zip(guards) {
            let word = guard.map_or(word, |guard| self.selected(guard, word, Word::Constant(0)));
            self.values[value.position()] = super::Held::Words(Words::of([word]));
        }
    }

    fn store_vector(&mut self, number: usize) {
        let group = self.vectors.store(number).clone();
        let guards = self.guards(group.buffer, group.place, &group.guarded);
        let mut values = group.values.iter();
        let words = Words::from_fn(group.values.len() as u32, || {
            values.next().map_or(Word::Constant(0), |&value| self.word(value))
        });
        let Target { space, address, .. } = self.at_place(group.buffer, group.place);
        let Some(&Some(all)) = guards.last() else {
            return line!(self, "st.{space}.{} [{address}], {}", words.access(), words.list());
        };
        line!(self, "@{all} st.{space}.{} [{address}], {}", words.access(), words.list());
        // At the end of the buffer some of the words are in range.
        let partly = self.not(all);
        for (position, (word, guard)) in words.as_slice().iter().zip(&guards).enumerate().take(guards.len() - 1) {
            let guard = guard.map_or(partly, |guard| self.both(guard, partly));
            let distance = group.place.distance + position as u32;
            let Target { address, .. } = self.at_place(group.buffer, Place { distance, ..group.place });
            line!(self, "@{guard} st.{space}.u32 [{address}], {word}");
        }
    }

    /// Whether each of the words that follow a place is in range; `None` for those that are known to be.
    fn guards(&mut self, buffer: BufferId, place: Place, guarded: &[bool]) -> Vec<Option<Truth>> {
        let length = match self.kernel.buffers[buffer].access {
            BufferAccess::Workgroup => Word::Constant(self.kernel.buffers[buffer].count),
            _ => match self.leaf(Op::Length(buffer)) {
                super::Held::Words(words) => words.first(),
                _ => Word::Constant(0),
            },
        };
        let base = place.base.map_or(Word::Constant(0), |base| self.word(base));
        let mut guards = Vec::with_capacity(guarded.len());
        for (position, &is_guarded) in guarded.iter().enumerate() {
            let distance = place.distance + position as u32;
            guards.push(is_guarded.then(|| {
                let index =
                    if distance == 0 { base } else { self.computed("add.u32", &[base, Word::Constant(distance)]) };
                self.compared("lt", index, length)
            }));
        }
        guards
    }
}
