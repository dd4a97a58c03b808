//! 64-bit arithmetic on pairs of words, for XXH64.

use vyre_ir::build::{Body, Var};

/// A 64-bit number as two words.
#[derive(Clone)]
pub(super) struct Word64 {
    pub(super) low: Var,
    pub(super) high: Var,
}

impl Word64 {
    /// A variable with a constant value.
    pub(super) fn constant(b: &mut Body<'_>, value: u64) -> Word64 {
        Word64 { low: b.let_("low", value as u32), high: b.let_("high", (value >> 32) as u32) }
    }

    /// Assigns another number.
    pub(super) fn assign(&self, b: &mut Body<'_>, value: &Word64) {
        b.assign(&self.low, &value.low);
        b.assign(&self.high, &value.high);
    }

    /// The sum modulo 2^64.
    pub(super) fn plus(&self, b: &mut Body<'_>, other: &Word64) -> Word64 {
        let low = b.let_("low", &self.low + &other.low);
        let high = b.let_("high", &self.high + &other.high + low.lt(&other.low));
        Word64 { low, high }
    }

    /// The sum with a constant, modulo 2^64.
    pub(super) fn plus_constant(&self, b: &mut Body<'_>, other: u64) -> Word64 {
        let low = b.let_("low", &self.low + other as u32);
        let high = b.let_("high", &self.high + (other >> 32) as u32 + low.lt(other as u32));
        Word64 { low, high }
    }

    /// The product with a constant, modulo 2^64.
    pub(super) fn times(&self, b: &mut Body<'_>, factor: u64) -> Word64 {
        let [low, high] = [factor as u32, (factor >> 32) as u32];
        let crossed = &self.low * high + &self.high * low;
        let high = b.let_("high", self.low.mul_hi(low) + crossed);
        let low = b.let_("low", &self.low * low);
        Word64 { low, high }
    }

    /// Bitwise exclusive or.
    pub(super) fn xor(&self, b: &mut Body<'_>, other: &Word64) -> Word64 {
        Word64 { low: b.let_("low", &self.low ^ &other.low), high: b.let_("high", &self.high ^ &other.high) }
    }

    /// The number rotated left by 1 to 31 bits.
    pub(super) fn rotate_left(&self, b: &mut Body<'_>, by: u32) -> Word64 {
        let low = b.let_("low", (&self.low << by) | (&self.high >> (32 - by)));
        let high = b.let_("high", (&self.high << by) | (&self.low >> (32 - by)));
        Word64 { low, high }
    }

    /// Exclusive or with itself shifted right by 1 to 63 bits.
    pub(super) fn xor_shifted(&self, b: &mut Body<'_>, by: u32) -> Word64 {
        if by < 32 {
            let shifted = (&self.low >> by) | (&self.high << (32 - by));
            let low = b.let_("low", &self.low ^ shifted);
            return Word64 { low, high: b.let_("high", &self.high ^ (&self.high >> by)) };
        }
        let shifted = if by == 32 { (&self.high).into() } else { &self.high >> (by - 32) };
        Word64 { low: b.let_("low", &self.low ^ shifted), high: b.let_("high", &self.high) }
    }
}
