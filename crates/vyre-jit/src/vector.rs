//! Which regions four lanes go through at a time.
//!
//! Neighbouring lanes of a row form a *group*. Within a group a value is one number, or it grows by one from lane to lane
//! (as ids do), or it is a vector. A region is fit for groups if its lanes stay together: branches and bounds of loops are
//! the same for a group, or they compare an id with something that is, so that groups part in few places. Where a whole row
//! is within the bounds of what it accesses, which one test tells, nothing is tested in between.

use std::collections::BTreeMap;

use vyre_ir::BufferAccess;
use vyre_kernel::{
    Binary, BlockId, BufferId, Compare, Effect, Id, Kernel, Key, Logic, Op, SlotId, Statement, Unary, ValueId,
};

use crate::plan::Place;

/// Where four lanes run at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorUse {
    /// Where that is thought to be faster.
    #[default]
    WhereFaster,
    /// Wherever it is possible.
    WhereverPossible,
    /// Nowhere.
    Never,
}

/// The lanes of a group.
pub(crate) const LANES: u32 = 4;

/// How a value differs between the lanes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not at all.
    Uniform,
    /// It grows by one from lane to lane, modulo 2^32.
    Stride,
    /// In any way.
    Lanes,
}

/// How lanes go through a region.
#[derive(Debug)]
pub(crate) enum Manner {
    Single(Reason),
    Groups(Groups),
}

impl Default for Manner {
    fn default() -> Manner {
        Manner::Single(Reason::NoVectors)
    }
}

/// What groups need to go through a region.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Conditions that are what they are expected to be in a whole row. In other rows lanes go one after the other.
    pub(crate) expected: BTreeMap<ValueId, bool>,
    /// The same, in the order in which they are tested.
    pub(crate) tests: Vec<(ValueId, bool)>,
    /// What the tests are computed from, in order.
    pub(crate) test_values: Vec<ValueId>,
    /// How many groups go through the region in a round of the loop over groups.
    pub(crate) at_once: u32,
    /// Slots that hold a vector; the others hold the same in all lanes of a group.
    pub(crate) vector_slots: Vec<SlotId>,
    /// How often groups look at an access or branch again, and how many operations go lane by lane.
    tested: u32,
    lane_by_lane: u32,
}

/// Why lanes go one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The machine has no vectors of 128 bits, or none were asked for.
    NoVectors,
    Width(u32),
    Size(usize),
    Room,
    Returned,
    Branch(ValueId),
    Bounds(ValueId),
    Exit(ValueId),
    /// Vectors are not worth it: lane by lane, and in all.
    Gain(u32, u32),
}

impl Reason {
    /// The reason in words.
    pub(crate) fn describe(&self, kernel: &Kernel) -> String {
        match *self {
            Reason::NoVectors => "vectors were not asked for, or this machine has none".to_owned(),
            Reason::Width(1) => "rows have one lane".to_owned(),
            Reason::Width(width) => format!("rows of {width} lanes cannot be divided into groups of {LANES}"),
            Reason::Size(count) => format!("with {count} statements it is too long to be compiled twice"),
            Reason::Room => "vectors have taken all the room that they may have in the code of a kernel".to_owned(),
            Reason::Returned => "lanes that have returned earlier must be left out".to_owned(),
            Reason::Branch(cond) => {
                format!("lanes part at a branch on `{}`, which depends on more than their ids", condition(kernel, cond))
            }
            Reason::Bounds(variable) => format!("the bounds of the loop over {variable} differ from lane to lane"),
            Reason::Exit(cond) => format!("some lanes of a group may leave at `{}`", condition(kernel, cond)),
            Reason::Gain(single, all) => {
                format!("vectors would gain nothing, since {single} of {all} operations have to be done lane by lane")
            }
        }
    }
}

impl Groups {
    /// What groups need, in words that follow "4 lanes at a time".
    pub(crate) fn describe(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        if !self.tests.is_empty() {
            let tests: Vec<String> = self
                .tests
                .iter()
                .map(|&(cond, holds)| format!("{}`{}`", if holds { "" } else { "not " }, condition(kernel, cond)))
                .collect();
            text += &format!(", in rows where all lanes have {}; one lane at a time in others", tests.join(", "));
        }
        if self.tested > 0 {
            let what = if self.tested == 1 { "access or branch is" } else { "accesses or branches are" };
            text += &format!("; {} {what} tested for each group", self.tested);
        }
        if self.lane_by_lane > 0 {
            let what = if self.lane_by_lane == 1 { "operation is" } else { "operations are" };
            text += &format!("; {} {what} done lane by lane", self.lane_by_lane);
        }
        text
    }
}

