//! LZ4 by a workgroup for each block: lanes read tokens together, and each makes its share of the words of the output.
//!
//! Each turn makes as many sequences as fit one word of output for each lane and copy nothing that the turn itself makes
//! ([`several`]). Where that is none, it makes one sequence of any kind and length ([`one`]).
//!
//! A word of the output is always made by the same lane, which keeps the word in which the output ends until it is full; so no word
//! is read back to be completed. A turn reads words that are full and writes others, so one barrier in a turn is enough.
//!
//! Places of loads are limited to the words of the block, which are known to be in the buffers: no other guard is needed.

mod one;
mod several;

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id};
use vyre_ir::{Expr, Program};

use self::one::add_length_bytes;
use self::several::Window;
use super::super::block::{Block, Buffers, STORED};
use super::{CODES, Lz4Error, MORE};

/// The program for workgroups of so many lanes, a power of two.
pub(super) fn program(lanes: u32) -> Program {
    let mut p = ProgramBuilder::new([lanes, 1, 1]);
    let buffers = Buffers::declare(&mut p, lanes);
    let window = Window::declare(&mut p, lanes);
    p.entry(|b| {
        let block = buffers.open(b, CODES);
        let Block { begin, end, base, room, flags, .. } = &block;
        b.if_(begin.eq(end), |b| buffers.fail(b, &block, 0u32, 0u32));
        let last_input = b.let_("last_input", (end - 1u32) >> 2u32);
        // Never so, since the block is in the buffer; from here on it is also known.
        b.if_(last_input.ge(buffers.compressed.len()), |b| b.return_());
        b.if_(room.is_zero().and((flags & STORED).is_zero()), |b| without_room(b, &buffers, &block));
        b.if_(room.is_zero(), |b| buffers.fail(b, &block, CODES.output, 0u32));
        let last_output = b.let_("last_output", base + ((room - 1u32) >> 2u32));
        b.if_(last_output.ge(buffers.decompressed.len()), |b| b.return_());

        let lane = b.let_("lane", local_id(0));
        let [to, held] = ["to", "held"].map(|name| b.let_(name, 0u32));
        let decoder = Decoder { buffers: &buffers, block: &block, lanes, lane, last_input, last_output, to, held };
        let code = b.let_("code", 0u32);
        b.if_else(flags & STORED, |b| decoder.stored(b, &code), |b| decoder.sequences(b, &window, &code));
        decoder.close(b);
        buffers.say(b, &block, &code, &decoder.to);
    })
}

/// What is to be said of a block whose output has no room: it is right if it has no output.
fn without_room(b: &mut Body<'_>, buffers: &Buffers, block: &Block) {
    let say = |b: &mut Body<'_>, error: Lz4Error| buffers.fail(b, block, error.code(), 0u32);
    let cut_off = |b: &mut Body<'_>| say(b, Lz4Error::CorruptToken);
    let Block { begin, end, .. } = block;
    let token = b.load_byte(&buffers.compressed, begin);
    let from = b.let_("from", begin + 1u32);
    let literals = b.let_("literals", &token >> 4u32);
    b.if_(literals.eq(MORE), |b| add_length_bytes(b, buffers, block, &literals, &from, cut_off));
    b.if_(literals.gt(end - &from), |b| say(b, Lz4Error::LiteralOverflow));
    b.if_(&literals, |b| say(b, Lz4Error::OutputOverflow));
    b.if_(from.eq(end), |b| buffers.fail(b, block, 0u32, 0u32));
    b.if_((end - &from).lt(2u32), cut_off);
    b.assign(&from, &from + 2u32);
    let length = b.let_("length", &token & 15u32);
    b.if_(length.eq(MORE), |b| add_length_bytes(b, buffers, block, &length, &from, cut_off));
    say(b, Lz4Error::OffsetOutOfBounds);
}

/// Four bytes from a place on that is given in bytes, of words up to the last one.
fn word_at(b: &mut Body<'_>, words: &Handle, place: impl Into<Expr>, last: &Var) -> Var {
    let place = b.let_("place", place);
    let word = b.let_("word", &place >> 2u32);
    bytes_at(b, words, &word, &place, last)
}

/// The same of a word that a place begins in.
fn bytes_at(b: &mut Body<'_>, words: &Handle, word: &Var, place: &Var, last: &Var) -> Var {
    let low = b.let_("low", words.load(word.min(last)));
    let high = b.let_("high", words.load((word + 1u32).min(last)));
    let shift = b.let_("shift", (place & 3u32) << 3u32);
    b.let_("bytes", (low >> &shift) | (high << 1u32 << (31u32 - &shift)))
}

struct Decoder<'p> {
    buffers: &'p Buffers,
    block: &'p Block,
    lanes: u32,
    lane: Var,
    /// The last words of the block and of the room for its output.
    last_input: Var,
    last_output: Var,
    /// How many bytes were written.
    to: Var,
    /// The word that this lane made last. One of them is that in which the output ends; its upper bytes may be anything.
    held: Var,
}

impl Decoder<'_> {
    fn stored(&self, b: &mut Body<'_>, code: &Var) {
        let from = b.let_("from", &self.block.begin);
        let literals = b.let_("literals", &self.block.end - &from);
        b.if_else(
            literals.gt(&self.block.room),
            |b| b.assign(code, Lz4Error::OutputOverflow.code()),
            |b| self.far(b, &from, &literals, None),
        );
    }

    /// Decodes the sequences of the block, and gives what is wrong with it.
    fn sequences(&self, b: &mut Body<'_>, window: &Window, code: &Var) {
        let Block { begin, end, .. } = self.block;
        let from = b.let_("from", begin);
        b.for_("turn", 0u32, end - begin, |b, turn| {
            let half = window.half(b, turn);
            self.look_at_every_place(b, &half, &from);
            b.barrier();
            let at = b.let_("at", self.lane_from_first() << 2u32);
            let span = self.span_at_once(b, &half, &at);
            b.if_else(
                span.reached.ne(&span.start),
                |b| self.several(b, &half, &from, &at, &span),
                |b| self.one(b, &from, code),
            );
            b.if_(from.ge(end), |b| b.break_());
        });
    }

    /// Four bytes of the output from a place on, of words up to the last one. The place is counted from the beginning of the block,
    /// since that of buffers of 4 GiB has no number.
    fn output_at(&self, b: &mut Body<'_>, place: impl Into<Expr>, last: &Var) -> Var {
        let place = b.let_("place", place);
        let word = b.let_("word", &self.block.base + (&place >> 2u32));
        bytes_at(b, &self.buffers.decompressed, &word, &place, last)
    }

    /// How many words the word that this lane makes next is behind the one in which the output ends.
    fn lane_from_first(&self) -> Expr {
        (&self.lane - (&self.block.base + (&self.to >> 2u32))) & (self.lanes - 1)
    }

    /// Clears the bytes behind the end of the output.
    fn close(&self, b: &mut Body<'_>) {
        b.barrier();
        b.if_((&self.to & 3u32).ne(0u32).and(self.lane.eq(0u32)), |b| {
            let last = b.let_("last", &self.block.base + (&self.to >> 2u32));
            let used = !(u32::MAX << ((&self.to & 3u32) << 3u32));
            b.store(&self.buffers.decompressed, &last, self.buffers.decompressed.load(&last) & used);
        });
    }
}
