//! Removal of checks that are proved: guards of accesses go away where conditions and ranges show the index to be in range.
//!
//! Going down the blocks, the pass keeps what is known of values at each place: a range of words, which conditions hold,
//! and which values lie below which others. Such facts come from the branches around a place, from branches before it
//! that end in an exit, from the bounds of loops, and from how values are computed. They are taken back at the end of the
//! block that they were learned in. A proof follows a bounded number of facts, so the pass takes linear time.

use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt};
use vyre_ir::BufferAccess;

use super::interval::Interval;
use super::replace::Replacements;
use crate::kernel::{BlockId, BufferId, Kernel, Statement, ValueId};
use crate::op::{Binary, Compare, Id, Logic, Op, Type};

pub(super) fn run(kernel: &mut Kernel) -> bool {
    let known = Known {
        ranges: HashMap::new(),
        truths: HashMap::new(),
        above: HashMap::new(),
        sums: HashMap::new(),
        log: Vec::new(),
    };
    let mut bounds = Bounds { kernel, replaced: Replacements::default(), known, changed: false };
    let entry = bounds.kernel.entry;
    bounds.block(entry);
    bounds.changed
}

struct Bounds<'k> {
    kernel: &'k mut Kernel,
    replaced: Replacements,
    known: Known,
    changed: bool,
}

/// What is known here.
struct Known {
    /// The range of a word, where it is smaller than what its operation says.
    ranges: HashMap<ValueId, Interval>,
    truths: HashMap<ValueId, bool>,
    /// By value: values that it is not above, and whether it is below.
    above: HashMap<ValueId, Vec<(ValueId, bool)>>,
    /// By value: sums of it and a constant that do not wrap.
    sums: HashMap<ValueId, Vec<(ValueId, u32)>>,
    /// How to take back what was learned.
    log: Vec<Undo>,
}

enum Undo {
    Range(ValueId, Option<Interval>),
    Truth(ValueId),
    Above(ValueId),
    Sum(ValueId),
}

impl Known {
    fn take_back(&mut self, start: usize) {
        for undo in self.log.drain(start..).rev() {
            match undo {
                Undo::Range(value, Some(old)) => {
                    self.ranges.insert(value, old);
                }
                Undo::Range(value, None) => {
                    self.ranges.remove(&value);
                }
                Undo::Truth(value) => {
                    self.truths.remove(&value);
                }
                Undo::Above(value) => {
                    self.above.get_mut(&value).map(Vec::pop);
                }
                Undo::Sum(value) => {
                    self.sums.get_mut(&value).map(Vec::pop);
                }
            }
        }
    }

    fn set_range(&mut self, value: ValueId, range: Interval) {
        let old = self.ranges.insert(value, range);
        self.log.push(Undo::Range(value, old));
    }

    fn set_truth(&mut self, value: ValueId, truth: bool) {
        // Where the opposite is known the place is never reached.
        if let Entry::Vacant(free) = self.truths.entry(value) {
            free.insert(truth);
            self.log.push(Undo::Truth(value));
        }
    }

    /// `low` is at most `high`, or below it.
    fn set_above(&mut self, low: ValueId, high: ValueId, is_strict: bool) {
        self.above.entry(low).or_default().push((high, is_strict));
        self.log.push(Undo::Above(low));
    }
}

/// How many values a proof looks at, and how many facts of each, newest first.
const MOST_STEPS: usize = 24;
const MOST_FACTS: usize = 8;