/// A condition as it stands in the kernel, or its name if it is no comparison.
fn condition(kernel: &Kernel, cond: ValueId) -> String {
    let Op::Compare(compare, a, b) = kernel.op(cond) else { return cond.to_string() };
    let sign = match compare {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Lt => "<",
        Compare::Le => "<=",
    };
    format!("{} {sign} {}", operand(kernel, a), operand(kernel, b))
}

fn operand(kernel: &Kernel, value: ValueId) -> String {
    let axis = |axis: u8| ["x", "y", "z"].get(usize::from(axis)).copied().unwrap_or("?");
    match kernel.op(value) {
        Op::Word(word) => word.to_string(),
        Op::Id(id, at) => {
            let name = match id {
                Id::Invocation => "invocation_id",
                Id::Workgroup => "workgroup_id",
                Id::Local => "local_id",
                Id::NumWorkgroups => "num_workgroups",
            };
            format!("{name}.{}", axis(at))
        }
        Op::Length(buffer) => format!("len({})", kernel.buffers[buffer].name),
        _ => value.to_string(),
    }
}

/// The kind of a leaf. Rows are along the first axis.
pub(crate) fn leaf_kind(op: Op) -> Kind {
    match op {
        Op::Id(Id::Local | Id::Invocation, 0) => Kind::Stride,
        _ => Kind::Uniform,
    }
}

/// The kind of what an operation gives, which is not a leaf and does not read a slot.
pub(crate) fn result_kind(op: Op, kind: impl Fn(ValueId) -> Kind) -> Kind {
    let mut all_uniform = true;
    op.for_each_operand(|operand| all_uniform &= kind(operand) == Kind::Uniform);
    match op {
        Op::Atomic { .. } | Op::Collective(_) => Kind::Lanes,
        _ if all_uniform => Kind::Uniform,
        Op::Binary(Binary::Add, a, b) => match (kind(a), kind(b)) {
            (Kind::Stride, Kind::Uniform) | (Kind::Uniform, Kind::Stride) => Kind::Stride,
            _ => Kind::Lanes,
        },
        Op::Binary(Binary::Sub, a, b) if kind(a) == Kind::Stride && kind(b) == Kind::Uniform => Kind::Stride,
        _ => Kind::Lanes,
    }
}

/// A comparison of something that grows from lane to lane with something that does not, as `low < high` or `low <= high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) low: ValueId,
    pub(crate) high: ValueId,
    pub(crate) or_equal: bool,
}

impl Edge {
    /// The comparison that tells whether a comparison is what it is expected to be.
    pub(crate) fn of(op: Op, expected: bool) -> Option<Edge> {
        let Op::Compare(compare, a, b) = op else { return None };
        let or_equal = match compare {
            Compare::Lt => false,
            Compare::Le => true,
            Compare::Eq | Compare::Ne => return None,
        };
        // What is not less is greater or equal.
        Some(if expected { Edge { low: a, high: b, or_equal } } else { Edge { low: b, high: a, or_equal: !or_equal } })
    }
}

/// What is known about all regions.
pub(crate) struct Survey<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) values: &'k [Place],
    pub(crate) slots: &'k [Place],
    pub(crate) tracks_returns: bool,
    pub(crate) vectors: VectorUse,
    /// By value: the region that was last seen to compute it, and how it differs between lanes there.
    kinds: Vec<(u32, Kind)>,
    vector_slots: Vec<bool>,
    /// How many instructions there may be for groups of the regions that are left.
    room: u64,
}

/// What all regions of a kernel may become for groups: instructions, besides some for each statement.
const ROOM: u64 = 2_000;
const ROOM_PER_STATEMENT: u64 = 4;

/// Regions that are larger for a few groups do not take more at once.
const SMALL: u64 = 1_200;

/// Regions with more statements are not compiled twice.
const MOST_STATEMENTS: usize = 2_000;

/// How many operations a test of a row may be computed from, and how far conditions nest; each level doubles the tests.
const MOST_TEST_VALUES: usize = 64;
pub(crate) const MOST_TEST_DEPTH: u32 = 3;

