//! LZ4 by one invocation for each block, byte by byte.

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder, Var};

use super::super::block::{Block, Buffers, STORED};
use super::{AND_ANOTHER, CODES, Lz4Error, MORE, SHORTEST_MATCH};

/// The program.
pub(super) fn program() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let buffers = Buffers::declare(&mut p, 1);
    p.entry(|b| {
        let block = buffers.open(b, CODES);
        // Where the next byte is read, and how many bytes were written.
        let from = b.let_("from", &block.begin);
        let to = b.let_("to", 0u32);
        let decoder = Decoder { buffers: &buffers, block: &block, from, to };
        b.if_else(&block.flags & STORED, |b| decoder.stored(b), |b| decoder.sequences(b));
        buffers.say(b, &block, 0u32, &decoder.to);
    })
}

struct Decoder<'p> {
    buffers: &'p Buffers,
    block: &'p Block,
    from: Var,
    to: Var,
}

impl Decoder<'_> {
    fn stored(&self, b: &mut Body<'_>) {
        let size = b.let_("size", &self.block.end - &self.from);
        b.if_(size.gt(&self.block.room), |b| self.fail(b, Lz4Error::OutputOverflow));
        self.copy_input(b, &size);
    }

    fn sequences(&self, b: &mut Body<'_>) {
        let Block { end, room, .. } = self.block;
        let size = b.let_("size", end - &self.from);
        b.for_("sequence", 0u32, size, |b, _| {
            b.if_(self.from.ge(end), |b| b.break_());
            let token = self.next_byte(b);

            let literals = self.length(b, "literals", &token >> 4u32);
            b.if_(literals.gt(end - &self.from), |b| self.fail(b, Lz4Error::LiteralOverflow));
            b.if_(literals.gt(room - &self.to), |b| self.fail(b, Lz4Error::OutputOverflow));
            self.copy_input(b, &literals);
            // The last sequence has no match.
            b.if_(self.from.ge(end), |b| b.break_());

            b.if_((end - &self.from).lt(2u32), |b| self.fail(b, Lz4Error::CorruptToken));
            let low = self.next_byte(b);
            let high = self.next_byte(b);
            let offset = b.let_("offset", &low | (&high << 8u32));
            let length = self.length(b, "length", &token & 15u32);
            let is_outside = offset.is_zero().or(offset.gt(&self.to));
            b.if_(is_outside, |b| self.fail(b, Lz4Error::OffsetOutOfBounds));
            let left = b.let_("left", room - &self.to);
            let is_too_long = left.lt(SHORTEST_MATCH).or(length.gt(&left - SHORTEST_MATCH));
            b.if_(is_too_long, |b| self.fail(b, Lz4Error::MatchOverflow));
            // Byte by byte, because a match may reach into its own output.
            b.for_("step", 0u32, &length + SHORTEST_MATCH, |b, _| {
                let byte = self.buffers.byte_before(b, self.block, &self.to - &offset);
                self.buffers.append_byte(b, self.block, &self.to, &byte);
            });
        });
    }

    fn next_byte(&self, b: &mut Body<'_>) -> Var {
        let byte = b.load_byte(&self.buffers.compressed, &self.from);
        b.assign(&self.from, &self.from + 1u32);
        byte
    }

    /// A length from its nibble and the bytes that may follow. It never wraps: beyond 2^32 - 1 it stays there, which is more
    /// than there can be room for.
    fn length(&self, b: &mut Body<'_>, name: &'static str, nibble: impl Into<vyre_ir::Expr>) -> Var {
        let length = b.let_(name, nibble);
        b.if_(length.eq(MORE), |b| {
            b.for_("more", 0u32, u32::MAX, |b, _| {
                b.if_(self.from.ge(&self.block.end), |b| self.fail(b, Lz4Error::CorruptToken));
                let byte = self.next_byte(b);
                b.assign(&length, &length + byte.min(!&length));
                b.if_(byte.ne(AND_ANOTHER), |b| b.break_());
            });
        });
        length
    }

    fn copy_input(&self, b: &mut Body<'_>, size: &Var) {
        b.for_("step", 0u32, size, |b, _| {
            let byte = self.next_byte(b);
            self.buffers.append_byte(b, self.block, &self.to, &byte);
        });
    }

    fn fail(&self, b: &mut Body<'_>, error: Lz4Error) {
        self.buffers.fail(b, self.block, error.code(), &self.to);
    }
}
