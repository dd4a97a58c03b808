//! Lockstep evaluation of a kernel, one workgroup at a time.
//!
//! An execution mask selects the active invocations. Inactive ones compute along where that has no effect. The guarantees of the
//! kernel form are checked for active invocations.

use vyre_ir::{AtomicOp, ReduceOp};
use vyre_kernel::{Binary, BlockId, BufferId, Collective, Id, Kernel, MAX_BLOCK_DEPTH, Op, SlotId, Statement, ValueId};
use vyre_runtime::{Error, RunOptions};

use super::mask;
use super::memory::{Memory, set_word, word};
use super::registers::{RegisterLayout, register_count};
use super::words;

/// Number of statements, times invocations, between two checks of the deadline.
const STEPS_BETWEEN_CHECKS: usize = 1 << 16;

/// Number of bytes that are cleared in the time of a statement of one invocation.
const BYTES_CLEARED_PER_STEP: usize = 64;

/// Maximum number of invocations of a ballot.
const MAX_BALLOT_INVOCATIONS: usize = 32;

/// Reason of an early end.
pub(super) enum Stop {
    /// The kernel violates a guarantee of its form.
    Fault {
        /// Positions of the statement in its block, of the statement around it, and so on to the entry.
        path: Vec<usize>,
        message: String,
    },
    /// The run is cancelled or beyond its deadline.
    Ended(Error),
}

type Step<T = ()> = Result<T, Box<Stop>>;

fn fault<T>(message: String) -> Step<T> {
    Err(Box::new(Stop::Fault { path: Vec::new(), message }))
}

/// Evaluates a kernel over a grid.
pub(super) fn dispatch(
    kernel: &Kernel,
    layout: &RegisterLayout,
    memory: Memory<'_>,
    grid: [u32; 3],
    options: &RunOptions,
) -> Result<(), Error> {
    if grid.contains(&0) {
        return Ok(());
    }
    let mut machine = Machine::new(kernel, layout, memory, grid, options);
    machine.start();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                machine.workgroup = [x, y, z];
                machine.run_workgroup().map_err(|stop| match *stop {
                    Stop::Ended(error) => error,
                    Stop::Fault { mut path, message } => {
                        path.reverse();
                        Error::lower(format!(
                            "statement {path:?} of the kernel, workgroup [{x}, {y}, {z}]: {message}\n{kernel}"
                        ))
                    }
                })?;
            }
        }
    }
    Ok(())
}

struct Machine<'k> {
    kernel: &'k Kernel,
    layout: &'k RegisterLayout,
    invocations: usize,
    local_ids: Vec<[u32; 3]>,
    /// Registers of values, see [`RegisterLayout`].
    registers: Vec<u32>,
    /// By register: the invocations that have computed it. Detects uses of values of another path or iteration.
    computed: Vec<u64>,
    /// Registers of slots.
    slots: Vec<u32>,
    full: Vec<u64>,
    returned: Vec<u64>,
    /// By block depth: two masks for statements.
    scratch: Vec<[Vec<u64>; 2]>,
    memory: Memory<'k>,
    options: &'k RunOptions,
    steps: usize,
    grid: [u32; 3],
    workgroup: [u32; 3],
}