impl Bounds<'_> {
    /// Goes through a block and tells whether its end is reached.
    fn block(&mut self, block: BlockId) -> bool {
        let start = self.known.log.len();
        let statements = self.kernel.take_block(block);
        let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
        for statement in statements {
            let statement = self.replaced.statement(statement);
            self.statement(statement, &mut out);
        }
        let ends = out.last().is_none_or(|&last| !self.never_ends(last));
        self.kernel.blocks[block].statements = out;
        self.known.take_back(start);
        ends
    }

    /// Whether nothing after a statement is reached.
    fn never_ends(&self, statement: Statement) -> bool {
        match statement {
            Statement::Break | Statement::Return => true,
            Statement::If { cond: _, then, otherwise } => [then, otherwise].into_iter().all(|block| {
                let last = self.kernel.blocks[block].statements.last();
                last.is_some_and(|&last| self.never_ends(last))
            }),
            _ => false,
        }
    }

    fn statement(&mut self, statement: Statement, out: &mut Vec<Statement>) {
        match statement {
            Statement::Let(value) => return self.value(value, out),
            Statement::Store { buffer, index, value, guard } => {
                out.push(Statement::Store { buffer, index, value, guard: self.guard(guard) });
                return;
            }
            Statement::If { cond, then, otherwise } => return self.branch(cond, then, otherwise, out),
            Statement::Loop { variable, from, to, body } => {
                let start = self.known.log.len();
                let low = self.range(from).low;
                let high = self.range(to).high.saturating_sub(1);
                self.known.set_range(variable, Interval::new(low.min(high), high));
                self.known.set_above(variable, to, true);
                self.known.set_above(from, variable, false);
                self.block(body);
                self.known.take_back(start);
            }
            Statement::Block { body } => {
                self.block(body);
            }
            Statement::Set { .. } | Statement::Break | Statement::Return | Statement::Barrier => {}
        }
        out.push(statement);
    }

    fn branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId, out: &mut Vec<Statement>) {
        let cond = match self.truth(cond) {
            // Which branch is taken is left to folding.
            Some(truth) if self.kernel.as_bool(cond).is_none() => {
                self.changed = true;
                self.kernel.bool(truth)
            }
            _ => cond,
        };
        let mut ends = [true; 2];
        for (position, block) in [then, otherwise].into_iter().enumerate() {
            let start = self.known.log.len();
            self.learn(cond, position == 0);
            ends[position] = self.block(block);
            self.known.take_back(start);
        }
        out.push(Statement::If { cond, then, otherwise });
        match ends {
            [false, true] => self.learn(cond, false),
            [true, false] => self.learn(cond, true),
            _ => {}
        }
    }

    /// The guard that is still needed.
    fn guard(&mut self, guard: Option<ValueId>) -> Option<ValueId> {
        let guard = guard?;
        match self.truth(guard) {
            Some(true) => {
                self.changed = true;
                None
            }
            Some(false) if self.kernel.as_bool(guard).is_none() => {
                self.changed = true;
                Some(self.kernel.bool(false))
            }
            _ => Some(guard),
        }
    }

    fn value(&mut self, value: ValueId, out: &mut Vec<Statement>) {
        let op = match self.replaced.op(self.kernel.op(value)) {
            Op::Load { buffer, index, guard } => Op::Load { buffer, index, guard: self.guard(guard) },
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                Op::Atomic { op, buffer, index, expected, value, guard: self.guard(guard) }
            }
            op => op,
        };
        self.kernel.values[value].op = op;
        let stand_in = match op {
            Op::Select(cond, a, b) => match self.truth(cond) {
                Some(true) => Some(a),
                Some(false) => Some(b),
                None => None,
            },
            _ if self.kernel.ty(value) == Type::Bool => match self.truth(value) {
                Some(truth) => Some(self.kernel.bool(truth)),
                None => None,
            },
            Op::Binary(binary, a, b) => self.unchanged_by(binary, a, b),
            _ => None,
        };
        if let Some(stand_in) = stand_in {
            self.changed = true;
            self.replaced.insert(value, stand_in);
            return;
        }
        out.push(Statement::Let(value));
        if self.kernel.ty(value) == Type::U32 {
            let range = self.computed_range(op);
            if range != Interval::ALL {
                self.known.set_range(value, range);
            }
            if let Op::Binary(Binary::Add, base, constant) = op
                && let Some(constant) = self.kernel.as_word(constant)
            {
                self.note_sum(value, base, constant);
            }
        }
    }

    /// The operand that an operation gives as it is, because it is as small as the operation would make it.
    fn unchanged_by(&self, binary: Binary, a: ValueId, b: ValueId) -> Option<ValueId> {
        let (left, right) = (self.range(a), self.range(b));
        match binary {
            // A mask of the lowest bits, a clamp, a remainder: of numbers that are small already.
            Binary::And => {
                let mask = self.kernel.as_word(b)?;
                (mask & mask.wrapping_add(1) == 0 && left.high <= mask).then_some(a)
            }
            Binary::Mod => (left.high < right.low).then_some(a),
            Binary::Min if left.high <= right.low => Some(a),
            Binary::Min if right.high <= left.low => Some(b),
            Binary::Max if left.high <= right.low => Some(b),
            Binary::Max if right.high <= left.low => Some(a),
            _ => None,
        }
    }

    /// A sum that does not wrap is above what was added to, and sums with one base are in the order of their constants.
    fn note_sum(&mut self, sum: ValueId, base: ValueId, constant: u32) {
        if self.range(base).high.checked_add(constant).is_none() {
            return;
        }
        self.known.set_above(base, sum, constant > 0);
        let others = self.known.sums.entry(base).or_default();
        let recent: Vec<(ValueId, u32)> = others.iter().rev().take(MOST_FACTS).copied().collect();
        others.push((sum, constant));
        self.known.log.push(Undo::Sum(base));
        for (other, other_constant) in recent {
            if other_constant <= constant {
                self.known.set_above(other, sum, other_constant < constant);
            }
            if constant <= other_constant {
                self.known.set_above(sum, other, constant < other_constant);
            }
        }
    }

    /// The range of a word here.
    fn range(&self, value: ValueId) -> Interval {
        if let Some(&range) = self.known.ranges.get(&value) {
            return range;
        }
        match self.kernel.op(value) {
            Op::Word(word) => Interval::of_word(word),
            Op::Id(id, axis) => self.id_range(id, axis),
            Op::Length(buffer) => Interval::new(self.kernel.min_length(buffer), self.longest(buffer)),
            _ => Interval::ALL,
        }
    }

    /// A grid has at most 2^32 invocations on an axis.
    fn id_range(&self, id: Id, axis: u8) -> Interval {
        let size = u64::from(self.kernel.workgroup_size[usize::from(axis)].max(1));
        let workgroups = (1u64 << 32) / size;
        let clip = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        match id {
            Id::Invocation => Interval::ALL,
            Id::Workgroup => Interval::new(0, clip(workgroups - 1)),
            Id::Local => Interval::new(0, clip(size - 1)),
            Id::NumWorkgroups => Interval::new(1, clip(workgroups)),
        }
    }

    fn longest(&self, buffer: BufferId) -> u32 {
        let decl = &self.kernel.buffers[buffer];
        match decl.access {
            BufferAccess::Uniform => 64 * 1024 / decl.element.element_bytes() as u32,
            BufferAccess::Workgroup => decl.count,
            BufferAccess::ReadOnly | BufferAccess::ReadWrite => u32::MAX,
        }
    }

    fn computed_range(&self, op: Op) -> Interval {
        match op {
            Op::Unary(unary, a) => Interval::unary(unary, self.range(a)),
            Op::Binary(binary, a, b) => {
                let range = Interval::binary(binary, self.range(a), self.range(b));
                if binary == Binary::Sub && range == Interval::ALL && self.is_at_most(b, a, false) {
                    // The difference does not wrap.
                    return Interval::new(0, self.range(a).high - self.range(b).low.min(self.range(a).high));
                }
                range
            }
            Op::ToWord(_) => Interval::new(0, 1),
            Op::Select(_, a, b) => self.range(a).union(self.range(b)),
            _ => Interval::ALL,
        }
    }

    /// Whether a condition is known to hold or not to hold here.
    fn truth(&self, cond: ValueId) -> Option<bool> {
        if let Some(truth) = self.kernel.as_bool(cond) {
            return Some(truth);
        }
        if let Some(&truth) = self.known.truths.get(&cond) {
            return Some(truth);
        }
        let known = |value: ValueId| self.kernel.as_bool(value).or_else(|| self.known.truths.get(&value).copied());
        match self.kernel.op(cond) {
            Op::Bool(truth) => Some(truth),
            Op::Compare(compare, a, b) => self.compare(compare, a, b),
            Op::Not(a) => known(a).map(|truth| !truth),
            Op::Logic(logic, a, b) => match (logic, known(a), known(b)) {
                (Logic::And, Some(false), _) | (Logic::And, _, Some(false)) => Some(false),
                (Logic::Or, Some(true), _) | (Logic::Or, _, Some(true)) => Some(true),
                (_, Some(a), Some(b)) => Some(if logic == Logic::And { a && b } else { a || b }),
                _ => None,
            },
            _ => None,
        }
    }

    fn compare(&self, compare: Compare, a: ValueId, b: ValueId) -> Option<bool> {
        match compare {
            Compare::Lt if self.is_at_most(a, b, true) => Some(true),
            Compare::Lt if self.is_at_most(b, a, false) => Some(false),
            Compare::Le if self.is_at_most(a, b, false) => Some(true),
            Compare::Le if self.is_at_most(b, a, true) => Some(false),
            Compare::Lt | Compare::Le => None,
            Compare::Eq | Compare::Ne => {
                let differ = self.is_at_most(a, b, true) || self.is_at_most(b, a, true);
                let equal = !differ && self.is_at_most(a, b, false) && self.is_at_most(b, a, false);
                if differ || equal { Some(equal == (compare == Compare::Eq)) } else { None }
            }
        }
    }

    /// Whether `low` is at most `high`, or below it, as far as a bounded search tells.
    fn is_at_most(&self, low: ValueId, high: ValueId, strict: bool) -> bool {
        let least = self.range(high).low;
        // Values that `low` is not above, and whether it is below.
        let mut found: Vec<(ValueId, bool)> = vec![(low, false)];
        let mut next = 0;
        while let Some(&(value, below)) = found.get(next) {
            next += 1;
            let enough = below || !strict;
            let most = self.range(value).high;
            if value == high && enough || most < least || most == least && enough {
                return true;
            }
            let facts = self.known.above.get(&value).map(Vec::as_slice).unwrap_or_default();
            let facts = facts.iter().rev().take(MOST_FACTS).copied();
            for (bound, is_below) in facts.chain(self.bounds_of(value)) {
                let step = (bound, below || is_below);
                if found.len() < MOST_STEPS && !found.contains(&step) {
                    found.push(step);
                }
            }
        }
        false
    }

    /// Values that the operation of a value keeps it from being above, and whether it is below.
    fn bounds_of(&self, value: ValueId) -> impl Iterator<Item = (ValueId, bool)> {
        let bounds = match self.kernel.op(value) {
            Op::Binary(Binary::Min | Binary::And, a, b) => [Some((a, false)), Some((b, false))],
            Op::Binary(Binary::Shr | Binary::Div, a, _) => [Some((a, false)), None],
            Op::Binary(Binary::Mod, a, b) => [Some((b, true)), Some((a, false))],
            Op::Binary(Binary::Sub, a, b) if self.range(a).low >= self.range(b).high => {
                [Some((a, self.range(b).low > 0)), None]
            }
            _ => [None, None],
        };
        bounds.into_iter().flatten()
    }

    /// Notes that a condition holds, or that it does not.
    fn learn(&mut self, cond: ValueId, truth: bool) {
        let mut pending = vec![(cond, truth)];
        let mut steps = 0;
        while let Some((cond, truth)) = pending.pop() {
            steps += 1;
            if steps > MOST_STEPS {
                return;
            }
            if self.kernel.as_bool(cond).is_some() {
                // Constants teach nothing; where one is said to be the other, the place is never reached.
                continue;
            }
            self.known.set_truth(cond, truth);
            match (self.kernel.op(cond), truth) {
                (Op::Not(a), _) => pending.push((a, !truth)),
                (Op::Logic(Logic::And, a, b), true) | (Op::Logic(Logic::Or, a, b), false) => {
                    pending.extend([(a, truth), (b, truth)]);
                }
                (Op::Compare(Compare::Lt, a, b), true) | (Op::Compare(Compare::Le, b, a), false) => {
                    self.learn_order(a, b, true);
                }
                (Op::Compare(Compare::Le, a, b), true) | (Op::Compare(Compare::Lt, b, a), false) => {
                    self.learn_order(a, b, false);
                }
                (Op::Compare(Compare::Eq, a, b), true) | (Op::Compare(Compare::Ne, a, b), false) => {
                    self.learn_order(a, b, false);
                    self.learn_order(b, a, false);
                }
                (Op::Compare(Compare::Eq, a, b), false) | (Op::Compare(Compare::Ne, a, b), true) => {
                    self.learn_difference(a, b);
                }
                _ => {}
            }
        }
    }

    fn learn_order(&mut self, low: ValueId, high: ValueId, is_strict: bool) {
        self.known.set_above(low, high, is_strict);
        let (below, above) = (self.range(low), self.range(high));
        let gap = u32::from(is_strict);
        if let Some(most) = above.high.checked_sub(gap) {
            self.narrow(low, Interval::new(0, most));
        }
        if let Some(least) = below.low.checked_add(gap) {
            self.narrow(high, Interval::new(least, u32::MAX));
        }
    }

    /// A word that is not 0 is at least 1.
    fn learn_difference(&mut self, a: ValueId, b: ValueId) {
        for (value, other) in [(a, b), (b, a)] {
            if self.kernel.as_word(other) == Some(self.range(value).low) && self.range(value).low < u32::MAX {
                self.narrow(value, Interval::new(self.range(value).low + 1, u32::MAX));
            }
        }
    }

    fn narrow(&mut self, value: ValueId, range: Interval) {
        let old = self.range(value);
        // Where no number is left the place is never reached.
        if let Some(both) = old.intersect(range)
            && both != old
        {
            self.known.set_range(value, both);
        }
    }
}
