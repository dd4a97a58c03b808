//! Evaluates a kernel, one workgroup at a time, all lanes in step.
//!
//! A lane that is off computes along where that cannot be seen. What the kernel form promises is checked for the lanes
//! that are on.

use vyre_ir::{AtomicOp, ReduceOp};
use vyre_kernel::{Binary, BlockId, BufferId, Collective, Id, Kernel, MAX_BLOCK_DEPTH, Op, SlotId, Statement, ValueId};
use vyre_runtime::{Error, RunOptions};

use super::layout::{Layout, row_count};
use super::mask;
use super::memory::{Memory, set_word, word};
use super::words;

/// How many lanes do a statement between two looks at the clock.
const STEPS_BETWEEN_CHECKS: usize = 1 << 16;

/// How many bytes are cleared in the time that a lane takes for a statement.
const BYTES_CLEARED_PER_STEP: usize = 64;

/// The most lanes for which a ballot has a bit.
const BALLOT_LANES: usize = 32;

/// Why an evaluation ends early.
pub(super) enum Stop {
    /// The kernel does what its form excludes.
    Fault {
        /// The position of the statement in its block, of the statement around it, and so on to the entry.
        place: Vec<usize>,
        message: String,
    },
    /// The run is cancelled or late.
    Ended(Error),
}

type Step<T = ()> = Result<T, Box<Stop>>;

fn fault<T>(message: String) -> Step<T> {
    Err(Box::new(Stop::Fault { place: Vec::new(), message }))
}

