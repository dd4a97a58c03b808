//! How the lanes of a workgroup go through a kernel on one thread.
//!
//! Barriers and collectives are where lanes meet. Control flow around them is uniform, so it is done once for the whole
//! workgroup; what lies between two of them is a *region* that lanes go through one after the other. Uniform values are
//! computed once as well. A value that one region computes and another uses has an array with a place for each lane.

use vyre_kernel::{Binary, BlockId, Collective, Effect, Kernel, Key, Op, SlotId, Statement, Type, Uniformity, ValueId};

use crate::crowd::crowded_slots;
use crate::interchange;
use crate::vector::{Manner, Survey, VectorUse, is_steady};

/// What is done for a workgroup, in order.
#[derive(Debug)]
pub(crate) enum Step {
    /// A value that is computed once.
    Compute(ValueId),
    /// A value that lanes compute together.
    Collective(ValueId),
    /// A slot that the workgroup has one of.
    Set {
        slot: SlotId,
        value: ValueId,
    },
    /// What lanes do one after the other.
    Region(Region),
    If {
        cond: ValueId,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Loop {
        variable: ValueId,
        from: ValueId,
        to: ValueId,
        body: Vec<Step>,
    },
    Break,
    Return,
}

/// Statements without a meeting of lanes.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) statements: Vec<Statement>,
    /// Values of other regions that this one uses.
    pub(crate) inputs: Vec<ValueId>,
    /// How lanes go through it.
    pub(crate) manner: Manner,
}

/// Where a value or slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a register, for one lane at a time.
    Lane,
    /// In a register, once for the workgroup.
    Workgroup,
    /// In an array, for each lane; the offset counts words of one lane.
    Array { offset: u32 },
    /// A slot in the memory of the thread, for the lanes that run, or for the workgroup if it is shared. The offset counts
    /// words; each has room for a group of lanes.
    Memory { offset: u32, shared: bool },
}

/// How a kernel is run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// By value.
    pub(crate) values: Vec<Place>,
    /// By slot.
    pub(crate) slots: Vec<Place>,
    /// The words of arrays of slots for each lane, which come first and start as zero.
    pub(crate) slot_words: u32,
    /// All words of arrays for each lane.
    pub(crate) words: u32,
    /// Words of slots in memory.
    pub(crate) memory_words: u32,
    /// Whether lanes that have returned must be kept from later regions.
    pub(crate) tracks_returns: bool,
    /// The lanes of a workgroup.
    pub(crate) lanes: u32,
}

impl Plan {
    // The memory of a thread: arrays, a byte for each lane that has returned, slots that have no register.

    /// Where it is noted which lanes have returned.
    pub(crate) fn returns_start(&self) -> u64 {
        (u64::from(self.words) * u64::from(self.lanes) * 4).next_multiple_of(16)
    }

    /// Where slots without a register are.
    pub(crate) fn memory_start(&self) -> u64 {
        let returns = if self.tracks_returns { u64::from(self.lanes).next_multiple_of(16) } else { 0 };
        self.returns_start() + returns
    }

    /// The memory that a thread needs.
    pub(crate) fn bytes(&self) -> u64 {
        self.memory_start() + u64::from(self.memory_words) * 16
    }
}

/// How many words of memory a value takes.
pub(crate) fn words(ty: Type) -> u32 {
    match ty {
        Type::Bool | Type::U32 => 1,
        Type::Vec2 => 2,
        Type::Vec4 => 4,
    }
}

/// How often the set of slots that the workgroup has one of is tried to be made smaller.
const MOST_ATTEMPTS: usize = 8;

impl Plan {
    pub(crate) fn new(kernel: &Kernel, vectors: VectorUse) -> Plan {
        let uniformity = Uniformity::of(kernel);
        let wide = Wide::of(kernel, &uniformity);
        let mut shared = shared_slots(kernel, &uniformity, &wide);
        for attempt in 0.. {
            if attempt == MOST_ATTEMPTS {
                shared.fill(false);
            }
            let mut builder = Builder {
                kernel,
                uniformity: &uniformity,
                wide: &wide,
                shared: &shared,
                is_workgroup_value: vec![false; kernel.values.len()],
                unfit: Vec::new(),
                may_have_left: false,
            };
            let steps = builder.block(kernel.entry);
            if builder.unfit.is_empty() {
                let is_workgroup_value = builder.is_workgroup_value;
                return Placement::new(kernel, is_workgroup_value, &shared).finish(steps, vectors);
            }
            for slot in builder.unfit {
                shared[slot.position()] = false;
            }
        }
        unreachable!("an attempt without shared slots has none that do not fit")
    }
}

