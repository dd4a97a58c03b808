//! Interval arithmetic on unsigned words.

use crate::op::{Binary, Unary};

/// The numbers from `low` to `high`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) low: u32,
    pub(super) high: u32,
}

impl Interval {
    pub(super) const ALL: Interval = Interval { low: 0, high: u32::MAX };

    pub(super) fn new(low: u32, high: u32) -> Interval {
        Interval { low, high }
    }

    pub(super) fn of_word(word: u32) -> Interval {
        Interval::new(word, word)
    }

    /// Intersection; `None` if it is empty.
    pub(super) fn intersect(self, other: Interval) -> Option<Interval> {
        let both = Interval::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// Smallest interval that contains both (join).
    pub(super) fn union(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    pub(super) fn unary(op: Unary, a: Interval) -> Interval {
        match op {
            Unary::BitNot => Interval::new(!a.high, !a.low),
            Unary::Popcount | Unary::Ctz => Interval::new(0, 32),
            Unary::Clz => Interval::new(a.high.leading_zeros(), a.low.leading_zeros()),
            Unary::Negate | Unary::ReverseBits => Interval::ALL,
        }
    }

    /// Interval of the results of an operator. Divisors must not be 0, and shift amounts must be below 32.
    pub(super) fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
        let checked = |low: Option<u32>, high: Option<u32>| match (low, high) {
            (Some(low), Some(high)) => Interval::new(low, high),
            _ => Interval::ALL,
        };
        match op {
            Binary::Add => checked(a.low.checked_add(b.low), a.high.checked_add(b.high)),
            Binary::Sub => checked(a.low.checked_sub(b.high), a.high.checked_sub(b.low)),
            Binary::Mul => checked(a.low.checked_mul(b.low), a.high.checked_mul(b.high)),
            Binary::MulHi => {
                let high_word = |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
                Interval::new(high_word(a.low, b.low), high_word(a.high, b.high))
            }
            Binary::Div => Interval::new(a.low / b.high.max(1), a.high / b.low.max(1)),
            Binary::Mod => Interval::new(0, a.high.min(b.high.saturating_sub(1))),
            Binary::And => Interval::new(0, a.high.min(b.high)),
            Binary::Or => Interval::new(a.low.max(b.low), ones(a.high | b.high)),
            Binary::Xor => Interval::new(0, ones(a.high | b.high)),
            Binary::Shl if b.high < 32 && a.high <= u32::MAX >> b.high => {
                Interval::new(a.low << b.low, a.high << b.high)
            }
            Binary::Shl => Interval::ALL,
            Binary::Shr => Interval::new(a.low >> b.high.min(31), a.high >> b.low.min(31)),
            Binary::Min => Interval::new(a.low.min(b.low), a.high.min(b.high)),
            Binary::Max => Interval::new(a.low.max(b.low), a.high.max(b.high)),
            Binary::AbsDiff => Interval::new(0, a.high.max(b.high)),
        }
    }
}

/// Largest number with the same number of bits.
fn ones(number: u32) -> u32 {
    u32::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Interval;
    use crate::op::{Binary, Unary};

    const BINARY: [Binary; 14] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::MulHi,
        Binary::Div,
        Binary::Mod,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Shl,
        Binary::Shr,
        Binary::Min,
        Binary::Max,
        Binary::AbsDiff,
    ];
    const UNARY: [Unary; 6] =
        [Unary::Negate, Unary::BitNot, Unary::Popcount, Unary::Clz, Unary::Ctz, Unary::ReverseBits];

    /// Corner cases, in ascending order.
    fn corners() -> Vec<u32> {
        let mut corners: Vec<u32> = (0..6).chain([31, 32, 33, 255, 256, 1 << 16, 0x7fff_ffff, 1 << 31]).collect();
        corners.extend((0..4).map(|below| u32::MAX - below));
        corners.sort_unstable();
        corners
    }

    #[test]
    fn intervals_contain_all_results() {
        let corners = corners();
        let mut ranges = Vec::new();
        for (at, &low) in corners.iter().enumerate() {
            ranges.extend(corners[at..].iter().map(|&high| Interval::new(low, high)));
        }
        let inside = |range: Interval| corners.iter().copied().filter(move |&n| range.low <= n && n <= range.high);
        for &a in &ranges {
            for op in UNARY {
                let range = Interval::unary(op, a);
                for x in inside(a) {
                    let result = op.apply(x);
                    assert!(range.low <= result && result <= range.high, "{op:?} {x} in {a:?} is {result}: {range:?}");
                }
            }
            for &b in &ranges {
                for op in BINARY {
                    let range = Interval::binary(op, a, b);
                    for x in inside(a) {
                        for result in inside(b).filter_map(|y| op.apply(x, y)) {
                            assert!(
                                range.low <= result && result <= range.high,
                                "{op:?} {x} in {a:?}, {b:?}: {range:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
