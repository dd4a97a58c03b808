//! Decoder of the symbols of a block.
//!
//! The output is decoded in *chunks* of one word for each invocation. Every invocation decodes every symbol, so that there is no
//! communication between them, and takes from it the bytes of its own word. At the end of a chunk all words are stored at once.
//!
//! A match reads output of earlier chunks only. If it also copies bytes of its own chunk, the chunk ends there, and the next one
//! begins with the word in which the output ends. A match that is longer than its distance is periodic, so while it is copied, the
//! distance is doubled whenever as many bytes have been copied.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Var, broadcast, select};

use super::bits::{BitPosition, funnel, low_bits};
use super::codes::{END, INVALID, LENGTH};
use super::decoder::{Decoder, used_mask};
use super::format::DeflateError;

/// State after the end of a block. Errors have their codes, and 0 means that there are more symbols.
const ENDED: u32 = 0xff;

/// The next bits of the stream, in registers. The words ahead of time hide the latency of loads.
struct BitWindow {
    position: BitPosition,
    words: [Var; 3],
    /// Number of bits up to the end of the stream.
    left: Var,
}

impl BitWindow {
    fn bits(&self, b: &mut Body<'_>) -> Var {
        let [low, high, _] = &self.words;
        b.let_("window", funnel(low, high, &self.position.bit))
    }

    /// Skips less than 32 bits.
    fn skip(&self, b: &mut Body<'_>, decoder: &Decoder<'_>, bits: &Var) {
        let BitPosition { word, bit } = &self.position;
        let [first, second, third] = &self.words;
        b.assign(&self.left, &self.left - bits);
        b.assign(bit, bit + bits);
        b.if_(bit.ge(32u32), |b| {
            b.assign(bit, bit - 32u32);
            b.assign(word, word + 1u32);
            b.assign(first, second);
            b.assign(second, third);
            b.assign(third, decoder.buffers.compressed.load(word + 2u32));
        });
    }
}

/// The chunk that is being decoded.
struct Chunk<'s> {
    symbols: &'s Symbols,
    /// Position of this invocation's word in the chunk, in bytes.
    own: Var,
    /// Number of bytes that were stored before.
    stored: Var,
    /// Number of bytes of output before the chunk.
    before: Var,
    /// Maximum number of bytes up to the end of the room.
    room: Var,
}

/// State of the decoder of a block.
struct Symbols {
    input: BitWindow,
    /// First word of the chunk.
    first: Var,
    /// Number of bytes of the chunk so far.
    at: Var,
    /// Number of bytes of a match that are not copied yet.
    left: Var,
    /// Distance of the match, or a multiple of it.
    distance: Var,
    /// Number of bytes between the source of the match and the end of the output.
    period: Var,
    /// 0, [`ENDED`], or the code of an error.
    state: Var,
}