/// How many groups go through a small region in a round, and what is small.
const AT_ONCE: u32 = 4;
const MOST_OPERATIONS_AT_ONCE: u32 = 16;

/// How many conditions are tested for a row.
const MOST_TESTS: usize = 32;

/// How often a region is looked at; slots and expectations settle after a few times.
const MOST_ROUNDS: usize = 8;

impl<'k> Survey<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel,
        (values, slots): (&'k [Place], &'k [Place]),
        tracks_returns: bool,
        vectors: VectorUse,
    ) -> Survey<'k> {
        Survey {
            kernel,
            values,
            slots,
            tracks_returns,
            vectors,
            kinds: vec![(0, Kind::Lanes); kernel.values.len()],
            vector_slots: vec![false; kernel.slots.len()],
            room: ROOM + ROOM_PER_STATEMENT * kernel.statement_count() as u64,
        }
    }

    /// How lanes go through a region.
    pub(crate) fn manner(&mut self, region: u32, statements: &[Statement]) -> Manner {
        let width = self.kernel.workgroup_size[0];
        if !width.is_multiple_of(LANES) {
            return Manner::Single(Reason::Width(width));
        }
        if self.tracks_returns {
            return Manner::Single(Reason::Returned);
        }
        let mut known = BTreeMap::new();
        for _ in 0..MOST_ROUNDS {
            let mut look = Look::new(self, region, known.clone());
            if let Err(reason) = look.statements(statements, false, 1) {
                return Manner::Single(reason);
            }
            let Look { slots_settled, mut groups, costs, size, .. } = look;
            groups.expected = groups.tests.iter().copied().collect();
            if slots_settled && groups.expected == known {
                if self.vectors == VectorUse::WhereFaster && costs.groups * 10 > costs.single * 9 {
                    return Manner::Single(Reason::Gain(groups.lane_by_lane, costs.operations));
                }
                let is_small = costs.operations <= MOST_OPERATIONS_AT_ONCE;
                let can_take_more =
                    is_small && width.is_multiple_of(AT_ONCE * LANES) && size * u64::from(AT_ONCE) <= SMALL;
                groups.at_once = if can_take_more { AT_ONCE } else { 1 };
                let size = size * u64::from(groups.at_once);
                if size > self.room {
                    return Manner::Single(Reason::Room);
                }
                self.room -= size;
                return Manner::Groups(groups);
            }
            known = groups.expected;
        }
        Manner::Single(Reason::Size(statements.len()))
    }
}

/// Instructions in the region, for four lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Costs {
    single: u64,
    groups: u64,
    operations: u32,
}

/// One look at a region.
struct Look<'s, 'k> {
    survey: &'s mut Survey<'k>,
    region: u32,
    groups: Groups,
    costs: Costs,
    /// About how many instructions the compiler gets for a group.
    size: u64,
    statements: usize,
    /// Whether no slot turned out to hold a vector that was not known to.
    slots_settled: bool,
}

impl<'s, 'k> Look<'s, 'k> {
    fn new(survey: &'s mut Survey<'k>, region: u32, expected: BTreeMap<ValueId, bool>) -> Look<'s, 'k> {
        let groups = Groups { expected, ..Groups::default() };
        // The loop over lanes takes some instructions for each of them.
        let costs = Costs { single: 12, groups: 3, operations: 0 };
        Look { survey, region, groups, costs, size: 0, statements: 0, slots_settled: true }
    }

