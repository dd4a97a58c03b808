//! Idiom recognition: byte loads and funnel shifts that programs write as several operations.

use foldhash::{HashMap, HashMapExt as _};
use vyre_kernel::{Binary, BufferId, Compare, Kernel, Op, Statement, Usage, ValueId};

/// Part that a value has in an idiom.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Computed by the value that uses it.
    Absorbed,
    /// Load of a byte. The guard concerns the word that contains it.
    Byte { buffer: BufferId, byte: ValueId, guard: Option<ValueId> },
    /// Equal to another value.
    Same(ValueId),
    /// Funnel shift: the 32 bits from bit `from` of the 64-bit number `high << 32 | low`.
    Funnel { low: ValueId, high: ValueId, from: ValueId },
}

/// Idioms of a kernel: the part of each value.
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

/// Recognizer of idioms.
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

    /// The other operand of an operator that has this constant on one side.
    fn with_constant(&self, op: Binary, value: ValueId, constant: u32) -> Option<ValueId> {
        let (a, b) = self.binary(op, value)?;
        if self.kernel.as_word(b) == Some(constant) {
            return Some(a);
        }
        (op.is_commutative() && self.kernel.as_word(a) == Some(constant)).then_some(b)
    }

    /// Recognizes `(words[i / 4] >> 8 * (i % 4)) & 255`. Returns the load, the shift, and the byte load that replaces them.
    fn byte(&self, value: ValueId) -> Option<(ValueId, ValueId, Part)> {
        let shifted = self.with_constant(Binary::And, value, 255)?;
        let (load, amount) = self.binary(Binary::Shr, shifted)?;
        let Op::Load { buffer, index, guard } = self.kernel.op(load) else { return None };
        let byte = self.quarter(index)?;
        let is_used_once = self.usage.uses(load) == 1 && self.usage.uses(shifted) == 1;
        (is_used_once && self.bits_in_word(amount) == Some(byte)).then_some((
            load,
            shifted,
            Part::Byte { buffer, byte, guard },
        ))
    }

    /// The value `n` of `n / 4`.
    fn quarter(&self, value: ValueId) -> Option<ValueId> {
        self.with_constant(Binary::Shr, value, 2).or_else(|| self.with_constant(Binary::Div, value, 4))
    }

    /// The value `i` of `8 * (i % 4)`, the bit position of byte `i` in its word.
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

    /// Recognizes `(low >> n) | (high << (32 - n))` whose second operand is 0 where `n` is 0.
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
        // A select excludes the shift by 32.
        if let Op::Select(cond, a, b) = self.kernel.op(left) {
            let is_zero = |value| self.kernel.as_word(value) == Some(0);
            let (shifted, test) = if is_zero(a) { (b, Compare::Eq) } else { (a, Compare::Ne) };
            let Op::Compare(found, x, y) = self.kernel.op(cond) else { return None };
            let compares = found == test && ((x == from && is_zero(y)) || (y == from && is_zero(x)));
            let (high, amount) = self.binary(Binary::Shl, shifted)?;
            return ((is_zero(a) || is_zero(b)) && compares && self.is_complement(amount, from)).then_some(high);
        }
        let (high, amount) = self.binary(Binary::Shl, left)?;
        if let (Some(right), Some(left)) = (self.kernel.as_word(from), self.kernel.as_word(amount)) {
            return (right != 0 && right + left == 32).then_some(high);
        }
        // A rotation: where `n` is 0, both operands are the word itself.
        if high == low && self.is_complement(amount, from) {
            return Some(high);
        }
        // Two shifts, neither of which is by 32.
        let (high, other) = self.binary(Binary::Shl, high)?;
        let in_steps = |one, rest| self.kernel.as_word(one) == Some(1) && self.with_minuend(rest, 31) == Some(from);
        (in_steps(amount, other) || in_steps(other, amount)).then_some(high)
    }

    /// Reports whether a shift amount is `(32 - from) % 32`.
    fn is_complement(&self, amount: ValueId, from: ValueId) -> bool {
        let amount = self.with_constant(Binary::And, amount, 31).unwrap_or(amount);
        let negated = matches!(self.kernel.op(amount), Op::Unary(vyre_kernel::Unary::Negate, a) if a == from);
        negated || self.with_minuend(amount, 32) == Some(from) || self.with_minuend(amount, 0) == Some(from)
    }

    /// The value `n` of `constant - n`.
    fn with_minuend(&self, value: ValueId, constant: u32) -> Option<ValueId> {
        let (a, b) = self.binary(Binary::Sub, value)?;
        (self.kernel.as_word(a) == Some(constant)).then_some(b)
    }
}
