//! Pseudorandom choices, equal on every machine for equal seeds.

use crate::pool::EDGES;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(end)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of `options`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len() as u32) as usize]
    }

    /// One of `options`, with probabilities proportional to their weights, which must not all be 0.
    pub(crate) fn weighted<T: Copy>(&mut self, options: &[(u32, T)]) -> T {
        let mut rest = self.below(options.iter().map(|(weight, _)| weight).sum());
        for &(weight, option) in options {
            if rest < weight {
                return option;
            }
            rest -= weight;
        }
        options[options.len() - 1].1
    }

    /// A number: small, a boundary value, or any.
    pub(crate) fn number(&mut self) -> u32 {
        match self.below(10) {
            0..5 => self.below(20),
            5..8 => self.pick(&EDGES),
            8 => 1 << self.below(32),
            _ => self.word(),
        }
    }

    /// A number for which compilers have special code for products, quotients and remainders.
    pub(crate) fn factor(&mut self) -> u32 {
        const SMALL: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 60, 64, 100, 127];
        const LARGE: [u32; 12] =
            [255, 256, 641, 1000, 1 << 16, !0 >> 1, 1 << 31, (1 << 31) + 1, !0 / 3 * 2 + 1, !2, !1, !0];
        match self.below(20) {
            0..2 => 0,
            2..14 => self.pick(&SMALL),
            _ => self.pick(&LARGE),
        }
    }

    /// A shift amount, sometimes beyond the width of a word.
    pub(crate) fn places(&mut self) -> u32 {
        self.pick(&[0, 1, 2, 3, 4, 5, 8, 16, 24, 30, 31, 32, 33, 35, 40, 63, 64, 0xffff_ffff])
    }
}
