//! One sequence of any kind: long or short, whole or cut off, right or wrong, with a match from anywhere.

use vyre_ir::build::{Body, Var, select};

use super::super::super::block::{Block, Buffers};
use super::super::{AND_ANOTHER, Lz4Error, MORE, SHORTEST_MATCH};
use super::{Decoder, word_at};

/// How far a match must begin before the output of its sequence, besides the size of that output, so that no word is read in which
/// the output ends or begins: two words.
const APART: u32 = 8;

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
    /// Makes the output of one sequence, and goes to the next one.
    pub(super) fn one(&self, b: &mut Body<'_>, at: &Var, code: &Var) {
        let token = b.load_byte(&self.buffers.compressed, at);
        let from = b.let_("literals_from", at + 1u32);
        let literals = b.let_("literals", &token >> 4u32);
        let [offset, length] = ["offset", "length"].map(|name| b.let_(name, 0u32));
        let sequence = Sequence { from, literals, offset, length };
        self.read(b, &token, &sequence, at, code);
        let Sequence { from, literals, offset, length } = &sequence;
        let is_far = offset.ge(literals + length + APART).and(offset.le(&self.to & !3u32));
        b.if_else(
            is_far,
            |b| self.far(b, from, literals, Some((offset, length))),
            |b| {
                b.if_else(length, |b| self.near(b, &sequence), |b| self.far(b, from, literals, None));
            },
        );
    }

    /// Reads a sequence of any kind, and says what is wrong with it. What is wrong is left out: all of it, or the match. The next
    /// sequence is then beyond the end, as it is behind the last one, which has no match.
    fn read(&self, b: &mut Body<'_>, token: &Var, sequence: &Sequence, next: &Var, code: &Var) {
        let Decoder { buffers, block, .. } = self;
        let Block { end, room, .. } = block;
        let Sequence { from, literals, offset, length } = sequence;
        let cut_off = |b: &mut Body<'_>| {
            b.assign(code, Lz4Error::CorruptToken.code());
            b.break_();
        };
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
    pub(super) fn far(&self, b: &mut Body<'_>, from: &Var, literals: &Var, copied: Option<(&Var, &Var)>) {
        let Decoder { buffers, block, lanes, last_input, last_output, to, held, .. } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let before = b.let_("before", to & 3u32);
        let border = b.let_("border", &before + literals);
        let total = b.let_("total", copied.map_or((&border).into(), |(_, length)| &border + length));
        let first = b.let_("first", &block.base + (to >> 2u32));
        // The word behind the last that is made.
        let behind = b.let_("behind", &first + ((&total + 3u32) >> 2u32));
        let last_full = b.let_("last_full", (&first - 1u32).min(last_output));
        let literal_from = b.let_("literal_from", from - &before);
        let match_from = copied.map(|(offset, _)| b.let_("match_from", (to & !3u32) - offset));
        let kept = b.let_("kept", !(u32::MAX << (&before << 3u32)));
        let lane = b.let_("lane_from_first", self.lane_from_first());
        b.for_("round", 0u32, &total / (4 * lanes) + 1u32, |b, round| {
            let step = b.let_("step", round * *lanes + &lane);
            let at = b.let_("at", &step * 4u32);
            let bytes = word_at(b, compressed, &literal_from + &at, last_input);
            if let Some(match_from) = &match_from {
                let of_match = self.output_at(b, match_from + &at, &last_full);
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
    fn near(&self, b: &mut Body<'_>, sequence: &Sequence) {
        let Decoder { buffers, block, lanes, last_output, to, held, .. } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let Sequence { from, literals, offset, length } = sequence;
        let before = b.let_("before", to & 3u32);
        let first = b.let_("first", &block.base + (to >> 2u32));
        let open = b.let_("open", decompressed.load(first.min(last_output)));
        // Everybody has the word in which the output ends before it is written anew.
        b.barrier();
        let border = b.let_("border", to + literals);
        let end = b.let_("end", &border + length);
        let behind = b.let_("behind", &block.base + ((&end + 3u32) >> 2u32));
        let start = b.let_("start", &border - offset);
        let lane = b.let_("lane_from_first", self.lane_from_first());
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
}

/// Adds length bytes to a length. The length never wraps: beyond 2^32 - 1 it stays there, which is more than there can be room for.
pub(super) fn add_length_bytes(
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