/// Decides how lanes go through each region, which are numbered in order from 1.
fn choose_manners(steps: &mut [Step], survey: &mut Survey<'_>, region: &mut u32) {
    for step in steps {
        match step {
            Step::Region(it) => {
                *region += 1;
                it.manner = survey.manner(*region, &it.statements);
            }
            Step::If { cond: _, then, otherwise } => {
                choose_manners(then, survey, region);
                choose_manners(otherwise, survey, region);
            }
            Step::Loop { body, .. } => choose_manners(body, survey, region),
            Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
        }
    }
}

/// Which blocks are gone through by the workgroup as a whole.
struct Wide {
    /// By block: whether lanes meet in it or leave it together.
    blocks: Vec<bool>,
}

impl Wide {
    fn of(kernel: &Kernel, uniformity: &Uniformity) -> Wide {
        let mut meets = vec![false; kernel.blocks.len()];
        find_meetings(kernel, kernel.entry, &mut meets);
        let mut wide = Wide { blocks: meets };
        for block in interchange::loops(kernel, uniformity, &wide.blocks) {
            wide.blocks[block.position()] = true;
            wide.blocks[kernel.entry.position()] = true;
        }
        if wide.blocks[kernel.entry.position()] {
            wide.add_exits(kernel, uniformity, kernel.entry, (false, false));
        }
        wide
    }

    /// A uniform exit from something wide is wide, and so is everything around it. Where some lanes may have returned that
    /// is not so: no lanes meet any more, and there is no lane of which it is known that it can tell what all agree on.
    ///
    /// Tells whether the block is wide, and whether some lanes may have returned after it.
    fn add_exits(
        &mut self,
        kernel: &Kernel,
        uniformity: &Uniformity,
        block: BlockId,
        (in_wide_loop, mut parted): (bool, bool),
    ) -> (bool, bool) {
        let mut found = self.blocks[block.position()];
        for &statement in &kernel.blocks[block].statements {
            match statement {
                Statement::Return if uniformity.is_uniform_block(block) => found |= !parted,
                Statement::Return => parted = true,
                Statement::Break => found |= in_wide_loop,
                Statement::If { cond: _, then, otherwise } => {
                    let before = (in_wide_loop, parted);
                    for inner in [then, otherwise] {
                        let (is_wide, parts) = self.add_exits(kernel, uniformity, inner, before);
                        found |= is_wide;
                        parted |= parts;
                    }
                }
                Statement::Loop { body, .. } => {
                    // What comes later in a round comes earlier than the next one.
                    parted |= has_return(kernel, body, &|block| !uniformity.is_uniform_block(block));
                    // Whether the loop is wide must be known before its breaks are looked at.
                    let returns = !parted && has_return(kernel, body, &|block| uniformity.is_uniform_block(block));
                    let is_wide = self.blocks[body.position()] || returns;
                    found |= self.add_exits(kernel, uniformity, body, (is_wide, parted)).0;
                }
                Statement::Block { body } => parted |= has_return(kernel, body, &|_| true),
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {}
            }
        }
        self.blocks[block.position()] = found;
        (found, parted)
    }

    fn is_wide(&self, kernel: &Kernel, statement: Statement, in_wide_block: bool) -> bool {
        match statement {
            Statement::Barrier => true,
            Statement::Let(value) => matches!(kernel.op(value), Op::Collective(_)),
            // An exit that stands directly in a wide block is one of the workgroup.
            Statement::Break | Statement::Return => in_wide_block,
            _ => statement.blocks().any(|block| self.blocks[block.position()]),
        }
    }
}

/// Whether lanes may leave the block that a statement stands in.
fn leaves(kernel: &Kernel, statement: Statement, in_loop: bool) -> bool {
    match statement {
        Statement::Return => true,
        Statement::Break => !in_loop,
        _ => {
            let in_loop = in_loop || matches!(statement, Statement::Loop { .. } | Statement::Block { .. });
            statement.blocks().any(|block| {
                let statements = &kernel.blocks[block].statements;
                statements.iter().any(|&inner| leaves(kernel, inner, in_loop))
            })
        }
    }
}

/// Whether an operation relies on what control flow has made sure of.
fn may_fail(kernel: &Kernel, op: Op) -> bool {
    match op {
        Op::Load { guard, .. } => guard.is_none(),
        Op::Binary(Binary::Div | Binary::Mod, _, divisor) => kernel.as_word(divisor).is_none_or(|word| word == 0),
        _ => false,
    }
}

