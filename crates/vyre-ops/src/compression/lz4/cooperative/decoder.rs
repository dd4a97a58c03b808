//! State of the cooperative LZ4 decoder, and loads of unaligned words.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer as Handle, Var};

use crate::compression::block::{Block, Buffers};
use crate::compression::lz4::format::NEXT_LENGTH_BYTE;

/// State of the decoder of one block.
pub(super) struct Decoder<'p> {
    pub(super) buffers: &'p Buffers,
    pub(super) block: &'p Block,
    /// Number of invocations of the workgroup.
    pub(super) invocations: u32,
    /// Index of this invocation in the workgroup.
    pub(super) invocation: Var,
    /// Last word of the block.
    pub(super) last_input: Var,
    /// Last word of the room for the output.
    pub(super) last_output: Var,
    /// Number of bytes of output so far.
    pub(super) written: Var,
    /// Word that this invocation decoded last. For one invocation it is the word in which the output ends; the bytes after the end
    /// are arbitrary.
    pub(super) last_word: Var,
}

impl Decoder<'_> {
    /// Loads four bytes of the output, from words up to the last one. The position counts from the beginning of the block's output,
    /// since byte positions in a buffer of 4 GiB exceed 32 bits.
    pub(super) fn output_at(&self, b: &mut Body<'_>, position: impl Into<Expr>, last: &Var) -> Var {
        let position = b.let_("position", position);
        let word = b.let_("word", &self.block.base + (&position >> 2u32));
        bytes_at(b, &self.buffers.decompressed, &word, &position, last)
    }

    /// Number of words from the word in which the output ends to the word that this invocation decodes next.
    pub(super) fn next_word_distance(&self) -> Expr {
        (&self.invocation - (&self.block.base + (&self.written >> 2u32))) & (self.invocations - 1)
    }

    /// Clears the bytes after the end of the output in its last word.
    pub(super) fn clear_padding(&self, b: &mut Body<'_>) {
        b.barrier();
        b.if_((&self.written & 3u32).ne(0u32).and(self.invocation.eq(0u32)), |b| {
            let last = b.let_("last", &self.block.base + (&self.written >> 2u32));
            let used = !(u32::MAX << ((&self.written & 3u32) << 3u32));
            b.store(&self.buffers.decompressed, &last, self.buffers.decompressed.load(&last) & used);
        });
    }
}

/// Loads four bytes from a byte position on, from words up to the last one.
pub(super) fn word_at(b: &mut Body<'_>, words: &Handle, position: impl Into<Expr>, last: &Var) -> Var {
    let position = b.let_("position", position);
    let word = b.let_("word", &position >> 2u32);
    bytes_at(b, words, &word, &position, last)
}

/// Loads four bytes that begin in a word, at the byte that the low bits of the position select.
fn bytes_at(b: &mut Body<'_>, words: &Handle, word: &Var, position: &Var, last: &Var) -> Var {
    let low = b.let_("low", words.load(word.min(last)));
    let high = b.let_("high", words.load((word + 1u32).min(last)));
    let shift = b.let_("shift", (position & 3u32) << 3u32);
    b.let_("bytes", (low >> &shift) | (high << 1u32 << (31u32 - &shift)))
}

/// Adds length bytes to a length. The length saturates at 2^32 - 1, which exceeds every room for output.
pub(super) fn add_length_bytes(
    b: &mut Body<'_>,
    buffers: &Buffers,
    block: &Block,
    length: &Var,
    input: &Var,
    when_truncated: impl Fn(&mut Body<'_>),
) {
    b.for_("length_byte", 0u32, u32::MAX, |b, _| {
        b.if_(input.ge(&block.end), |b| when_truncated(b));
        let byte = b.load_byte(&buffers.compressed, input);
        b.assign(input, input + 1u32);
        b.assign(length, length + byte.min(!length));
        b.if_(byte.ne(NEXT_LENGTH_BYTE), |b| b.break_());
    });
}
