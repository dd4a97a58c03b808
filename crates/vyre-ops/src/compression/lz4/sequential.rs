//! LZ4 decoder with one invocation for each block, byte by byte.

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder, Var};

use super::format::{DESCRIPTOR_ERRORS, EXTENDED_LENGTH, Lz4Error, MIN_MATCH_BYTES, NEXT_LENGTH_BYTE};
use crate::compression::block::{Block, Buffers, STORED};

/// Builds the program.
pub(super) fn program() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let buffers = Buffers::declare(&mut p, 1);
    p.entry(|b| {
        let block = buffers.open(b, DESCRIPTOR_ERRORS);
        let input = b.let_("input", &block.begin);
        let written = b.let_("written", 0u32);
        let decoder = Decoder { buffers: &buffers, block: &block, input, written };
        b.if_else(&block.flags & STORED, |b| decoder.stored(b), |b| decoder.sequences(b));
        buffers.set_status(b, &block, 0u32, &decoder.written);
    })
}

struct Decoder<'p> {
    buffers: &'p Buffers,
    block: &'p Block,
    /// Position of the next byte of input.
    input: Var,
    /// Number of bytes of output so far.
    written: Var,
}

impl Decoder<'_> {
    fn stored(&self, b: &mut Body<'_>) {
        let size = b.let_("size", &self.block.end - &self.input);
        b.if_(size.gt(&self.block.room), |b| self.fail(b, Lz4Error::OutputOverflow));
        self.copy_input(b, &size);
    }

    fn sequences(&self, b: &mut Body<'_>) {
        let Block { end, room, .. } = self.block;
        let size = b.let_("size", end - &self.input);
        b.for_("sequence", 0u32, size, |b, _| {
            b.if_(self.input.ge(end), |b| b.break_());
            let token = self.next_byte(b);

            let literals = self.length(b, "literals", &token >> 4u32);
            b.if_(literals.gt(end - &self.input), |b| self.fail(b, Lz4Error::LiteralOverflow));
            b.if_(literals.gt(room - &self.written), |b| self.fail(b, Lz4Error::OutputOverflow));
            self.copy_input(b, &literals);
            // The last sequence has no match.
            b.if_(self.input.ge(end), |b| b.break_());

            b.if_((end - &self.input).lt(2u32), |b| self.fail(b, Lz4Error::CorruptToken));
            let low = self.next_byte(b);
            let high = self.next_byte(b);
            let offset = b.let_("offset", &low | (&high << 8u32));
            let length = self.length(b, "length", &token & 15u32);
            let is_outside = offset.is_zero().or(offset.gt(&self.written));
            b.if_(is_outside, |b| self.fail(b, Lz4Error::OffsetOutOfBounds));
            let left = b.let_("left", room - &self.written);
            let is_too_long = left.lt(MIN_MATCH_BYTES).or(length.gt(&left - MIN_MATCH_BYTES));
            b.if_(is_too_long, |b| self.fail(b, Lz4Error::MatchOverflow));
            // Byte by byte, because a match may overlap its own output.
            b.for_("step", 0u32, &length + MIN_MATCH_BYTES, |b, _| {
                let byte = self.buffers.output_byte(b, self.block, &self.written - &offset);
                self.buffers.append_byte(b, self.block, &self.written, &byte);
            });
        });
    }

    fn next_byte(&self, b: &mut Body<'_>) -> Var {
        let byte = b.load_byte(&self.buffers.compressed, &self.input);
        b.assign(&self.input, &self.input + 1u32);
        byte
    }

    /// Reads a length: its nibble and the length bytes that may follow. The length saturates at 2^32 - 1, which exceeds every room
    /// for output.
    fn length(&self, b: &mut Body<'_>, name: &'static str, nibble: impl Into<vyre_ir::Expr>) -> Var {
        let length = b.let_(name, nibble);
        b.if_(length.eq(EXTENDED_LENGTH), |b| {
            b.for_("length_byte", 0u32, u32::MAX, |b, _| {
                b.if_(self.input.ge(&self.block.end), |b| self.fail(b, Lz4Error::CorruptToken));
                let byte = self.next_byte(b);
                b.assign(&length, &length + byte.min(!&length));
                b.if_(byte.ne(NEXT_LENGTH_BYTE), |b| b.break_());
            });
        });
        length
    }

    fn copy_input(&self, b: &mut Body<'_>, size: &Var) {
        b.for_("step", 0u32, size, |b, _| {
            let byte = self.next_byte(b);
            self.buffers.append_byte(b, self.block, &self.written, &byte);
        });
    }

    fn fail(&self, b: &mut Body<'_>, error: Lz4Error) {
        self.buffers.fail(b, self.block, error.code(), &self.written);
    }
}