impl Decoder<'_> {
    /// Decodes symbols up to the end of the block. Control flow must be uniform.
    pub(super) fn symbols(&self, b: &mut Body<'_>) {
        let Decoder { buffers, block, workers, position, written, last_word, .. } = self;
        let position_of_symbols = position.copied(b);
        let words = [0u32, 1, 2].map(|index| b.let_("word", buffers.compressed.load(&position.word + index)));
        let first = b.let_("first", &block.base + (written >> 2u32));
        let at = b.let_("at", written & 3u32);
        let [bits_left, left, distance, period, state] =
            ["bits_left", "left", "distance", "period", "state"].map(|name| b.let_(name, 0u32));
        let input = BitWindow { position: position_of_symbols, words, left: bits_left };
        let symbols = Symbols { input, first, at, left, distance, period, state };
        b.for_("chunk", 0u32, u32::MAX, |b, _| {
            let Symbols { input, first, at, .. } = &symbols;
            let own = b.let_("own", self.word_distance(first) << 2u32);
            let stored = b.let_("stored", at);
            let before = b.let_("before", (first - &block.base) << 2u32);
            let room = b.let_("room", &block.room - &before);
            let chunk = Chunk { symbols: &symbols, own, stored, before, room };
            let bits_left = input.position.bits_left(b, &self.end);
            b.assign(&input.left, &bits_left);
            b.for_("step", 0u32, u32::MAX, |b, _| {
                b.if_(at.ge(4 * workers.count), |b| b.break_());
                b.if_(symbols.left.eq(0u32), |b| self.next_symbols(b, &chunk));
                b.if_(&symbols.left, |b| self.copy(b, &chunk));
            });
            // The word in which the output ended may have been read.
            b.barrier();
            b.if_(chunk.own.lt(at), |b| {
                let target = first + (&chunk.own >> 2u32);
                b.store(&buffers.decompressed, target, last_word & used_mask(&(at - &chunk.own)));
            });
            b.barrier();
            b.assign(first, first + (at >> 2u32));
            b.assign(at, at & 3u32);
            let is_over = b.let_("is_over", broadcast(&symbols.state, 0u32));
            b.if_(is_over, |b| b.break_());
        });
        let Symbols { input, first, at, state, .. } = &symbols;
        b.assign(written, broadcast(((first - &block.base) << 2u32) + at, 0u32));
        b.assign(&position.word, broadcast(&input.position.word, 0u32));
        b.assign(&position.bit, broadcast(&input.position.bit, 0u32));
        let state = b.let_("state", broadcast(state, 0u32));
        b.if_(state.ne(ENDED), |b| {
            buffers.set_status(b, block, &state, written);
            b.return_();
        });
    }

    /// Decodes a literal, two literals, or a literal or none and a match. Leaves the loop of steps at the end of the block and at an
    /// error, and after a literal that ends the chunk.
    fn next_symbols(&self, b: &mut Body<'_>, chunk: &Chunk<'_>) {
        let Symbols { input, at, .. } = chunk.symbols;
        let window = input.bits(b);
        let entry = self.literals.entry(b, &window);
        b.if_(entry.lt(LENGTH), |b| {
            self.literal(b, chunk, &entry);
            b.if_(at.ge(4 * self.workers.count), |b| b.break_());
            let next_window = input.bits(b);
            b.assign(&window, &next_window);
            let next_entry = self.literals.entry(b, &window);
            b.assign(&entry, &next_entry);
        });
        b.if_else(
            entry.lt(LENGTH),
            |b| self.literal(b, chunk, &entry),
            |b| {
                b.if_(entry.ge(END), |b| self.end_of_block(b, chunk, &entry));
                self.match_(b, chunk, &window, &entry);
            },
        );
    }

    fn literal(&self, b: &mut Body<'_>, chunk: &Chunk<'_>, entry: &Var) {
        let Symbols { input, at, state, .. } = chunk.symbols;
        let bits = b.let_("bits", entry & 15u32);
        let is_truncated = b.let_("is_truncated", bits.gt(&input.left));
        b.if_(is_truncated.or(at.ge(&chunk.room)), |b| {
            b.assign(state, select(&is_truncated, DeflateError::Truncated.code(), DeflateError::OutputOverflow.code()));
            b.break_();
        });
        let place = b.let_("place", at - &chunk.own);
        b.if_(place.lt(4u32), |b| {
            let shift = b.let_("shift", place << 3u32);
            let kept = low_bits(&self.last_word, &shift);
            b.assign(&self.last_word, kept | (((entry >> 8u32) & 0xffu32) << shift));
        });
        b.assign(at, at + 1u32);
        input.skip(b, self, &bits);
    }

    /// Ends the block, or reports bits that are no symbol.
    fn end_of_block(&self, b: &mut Body<'_>, chunk: &Chunk<'_>, entry: &Var) {
        let Symbols { input, state, .. } = chunk.symbols;
        let bits = b.let_("bits", entry & 15u32);
        let valid = select(entry.ge(INVALID), DeflateError::InvalidSymbol.code(), ENDED);
        b.assign(state, select(bits.gt(&input.left), DeflateError::Truncated.code(), valid));
        input.skip(b, self, &bits);
        b.break_();
    }

    /// Decodes the length and the distance of a match.
    fn match_(&self, b: &mut Body<'_>, chunk: &Chunk<'_>, window: &Var, entry: &Var) {
        let Symbols { input, at, left, distance, period, state, .. } = chunk.symbols;
        let error_if = |b: &mut Body<'_>, is_error: Expr, error: DeflateError| {
            b.assign(state, select(is_error, error.code(), state));
        };
        let bits_left = b.let_("bits_left", &input.left);
        let [length, of_length] = value_of_entry(b, window, entry);
        input.skip(b, self, &of_length);
        let window = input.bits(b);
        let entry = self.distances.entry(b, &window);
        let [wanted, of_distance] = value_of_entry(b, &window, &entry);
        let is_truncated = b.let_("is_truncated", (&of_length + &of_distance).gt(bits_left));
        let is_invalid = b.let_("is_invalid", entry.ge(INVALID));
        let is_outside = b.let_("is_outside", wanted.gt(&chunk.before + at));
        let is_too_long = b.let_("is_too_long", length.gt(&chunk.room - at));
        b.if_(is_truncated.or(&is_invalid).or(&is_outside).or(&is_too_long), |b| {
            // The first error of the stream is assigned last.
            error_if(b, is_too_long.into(), DeflateError::OutputOverflow);
            error_if(b, is_outside.into(), DeflateError::DistanceOutOfBounds);
            error_if(b, is_invalid.into(), DeflateError::InvalidSymbol);
            error_if(b, is_truncated.into(), DeflateError::Truncated);
            b.break_();
        });
        b.assign(left, &length);
        b.assign(distance, &wanted);
        b.assign(period, &wanted);
        input.skip(b, self, &of_distance);
    }

    /// Copies bytes of the match, as many as the chunk and the distance permit. Leaves the loop of steps if it is none.
    fn copy(&self, b: &mut Body<'_>, chunk: &Chunk<'_>) {
        let Symbols { first, at, left, distance, period, .. } = chunk.symbols;
        let Chunk { own, stored, .. } = chunk;
        let limit = b.let_("limit", (stored + distance).min(4 * self.workers.count));
        b.if_(at.ge(&limit), |b| b.break_());
        let stop = b.let_("stop", (at + left).min(limit));
        b.if_(own.lt(&stop).and((own + 4u32).gt(at)), |b| {
            // The source of the word begins in a word that lies `back` words before it.
            let back = b.let_("back", distance + 3u32);
            let shift = b.let_("shift", ((&back & 3u32) ^ 3u32) << 3u32);
            let word = b.let_("word", first + (own >> 2u32) - (back >> 2u32));
            let low = b.let_("low", self.buffers.decompressed.load(word.max(&self.block.base)));
            let high = b.let_("high", self.buffers.decompressed.load(word + 1u32));
            let bytes = b.let_("bytes", funnel(&low, &high, &shift));
            let place = b.let_("place", (at.max(own) - own) << 3u32);
            let mask = b.let_("mask", u32::MAX << place);
            b.assign(&self.last_word, (&self.last_word & !&mask) | (bytes & mask));
        });
        let copied = b.let_("copied", &stop - at);
        b.assign(left, left - &copied);
        b.assign(period, period + copied);
        b.assign(at, &stop);
        let doubled = b.let_("doubled", distance << 1u32);
        b.assign(distance, select(doubled.le(period), &doubled, distance));
    }
}

/// Value of a length or a distance, and the number of bits of its code word and its extra bits.
fn value_of_entry(b: &mut Body<'_>, window: &Var, entry: &Var) -> [Var; 2] {
    let bits = b.let_("bits", entry & 15u32);
    let extra = b.let_("extra", (entry >> 4u32) & 15u32);
    let base = (entry >> 8u32) & 0xffffu32;
    let value = b.let_("value", base + low_bits(window >> &bits, &extra));
    [value, b.let_("bits", bits + extra)]
}