    fn kernel(&self) -> &'k Kernel {
        self.survey.kernel
    }

    fn kind(&self, value: ValueId) -> Kind {
        if self.groups.expected.contains_key(&value) { Kind::Uniform } else { self.kind_unless_expected(value) }
    }

    fn kind_unless_expected(&self, value: ValueId) -> Kind {
        let op = self.kernel().op(value);
        if op.is_leaf() {
            leaf_kind(op)
        } else if self.survey.values[value.position()] == Place::Workgroup {
            Kind::Uniform
        } else {
            match self.survey.kinds[value.position()] {
                (region, kind) if region == self.region => kind,
                _ => Kind::Lanes,
            }
        }
    }

    /// Looks at statements that all lanes of a group run, or if `masked`, some. `weight` tells how often.
    fn statements(&mut self, statements: &[Statement], masked: bool, weight: u64) -> Result<(), Reason> {
        let kernel = self.kernel();
        self.statements += statements.len();
        if self.statements > MOST_STATEMENTS {
            return Err(Reason::Size(self.statements));
        }
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.value(value, masked, weight),
                Statement::Set { slot, value } => {
                    let is_uniform = !masked && self.kind(value) == Kind::Uniform;
                    let is_vector = &mut self.survey.vector_slots[slot.position()];
                    if !*is_vector && !is_uniform {
                        *is_vector = true;
                        self.slots_settled = false;
                    }
                    if *is_vector && !self.groups.vector_slots.contains(&slot) {
                        self.groups.vector_slots.push(slot);
                    }
                    self.cost(weight, 1, if masked { 3 } else { 1 });
                }
                Statement::Store { buffer, index, value, guard } => {
                    let kinds = [self.kind(index), self.kind(value)];
                    self.access(buffer, index, guard, kinds == [Kind::Uniform; 2], (masked, weight));
                }
                Statement::If { cond, then, otherwise } => self.branch(cond, then, otherwise, (masked, weight))?,
                Statement::Loop { variable, from, to, body } => {
                    if self.kind(from) != Kind::Uniform || self.kind(to) != Kind::Uniform {
                        return Err(Reason::Bounds(variable));
                    }
                    self.cost(weight * ROUNDS, 4, 4);
                    self.statements(&kernel.blocks[body].statements, masked, weight * ROUNDS)?;
                }
                Statement::Block { body } => self.statements(&kernel.blocks[body].statements, masked, weight)?,
                Statement::Break | Statement::Return | Statement::Barrier => {}
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        cond: ValueId,
        then: BlockId,
        otherwise: BlockId,
        (masked, weight): (bool, u64),
    ) -> Result<(), Reason> {
        let kernel = self.kernel();
        let (then, otherwise) = (&kernel.blocks[then].statements, &kernel.blocks[otherwise].statements);
        let leaves = |block: &[Statement]| block.last().is_some_and(|last| last.is_exit());
        let expected = match self.kind_unless_expected(cond) {
            Kind::Uniform => None,
            _ if masked => None,
            _ if self.expect(cond, true) => Some(true),
            _ if leaves(then) && self.expect(cond, false) => Some(false),
            _ => None,
        };
        self.cost(weight, 2, 2);
        match expected {
            Some(true) => return self.statements(then, masked, weight),
            Some(false) => return self.statements(otherwise, masked, weight),
            None => {}
        }
        if self.kind(cond) == Kind::Uniform {
            self.statements(then, masked, weight)?;
            return self.statements(otherwise, masked, weight);
        }
        if !self.is_about_ids(cond, 0) {
            return Err(Reason::Branch(cond));
        }
        if self.has_exit(then, false) || self.has_exit(otherwise, false) {
            return Err(Reason::Exit(cond));
        }
        self.groups.tested += 1;
        self.size += 20;
        self.cost(weight, 0, 4);
        let before = (self.costs, self.groups.tested, self.groups.lane_by_lane);
        for block in [then, otherwise] {
            self.statements(block, true, weight)?;
        }
        if !masked {
            // Where a group stays together, which is nearly everywhere, nothing is masked.
            (self.costs, self.groups.tested, self.groups.lane_by_lane) = before;
            for block in [then, otherwise] {
                self.statements(block, false, weight)?;
            }
        }
        Ok(())
    }

    /// Whether a block leaves something around it; a `Break` leaves the loop that it stands in.
    fn has_exit(&self, block: &[Statement], in_loop: bool) -> bool {
        block.iter().any(|&statement| match statement {
            Statement::Return => true,
            Statement::Break => !in_loop,
            Statement::Loop { body, .. } | Statement::Block { body } => {
                self.has_exit(&self.kernel().blocks[body].statements, true)
            }
            Statement::If { cond: _, then, otherwise } => {
                [then, otherwise].iter().any(|&inner| self.has_exit(&self.kernel().blocks[inner].statements, in_loop))
            }
            _ => false,
        })
    }

    /// Whether a condition compares ids with what is the same for a group, so that few groups part at it.
    fn is_about_ids(&self, cond: ValueId, depth: u32) -> bool {
        if depth > MOST_TEST_DEPTH {
            return false;
        }
        if self.kind(cond) == Kind::Uniform {
            return true;
        }
        match self.kernel().op(cond) {
            Op::Compare(_, a, b) => {
                matches!((self.kind(a), self.kind(b)), (Kind::Stride, Kind::Uniform) | (Kind::Uniform, Kind::Stride))
            }
            Op::Not(a) => self.is_about_ids(a, depth + 1),
            Op::Logic(_, a, b) => self.is_about_ids(a, depth + 1) && self.is_about_ids(b, depth + 1),
            _ => false,
        }
    }

    fn value(&mut self, value: ValueId, masked: bool, weight: u64) {
        let op = self.kernel().op(value);
        let kind = match op {
            Op::Get(slot) => {
                let place = self.survey.slots[slot.position()];
                let in_memory = matches!(place, Place::Array { .. } | Place::Memory { shared: false, .. });
                if in_memory || self.survey.vector_slots[slot.position()] { Kind::Lanes } else { Kind::Uniform }
            }
            _ => result_kind(op, |operand| self.kind(operand)),
        };
        self.survey.kinds[value.position()] = (self.region, kind);
        if self.groups.expected.contains_key(&value) {
            return;
        }
        match op {
            Op::Load { buffer, index, guard } => {
                self.access(buffer, index, guard, kind == Kind::Uniform, (masked, weight));
            }
            Op::Atomic { .. } => {
                self.groups.lane_by_lane += 1;
                self.size += 60;
                self.cost(weight, 8, 20);
            }
            _ if kind != Kind::Lanes => self.cost(weight, 1, 1),
            _ => {
                let words = u64::from(self.kernel().ty(value).words().max(1));
                let (single, group) = costs_of(op, |operand| self.kind(operand));
                self.size += group;
                if group > 4 * single {
                    self.groups.lane_by_lane += 1;
                }
                self.cost(weight, single * words, group * words);
            }
        }
    }

    /// An access to memory; if `once`, it is one for a group.
    fn access(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        guard: Option<ValueId>,
        once: bool,
        (masked, weight): (bool, u64),
    ) {
        let words = u64::from(vyre_kernel::element_type(self.kernel().buffers[buffer].element).words());
        let guard = guard.filter(|&guard| !self.expect(guard, true));
        let single = words + if guard.is_some() { 3 } else { 0 };
        if once && guard.is_none_or(|guard| self.kind(guard) == Kind::Uniform) {
            self.cost(weight, single, single);
        } else if self.kind(index) == Kind::Stride && !masked {
            let transposed = if words > 1 { 2 * words } else { 1 };
            let test = if guard.is_some() { 4 } else { 0 };
            self.size += 4 * transposed + if guard.is_some() { 50 + 10 * words } else { 0 };
            self.groups.tested += u32::from(guard.is_some());
            self.cost(weight, single, transposed + test);
        } else {
            self.groups.lane_by_lane += 1;
            self.size += 50 + 10 * words;
            self.cost(weight, single, 4 * (single + words + 1));
        }
    }

    /// Adds instructions: for one lane, and for a group.
    fn cost(&mut self, weight: u64, single: u64, group: u64) {
        self.costs.operations += 1;
        self.size += 2;
        self.costs.single += weight * 4 * single;
        self.costs.groups += weight * group;
    }

    /// Tries to expect something of whole rows: that ids of the grid are below a bound, as they nearly always are.
    fn expect(&mut self, cond: ValueId, expected: bool) -> bool {
        if self.groups.tests.contains(&(cond, expected)) {
            return true;
        }
        let known = self.groups.expected.get(&cond).copied();
        let (values, tests) = (self.groups.test_values.len(), self.groups.tests.len());
        if known == Some(!expected) || tests >= MOST_TESTS || !self.can_be_tested(cond, expected, 0) {
            self.groups.test_values.truncate(values);
            return false;
        }
        self.groups.expected.insert(cond, expected);
        self.groups.tests.push((cond, expected));
        true
    }

    fn can_be_tested(&mut self, cond: ValueId, expected: bool, depth: u32) -> bool {
        if depth > MOST_TEST_DEPTH {
            return false;
        }
        let op = self.kernel().op(cond);
        match (op, expected) {
            (Op::Logic(Logic::And, a, b), true) | (Op::Logic(Logic::Or, a, b), false) => {
                self.can_be_tested(a, expected, depth + 1) && self.can_be_tested(b, expected, depth + 1)
            }
            (Op::Not(a), _) => self.can_be_tested(a, !expected, depth + 1),
            _ => match Edge::of(op, expected) {
                Some(Edge { low, high, or_equal: _ }) => {
                    self.kind(low) == Kind::Stride
                        && self.kind(high) == Kind::Uniform
                        && self.mentions_grid(low)
                        && self.can_be_computed_first(low)
                        && self.can_be_computed_first(high)
                }
                None => false,
            },
        }
    }

    /// Whether a value is made of the place of the workgroup in the grid.
    fn mentions_grid(&self, value: ValueId) -> bool {
        let mut pending = vec![value];
        let mut seen = 0;
        while let Some(value) = pending.pop() {
            seen += 1;
            match self.kernel().op(value) {
                Op::Id(Id::Invocation | Id::Workgroup, _) => return true,
                _ if seen > MOST_TEST_VALUES => return false,
                op => op.for_each_operand(|operand| pending.push(operand)),
            }
        }
        false
    }

    /// Whether a value can be computed at the start of a row, and if so, notes what has to be.
    fn can_be_computed_first(&mut self, value: ValueId) -> bool {
        let kernel = self.kernel();
        let place = self.survey.values[value.position()];
        let op = kernel.op(value);
        if place == Place::Workgroup || self.groups.test_values.contains(&value) {
            return true;
        }
        if op.is_leaf() {
            return op != Op::LoopVariable;
        }
        let fails = |divisor: ValueId| kernel.as_word(divisor).is_none_or(|word| word == 0);
        let pure = op.effect() == Effect::None
            && !matches!(op, Op::Binary(Binary::Div | Binary::Mod, _, divisor) if fails(divisor))
            && self.survey.kinds[value.position()].0 == self.region;
        if !pure || self.groups.test_values.len() >= MOST_TEST_VALUES {
            return false;
        }
        // Values may nest deeply; each one that is noted below is within the limit.
        let before = self.groups.test_values.len();
        let mut fine = true;
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        if before + self.count_below(value) > MOST_TEST_VALUES {
            return false;
        }
        for operand in operands {
            fine = fine && self.can_be_computed_first(operand);
        }
        if fine {
            self.groups.test_values.push(value);
        }
        fine
    }

    /// How many values are below one, counted up to the limit, so that nobody follows an endless chain.
    fn count_below(&self, value: ValueId) -> usize {
        let mut pending = vec![value];
        let mut seen = 0;
        while let Some(value) = pending.pop() {
            if self.survey.values[value.position()] == Place::Workgroup || self.kernel().op(value).is_leaf() {
                continue;
            }
            seen += 1;
            if seen > MOST_TEST_VALUES {
                break;
            }
            self.kernel().op(value).for_each_operand(|operand| pending.push(operand));
        }
        seen
    }
}