/// Evaluates a kernel over a grid.
pub(super) fn dispatch(
    kernel: &Kernel,
    layout: &Layout,
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
                    Stop::Fault { mut place, message } => {
                        place.reverse();
                        Error::lower(format!(
                            "statement {place:?} of the kernel, workgroup [{x}, {y}, {z}]: {message}\n{kernel}"
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
    layout: &'k Layout,
    lanes: usize,
    local_ids: Vec<[u32; 3]>,
    /// The rows of values, see [`Layout`].
    rows: Vec<u32>,
    /// By row: the lanes that have computed it, so that nothing is used that is left from another path or round.
    computed: Vec<u64>,
    /// The rows of slots.
    slots: Vec<u32>,
    full: Vec<u64>,
    returned: Vec<u64>,
    /// By depth of blocks: two masks for statements there.
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
        layout: &'k Layout,
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
        let lanes = local_ids.len();
        let full = mask::full(lanes);
        Machine {
            kernel,
            layout,
            lanes,
            local_ids,
            rows: vec![0; layout.rows * lanes],
            computed: vec![0; layout.rows * full.len()],
            slots: vec![0; layout.slot_rows * lanes],
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

    /// Gives the leaves their values.
    fn start(&mut self) {
        let masks = self.full.len();
        for (row, &leaf) in self.layout.leaves.iter().enumerate() {
            self.computed[row * masks..][..masks].copy_from_slice(&self.full);
            let out = &mut self.rows[row * self.lanes..][..self.lanes];
            match leaf {
                Op::Word(word) => out.fill(word),
                Op::Bool(truth) => out.fill(u32::from(truth)),
                Op::Length(buffer) => out.fill(self.memory.length(buffer)),
                Op::Id(Id::NumWorkgroups, axis) => out.fill(self.grid[usize::from(axis)]),
                Op::Id(Id::Local, axis) => {
                    for (out, local) in out.iter_mut().zip(&self.local_ids) {
                        *out = local[usize::from(axis)];
                    }
                }
                // The others depend on the workgroup, and no other leaves have rows.
                _ => {}
            }
        }
    }

    fn run_workgroup(&mut self) -> Step {
        for (row, &leaf) in self.layout.leaves.iter().enumerate() {
            let out = &mut self.rows[row * self.lanes..][..self.lanes];
            match leaf {
                Op::Id(Id::Workgroup, axis) => out.fill(self.workgroup[usize::from(axis)]),
                Op::Id(Id::Invocation, axis) => {
                    let axis = usize::from(axis);
                    // A grid has 2^32 invocations on an axis at most.
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
        self.step(self.lanes + cleared / BYTES_CLEARED_PER_STEP)?;
        let mut live = self.full.clone();
        self.forget(self.kernel.entry);
        self.run_block(self.kernel.entry, 0, &mut live)
    }

    /// Notes that `lanes` lanes do something, and looks at the clock now and then.
    fn step(&mut self, lanes: usize) -> Step {
        self.steps += lanes;
        if self.steps < STEPS_BETWEEN_CHECKS {
            return Ok(());
        }
        self.steps = 0;
        self.options.check().map_err(|error| Box::new(Stop::Ended(error)))
    }

    /// Runs a block for the lanes of `live`, of which those are left that come to its end.
    ///
    /// Blocks are nested to a fixed depth, so this may recurse.
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
                if let Stop::Fault { place, message: _ } = &mut *stop {
                    place.push(at);
                }
                stop
            })?;
        }
        Ok(())
    }

    fn run_statement(&mut self, statement: Statement, depth: usize, live: &mut [u64]) -> Step {
        self.step(self.lanes)?;
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

    /// Fails where a value that is said to be uniform is not.
    fn check_uniform(&self, value: ValueId, live: &[u64]) -> Step {
        let uniformity = &self.layout.uniformity;
        let Some(first) = self.layout.value_row(value).filter(|_| uniformity.is_uniform(value)) else { return Ok(()) };
        for row in first..first + row_count(self.kernel.ty(value)) {
            let words = self.row(row);
            let mut found = mask::lanes(live).map(|lane| words[lane]);
            let Some(one) = found.next() else { continue };
            if let Some(other) = found.find(|&word| word != one) {
                return fault(format!("{value} is said to be uniform, and is {one} and {other}"));
            }
        }
        Ok(())
    }

    /// Runs a statement that owns blocks.
    fn run_nested(&mut self, statement: Statement, depth: usize, live: &mut [u64], masks: &mut [Vec<u64>; 2]) -> Step {
        let [inner, other] = masks;
        match statement {
            Statement::If { cond, then, otherwise } => {
                let cond = self.known(cond, live)?;
                mask::where_true(live, self.row(cond), inner);
                mask::where_false(live, self.row(cond), other);
                self.forget(then);
                self.forget(otherwise);
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
                self.forget(body);
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

    /// Lanes go on after what they have left with `Break`, but not after a `Return`.
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
        let (from, to) = (self.known(from, running)?, self.known(to, running)?);
        let Some(row) = self.layout.value_row(variable) else { return fault(format!("{variable} has no place")) };
        self.rows.copy_within(from * self.lanes..(from + 1) * self.lanes, row * self.lanes);
        loop {
            mask::keep_below(running, self.row(row), self.row(to));
            if mask::is_empty(running) {
                return Ok(());
            }
            self.step(self.lanes)?;
            self.forget(body);
            self.set_computed(row, running);
            self.run_block(body, depth + 1, running)?;
            // A number below an end of 32 bits has a successor of 32 bits.
            for number in &mut self.rows[row * self.lanes..][..self.lanes] {
                *number = number.wrapping_add(1);
            }
        }
    }

    /// What a block and the blocks within it have computed belongs to an earlier time.
    fn forget(&mut self, block: BlockId) {
        let masks = self.full.len();
        let rows = self.layout.block_rows(block);
        self.computed[rows.start * masks..rows.end * masks].fill(0);
    }

    fn set_computed(&mut self, row: usize, live: &[u64]) {
        self.computed[row * live.len()..][..live.len()].copy_from_slice(live);
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.rows[row * self.lanes..][..self.lanes]
    }

    /// The first row of an operand that all live lanes have computed.
    fn known(&self, operand: ValueId, live: &[u64]) -> Step<usize> {
        let Some(row) = self.layout.value_row(operand) else { return fault(format!("{operand} is computed nowhere")) };
        let computed = &self.computed[row * live.len()..][..live.len()];
        if computed.iter().zip(live).any(|(&computed, &live)| live & !computed != 0) {
            let missing: Vec<u64> = live.iter().zip(computed).map(|(live, computed)| live & !computed).collect();
            let invocation = self.first_invocation(&missing);
            return fault(format!("invocation {invocation:?} has not computed {operand} on its way"));
        }
        Ok(row)
    }

    fn known_if_any(&self, operand: Option<ValueId>, live: &[u64]) -> Step<Option<usize>> {
        operand.map(|operand| self.known(operand, live)).transpose()
    }

    fn invocation(&self, lane: usize) -> [u32; 3] {
        let size = self.kernel.workgroup_size;
        let local = self.local_ids[lane];
        std::array::from_fn(|axis| self.workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local[axis]))
    }

    fn first_invocation(&self, mask: &[u64]) -> [u32; 3] {
        mask::lanes(mask).next().map_or([0; 3], |lane| self.invocation(lane))
    }

    /// All lanes are here.
    fn rendezvous(&self, what: &str, live: &[u64]) -> Step {
        if live == self.full {
            return Ok(());
        }
        let missing: Vec<u64> = self.full.iter().zip(live).map(|(full, live)| full & !live).collect();
        fault(format!(
            "{what} is reached by {} of {} invocations, and invocation {:?} is not among them",
            mask::count(live),
            self.lanes,
            self.first_invocation(&missing)
        ))
    }

    fn set(&mut self, slot: SlotId, value: ValueId, live: &[u64]) -> Step {
        let lanes = self.lanes;
        let from = self.known(value, live)?;
        let to = self.layout.slot_row(slot);
        let length = row_count(self.kernel.ty(value)) * lanes;
        let (from, to) = (&self.rows[from * lanes..][..length], &mut self.slots[to * lanes..][..length]);
        if live == self.full {
            to.copy_from_slice(from);
            return Ok(());
        }
        for (from, to) in from.chunks(lanes).zip(to.chunks_mut(lanes)) {
            mask::lanes(live).for_each(|lane| to[lane] = from[lane]);
        }
        Ok(())
    }

    /// The index of a lane, which is in range; `None` where the guard does not hold.
    fn index(
        &self,
        buffer: BufferId,
        length: u32,
        index: usize,
        guard: Option<usize>,
        lane: usize,
    ) -> Step<Option<u32>> {
        if guard.is_some_and(|guard| self.rows[guard * self.lanes + lane] == 0) {
            return Ok(None);
        }
        let index = self.rows[index * self.lanes + lane];
        if index < length {
            return Ok(Some(index));
        }
        let guard = if guard.is_some() { "a guard that holds" } else { "no guard" };
        let name = &self.kernel.buffers[buffer].name;
        let invocation = self.invocation(lane);
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
        let (index, row) = (self.known(index, live)?, self.known(value, live)?);
        let guard = self.known_if_any(guard, live)?;
        let length = self.memory.length(buffer);
        let words = row_count(self.kernel.ty(value));
        for lane in mask::lanes(live) {
            let Some(index) = self.index(buffer, length, index, guard, lane)? else { continue };
            let element = self.memory.element_mut(buffer, index);
            for at in 0..words {
                set_word(element, at, self.rows[(row + at) * self.lanes + lane]);
            }
        }
        Ok(())
    }

    /// Computes a value.
    fn compute(&mut self, value: ValueId, live: &[u64]) -> Step {
        let entry = self.kernel.values[value];
        let Some(row) = self.layout.value_row(value) else { return fault(format!("{value} has no place")) };
        match entry.op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => {
                return fault(format!("{value} is a leaf, and those are not computed"));
            }
            Op::Get(slot) => {
                let length = row_count(entry.ty) * self.lanes;
                let from = self.layout.slot_row(slot) * self.lanes;
                self.rows[row * self.lanes..][..length].copy_from_slice(&self.slots[from..][..length]);
            }
            Op::Unary(op, a) => {
                let ([a], out) = self.operands([a], row, live)?;
                words::unary(op, a, out);
            }
            Op::Binary(op, a, b) => {
                self.check_right(op, b, live)?;
                let ([a, b], out) = self.operands([a, b], row, live)?;
                words::binary(op, a, b, out);
            }
            Op::Compare(op, a, b) => {
                let ([a, b], out) = self.operands([a, b], row, live)?;
                words::compare(op, a, b, out);
            }
            Op::Not(a) => {
                let ([a], out) = self.operands([a], row, live)?;
                words::map(a, out, |a| u32::from(a == 0));
            }
            Op::Logic(op, a, b) => {
                let ([a, b], out) = self.operands([a, b], row, live)?;
                words::logic(op, a, b, out);
            }
            Op::ToWord(a) => {
                let ([a], out) = self.operands([a], row, live)?;
                out.copy_from_slice(a);
            }
            Op::Select(cond, a, b) => self.select(cond, a, b, row, live)?,
            Op::Extract(vector, lane) => {
                let from = (self.known(vector, live)? + usize::from(lane)) * self.lanes;
                self.rows.copy_within(from..from + self.lanes, row * self.lanes);
            }
            Op::Pack2(lanes) => self.pack(&lanes, row, live)?,
            Op::Pack4(lanes) => self.pack(&lanes, row, live)?,
            Op::Load { buffer, index, guard } => self.load(buffer, index, guard, row_count(entry.ty), row, live)?,
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                self.atomic(op, buffer, [Some(index), expected, value, guard], row, live)?;
            }
            Op::Collective(collective) => self.collective(collective, row, live)?,
        }
        self.set_computed(row, live);
        Ok(())
    }

    /// The rows of operands of one row each, and the row of what is computed from them.
    fn operands<const N: usize>(
        &mut self,
        operands: [ValueId; N],
        row: usize,
        live: &[u64],
    ) -> Step<([&[u32]; N], &mut [u32])> {
        let mut rows = [0; N];
        for (row, operand) in rows.iter_mut().zip(operands) {
            *row = self.known(operand, live)?;
        }
        let lanes = self.lanes;
        // Operands lie before what is computed from them.
        let (before, rest) = self.rows.split_at_mut(row * lanes);
        let before = &*before;
        Ok((rows.map(|row| &before[row * lanes..][..lanes]), &mut rest[..lanes]))
    }

    fn check_right(&self, op: Binary, b: ValueId, live: &[u64]) -> Step {
        if !matches!(op, Binary::Div | Binary::Mod | Binary::Shl | Binary::Shr) {
            return Ok(());
        }
        let row = self.row(self.known(b, live)?);
        // Most rows have no such operand in any lane, which is quickly seen.
        if !row.iter().fold(false, |any, &b| any | words::is_excluded(op, b)) {
            return Ok(());
        }
        match mask::lanes(live).find(|&lane| words::is_excluded(op, row[lane])) {
            Some(lane) => fault(format!("invocation {:?} does {} by {}", self.invocation(lane), op.name(), row[lane])),
            None => Ok(()),
        }
    }

    fn select(&mut self, cond: ValueId, a: ValueId, b: ValueId, row: usize, live: &[u64]) -> Step {
        let lanes = self.lanes;
        let (cond, a_row, b_row) = (self.known(cond, live)?, self.known(a, live)?, self.known(b, live)?);
        let (before, rest) = self.rows.split_at_mut(row * lanes);
        let before_row = |row: usize| &before[row * lanes..][..lanes];
        for at in 0..row_count(self.kernel.ty(a)) {
            let out = &mut rest[at * lanes..][..lanes];
            words::select(before_row(cond), before_row(a_row + at), before_row(b_row + at), out);
        }
        Ok(())
    }

    fn pack(&mut self, words: &[ValueId], row: usize, live: &[u64]) -> Step {
        for (at, &word) in words.iter().enumerate() {
            let from = self.known(word, live)? * self.lanes;
            self.rows.copy_within(from..from + self.lanes, (row + at) * self.lanes);
        }
        Ok(())
    }

    fn load(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        guard: Option<ValueId>,
        words: usize,
        row: usize,
        live: &[u64],
    ) -> Step {
        let (index, guard) = (self.known(index, live)?, self.known_if_any(guard, live)?);
        let length = self.memory.length(buffer);
        for lane in mask::lanes(live) {
            let index = self.index(buffer, length, index, guard, lane)?;
            let element = index.map(|index| self.memory.element(buffer, index));
            for at in 0..words {
                self.rows[(row + at) * self.lanes + lane] = element.map_or(0, |element| word(element, at));
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
        row: usize,
        live: &[u64],
    ) -> Step {
        let mut rows = [None; 4];
        for (row, operand) in rows.iter_mut().zip(operands) {
            *row = self.known_if_any(operand, live)?;
        }
        let [index, expected, value, guard] = rows;
        let index = index.unwrap_or_default();
        let length = self.memory.length(buffer);
        // Lanes update one after the other, so that all agree on one order.
        for lane in mask::lanes(live) {
            let operand = |row: Option<usize>| row.map_or(0, |row| self.rows[row * self.lanes + lane]);
            let result = match self.index(buffer, length, index, guard, lane)? {
                None => 0,
                Some(index) => {
                    let (expected, value) = (operand(expected), operand(value));
                    let element = self.memory.element_mut(buffer, index);
                    let before = word(element, 0);
                    set_word(element, 0, words::updated(op, before, expected, value));
                    if op == AtomicOp::Store { 0 } else { before }
                }
            };
            self.rows[row * self.lanes + lane] = result;
        }
        Ok(())
    }

    fn collective(&mut self, collective: Collective, row: usize, live: &[u64]) -> Step {
        self.rendezvous("a collective", live)?;
        match collective {
            Collective::Broadcast(value, lane) => {
                let ([_, wanted], _) = self.operands([value, lane], row, live)?;
                if wanted.iter().any(|lane| *lane != wanted[0]) {
                    return fault("the lane of a broadcast is not the same for all invocations".to_owned());
                }
                self.shuffle(value, lane, row, live)?;
            }
            Collective::Shuffle(value, lane) => self.shuffle(value, lane, row, live)?,
            Collective::Reduce(op, value) => {
                let ([value], out) = self.operands([value], row, live)?;
                let all = value.iter().fold(words::neutral(op), |all, &word| words::combine(op, all, word));
                out.fill(all);
            }
            Collective::ScanExclusive(op, value) => {
                let ([value], out) = self.operands([value], row, live)?;
                scan(op, value, out, |before, _| before);
            }
            Collective::ScanInclusive(op, value) => {
                let ([value], out) = self.operands([value], row, live)?;
                scan(op, value, out, |_, after| after);
            }
            Collective::Ballot(predicate) => {
                if self.lanes > BALLOT_LANES {
                    return fault(format!("a ballot of {} invocations", self.lanes));
                }
                let ([predicate], out) = self.operands([predicate], row, live)?;
                let bits = predicate.iter().enumerate().fold(0, |bits, (lane, &truth)| bits | (truth << lane));
                out.fill(bits);
            }
        }
        Ok(())
    }

    fn shuffle(&mut self, value: ValueId, lane: ValueId, row: usize, live: &[u64]) -> Step {
        let ([value, wanted], out) = self.operands([value, lane], row, live)?;
        words::map(wanted, out, |lane| value.get(lane as usize).copied().unwrap_or(0));
        Ok(())
    }
}

/// Combines lane by lane; `choose` takes what came before a lane and what comes with it.
fn scan(op: ReduceOp, values: &[u32], out: &mut [u32], choose: impl Fn(u32, u32) -> u32) {
    let mut before = words::neutral(op);
    for (out, &word) in out.iter_mut().zip(values) {
        let after = words::combine(op, before, word);
        *out = choose(before, after);
        before = after;
    }
}
