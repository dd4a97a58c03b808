//! Lockstep evaluation of a kernel, one workgroup at a time.
//!
//! An execution mask selects the active invocations. Inactive ones compute along where that has no effect. The guarantees of the
//! kernel form are checked for active invocations.

mod operations;

use vyre_kernel::{BlockId, Id, Kernel, MAX_BLOCK_DEPTH, Op, Statement, ValueId};
use vyre_runtime::{Error, RunOptions};

use super::mask;
use super::memory::Memory;
use super::registers::{RegisterLayout, register_count};

/// Number of statements, times invocations, between two checks of the deadline.
const STEPS_BETWEEN_CHECKS: usize = 1 << 16;

/// Number of bytes that are cleared in the time of a statement of one invocation.
const BYTES_CLEARED_PER_STEP: usize = 64;

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
            return fault(format!("invocation {invocation:?} has not computed {operand} on its path"));
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
}