impl<'k> Machine<'k> {
    fn new(
        kernel: &'k Kernel,
        layout: &'k RegisterLayout,
        memory: Memory<'k>,
        grid: [u32; 3],
        options: &'k RunOptions,
    ) -> Machine<'k> {
        let [width, height, depth] = kernel.workgroup_size;
        let mut local_ids = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                local_ids.extend((0..width).map(|x| [x, y, z]));
            }
        }
        let invocations = local_ids.len();
        let full = mask::full(invocations);
        Machine {
            kernel,
            layout,
            invocations,
            local_ids,
            registers: vec![0; layout.registers * invocations],
            computed: vec![0; layout.registers * full.len()],
            slots: vec![0; layout.slot_registers * invocations],
            returned: vec![0; full.len()],
            scratch: Vec::new(),
            full,
            memory,
            options,
            steps: 0,
            grid,
            workgroup: [0; 3],
        }
    }

    /// Initialises the leaves.
    fn start(&mut self) {
        let masks = self.full.len();
        for (register, &leaf) in self.layout.leaves.iter().enumerate() {
            self.computed[register * masks..][..masks].copy_from_slice(&self.full);
            let out = &mut self.registers[register * self.invocations..][..self.invocations];
            match leaf {
                Op::Word(word) => out.fill(word),
                Op::Bool(bit) => out.fill(u32::from(bit)),
                Op::Length(buffer) => out.fill(self.memory.length(buffer)),
                Op::Id(Id::NumWorkgroups, axis) => out.fill(self.grid[usize::from(axis)]),
                Op::Id(Id::Local, axis) => {
                    for (out, local) in out.iter_mut().zip(&self.local_ids) {
                        *out = local[usize::from(axis)];
                    }
                }
                // Other leaves depend on the workgroup or have no register.
                _ => {}
            }
        }
    }

    fn run_workgroup(&mut self) -> Step {
        for (register, &leaf) in self.layout.leaves.iter().enumerate() {
            let out = &mut self.registers[register * self.invocations..][..self.invocations];
            match leaf {
                Op::Id(Id::Workgroup, axis) => out.fill(self.workgroup[usize::from(axis)]),
                Op::Id(Id::Invocation, axis) => {
                    let axis = usize::from(axis);
                    // A grid has at most 2^32 invocations on an axis.
                    let first = self.workgroup[axis].wrapping_mul(self.kernel.workgroup_size[axis]);
                    for (out, local) in out.iter_mut().zip(&self.local_ids) {
                        *out = first + local[axis];
                    }
                }
                _ => {}
            }
        }
        self.slots.fill(0);
        self.returned.fill(0);
        let cleared = self.memory.start_workgroup();
        self.step(self.invocations + cleared / BYTES_CLEARED_PER_STEP)?;
        let mut live = self.full.clone();
        self.invalidate(self.kernel.entry);
        self.run_block(self.kernel.entry, 0, &mut live)
    }

    /// Counts work, and periodically checks the deadline.
    fn step(&mut self, invocations: usize) -> Step {
        self.steps += invocations;
        if self.steps < STEPS_BETWEEN_CHECKS {
            return Ok(());
        }
        self.steps = 0;
        self.options.check().map_err(|error| Box::new(Stop::Ended(error)))
    }

    /// Runs a block for the invocations in `live`. Those that reach its end stay in `live`.
    ///
    /// Blocks nest to a fixed depth, so this may recurse.
    fn run_block(&mut self, block: BlockId, depth: usize, live: &mut [u64]) -> Step {
        let kernel = self.kernel;
        if depth > MAX_BLOCK_DEPTH {
            return fault("blocks are nested too deep".to_owned());
        }
        if self.layout.uniformity.is_uniform_block(block) && !mask::is_empty(live) {
            let together = live.iter().zip(&self.returned).map(|(live, returned)| live | returned);
            if !together.eq(self.full.iter().copied()) {
                return fault(format!("{block} is said to be uniform, and some invocations do not run it"));
            }
        }
        for (at, &statement) in kernel.blocks[block].statements.iter().enumerate() {
            if mask::is_empty(live) {
                break;
            }
            self.run_statement(statement, depth, live).map_err(|mut stop| {
                if let Stop::Fault { path, message: _ } = &mut *stop {
                    path.push(at);
                }
                stop
            })?;
        }
        Ok(())
    }

    fn run_statement(&mut self, statement: Statement, depth: usize, live: &mut [u64]) -> Step {
        self.step(self.invocations)?;
        match statement {
            Statement::Let(value) => {
                self.compute(value, live)?;
                self.check_uniform(value, live)
            }
            Statement::Set { slot, value } => self.set(slot, value, live),
            Statement::Store { buffer, index, value, guard } => self.store(buffer, index, value, guard, live),
            Statement::Break => {
                live.fill(0);
                Ok(())
            }
            Statement::Return => {
                for (returned, live) in self.returned.iter_mut().zip(live) {
                    *returned |= std::mem::take(live);
                }
                Ok(())
            }
            Statement::Barrier => self.rendezvous("a barrier", live),
            Statement::If { .. } | Statement::Loop { .. } | Statement::Block { .. } => {
                while self.scratch.len() <= depth {
                    self.scratch.push([vec![0; self.full.len()], vec![0; self.full.len()]]);
                }
                let mut masks = std::mem::take(&mut self.scratch[depth]);
                let result = self.run_nested(statement, depth, live, &mut masks);
                self.scratch[depth] = masks;
                result
            }
        }
    }

    /// Fails if a value that the analysis calls uniform is not.
    fn check_uniform(&self, value: ValueId, live: &[u64]) -> Step {
        let uniformity = &self.layout.uniformity;
        let Some(first) = self.layout.value_register(value).filter(|_| uniformity.is_uniform(value)) else {
            return Ok(());
        };
        for register in first..first + register_count(self.kernel.ty(value)) {
            let words = self.register(register);
            let mut found = mask::invocations(live).map(|invocation| words[invocation]);
            let Some(one) = found.next() else { continue };
            if let Some(other) = found.find(|&word| word != one) {
                return fault(format!("{value} is said to be uniform, and is {one} and {other}"));
            }
        }
        Ok(())
    }

    /// Runs a statement with blocks.
    fn run_nested(&mut self, statement: Statement, depth: usize, live: &mut [u64], masks: &mut [Vec<u64>; 2]) -> Step {
        let [inner, other] = masks;
        match statement {
            Statement::If { cond, then, otherwise } => {
                let cond = self.computed_register(cond, live)?;
                mask::where_true(live, self.register(cond), inner);
                mask::where_false(live, self.register(cond), other);
                self.invalidate(then);
                self.invalidate(otherwise);
                self.run_block(then, depth + 1, inner)?;
                self.run_block(otherwise, depth + 1, other)?;
                for ((live, inner), other) in live.iter_mut().zip(inner).zip(other) {
                    *live = *inner | *other;
                }
            }
            Statement::Loop { variable, from, to, body } => {
                inner.copy_from_slice(live);
                self.run_loop(variable, from, to, body, depth, inner)?;
                self.drop_returned(live);
            }
            Statement::Block { body } => {
                inner.copy_from_slice(live);
                self.invalidate(body);
                self.run_block(body, depth + 1, inner)?;
                self.drop_returned(live);
            }
            Statement::Let(_)
            | Statement::Set { .. }
            | Statement::Store { .. }
            | Statement::Break
            | Statement::Return
            | Statement::Barrier => {}
        }
        Ok(())
    }

    /// Removes returned invocations. Those that left with `Break` reconverge.
    fn drop_returned(&self, live: &mut [u64]) {
        for (live, returned) in live.iter_mut().zip(&self.returned) {
            *live &= !returned;
        }
    }

    fn run_loop(
        &mut self,
        variable: ValueId,
        from: ValueId,
        to: ValueId,
        body: BlockId,
        depth: usize,
        running: &mut [u64],
    ) -> Step {
        let (from, to) = (self.computed_register(from, running)?, self.computed_register(to, running)?);
        let Some(register) = self.layout.value_register(variable) else {
            return fault(format!("{variable} has no path"));
        };
        self.registers.copy_within(from * self.invocations..(from + 1) * self.invocations, register * self.invocations);
        loop {
            mask::keep_below(running, self.register(register), self.register(to));
            if mask::is_empty(running) {
                return Ok(());
            }
            self.step(self.invocations)?;
            self.invalidate(body);
            self.set_computed(register, running);
            self.run_block(body, depth + 1, running)?;
            // The number is below a 32-bit bound, so the sum does not overflow.
            for number in &mut self.registers[register * self.invocations..][..self.invocations] {
                *number = number.wrapping_add(1);
            }
        }
    }

    /// Invalidates the values of a block and of the blocks within it.
    fn invalidate(&mut self, block: BlockId) {
        let masks = self.full.len();
        let registers = self.layout.block_registers(block);
        self.computed[registers.start * masks..registers.end * masks].fill(0);
    }

    fn set_computed(&mut self, register: usize, live: &[u64]) {
        self.computed[register * live.len()..][..live.len()].copy_from_slice(live);
    }

    fn register(&self, register: usize) -> &[u32] {
        &self.registers[register * self.invocations..][..self.invocations]
    }

    /// First register of an operand. Fails if an active invocation has not computed it.
    fn computed_register(&self, operand: ValueId, live: &[u64]) -> Step<usize> {
        let Some(register) = self.layout.value_register(operand) else {
            return fault(format!("{operand} is computed nowhere"));
        };
        let computed = &self.computed[register * live.len()..][..live.len()];
        if computed.iter().zip(live).any(|(&computed, &live)| live & !computed != 0) {
            let missing: Vec<u64> = live.iter().zip(computed).map(|(live, computed)| live & !computed).collect();
            let invocation = self.first_invocation_id(&missing);
            return fault(format!("invocation {invocation:?} has not computed {operand} on its way"));
        }
        Ok(register)
    }

    fn computed_if_any(&self, operand: Option<ValueId>, live: &[u64]) -> Step<Option<usize>> {
        operand.map(|operand| self.computed_register(operand, live)).transpose()
    }

    fn invocation_id(&self, invocation: usize) -> [u32; 3] {
        let size = self.kernel.workgroup_size;
        let local = self.local_ids[invocation];
        std::array::from_fn(|axis| self.workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local[axis]))
    }

    fn first_invocation_id(&self, mask: &[u64]) -> [u32; 3] {
        mask::invocations(mask).next().map_or([0; 3], |invocation| self.invocation_id(invocation))
    }

    /// Fails unless all invocations are active.
    fn rendezvous(&self, what: &str, live: &[u64]) -> Step {
        if live == self.full {
            return Ok(());
        }
        let missing: Vec<u64> = self.full.iter().zip(live).map(|(full, live)| full & !live).collect();
        fault(format!(
            "{what} is reached by {} of {} invocations, and invocation {:?} is not among them",
            mask::count(live),
            self.invocations,
            self.first_invocation_id(&missing)
        ))
    }

    fn set(&mut self, slot: SlotId, value: ValueId, live: &[u64]) -> Step {
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

    fn store(
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
    fn compute(&mut self, value: ValueId, live: &[u64]) -> Step {
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
