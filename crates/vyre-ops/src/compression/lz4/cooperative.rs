//! LZ4 by a workgroup for each block: all lanes read the same tokens, and each makes its share of the words of the output.
//!
//! A sequence becomes output in one step, literals and match together, where the match begins far enough before it. A word of the
//! output is always made by the same lane, which keeps the word in which the output ends until it is full; so nothing is handed from
//! lane to lane. A step reads words that are full and writes others, so one barrier in a sequence is enough.
//!
//! Places of loads are limited to the words of the block, which are known to be in the buffers: no other guard is needed.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, select};
use vyre_ir::{Expr, Program};

use super::super::block::{Block, Buffers, STORED};
use super::{AND_ANOTHER, CODES, Lz4Error, MORE, SHORTEST_MATCH};

/// How far a match must begin before the output of its sequence, besides the size of that output, so that no word is read in which
/// the output ends or begins: two words.
const APART: u32 = 8;

/// The program for workgroups of so many lanes, a power of two.
pub(super) fn program(lanes: u32) -> Program {
    let mut p = ProgramBuilder::new([lanes, 1, 1]);
    let buffers = Buffers::declare(&mut p, lanes);
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
        b.if_else(flags & STORED, |b| decoder.stored(b, &code), |b| decoder.sequences(b, &code));
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

/// Adds length bytes to a length. The length never wraps: beyond 2^32 - 1 it stays there, which is
/// more than there can be room for.
fn add_length_bytes(
    b: &mut Body<'_>,
    buffers: &Buffers,
    block: &Block,
    length: &Var,
    from: &Var,
    when_cut_off: impl Fn(&mut Body<'_>),
) {
    b.for_("more", 0u32, u32::MAX, |b, _| {
        b.if_(from.ge(&block.end), |b| when_cut_off(b));
        let byte = b.load_byte(&buffers.compressed, from);
        b.assign(from, from + 1u32);
        b.assign(length, length + byte.min(!length));
        b.if_(byte.ne(AND_ANOTHER), |b| b.break_());
    });
}

/// Four bytes from a place on that is given in bytes, of words up to the last one.
fn word_at(b: &mut Body<'_>, words: &Handle, place: impl Into<Expr>, last: &Var) -> Var {
    let place = b.let_("place", place);
    let low = b.let_("low", words.load((&place >> 2u32).min(last)));
    let high = b.let_("high", words.load(((&place >> 2u32) + 1u32).min(last)));
    let shift = b.let_("shift", (&place & 3u32) << 3u32);
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

/// What a sequence says.
struct Sequence {
    /// Where its literals begin in the input, and how many there are.
    from: Var,
    literals: Var,
    /// How far before its output the match begins, and how long it is: 0 where there is none.
    offset: Var,
    length: Var,
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
    fn sequences(&self, b: &mut Body<'_>, code: &Var) {
        let Block { begin, end, room, .. } = self.block;
        let token = b.load_byte(&self.buffers.compressed, begin);
        let token = b.let_("token", &token);
        let from = b.let_("from", begin + 1u32);
        let word = b.let_("word", 0u32);
        self.look_ahead(b, &token, &from, &word);
        b.for_("sequence", 0u32, end - begin, |b, _| {
            // What a sequence says if there are no bytes of lengths but one of the match, which is in the word too.
            let literals = b.let_("literals", &token >> 4u32);
            let offset = b.let_("offset", &word & 0xffffu32);
            let nibble = b.let_("nibble", &token & 15u32);
            let has_more = b.let_("has_more", nibble.eq(MORE));
            let more = b.let_("more", (&word >> 16u32) & 0xffu32);
            let length = b.let_("length", &nibble + SHORTEST_MATCH + select(&has_more, &more, 0u32));
            let next = b.let_("next", &from + &literals + 2u32 + &has_more);
            let sequence = Sequence { from, literals, offset, length };
            let Sequence { from, literals, offset, length } = &sequence;
            // One test tells whether that is so, and whether there is a sequence behind it and room.
            let is_short = literals.lt(MORE).and(has_more.is_zero().or(more.lt(AND_ANOTHER)));
            let is_within = next.lt(end).and((literals + length).le(room - &self.to));
            let is_outside = (offset - 1u32).ge(&self.to + literals);
            b.if_else(
                is_short.and(is_within).and(is_outside.is_zero()),
                |b| b.assign(&token, select(&has_more, &word >> 24u32, &more)),
                |b| {
                    self.read_carefully(b, &token, &sequence, &next, code);
                    let byte = b.load_byte(&self.buffers.compressed, &next);
                    b.assign(&token, &byte);
                },
            );
            let literals_from = b.let_("literals_from", from);
            b.assign(from, &next + 1u32);
            self.look_ahead(b, &token, from, &word);
            b.barrier();
            let is_far = offset.ge(literals + length + APART).and(offset.le(&self.to & !3u32));
            b.if_else(
                is_far,
                |b| self.far(b, &literals_from, literals, Some((offset, length))),
                |b| {
                    b.if_else(
                        length,
                        |b| self.near(b, &literals_from, &sequence),
                        |b| self.far(b, &literals_from, literals, None),
                    );
                },
            );
            b.if_(from.gt(end), |b| b.break_());
        });
    }

    /// Reads the bytes behind the literals of the next sequence before they are needed.
    fn look_ahead(&self, b: &mut Body<'_>, token: &Var, from: &Var, word: &Var) {
        let bytes = word_at(b, &self.buffers.compressed, from + (token >> 4u32), &self.last_input);
        b.assign(word, &bytes);
    }

    /// Reads a sequence of any kind, and says what is wrong with it. What is wrong is left out: all of it, or the match. The next
    /// sequence is then beyond the end, as it is behind the last one, which has no match.
    fn read_carefully(&self, b: &mut Body<'_>, token: &Var, sequence: &Sequence, next: &Var, code: &Var) {
        let Decoder { buffers, block, .. } = self;
        let Block { end, room, .. } = block;
        let Sequence { from, literals, offset, length } = sequence;
        let cut_off = |b: &mut Body<'_>| {
            b.assign(code, Lz4Error::CorruptToken.code());
            b.break_();
        };
        b.assign(length, 0u32);
        b.if_(literals.eq(MORE), |b| add_length_bytes(b, buffers, block, literals, from, cut_off));
        let has_no_room = literals.gt(room - &self.to).select(Lz4Error::OutputOverflow.code(), 0u32);
        let of_literals = literals.gt(end - from).select(Lz4Error::LiteralOverflow.code(), has_no_room);
        b.assign(code, select(code, code, of_literals));
        b.if_(code, |b| b.assign(literals, 0u32));
        b.assign(next, select(code, end, from + literals));
        b.if_(next.lt(end), |b| {
            let word = word_at(b, &buffers.compressed, next, &self.last_input);
            b.assign(offset, &word & 0xffffu32);
            b.assign(length, token & 15u32);
            b.assign(next, next + 2u32);
            b.assign(code, next.gt(end));
            b.if_(length.eq(MORE).and(code.is_zero()), |b| add_length_bytes(b, buffers, block, length, next, cut_off));
            let reached = b.let_("reached", &self.to + literals);
            let left = b.let_("left", room - &reached);
            let is_outside = (offset - 1u32).ge(&reached);
            let is_too_long = left.lt(SHORTEST_MATCH).or(length.gt(&left - SHORTEST_MATCH));
            let is_too_long = is_too_long.select(Lz4Error::MatchOverflow.code(), 0u32);
            let of_match = is_outside.select(Lz4Error::OffsetOutOfBounds.code(), is_too_long);
            b.assign(code, select(code, code, of_match));
            b.assign(length, select(code, 0u32, length + SHORTEST_MATCH));
            b.assign(next, select(code, end, next));
        });
    }

    /// Literals, and a match that begins far enough before them.
    fn far(&self, b: &mut Body<'_>, from: &Var, literals: &Var, copied: Option<(&Var, &Var)>) {
        let Decoder { buffers, block, lanes, lane, last_input, last_output, to, held } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let before = b.let_("before", to & 3u32);
        let border = b.let_("border", &before + literals);
        let total = b.let_("total", copied.map_or((&border).into(), |(_, length)| &border + length));
        let first = b.let_("first", &block.base + (to >> 2u32));
        // The word behind the last that is made.
        let behind = b.let_("behind", &first + ((&total + 3u32) >> 2u32));
        let last_full = b.let_("last_full", (&first - 1u32).min(last_output));
        let literal_from = b.let_("literal_from", from - &before);
        let match_from = copied.map(|(offset, _)| b.let_("match_from", (&first << 2u32) - offset));
        let kept = b.let_("kept", !(u32::MAX << (&before << 3u32)));
        let lane = b.let_("lane_from_first", (lane - &first) & (lanes - 1));
        b.for_("round", 0u32, &total / (4 * lanes) + 1u32, |b, round| {
            let step = b.let_("step", round * *lanes + &lane);
            let at = b.let_("at", &step * 4u32);
            let bytes = word_at(b, compressed, &literal_from + &at, last_input);
            if let Some(match_from) = &match_from {
                let of_match = word_at(b, decompressed, match_from + &at, &last_full);
                // In two steps, because there may be four bytes of literals.
                let bits = b.let_("bits", (border.max(&at) - &at).min(4u32) << 2u32);
                let not_literals = b.let_("not_literals", u32::MAX << &bits << &bits);
                b.assign(&bytes, (&bytes & !&not_literals) | (&of_match & &not_literals));
            }
            let kept = b.let_("kept", select(step.eq(0u32), &kept, 0u32));
            let bytes = b.let_("bytes", (held & &kept) | (&bytes & !&kept));
            let target = b.let_("target", &first + &step);
            b.if_(target.lt(&behind).and(target.le(last_output)), |b| {
                b.store(decompressed, &target, &bytes);
                b.assign(held, &bytes);
            });
        });
        b.assign(to, to + literals);
        if let Some((_, length)) = copied {
            b.assign(to, to + length);
        }
    }

    /// Literals and a match that begins shortly before its output, so that it repeats itself, byte by byte. All of its bytes are
    /// found among those that were there before the match: in full words, in the one in which the output ends, or in the literals.
    fn near(&self, b: &mut Body<'_>, from: &Var, sequence: &Sequence) {
        let Decoder { buffers, block, lanes, lane, last_output, to, held, .. } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let Sequence { literals, offset, length, .. } = sequence;
        let before = b.let_("before", to & 3u32);
        let first = b.let_("first", &block.base + (to >> 2u32));
        let open = b.let_("open", decompressed.load(first.min(last_output)));
        // Everybody has the word in which the output ends before it is written anew.
        b.barrier();
        let border = b.let_("border", to + literals);
        let end = b.let_("end", &border + length);
        let behind = b.let_("behind", &block.base + ((&end + 3u32) >> 2u32));
        let start = b.let_("start", &border - offset);
        let lane = b.let_("lane_from_first", (lane - &first) & (lanes - 1));
        b.for_("round", 0u32, (&end - to + &before) / (4 * lanes) + 1u32, |b, round| {
            let step = b.let_("step", round * *lanes + &lane);
            let at = b.let_("at", (to & !3u32) + &step * 4u32);
            // How far the first byte of the word is in the match, and where that begins in its period.
            let phase = b.let_("phase", (at.max(&border) - &border) % offset);
            let bytes = b.let_("bytes", 0u32);
            for byte in 0..4u32 {
                let place = b.let_("place", &at + byte);
                let is_copied = b.let_("is_copied", place.ge(&border));
                let source = b.let_("source", select(&is_copied, &start + &phase, &place));
                let of_literals = b.load_byte(compressed, from + (&source - to).min(literals));
                let word = b.let_("word", &block.base + (&source >> 2u32));
                let is_full = b.let_("is_full", word.lt(&first));
                let written = decompressed.load(select(&is_full, &word, u32::MAX));
                let word = b.let_("word", select(&is_full, written, &open));
                let of_output = (&word >> ((&source & 3u32) << 3u32)) & 0xffu32;
                let value = select(source.ge(to), &of_literals, of_output);
                b.assign(&bytes, &bytes | (value << (8 * byte)));
                let next = b.let_("next", &phase + &is_copied);
                b.assign(&phase, select(next.eq(offset), 0u32, &next));
            }
            let target = b.let_("target", &first + &step);
            b.if_(target.lt(&behind).and(target.le(last_output)), |b| {
                b.store(decompressed, &target, &bytes);
                b.assign(held, &bytes);
            });
        });
        b.assign(to, &end);
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
