//! Bytes and unaligned words in buffers of `U32`.
//!
//! Byte `i` is in word `i / 4`, at bits `8 * (i % 4)` and up. Out of range, loads give 0 and stores do nothing, as for
//! every buffer. The shapes of the expressions are fixed, so that a backend can recognise them.

use super::{Body, Buffer, Var};
use crate::{AtomicOp, Expr};

impl Body<'_> {
    /// The word that holds a byte, and the position of the byte in it, in bits.
    fn byte_place(&mut self, byte_index: impl Into<Expr>) -> (Var, Var) {
        let at = self.let_("at", byte_index);
        let word = self.let_("word", &at >> 2u32);
        let shift = self.let_("shift", (&at & 3u32) << 3u32);
        (word, shift)
    }

    /// The byte at `byte_index`.
    pub fn load_byte(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>) -> Var {
        let (word, shift) = self.byte_place(byte_index);
        self.let_("byte", (buffer.load(&word) >> &shift) & 0xffu32)
    }

    /// The little-endian word of the four bytes from `byte_index` on, aligned or not.
    pub fn load_word(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>) -> Var {
        let (word, shift) = self.byte_place(byte_index);
        let low = buffer.load(&word) >> &shift;
        // Shifted in two steps, because a shift by 32 would be a shift by 0.
        let high = buffer.load(&word + 1u32) << 1u32 << (31u32 - &shift);
        self.let_("unaligned", low | high)
    }

    /// Writes a byte by loading, changing and storing its word. Two invocations must not write to one word at a time;
    /// where they may, [`store_byte_atomic`](Body::store_byte_atomic) serves.
    pub fn store_byte(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>, value: impl Into<Expr>) {
        let (word, shift) = self.byte_place(byte_index);
        let others = buffer.load(&word) & !(0xffu32 << &shift);
        self.store(buffer, &word, others | ((value.into() & 0xffu32) << &shift));
    }

    /// Writes the little-endian word of four bytes from `byte_index` on, aligned or not. As with
    /// [`store_byte`](Body::store_byte), no other invocation may write to the one or two words at a time.
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

    /// Writes a byte with two atomics, so that invocations may write different bytes of one word at a time.
    pub fn store_byte_atomic(&mut self, buffer: &Buffer, byte_index: impl Into<Expr>, value: impl Into<Expr>) {
        let value = self.let_("value", value.into() & 0xffu32);
        let (word, shift) = self.byte_place(byte_index);
        self.discard(Expr::atomic(AtomicOp::And, buffer.name(), &word, !(0xffu32 << &shift)));
        self.discard(Expr::atomic(AtomicOp::Or, buffer.name(), &word, &value << &shift));
    }
}
