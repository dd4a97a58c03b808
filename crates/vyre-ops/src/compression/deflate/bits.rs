//! Positions in the bits of a stream.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer as Handle, Var};

/// Limit of the number of words that are counted up to the end of a stream. It exceeds those of any one step of the decoder.
const MAX_COUNTED_WORDS: u32 = 1 << 20;

/// Position of a bit: a word of the compressed data, and a bit of the word.
pub(super) struct BitPosition {
    pub(super) word: Var,
    pub(super) bit: Var,
}

impl BitPosition {
    /// Binds the first bit of a byte.
    pub(super) fn of_byte(b: &mut Body<'_>, byte: &Var) -> BitPosition {
        let [word, bit] = word_and_bit(byte);
        BitPosition { word: b.let_("word", word), bit: b.let_("bit", bit) }
    }

    /// Binds a copy of the position.
    pub(super) fn copied(&self, b: &mut Body<'_>) -> BitPosition {
        BitPosition { word: b.let_("word", &self.word), bit: b.let_("bit", &self.bit) }
    }

    /// Moves to the first bit of a byte.
    pub(super) fn move_to_byte(&self, b: &mut Body<'_>, byte: &Var) {
        let [word, bit] = word_and_bit(byte);
        b.assign(&self.word, word);
        b.assign(&self.bit, bit);
    }

    /// Moves forward by at most 2^32 - 32 bits.
    pub(super) fn advance(&self, b: &mut Body<'_>, bits: impl Into<Expr>) {
        let bit = b.let_("bit", &self.bit + bits.into());
        b.assign(&self.word, &self.word + (&bit >> 5u32));
        b.assign(&self.bit, bit & 31u32);
    }

    /// The next 32 bits. Bits after the end of the data are 0.
    pub(super) fn window(&self, b: &mut Body<'_>, data: &Handle) -> Var {
        let low = b.let_("low", data.load(&self.word));
        let high = b.let_("high", data.load(&self.word + 1u32));
        b.let_("window", funnel(&low, &high, &self.bit))
    }

    /// Number of bits up to the end of the stream, or a number that exceeds those of any step of the decoder.
    pub(super) fn bits_left(&self, b: &mut Body<'_>, end: &BitPosition) -> Var {
        let words = (&end.word - &self.word).min(MAX_COUNTED_WORDS);
        b.let_("bits_left", (words << 5u32) + &end.bit - &self.bit)
    }
}

fn word_and_bit(byte: &Var) -> [Expr; 2] {
    [byte >> 2u32, (byte & 3u32) << 3u32]
}

/// The 32 bits from a bit of the low word on.
pub(super) fn funnel(low: &Var, high: &Var, bit: &Var) -> Expr {
    (low >> bit) | (high << 1u32 << (31u32 - bit))
}

/// A number of low bits, below 32, of a value.
pub(super) fn low_bits(value: impl Into<Expr>, bits: impl Into<Expr>) -> Expr {
    value.into() & !(u32::MAX << bits.into())
}
