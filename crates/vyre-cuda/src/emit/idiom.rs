//! What programs write in several steps and the hardware does in one: bytes of words, and words that lie across two.

use foldhash::{HashMap, HashMapExt as _};
use vyre_kernel::{Binary, BufferId, Compare, Kernel, Op, Statement, Usage, ValueId};

use super::operand::{Held, Words};
use super::{Emitter, Word};

/// What becomes of a value that is part of something larger.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// It is computed by whatever needs it.
    Absorbed,
    /// It is a byte of a buffer.
    Byte { buffer: BufferId, byte: ValueId, guard: Option<ValueId> },
    /// It is the same as another value.
    Same(ValueId),
    /// 32 bits of the 64 that two words are, from a bit of the lower one on.
    Funnel { low: ValueId, high: ValueId, from: ValueId },
}

/// By value: what it is part of.
pub(super) struct Idioms {
    parts: HashMap<ValueId, Part>,
}

impl Idioms {
    pub(super) fn of(kernel: &Kernel, usage: &Usage) -> Idioms {
        let mut idioms = Idioms { parts: HashMap::new() };
        let finder = Finder { kernel, usage };
        kernel.for_each_statement(|statement| {
            let Statement::Let(value) = statement else { return };
            if let Some((load, shifted, part)) = finder.byte(value) {
                idioms.parts.insert(load, part);
                idioms.parts.insert(shifted, Part::Absorbed);
                idioms.parts.insert(value, Part::Same(load));
            } else if let Some(part) = finder.funnel(value) {
                idioms.parts.insert(value, part);
            }
        });
        idioms
    }

    pub(super) fn part(&self, value: ValueId) -> Option<Part> {
        self.parts.get(&value).copied()
    }
}

/// Looks for patterns.
struct Finder<'k> {
    kernel: &'k Kernel,
    usage: &'k Usage,
}

impl Finder<'_> {
    fn binary(&self, op: Binary, value: ValueId) -> Option<(ValueId, ValueId)> {
        match self.kernel.op(value) {
            Op::Binary(found, a, b) if found == op => Some((a, b)),
            _ => None,
        }
    }

    /// The other operand of an operator with a constant on one side.
    fn with_constant(&self, op: Binary, value: ValueId, constant: u32) -> Option<ValueId> {
        let (a, b) = self.binary(op, value)?;
        if self.kernel.as_word(b) == Some(constant) {
            return Some(a);
        }
        (op.is_commutative() && self.kernel.as_word(a) == Some(constant)).then_some(b)
    }

    /// `(words[i / 4] >> 8 * (i % 4)) & 255`: the load, the shift, and what they are.
    fn byte(&self, value: ValueId) -> Option<(ValueId, ValueId, Part)> {
        let shifted = self.with_constant(Binary::And, value, 255)?;
        let (load, amount) = self.binary(Binary::Shr, shifted)?;
        let Op::Load { buffer, index, guard } = self.kernel.op(load) else { return None };
        let byte = self.quarter(index)?;
        let once = self.usage.uses(load) == 1 && self.usage.uses(shifted) == 1;
        (once && self.bits_in_word(amount) == Some(byte)).then_some((load, shifted, Part::Byte { buffer, byte, guard }))
    }

    /// The number of which this is a quarter.
    fn quarter(&self, value: ValueId) -> Option<ValueId> {
        self.with_constant(Binary::Shr, value, 2).or_else(|| self.with_constant(Binary::Div, value, 4))
    }

    /// The byte of which this is the position in its word, in bits: `8 * (i % 4)`.
    fn bits_in_word(&self, value: ValueId) -> Option<ValueId> {
        let eightfold =
            |value| self.with_constant(Binary::Shl, value, 3).or_else(|| self.with_constant(Binary::Mul, value, 8));
        if let Some(position) = eightfold(value) {
            return self
                .with_constant(Binary::And, position, 3)
                .or_else(|| self.with_constant(Binary::Mod, position, 4));
        }
        let value = self.with_constant(Binary::And, value, 24)?;
        eightfold(value)
    }

    /// `(low >> n) | (high << (32 - n))`, with nothing of `high` where `n` is 0.
    fn funnel(&self, value: ValueId) -> Option<Part> {
        let (a, b) = self.binary(Binary::Or, value)?;
        self.funnel_of(a, b).or_else(|| self.funnel_of(b, a))
    }

    fn funnel_of(&self, right: ValueId, left: ValueId) -> Option<Part> {
        let (low, from) = self.binary(Binary::Shr, right)?;
        let high = self.high_part(left, low, from)?;
        Some(Part::Funnel { low, high, from })
    }

    fn high_part(&self, left: ValueId, low: ValueId, from: ValueId) -> Option<ValueId> {
        // A choice keeps out what a shift by 32 would give.
        if let Op::Select(cond, a, b) = self.kernel.op(left) {
            let is_zero = |value| self.kernel.as_word(value) == Some(0);
            let (shifted, test) = if is_zero(a) { (b, Compare::Eq) } else { (a, Compare::Ne) };
            let Op::Compare(found, x, y) = self.kernel.op(cond) else { return None };
            let compares = found == test && ((x == from && is_zero(y)) || (y == from && is_zero(x)));
            let (high, amount) = self.binary(Binary::Shl, shifted)?;
            return ((is_zero(a) || is_zero(b)) && compares && self.is_rest(amount, from)).then_some(high);
        }
        let (high, amount) = self.binary(Binary::Shl, left)?;
        if let (Some(right), Some(left)) = (self.kernel.as_word(from), self.kernel.as_word(amount)) {
            return (right != 0 && right + left == 32).then_some(high);
        }
        // A rotation: at 0 both sides are the word itself.
        if high == low && self.is_rest(amount, from) {
            return Some(high);
        }
        // In two steps, neither of which is by 32.
        let (high, other) = self.binary(Binary::Shl, high)?;
        let in_steps = |one, rest| self.kernel.as_word(one) == Some(1) && self.with_minuend(rest, 31) == Some(from);
        (in_steps(amount, other) || in_steps(other, amount)).then_some(high)
    }

    /// Whether an amount is `(32 - from) % 32`.
    fn is_rest(&self, amount: ValueId, from: ValueId) -> bool {
        let amount = self.with_constant(Binary::And, amount, 31).unwrap_or(amount);
        let negated = matches!(self.kernel.op(amount), Op::Unary(vyre_kernel::Unary::Negate, a) if a == from);
        negated || self.with_minuend(amount, 32) == Some(from) || self.with_minuend(amount, 0) == Some(from)
    }

    /// What is subtracted from a constant.
    fn with_minuend(&self, value: ValueId, constant: u32) -> Option<ValueId> {
        let (a, b) = self.binary(Binary::Sub, value)?;
        (self.kernel.as_word(a) == Some(constant)).then_some(b)
    }
}

impl Emitter<'_> {
    pub(super) fn idiom(&mut self, part: Part) -> Held {
        let word = |word: Word| Held::Words(Words::of([word]));
        match part {
            Part::Absorbed => Held::Nothing,
            Part::Same(other) => self.held(other),
            Part::Byte { buffer, byte, guard } => Held::Words(self.load_byte(buffer, byte, guard)),
            Part::Funnel { low, high, from } => {
                let operands = [self.word(low), self.word(high), self.word(from)];
                word(self.computed("shf.r.wrap.b32", &operands))
            }
        }
    }
}