/// How often a loop is thought to be gone through.
const ROUNDS: u64 = 8;

/// Instructions for one lane, and for a group.
fn costs_of(op: Op, kind: impl Fn(ValueId) -> Kind) -> (u64, u64) {
    let lane_by_lane = |single: u64| (single, 4 * (single + 2));
    match op {
        Op::Unary(unary, _) => match unary {
            Unary::Negate | Unary::BitNot => (1, 1),
            Unary::Popcount => (1, 12),
            Unary::Clz => (2, 23),
            Unary::Ctz => (2, 15),
            Unary::ReverseBits => (16, 18),
        },
        Op::Binary(binary, _, b) => match binary {
            Binary::Add | Binary::Sub | Binary::And | Binary::Or | Binary::Xor => (1, 1),
            Binary::Min | Binary::Max => (2, 1),
            Binary::Mul => (1, 2),
            Binary::MulHi => (4, 8),
            Binary::AbsDiff => (4, 3),
            Binary::Shl | Binary::Shr if kind(b) == Kind::Uniform => (1, 1),
            Binary::Shl | Binary::Shr => lane_by_lane(2),
            Binary::Div | Binary::Mod => lane_by_lane(10),
        },
        Op::Compare(..) => (1, 2),
        Op::Select(..) => (2, 2),
        Op::Extract(..) | Op::Pack2(_) | Op::Pack4(_) => (0, 0),
        _ => (1, 1),
    }
}

/// Whether loads of a buffer give the same at any time.
pub(crate) fn is_steady(access: BufferAccess) -> bool {
    matches!(access, BufferAccess::ReadOnly | BufferAccess::Uniform)
}
