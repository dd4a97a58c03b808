//! Loads of bits and unaligned words, and copies of bytes by all invocations of a workgroup, for decoders with a workgroup for each
//! block.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer as Handle, Var, select};

/// Loads four bytes from a byte position on. The position counts from a word, and no word after `last` is loaded.
pub(super) fn bytes_at(
    b: &mut Body<'_>,
    words: &Handle,
    origin: impl Into<Expr>,
    position: impl Into<Expr>,
    last: &Var,
) -> Var {
    let position = b.let_("position", position);
    let word = b.let_("word", origin.into() + (&position >> 2u32));
    let low = b.let_("low", words.load(word.min(last)));
    let high = b.let_("high", words.load((&word + 1u32).min(last)));
    let shift = b.let_("shift", (&position & 3u32) << 3u32);
    b.let_("bytes", (low >> &shift) | (high << 1u32 << (31u32 - &shift)))
}

/// Loads four bytes from a byte position on. The position counts from the word before `first`, and may lie in it. No words but those
/// from `first` to `last` are loaded.
pub(super) fn bytes_within(
    b: &mut Body<'_>,
    words: &Handle,
    position: impl Into<Expr>,
    (first, last): (&Var, &Var),
) -> Var {
    let position = b.let_("position", position);
    let word = b.let_("word", first + (&position >> 2u32) - 1u32);
    let low = b.let_("low", words.load(word.max(first).min(last)));
    let high = b.let_("high", words.load((&word + 1u32).min(last)));
    let shift = b.let_("shift", (&position & 3u32) << 3u32);
    b.let_("bytes", (low >> &shift) | (high << 1u32 << (31u32 - &shift)))
}

/// Loads the 32 bits from a bit position on. The position counts from a word.
pub(super) fn bits_from(b: &mut Body<'_>, words: &Handle, origin: &Var, position: &Var, last: &Var) -> Var {
    let word = b.let_("word", origin + (position >> 5u32));
    let low = b.let_("low", words.load(word.min(last)));
    let high = b.let_("high", words.load((&word + 1u32).min(last)));
    let shift = b.let_("shift", position & 31u32);
    b.let_("bits", (low >> &shift) | (high << 1u32 << (31u32 - &shift)))
}

/// Loads the 32 bits before a bit position, which is at least 32.
pub(super) fn bits_before(
    b: &mut Body<'_>,
    words: &Handle,
    origin: &Var,
    position: impl Into<Expr>,
    last: &Var,
) -> Var {
    let position = b.let_("position", position.into() - 32u32);
    bits_from(b, words, origin, &position, last)
}

/// The `count` highest bits of a word, of which there are at most 31.
pub(super) fn highest(bits: &Var, count: impl Into<Expr>) -> Expr {
    // Two shifts, because a shift by 32 is a shift by 0.
    bits >> 1u32 >> (31u32 - count.into())
}

/// Mask of the bytes from a position on in the word that begins at `at`.
pub(super) fn mask_from(b: &mut Body<'_>, position: impl Into<Expr>, at: &Var) -> Var {
    let position = b.let_("position", position);
    // Two shifts of at most 16 bits, because one shift cannot clear all 32 bits.
    let bits = b.let_("bits", (position.max(at) - at).min(4u32) << 2u32);
    b.let_("mask", u32::MAX << &bits << bits)
}

/// Output of a block, to which all invocations of a workgroup append words. The bytes after its end in its last word are arbitrary.
pub(super) struct WordOutput<'p> {
    pub(super) words: &'p Handle,
    /// First word of the output.
    pub(super) base: &'p Var,
    /// Number of invocations of the workgroup.
    pub(super) invocations: u32,
    /// Index of this invocation in the workgroup.
    pub(super) invocation: &'p Var,
}

impl WordOutput<'_> {
    /// Stores the words of the bytes from `from` to `to`, each computed by one invocation from the position of its first byte. Keeps
    /// the bytes before `from`. A barrier must precede the next access to these words by other invocations.
    pub(super) fn store(
        &self,
        b: &mut Body<'_>,
        from: &Var,
        to: &Var,
        word_at: impl FnOnce(&mut Body<'_>, &Var) -> Var,
    ) {
        let first = b.let_("first", from & !3u32);
        let count = b.let_("count", (to - &first + 3u32) >> 2u32);
        let invocations = self.invocations;
        b.for_("iteration", 0u32, (&count + (invocations - 1)) / invocations, |b, iteration| {
            let step = b.let_("step", iteration * invocations + self.invocation);
            b.if_(step.lt(&count), |b| {
                let at = b.let_("at", &first + (&step << 2u32));
                let bytes = word_at(b, &at);
                let target = b.let_("target", self.base + (&at >> 2u32));
                b.if_(at.lt(from), |b| {
                    let kept = b.let_("kept", !(u32::MAX << ((from & 3u32) << 3u32)));
                    b.assign(&bytes, (self.words.load(&target) & &kept) | (&bytes & !&kept));
                });
                b.store(self.words, &target, &bytes);
            });
        });
    }

    /// Clears the bytes after the end of the output in its last word. A barrier must precede.
    pub(super) fn clear_padding(&self, b: &mut Body<'_>, end: &Var) {
        b.if_((end & 3u32).ne(0u32).and(self.invocation.eq(0u32)), |b| {
            let last = b.let_("last", self.base + (end >> 2u32));
            let used = !(u32::MAX << ((end & 3u32) << 3u32));
            b.store(self.words, &last, self.words.load(&last) & used);
        });
    }
}

/// Repeats the body for the indices of this invocation: its number, and so on in steps of the number of invocations.
pub(super) fn for_own(
    b: &mut Body<'_>,
    invocations: u32,
    invocation: &Var,
    count: impl Into<Expr>,
    body: impl FnOnce(&mut Body<'_>, &Var),
) {
    let count = b.let_("count", count);
    b.for_("iteration", 0u32, (&count + (invocations - 1)) / invocations, |b, iteration| {
        let index = b.let_("index", iteration * invocations + invocation);
        b.if_(index.lt(&count), |b| body(b, &index));
    });
}

/// One of several numbers, by an index. The last one stands for all further indices.
pub(super) fn choose(index: &Var, values: &[u32]) -> Expr {
    let (last, others) = values.split_last().expect("there are values");
    let choices = others.iter().enumerate().rev();
    choices.fold((*last).into(), |chosen, (position, &value)| select(index.eq(position as u32), value, chosen))
}
