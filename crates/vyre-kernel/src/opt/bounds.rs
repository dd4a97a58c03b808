//! Bounds check elimination by value range analysis and symbolic inequalities (compare ABCD, Bodik, Gupta and Sarkar,
//! PLDI 2000).
//!
//! A traversal of the block tree maintains facts: the interval of each value, conditions with a known result, and
//! inequalities between values. Facts come from enclosing branches, from earlier branches that end in an exit, from
//! loop bounds, and from the operations of values. The facts of a block are reverted at its end. A proof follows a
//! bounded number of inequalities, so the pass takes linear time.

use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt};
use vyre_ir::BufferAccess;

use super::interval::Interval;
use super::pass::Pass;
use super::replace::Replacements;
use crate::ids::{BlockId, BufferId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Binary, Compare, Id, Logic, Op, Type};

/// The pass.
pub(super) const PASS: Pass =
    Pass { name: "bounds", summary: "Removes guards of accesses whose index is proved to be in range.", run };

fn run(kernel: &mut Kernel) -> bool {
    let known = Known {
        ranges: HashMap::new(),
        bools: HashMap::new(),
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

/// Facts that hold at the current statement.
struct Known {
    /// Interval of a word, if it is smaller than the interval of its operation.
    ranges: HashMap<ValueId, Interval>,
    /// Results of conditions.
    bools: HashMap<ValueId, bool>,
    /// Upper bounds of each value.
    above: HashMap<ValueId, Vec<UpperBound>>,
    /// Sums of each value and a constant that do not wrap.
    sums: HashMap<ValueId, Vec<(ValueId, u32)>>,
    /// Undo log.
    log: Vec<Undo>,
}

/// A value that another value does not exceed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct UpperBound {
    value: ValueId,
    /// True if the other value is less, not only less or equal.
    is_strict: bool,
}

/// Entry of the undo log.
enum Undo {
    Range(ValueId, Option<Interval>),
    Bool(ValueId),
    Above(ValueId),
    Sum(ValueId),
}

impl Known {
    fn revert(&mut self, start: usize) {
        for undo in self.log.drain(start..).rev() {
            match undo {
                Undo::Range(value, Some(old)) => {
                    self.ranges.insert(value, old);
                }
                Undo::Range(value, None) => {
                    self.ranges.remove(&value);
                }
                Undo::Bool(value) => {
                    self.bools.remove(&value);
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

    fn set_bool(&mut self, value: ValueId, result: bool) {
        // A contradiction means that the statement is unreachable.
        if let Entry::Vacant(free) = self.bools.entry(value) {
            free.insert(result);
            self.log.push(Undo::Bool(value));
        }
    }

    /// Adds the inequality `low <= high`, or `low < high`.
    fn set_above(&mut self, low: ValueId, high: ValueId, is_strict: bool) {
        self.above.entry(low).or_default().push(UpperBound { value: high, is_strict });
        self.log.push(Undo::Above(low));
    }
}

/// Maximum number of values that a proof visits.
const MAX_STEPS: usize = 24;

/// Maximum number of facts of each value that a proof uses, newest first.
const MAX_FACTS: usize = 8;

impl Bounds<'_> {
    /// Processes a block and returns true if its end is reachable.
    fn block(&mut self, block: BlockId) -> bool {
        let start = self.known.log.len();
        let statements = self.kernel.take_block(block);
        let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
        for statement in statements {
            let statement = self.replaced.statement(statement);
            self.statement(statement, &mut out);
        }
        let end_is_reachable = out.last().is_none_or(|&last| !self.is_terminator(last));
        self.kernel.blocks[block].statements = out;
        self.known.revert(start);
        end_is_reachable
    }

    /// True if the statements after a statement are unreachable.
    fn is_terminator(&self, statement: Statement) -> bool {
        match statement {
            Statement::Break | Statement::Return => true,
            Statement::If { cond: _, then, otherwise } => [then, otherwise].into_iter().all(|block| {
                let last = self.kernel.blocks[block].statements.last();
                last.is_some_and(|&last| self.is_terminator(last))
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
                self.known.revert(start);
            }
            Statement::Block { body } => {
                self.block(body);
            }
            Statement::Set { .. } | Statement::Break | Statement::Return | Statement::Barrier => {}
        }
        out.push(statement);
    }

    fn branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId, out: &mut Vec<Statement>) {
        let cond = match self.known_bool(cond) {
            // Folding removes the branch.
            Some(result) if self.kernel.as_bool(cond).is_none() => {
                self.changed = true;
                self.kernel.bool(result)
            }
            _ => cond,
        };
        let mut ends_reachable = [true; 2];
        for (position, block) in [then, otherwise].into_iter().enumerate() {
            let start = self.known.log.len();
            self.learn(cond, position == 0);
            ends_reachable[position] = self.block(block);
            self.known.revert(start);
        }
        out.push(Statement::If { cond, then, otherwise });
        match ends_reachable {
            [false, true] => self.learn(cond, false),
            [true, false] => self.learn(cond, true),
            _ => {}
        }
    }

    /// Guard that remains after the proof.
    fn guard(&mut self, guard: Option<ValueId>) -> Option<ValueId> {
        let guard = guard?;
        match self.known_bool(guard) {
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
        let replacement = match op {
            Op::Select(cond, a, b) => match self.known_bool(cond) {
                Some(true) => Some(a),
                Some(false) => Some(b),
                None => None,
            },
            _ if self.kernel.ty(value) == Type::Bool => match self.known_bool(value) {
                Some(result) => Some(self.kernel.bool(result)),
                None => None,
            },
            Op::Binary(binary, a, b) => self.unchanged_by(binary, a, b),
            _ => None,
        };
        if let Some(replacement) = replacement {
            self.changed = true;
            self.replaced.insert(value, replacement);
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

    /// Operand that an operation returns unchanged, because its interval is small enough.
    fn unchanged_by(&self, binary: Binary, a: ValueId, b: ValueId) -> Option<ValueId> {
        let (left, right) = (self.range(a), self.range(b));
        match binary {
            // A mask of the lowest bits.
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

    /// Adds the inequalities of a sum that does not wrap: it is at least its base, and sums with the same base are
    /// ordered by their constants.
    fn note_sum(&mut self, sum: ValueId, base: ValueId, constant: u32) {
        if self.range(base).high.checked_add(constant).is_none() {
            return;
        }
        self.known.set_above(base, sum, constant > 0);
        let others = self.known.sums.entry(base).or_default();
        let recent: Vec<(ValueId, u32)> = others.iter().rev().take(MAX_FACTS).copied().collect();
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

    /// Interval of a word.
    fn range(&self, value: ValueId) -> Interval {
        if let Some(&range) = self.known.ranges.get(&value) {
            return range;
        }
        match self.kernel.op(value) {
            Op::Word(word) => Interval::of_word(word),
            Op::Id(id, axis) => self.id_range(id, axis),
            Op::Length(buffer) => Interval::new(self.kernel.min_length(buffer), self.max_length(buffer)),
            _ => Interval::ALL,
        }
    }

    /// Interval of an id. A grid has at most 2^32 invocations on an axis.
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

    /// Maximum number of elements of a buffer.
    fn max_length(&self, buffer: BufferId) -> u32 {
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

    /// Result of a condition, if it is known.
    fn known_bool(&self, cond: ValueId) -> Option<bool> {
        if let Some(result) = self.kernel.as_bool(cond) {
            return Some(result);
        }
        if let Some(&result) = self.known.bools.get(&cond) {
            return Some(result);
        }
        let known = |value: ValueId| self.kernel.as_bool(value).or_else(|| self.known.bools.get(&value).copied());
        match self.kernel.op(cond) {
            Op::Bool(result) => Some(result),
            Op::Compare(compare, a, b) => self.compare(compare, a, b),
            Op::Not(a) => known(a).map(|result| !result),
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

    /// True if a bounded breadth-first search over the inequalities proves `low <= high`, or `low < high`.
    fn is_at_most(&self, low: ValueId, high: ValueId, strict: bool) -> bool {
        let high_min = self.range(high).low;
        let mut found: Vec<UpperBound> = vec![UpperBound { value: low, is_strict: false }];
        let mut next = 0;
        while let Some(&UpperBound { value, is_strict }) = found.get(next) {
            next += 1;
            let enough = is_strict || !strict;
            let max = self.range(value).high;
            if value == high && enough || max < high_min || max == high_min && enough {
                return true;
            }
            let facts = self.known.above.get(&value).map(Vec::as_slice).unwrap_or_default();
            let facts = facts.iter().rev().take(MAX_FACTS).copied();
            for bound in facts.chain(self.bounds_of(value)) {
                let step = UpperBound { is_strict: is_strict || bound.is_strict, ..bound };
                if found.len() < MAX_STEPS && !found.contains(&step) {
                    found.push(step);
                }
            }
        }
        false
    }

    /// Upper bounds of a value that follow from its operation.
    fn bounds_of(&self, value: ValueId) -> impl Iterator<Item = UpperBound> {
        let bound = |value: ValueId, is_strict: bool| Some(UpperBound { value, is_strict });
        let bounds = match self.kernel.op(value) {
            Op::Binary(Binary::Min | Binary::And, a, b) => [bound(a, false), bound(b, false)],
            Op::Binary(Binary::Shr | Binary::Div, a, _) => [bound(a, false), None],
            Op::Binary(Binary::Mod, a, b) => [bound(b, true), bound(a, false)],
            Op::Binary(Binary::Sub, a, b) if self.range(a).low >= self.range(b).high => {
                [bound(a, self.range(b).low > 0), None]
            }
            _ => [None, None],
        };
        bounds.into_iter().flatten()
    }

    /// Adds the facts that follow from the result of a condition.
    fn learn(&mut self, cond: ValueId, result: bool) {
        let mut pending = vec![(cond, result)];
        let mut steps = 0;
        while let Some((cond, result)) = pending.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return;
            }
            if self.kernel.as_bool(cond).is_some() {
                // A constant adds no facts; a contradiction means that the statement is unreachable.
                continue;
            }
            self.known.set_bool(cond, result);
            match (self.kernel.op(cond), result) {
                (Op::Not(a), _) => pending.push((a, !result)),
                (Op::Logic(Logic::And, a, b), true) | (Op::Logic(Logic::Or, a, b), false) => {
                    pending.extend([(a, result), (b, result)]);
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
        if let Some(max) = above.high.checked_sub(gap) {
            self.narrow(low, Interval::new(0, max));
        }
        if let Some(min) = below.low.checked_add(gap) {
            self.narrow(high, Interval::new(min, u32::MAX));
        }
    }

    /// Narrows intervals by an inequality with a constant: a word that is not 0 is at least 1.
    fn learn_difference(&mut self, a: ValueId, b: ValueId) {
        for (value, other) in [(a, b), (b, a)] {
            if self.kernel.as_word(other) == Some(self.range(value).low) && self.range(value).low < u32::MAX {
                self.narrow(value, Interval::new(self.range(value).low + 1, u32::MAX));
            }
        }
    }

    fn narrow(&mut self, value: ValueId, range: Interval) {
        let old = self.range(value);
        // An empty interval means that the statement is unreachable.
        if let Some(both) = old.intersect(range)
            && both != old
        {
            self.known.set_range(value, both);
        }
    }
}