/// Whether a block returns, in it or in a block within of which `counts` tells that it matters.
fn has_return(kernel: &Kernel, block: BlockId, counts: &dyn Fn(BlockId) -> bool) -> bool {
    kernel.blocks[block].statements.iter().any(|&statement| match statement {
        Statement::Return => counts(block),
        _ => statement.blocks().any(|inner| has_return(kernel, inner, counts)),
    })
}

/// Finds the blocks in which lanes meet; blocks nest to a fixed depth.
fn find_meetings(kernel: &Kernel, block: BlockId, meets: &mut [bool]) -> bool {
    let mut found = false;
    for &statement in &kernel.blocks[block].statements {
        match statement {
            Statement::Barrier => found = true,
            Statement::Let(value) => found |= matches!(kernel.op(value), Op::Collective(_)),
            // All blocks are looked at, whatever is found in the first.
            _ => {
                for inner in statement.blocks() {
                    found |= find_meetings(kernel, inner, meets);
                }
            }
        }
    }
    meets[block.position()] = found;
    found
}

/// Slots that hold the same in all lanes and are set by the workgroup as a whole.
fn shared_slots(kernel: &Kernel, uniformity: &Uniformity, wide: &Wide) -> Vec<bool> {
    let mut shared: Vec<bool> = kernel.slots.keys().map(|slot| uniformity.is_uniform_slot(slot)).collect();
    let mut pending = vec![kernel.entry];
    while let Some(block) = pending.pop() {
        for &statement in &kernel.blocks[block].statements {
            if let Statement::Set { slot, value: _ } = statement
                && !wide.blocks[block.position()]
            {
                shared[slot.position()] = false;
            }
            pending.extend(statement.blocks());
        }
    }
    shared
}

/// Turns blocks into steps.
struct Builder<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    wide: &'k Wide,
    shared: &'k [bool],
    /// By value: whether it is computed once.
    is_workgroup_value: Vec<bool>,
    /// Slots that cannot be shared after all.
    unfit: Vec<SlotId>,
    /// Whether some lanes, or all of them, may not get to what comes next.
    may_have_left: bool,
}

impl Builder<'_> {
    /// The steps of a wide block, or of the entry.
    fn block(&mut self, block: BlockId) -> Vec<Step> {
        let is_wide = self.wide.blocks[block.position()];
        let mut steps = Vec::new();
        let mut region = Region::default();
        let kernel = self.kernel;
        for &statement in &kernel.blocks[block].statements {
            if let Statement::Let(value) = statement
                && self.can_be_computed_once(value)
            {
                // Nothing before it in the region can change it.
                self.is_workgroup_value[value.position()] = true;
                steps.push(Step::Compute(value));
                continue;
            }
            if let Statement::Set { slot, value } = statement
                && self.shared[slot.position()]
            {
                if !self.is_workgroup_value(value) {
                    self.unfit.push(slot);
                }
                flush(&mut region, &mut steps);
                steps.push(Step::Set { slot, value });
                continue;
            }
            if !self.wide.is_wide(kernel, statement, is_wide) {
                region.statements.push(statement);
                self.may_have_left |= leaves(kernel, statement, false);
                continue;
            }
            flush(&mut region, &mut steps);
            match statement {
                Statement::Let(value) => {
                    let Op::Collective(collective) = kernel.op(value) else { continue };
                    self.is_workgroup_value[value.position()] = matches!(
                        collective,
                        Collective::Broadcast(..) | Collective::Reduce(..) | Collective::Ballot(_)
                    );
                    steps.push(Step::Collective(value));
                }
                Statement::If { cond, then, otherwise } => {
                    let then = self.block(then);
                    let otherwise = self.block(otherwise);
                    steps.push(Step::If { cond, then, otherwise });
                }
                Statement::Loop { variable, from, to, body } => {
                    self.is_workgroup_value[variable.position()] = true;
                    let body = self.block(body);
                    steps.push(Step::Loop { variable, from, to, body });
                }
                Statement::Break => steps.push(Step::Break),
                Statement::Return => steps.push(Step::Return),
                // One thread runs all lanes, so the end of a region is all that a barrier needs.
                Statement::Barrier => {}
                Statement::Set { .. } | Statement::Store { .. } | Statement::Block { .. } => {}
            }
        }
        flush(&mut region, &mut steps);
        steps
    }

    fn is_workgroup_value(&self, value: ValueId) -> bool {
        match self.kernel.op(value) {
            Op::LoopVariable => self.is_workgroup_value[value.position()],
            op if op.is_leaf() => self.uniformity.is_uniform(value),
            _ => self.is_workgroup_value[value.position()],
        }
    }

    fn can_be_computed_once(&self, value: ValueId) -> bool {
        let op = self.kernel.op(value);
        let steady = match op.effect() {
            Effect::None => true,
            Effect::ReadsSlot(slot) => self.shared[slot.position()],
            Effect::Reads(buffer) => is_steady(self.kernel.buffers[buffer].access),
            Effect::Updates(_) | Effect::Rendezvous => false,
        };
        let mut known = true;
        op.for_each_operand(|operand| known &= self.is_workgroup_value(operand));
        // What is in range, or not zero, for those who get here need not be so for a workgroup of which nobody does.
        let is_safe = !self.may_have_left || !may_fail(self.kernel, op);
        steady && known && is_safe && self.uniformity.is_uniform(value)
    }
}

