//! Byte and unaligned word access to buffers of `U32`.
//!
//! Byte `i` is in word `i / 4`, at bits `8 * (i % 4)` and up. Out of range, a load returns 0 and a store has no effect,
//! as for every buffer. The forms of the expressions are fixed, so that a backend can match them.

use super::{Body, Buffer, Var};
use crate::{AtomicOp, Expr};

impl Body<'_> {
    /// Word that contains a byte, and the bit offset of the byte in it.
    fn byte_place(&mut self, byte_index: impl Into<Expr>) -> (Var, Var) {
        let at = self.let_("at", byte_index);
        let word = self.let_("word", &at >> 2u32);
        let shift = self.let_("shift", (&at & 3u32) << 3u32);
        (word, shift)
    }

    /// Loads the byte at `byte_index`.
    pub fn load_byte(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>) -> Var {
        let (word, shift) = self.byte_place(byte_index);
        self.let_("byte", (buffer.load(&word) >> &shift) & 0xffu32)
    }

    /// Loads the little-endian word at `byte_index`, which may be unaligned.
    pub fn load_word(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>) -> Var {
        let (word, shift) = self.byte_place(byte_index);
        let low = buffer.load(&word) >> &shift;
        // Two shifts, because a shift by 32 is a shift by 0.
        let high = buffer.load(&word + 1u32) << 1u32 << (31u32 - &shift);
        self.let_("unaligned", low | high)
    }

    /// Stores a byte with a load, a merge and a store of its word. Invocations must not write to the same word
    /// concurrently; use [`store_byte_atomic`](Body::store_byte_atomic) if they do.
    pub fn store_byte(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>, value: impl Into<Expr>) {
        let (word, shift) = self.byte_place(byte_index);
        let others = buffer.load(&word) & !(0xffu32 << &shift);
        self.store(buffer, &word, others | ((value.into() & 0xffu32) << &shift));
    }

    /// Stores the little-endian word at `byte_index`, which may be unaligned. As with [`store_byte`](Body::store_byte),
    /// invocations must not write to the same words concurrently.
    pub fn store_word(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>, value: impl Into<Expr>) {
        let value = self.let_("value", value);
        let (word, shift) = self.byte_place(byte_index);
        let mask = self.let_("mask", 0xffff_ffffu32 << &shift);
        self.store(buffer, &word, (buffer.load(&word) & !&mask) | (&value << &shift));
        self.if_(&shift, |b| {
            let next = b.let_("next", &word + 1u32);
            b.store(buffer, &next, (buffer.load(&next) & &mask) | (&value >> (32u32 - &shift)));
        });
    }

    /// Stores a byte with two atomics. Invocations may write different bytes of one word concurrently.
    pub fn store_byte_atomic(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>, value: impl Into<Expr>) {
        let value = self.let_("value", value.into() & 0xffu32);
        let (word, shift) = self.byte_place(byte_index);
        self.discard(Expr::atomic(AtomicOp::And, buffer.name(), &word, !(0xffu32 << &shift)));
        self.discard(Expr::atomic(AtomicOp::Or, buffer.name(), &word, &value << &shift));
    }
}
