//! Operations of the evaluator: values, slots, memory and collectives.

use vyre_ir::{AtomicOp, ReduceOp};
use vyre_kernel::{Binary, BufferId, Collective, Op, SlotId, ValueId};

use super::{Machine, Step, fault};
use crate::kernel_device::mask;
use crate::kernel_device::memory::{set_word, word};
use crate::kernel_device::registers::register_count;
use crate::kernel_device::words;

/// Maximum number of invocations of a ballot.
const MAX_BALLOT_INVOCATIONS: usize = 32;

impl Machine<'_> {
    pub(super) fn set(&mut self, slot: SlotId, value: ValueId, live: &[u64]) -> Step {
        let invocations = self.invocations;
        let from = self.computed_register(value, live)?;
        let to = self.layout.slot_register(slot);
        let length = register_count(self.kernel.ty(value)) * invocations;
        let (from, to) =
            (&self.registers[from * invocations..][..length], &mut self.slots[to * invocations..][..length]);
        if live == self.full {
            to.copy_from_slice(from);
            return Ok(());
        }
        for (from, to) in from.chunks(invocations).zip(to.chunks_mut(invocations)) {
            mask::invocations(live).for_each(|invocation| to[invocation] = from[invocation]);
        }
        Ok(())
    }

    /// Index of an invocation; `None` if the guard fails. An index out of range is a fault.
    fn index(
        &self,
        buffer: BufferId,
        length: u32,
        index: usize,
        guard: Option<usize>,
        invocation: usize,
    ) -> Step<Option<u32>> {
        if guard.is_some_and(|guard| self.registers[guard * self.invocations + invocation] == 0) {
            return Ok(None);
        }
        let index = self.registers[index * self.invocations + invocation];
        if index < length {
            return Ok(Some(index));
        }
        let guard = if guard.is_some() { "a guard that holds" } else { "no guard" };
        let name = &self.kernel.buffers[buffer].name;
        let invocation = self.invocation_id(invocation);
        fault(format!(
            "invocation {invocation:?} accesses element {index} of `{name}`, which has {length}, with {guard}"
        ))
    }

    pub(super) fn store(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        value: ValueId,
        guard: Option<ValueId>,
        live: &[u64],
    ) -> Step {
        let (index, register) = (self.computed_register(index, live)?, self.computed_register(value, live)?);
        let guard = self.computed_if_any(guard, live)?;
        let length = self.memory.length(buffer);
        let words = register_count(self.kernel.ty(value));
        for invocation in mask::invocations(live) {
            let Some(index) = self.index(buffer, length, index, guard, invocation)? else { continue };
            let element = self.memory.element_mut(buffer, index);
            for at in 0..words {
                set_word(element, at, self.registers[(register + at) * self.invocations + invocation]);
            }
        }
        Ok(())
    }

    /// Computes a value.
    pub(super) fn compute(&mut self, value: ValueId, live: &[u64]) -> Step {
        let entry = self.kernel.values[value];
        let Some(register) = self.layout.value_register(value) else { return fault(format!("{value} has no path")) };
        match entry.op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => {
                return fault(format!("{value} is a leaf, and those are not computed"));
            }
            Op::Get(slot) => {
                let length = register_count(entry.ty) * self.invocations;
                let from = self.layout.slot_register(slot) * self.invocations;
                self.registers[register * self.invocations..][..length].copy_from_slice(&self.slots[from..][..length]);
            }
            Op::Unary(op, a) => {
                let ([a], out) = self.operands([a], register, live)?;
                words::unary(op, a, out);
            }
            Op::Binary(op, a, b) => {
                self.check_right(op, b, live)?;
                let ([a, b], out) = self.operands([a, b], register, live)?;
                words::binary(op, a, b, out);
            }
            Op::Compare(op, a, b) => {
                let ([a, b], out) = self.operands([a, b], register, live)?;
                words::compare(op, a, b, out);
            }
            Op::Not(a) => {
                let ([a], out) = self.operands([a], register, live)?;
                words::map(a, out, |a| u32::from(a == 0));
            }
            Op::Logic(op, a, b) => {
                let ([a, b], out) = self.operands([a, b], register, live)?;
                words::logic(op, a, b, out);
            }
            Op::ToWord(a) => {
                let ([a], out) = self.operands([a], register, live)?;
                out.copy_from_slice(a);
            }
            Op::Select(cond, a, b) => self.select(cond, a, b, register, live)?,
            Op::Extract(vector, component) => {
                let from = (self.computed_register(vector, live)? + usize::from(component)) * self.invocations;
                self.registers.copy_within(from..from + self.invocations, register * self.invocations);
            }
            Op::Pack2(components) => self.pack(&components, register, live)?,
            Op::Pack4(components) => self.pack(&components, register, live)?,
            Op::Load { buffer, index, guard } => {
                self.load(buffer, index, guard, register_count(entry.ty), register, live)?
            }
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                self.atomic(op, buffer, [Some(index), expected, value, guard], register, live)?;
            }
            Op::Collective(collective) => self.collective(collective, register, live)?,
        }
        self.set_computed(register, live);
        Ok(())
    }

    /// Registers of scalar operands, and the register of the result.
    fn operands<const N: usize>(
        &mut self,
        operands: [ValueId; N],
        register: usize,
        live: &[u64],
    ) -> Step<([&[u32]; N], &mut [u32])> {
        let mut registers = [0; N];
        for (register, operand) in registers.iter_mut().zip(operands) {
            *register = self.computed_register(operand, live)?;
        }
        let invocations = self.invocations;
        // Operands precede results.
        let (before, rest) = self.registers.split_at_mut(register * invocations);
        let before = &*before;
        Ok((registers.map(|register| &before[register * invocations..][..invocations]), &mut rest[..invocations]))
    }

    fn check_right(&self, op: Binary, b: ValueId, live: &[u64]) -> Step {
        if !matches!(op, Binary::Div | Binary::Mod | Binary::Shl | Binary::Shr) {
            return Ok(());
        }
        let register = self.register(self.computed_register(b, live)?);
        // Fast path: usually no invocation has such an operand.
        if !register.iter().fold(false, |any, &b| any | words::is_excluded(op, b)) {
            return Ok(());
        }
        match mask::invocations(live).find(|&invocation| words::is_excluded(op, register[invocation])) {
            Some(invocation) => fault(format!(
                "invocation {:?} does {} by {}",
                self.invocation_id(invocation),
                op.name(),
                register[invocation]
            )),
            None => Ok(()),
        }
    }

    fn select(&mut self, cond: ValueId, a: ValueId, b: ValueId, register: usize, live: &[u64]) -> Step {
        let invocations = self.invocations;
        let (cond, a_register, b_register) =
            (self.computed_register(cond, live)?, self.computed_register(a, live)?, self.computed_register(b, live)?);
        let (before, rest) = self.registers.split_at_mut(register * invocations);
        let register_of = |register: usize| &before[register * invocations..][..invocations];
        for at in 0..register_count(self.kernel.ty(a)) {
            let out = &mut rest[at * invocations..][..invocations];
            words::select(register_of(cond), register_of(a_register + at), register_of(b_register + at), out);
        }
        Ok(())
    }

    fn pack(&mut self, words: &[ValueId], register: usize, live: &[u64]) -> Step {
        for (at, &word) in words.iter().enumerate() {
            let from = self.computed_register(word, live)? * self.invocations;
            self.registers.copy_within(from..from + self.invocations, (register + at) * self.invocations);
        }
        Ok(())
    }

    fn load(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        guard: Option<ValueId>,
        words: usize,
        register: usize,
        live: &[u64],
    ) -> Step {
        let (index, guard) = (self.computed_register(index, live)?, self.computed_if_any(guard, live)?);
        let length = self.memory.length(buffer);
        for invocation in mask::invocations(live) {
            let index = self.index(buffer, length, index, guard, invocation)?;
            let element = index.map(|index| self.memory.element(buffer, index));
            for at in 0..words {
                self.registers[(register + at) * self.invocations + invocation] =
                    element.map_or(0, |element| word(element, at));
            }
        }
        Ok(())
    }

    /// Operands are index, expected, value and guard.
    fn atomic(
        &mut self,
        op: AtomicOp,
        buffer: BufferId,
        operands: [Option<ValueId>; 4],
        register: usize,
        live: &[u64],
    ) -> Step {
        let mut registers = [None; 4];
        for (register, operand) in registers.iter_mut().zip(operands) {
            *register = self.computed_if_any(operand, live)?;
        }
        let [index, expected, value, guard] = registers;
        let index = index.unwrap_or_default();
        let length = self.memory.length(buffer);
        // Invocations update sequentially, which gives one total order.
        for invocation in mask::invocations(live) {
            let operand = |register: Option<usize>| {
                register.map_or(0, |register| self.registers[register * self.invocations + invocation])
            };
            let result = match self.index(buffer, length, index, guard, invocation)? {
                None => 0,
                Some(index) => {
                    let (expected, value) = (operand(expected), operand(value));
                    let element = self.memory.element_mut(buffer, index);
                    let before = word(element, 0);
                    set_word(element, 0, words::updated(op, before, expected, value));
                    if op == AtomicOp::Store { 0 } else { before }
                }
            };
            self.registers[register * self.invocations + invocation] = result;
        }
        Ok(())
    }

    fn collective(&mut self, collective: Collective, register: usize, live: &[u64]) -> Step {
        self.rendezvous("a collective", live)?;
        match collective {
            Collective::Broadcast(value, source) => {
                let ([_, sources], _) = self.operands([value, source], register, live)?;
                if sources.iter().any(|source| *source != sources[0]) {
                    return fault("the lane of a broadcast is not the same for all invocations".to_owned());
                }
                self.shuffle(value, source, register, live)?;
            }
            Collective::Shuffle(value, source) => self.shuffle(value, source, register, live)?,
            Collective::Reduce(op, value) => {
                let ([value], out) = self.operands([value], register, live)?;
                let all = value.iter().fold(words::identity(op), |all, &word| words::combine(op, all, word));
                out.fill(all);
            }
            Collective::ScanExclusive(op, value) => {
                let ([value], out) = self.operands([value], register, live)?;
                scan(op, value, out, |before, _| before);
            }
            Collective::ScanInclusive(op, value) => {
                let ([value], out) = self.operands([value], register, live)?;
                scan(op, value, out, |_, after| after);
            }
            Collective::Ballot(predicate) => {
                if self.invocations > MAX_BALLOT_INVOCATIONS {
                    return fault(format!("a ballot of {} invocations", self.invocations));
                }
                let ([predicate], out) = self.operands([predicate], register, live)?;
                let bits = predicate.iter().enumerate().fold(0, |bits, (invocation, &bit)| bits | (bit << invocation));
                out.fill(bits);
            }
        }
        Ok(())
    }

    fn shuffle(&mut self, value: ValueId, source: ValueId, register: usize, live: &[u64]) -> Step {
        let ([value, sources], out) = self.operands([value, source], register, live)?;
        words::map(sources, out, |source| value.get(source as usize).copied().unwrap_or(0));
        Ok(())
    }
}

/// Sequential scan. `choose` selects between the sums before and after an element.
fn scan(op: ReduceOp, values: &[u32], out: &mut [u32], choose: impl Fn(u32, u32) -> u32) {
    let mut before = words::identity(op);
    for (out, &word) in out.iter_mut().zip(values) {
        let after = words::combine(op, before, word);
        *out = choose(before, after);
        before = after;
    }
}