fn flush(region: &mut Region, steps: &mut Vec<Step>) {
    if !region.statements.is_empty() {
        steps.push(Step::Region(std::mem::take(region)));
    }
}

/// Gives values and slots their places.
struct Placement<'k> {
    kernel: &'k Kernel,
    values: Vec<Place>,
    slots: Vec<Place>,
    /// By value: the region that computes it, from 1; 0 if none does.
    region_of: Vec<u32>,
    /// By value: the region that was last found to compute it again.
    again_in: Vec<u32>,
    /// By slot: the one region that accesses it.
    slot_region: Vec<SlotUse>,
    regions: u32,
    tracks_returns: bool,
    words: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotUse {
    None,
    One(u32),
    Several,
}

impl<'k> Placement<'k> {
    fn new(kernel: &'k Kernel, is_workgroup_value: Vec<bool>, shared: &[bool]) -> Placement<'k> {
        let place = |is_workgroup: bool| if is_workgroup { Place::Workgroup } else { Place::Lane };
        Placement {
            kernel,
            values: is_workgroup_value.into_iter().map(place).collect(),
            slots: shared.iter().map(|&shared| place(shared)).collect(),
            region_of: vec![0; kernel.values.len()],
            again_in: vec![0; kernel.values.len()],
            slot_region: vec![SlotUse::None; kernel.slots.len()],
            regions: 0,
            tracks_returns: false,
            words: 0,
        }
    }

    fn finish(mut self, mut steps: Vec<Step>, vectors: VectorUse) -> Plan {
        self.survey(&steps, false);
        for slot in self.kernel.slots.keys() {
            let place = &mut self.slots[slot.position()];
            if *place == Place::Lane && self.slot_region[slot.position()] == SlotUse::Several {
                *place = Place::Array { offset: self.words };
                self.words += words(self.kernel.slots[slot].ty);
            }
        }
        let mut memory_words = 0;
        for (slot, _) in self.kernel.slots.iter().zip(crowded_slots(self.kernel)).filter(|(_, crowded)| *crowded) {
            let (slot, entry) = slot;
            let place = &mut self.slots[slot.position()];
            if let Place::Lane | Place::Workgroup = *place {
                *place = Place::Memory { offset: memory_words, shared: *place == Place::Workgroup };
                memory_words += words(entry.ty);
            }
        }
        let slot_words = self.words;
        let mut region = 0;
        self.find_inputs(&mut steps, &mut region);
        let mut used_in = vec![0; self.kernel.values.len()];
        self.drop_unused(&mut steps, &mut used_in, &mut 0);
        let total = self.allocate(&steps, slot_words);
        let tracks_returns = self.tracks_returns && self.regions > 1;
        let lanes = self.kernel.workgroup_size.iter().product();
        if vectors != VectorUse::Never {
            let places = (&self.values[..], &self.slots[..]);
            let mut survey = Survey::new(self.kernel, places, tracks_returns, vectors);
            choose_manners(&mut steps, &mut survey, &mut 0);
        }
        Plan {
            steps,
            values: self.values,
            slots: self.slots,
            slot_words,
            words: total,
            memory_words,
            tracks_returns,
            lanes,
        }
    }

    /// Notes which region computes which value and accesses which slot.
    fn survey(&mut self, steps: &[Step], in_loop: bool) {
        for step in steps {
            match step {
                Step::Region(region) => {
                    self.regions += 1;
                    let number = self.regions;
                    let mut set_here = Vec::new();
                    for &statement in &region.statements {
                        self.survey_statement(statement, number, in_loop, true, &mut set_here);
                    }
                }
                Step::If { cond: _, then, otherwise } => {
                    self.survey(then, in_loop);
                    self.survey(otherwise, in_loop);
                }
                Step::Loop { body, .. } => self.survey(body, true),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
    }

    fn survey_statement(
        &mut self,
        statement: Statement,
        region: u32,
        in_loop: bool,
        at_top: bool,
        set_here: &mut Vec<SlotId>,
    ) {
        match statement {
            Statement::Let(value) => {
                self.region_of[value.position()] = region;
                if let Op::Get(slot) = self.kernel.op(value) {
                    // In a loop of the workgroup a slot may hold what the lane put into it in an earlier round.
                    let carried = in_loop && !set_here.contains(&slot);
                    self.use_slot(slot, if carried { SlotUse::Several } else { SlotUse::One(region) });
                }
            }
            Statement::Set { slot, value: _ } => {
                if at_top && set_here.len() < 64 {
                    set_here.push(slot);
                }
                self.use_slot(slot, SlotUse::One(region));
            }
            Statement::Loop { variable, .. } => self.region_of[variable.position()] = region,
            Statement::Return => self.tracks_returns = true,
            Statement::Store { .. }
            | Statement::If { .. }
            | Statement::Block { .. }
            | Statement::Break
            | Statement::Barrier => {}
        }
        for block in statement.blocks() {
            let kernel = self.kernel;
            for &inner in &kernel.blocks[block].statements {
                self.survey_statement(inner, region, in_loop, false, set_here);
            }
        }
    }

    fn use_slot(&mut self, slot: SlotId, by: SlotUse) {
        let known = &mut self.slot_region[slot.position()];
        *known = match (*known, by) {
            (SlotUse::None, by) => by,
            (SlotUse::One(a), SlotUse::One(b)) if a == b => SlotUse::One(a),
            _ => SlotUse::Several,
        };
    }

    /// Finds the values that cross from one region to another, or to the workgroup.
    fn find_inputs(&mut self, steps: &mut [Step], region: &mut u32) {
        for step in steps {
            match step {
                Step::Region(it) => {
                    *region += 1;
                    let mut inputs = Vec::new();
                    for &statement in &it.statements {
                        self.uses(statement, *region, &mut inputs);
                    }
                    inputs.sort_unstable();
                    inputs.dedup();
                    let mut again = Vec::new();
                    inputs.retain(|&input| !self.is_cheap(input, *region, &mut again));
                    let again = again.into_iter().map(Statement::Let);
                    it.statements.splice(0..0, again);
                    for &input in &inputs {
                        self.keep(input);
                    }
                    it.inputs = inputs;
                }
                Step::Collective(value) => {
                    if self.values[value.position()] != Place::Workgroup {
                        self.values[value.position()] = KEPT;
                    }
                    self.kernel.op(*value).for_each_operand(|operand| self.keep(operand));
                }
                Step::If { cond, then, otherwise } => {
                    self.keep(*cond);
                    self.find_inputs(then, region);
                    self.find_inputs(otherwise, region);
                }
                Step::Loop { variable: _, from, to, body } => {
                    self.keep(*from);
                    self.keep(*to);
                    self.find_inputs(body, region);
                }
                Step::Compute(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
    }

    /// Drops values of regions that nothing uses any more, since those that did compute them again, and empty regions.
    fn drop_unused(&self, steps: &mut Vec<Step>, used_in: &mut [u32], region: &mut u32) {
        steps.retain_mut(|step| {
            match step {
                Step::Region(it) => {
                    *region += 1;
                    let number = *region;
                    let mut kept = Vec::with_capacity(it.statements.len());
                    for &statement in it.statements.iter().rev() {
                        if let Statement::Let(value) = statement
                            && self.values[value.position()] == Place::Lane
                            && used_in[value.position()] != number
                            && !matches!(self.kernel.op(value).effect(), Effect::Updates(_) | Effect::Rendezvous)
                        {
                            continue;
                        }
                        self.note_uses(statement, number, used_in);
                        kept.push(statement);
                    }
                    kept.reverse();
                    it.statements = kept;
                    return !it.statements.is_empty();
                }
                Step::If { cond: _, then, otherwise } => {
                    self.drop_unused(then, used_in, region);
                    self.drop_unused(otherwise, used_in, region);
                }
                Step::Loop { body, .. } => self.drop_unused(body, used_in, region),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
            true
        });
    }

    fn note_uses(&self, statement: Statement, region: u32, used_in: &mut [u32]) {
        let mut note = |operand: ValueId| used_in[operand.position()] = region;
        statement.for_each_operand(&mut note);
        if let Statement::Let(value) = statement {
            self.kernel.op(value).for_each_operand(&mut note);
        }
        for block in statement.blocks() {
            for &inner in &self.kernel.blocks[block].statements {
                self.note_uses(inner, region, used_in);
            }
        }
    }

    /// Whether a value is better computed again than kept in an array, since it takes a few operations on ids and values of
    /// the workgroup. If so, adds those to `again` that are not in it.
    fn is_cheap(&mut self, value: ValueId, region: u32, again: &mut Vec<ValueId>) -> bool {
        const MOST_OPERATIONS: usize = 4;
        let mut found = Vec::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let op = self.kernel.op(value);
            let is_at_hand = op.is_leaf() && op != Op::LoopVariable
                || self.values[value.position()] == Place::Workgroup
                || found.contains(&value);
            if is_at_hand {
                continue;
            }
            let is_simple = match op {
                Op::Binary(binary, ..) => !matches!(binary, Binary::Div | Binary::Mod),
                Op::Compare(..) | Op::Not(_) | Op::Logic(..) | Op::ToWord(_) => true,
                _ => false,
            };
            if !is_simple || found.len() == MOST_OPERATIONS {
                return false;
            }
            found.push(value);
            op.for_each_operand(|operand| pending.push(operand));
        }
        // Operands come before what uses them.
        found.retain(|value| self.again_in[value.position()] != region);
        while !found.is_empty() {
            let ready = found.iter().position(|&value| {
                let mut is_ready = true;
                self.kernel.op(value).for_each_operand(|operand| is_ready &= !found.contains(&operand));
                is_ready
            });
            let Some(ready) = ready else { return false };
            let value = found.remove(ready);
            self.again_in[value.position()] = region;
            again.push(value);
        }
        true
    }

    /// Gives a value that lanes compute an array.
    fn keep(&mut self, value: ValueId) {
        let op = self.kernel.op(value);
        let place = &mut self.values[value.position()];
        if *place == Place::Lane && (!op.is_leaf() || op == Op::LoopVariable) {
            *place = KEPT;
        }
    }

    /// The values of other regions that a statement uses.
    fn uses(&self, statement: Statement, region: u32, inputs: &mut Vec<ValueId>) {
        let mut note = |operand: ValueId| {
            let op = self.kernel.op(operand);
            let needs_place = !op.is_leaf() || op == Op::LoopVariable;
            let elsewhere = self.region_of[operand.position()] != region;
            if needs_place && elsewhere && self.values[operand.position()] != Place::Workgroup {
                inputs.push(operand);
            }
        };
        statement.for_each_operand(&mut note);
        if let Statement::Let(value) = statement {
            self.kernel.op(value).for_each_operand(&mut note);
        }
        for block in statement.blocks() {
            for &inner in &self.kernel.blocks[block].statements {
                self.uses(inner, region, inputs);
            }
        }
    }

    /// Gives arrays their offsets; those of a block are free again at its end. Gives the most words in use.
    fn allocate(&mut self, steps: &[Step], start: u32) -> u32 {
        let mut next = start;
        let mut most = start;
        for step in steps {
            match step {
                Step::Region(region) => {
                    for &statement in &region.statements {
                        // Only values that stand directly in the region are known outside of it.
                        if let Statement::Let(value) = statement {
                            self.place(value, &mut next);
                        }
                    }
                }
                Step::Collective(value) => self.place(*value, &mut next),
                Step::If { cond: _, then, otherwise } => {
                    most = most.max(self.allocate(then, next));
                    most = most.max(self.allocate(otherwise, next));
                }
                Step::Loop { body, .. } => most = most.max(self.allocate(body, next)),
                Step::Compute(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
            most = most.max(next);
        }
        most
    }

    fn place(&mut self, value: ValueId, next: &mut u32) {
        if self.values[value.position()] == KEPT {
            self.values[value.position()] = Place::Array { offset: *next };
            *next = next.saturating_add(words(self.kernel.ty(value)));
        }
    }
}

/// An array that has no offset yet.
const KEPT: Place = Place::Array { offset: u32::MAX };
