//! Several sequences at once.
//!
//! Every lane reads the sequence that would begin at a place of its own in the next bytes of the block, and tells the others how
//! many bytes it takes and makes. They go from sequence to sequence with that, a few instructions each, and so find which of them
//! each lane's word of the output is from. No two sequences begin in one word, because matches have four bytes at least: a word is of
//! one sequence, or of one and the next.
//!
//! Runs are matches that begin less than a word before their output, as compressors make them of indentation. They copy what they
//! make themselves, but all of their words are alike: the first sequence may be one.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, select};
use vyre_ir::{DataType, Expr};

use super::super::super::block::Block;
use super::super::{AND_ANOTHER, MORE, SHORTEST_MATCH};
use super::{Decoder, word_at};

/// The most bytes of a sequence that is looked at here: token, literals without length bytes, offset, and one length byte.
const LONGEST: u32 = 1 + (MORE - 1) + 2 + 1;

/// What lanes tell each other, in two halves that take turns, so that the next turn can be told of while others still read of this
/// one: of the places from the next sequence on, and the word that each made last. Places behind those of lanes say zeros, with which
/// no sequence goes on.
pub(super) struct Window {
    words: Handle,
    places: u32,
    held: Handle,
    lanes: u32,
}

/// The half of this turn.
///
/// A place has two words of 16 bits and 16. One has what the sequence takes of the input, and what it makes. The other has the number
/// of literals, the period of a run in the bits from [`PERIOD`] on, and [`MARKED`], which only has to be more than any place; and how
/// far before itself the sequence may copy from, or zeros where the sequence is not one for this.
pub(super) struct Half<'w> {
    window: &'w Window,
    begin: Var,
    held_begin: Var,
}

/// Where the period of a run is in the facts of a place.
const PERIOD: u32 = 4;

/// Is in the facts of each place where a sequence begins.
const MARKED: u32 = 0x8000;

/// The periods of runs, as bits: those that all words are alike with.
const PERIODS: u32 = 1 << 1 | 1 << 2 | 1 << 4;

/// Sequences that can be made at once. All are words of 16 bits and 16 as those of the window: the place in the input from the first
/// sequence on, and that in the output from the word on in which it ends.
pub(super) struct Span {
    /// Where the first begins.
    pub(super) start: Var,
    /// Where the last ends.
    pub(super) reached: Var,
    /// Where that sequence begins which the first byte of this lane's word is from.
    of_lane: Var,
}

impl Window {
    pub(super) fn declare(p: &mut ProgramBuilder, lanes: u32) -> Window {
        let places = (lanes + LONGEST).next_power_of_two();
        let words = p.workgroup("window", 4 * places, DataType::U32);
        Window { words, places, held: p.workgroup("all_held", 2 * lanes, DataType::U32), lanes }
    }

    pub(super) fn half(&self, b: &mut Body<'_>, turn: &Var) -> Half<'_> {
        let half = b.let_("half", turn & 1u32);
        let begin = b.let_("places_begin", &half * (2 * self.places));
        Half { window: self, begin, held_begin: b.let_("held_begin", half * self.lanes) }
    }
}

impl Half<'_> {
    fn place(&self, mark: &Var) -> Expr {
        &self.begin + (mark & (self.window.places - 1))
    }

    fn sizes(&self, mark: &Var) -> Expr {
        self.window.words.load(self.place(mark))
    }

    fn facts(&self, mark: &Var) -> Expr {
        self.window.words.load(self.place(mark) + self.window.places)
    }

    /// The word that was made last by the lane that makes a word.
    fn held_for(&self, word: &Var) -> Expr {
        self.window.held.load(&self.held_begin + (word & (self.window.lanes - 1)))
    }

    fn tell(&self, b: &mut Body<'_>, lane: &Var, sizes: impl Into<Expr>, facts: impl Into<Expr>, held: &Var) {
        b.store(&self.window.words, &self.begin + lane, sizes);
        b.store(&self.window.words, &self.begin + lane + self.window.places, facts);
        b.store(&self.window.held, &self.held_begin + lane, held);
    }
}

impl Decoder<'_> {
    /// Each lane tells of the sequence that may begin at its place.
    pub(super) fn look_at_every_place(&self, b: &mut Body<'_>, half: &Half<'_>, from: &Var) {
        let Decoder { buffers, lane, last_input, to, held, .. } = self;
        let place = b.let_("place", from + lane);
        let bytes = b.let_("bytes", buffers.compressed.load((&place >> 2u32).min(last_input)));
        let token = b.let_("token", (&bytes >> ((&place & 3u32) << 3u32)) & 0xffu32);
        let literals = b.let_("literals", &token >> 4u32);
        let nibble = b.let_("nibble", &token & 15u32);
        let has_more = b.let_("has_more", nibble.eq(MORE));
        let word = word_at(b, &buffers.compressed, &place + 1u32 + &literals, last_input);
        let offset = b.let_("offset", &word & 0xffffu32);
        let more = b.let_("more", (&word >> 16u32) & 0xffu32);
        let length = b.let_("length", &nibble + SHORTEST_MATCH + select(&has_more, &more, 0u32));
        let taken = b.let_("taken", &literals + 3u32 + &has_more);
        // Places beyond the end are never reached, since there is a sequence behind each of these.
        let is_short = literals.lt(MORE).and(has_more.is_zero().or(more.lt(AND_ANOTHER)));
        let full = b.let_("full", to & !3u32);
        let is_one = is_short.and((&self.block.end - &place).gt(&taken)).and(offset.le(&full));
        let is_run = lane.eq(0u32).and(literals.eq(0u32)).and(offset.lt(8u32)).and((PERIODS >> &offset) & 1u32);
        let is_run = b.let_("is_run", is_run);
        // A run may begin anywhere, but its lanes do as if it were copied, and that must not be from before the block.
        let before = select(&is_run, full.min(0xffffu32), &offset) << 16u32;
        let facts = before | MARKED | literals.max(select(is_run, offset << PERIOD, 0u32));
        half.tell(b, lane, &taken | ((&literals + length) << 16u32), select(is_one, facts, 0u32), held);
    }

    /// Goes through sequences from the first place on up to one that is none of these, copies what is made here, or has no room.
    pub(super) fn span_at_once(&self, b: &mut Body<'_>, half: &Half<'_>, at: &Var) -> Span {
        let start = b.let_("start", (&self.to & 3u32) << 16u32);
        let [reached, of_lane] = ["reached", "of_lane"].map(|name| b.let_(name, &start));
        let most = (&self.block.room - (&self.to & !3u32)).min(4 * self.lanes);
        let limit = b.let_("limit", (most << 16u32) | 0xffffu32);
        let word = b.let_("word", (at << 16u32) | 0xffffu32);
        b.for_("sequence", 0u32, self.lanes, |b, _| {
            let next = b.let_("next", &reached + half.sizes(&reached));
            b.if_(next.gt(half.facts(&reached).min(&limit)), |b| b.break_());
            b.assign(&of_lane, select(word.ge(&reached), &reached, &of_lane));
            b.assign(&reached, &next);
        });
        // It is the same in all lanes, and known to be so from here on.
        let reached = b.let_("reached", broadcast(&reached, 0u32));
        Span { start, reached, of_lane }
    }

    /// Makes this lane's word of the output of these sequences, and goes to the one behind them.
    pub(super) fn several(&self, b: &mut Body<'_>, half: &Half<'_>, from: &Var, at: &Var, span: &Span) {
        let Decoder { buffers, block, last_output, to, held, .. } = self;
        let Block { base, .. } = block;
        let first = b.let_("first", base + (to >> 2u32));
        let mark = &span.of_lane;
        let of_one = self.bytes_of(b, half, mark, from, at, &first);
        let period = b.let_("period", (half.facts(&span.start) >> PERIOD) & 7u32);
        b.if_(period.ne(0u32).and(mark.eq(&span.start)), |b| {
            let of_run = self.word_of_run(b, half, &period, &first);
            b.assign(&of_one, of_run);
        });
        let mark = b.let_("mark", mark + half.sizes(mark));
        let of_next = self.bytes_of(b, half, &mark, from, at, &first);
        let is_next = bytes_from(b, &mark >> 16u32, at);
        let is_kept = b.let_("is_kept", select(at.eq(0u32), self.bytes_before(), 0u32));
        let bytes = b.let_("bytes", (&of_one & !&is_next) | (&of_next & &is_next));
        let bytes = b.let_("bytes", (held & &is_kept) | (&bytes & !&is_kept));
        let made = b.let_("made", &span.reached >> 16u32);
        let target = b.let_("target", &first + (at >> 2u32));
        b.if_(at.lt(&made).and(target.le(last_output)), |b| {
            b.store(&buffers.decompressed, &target, &bytes);
            b.assign(held, &bytes);
        });
        b.assign(to, (to & !3u32) + &made);
        b.assign(from, from + (&span.reached & 0xffffu32));
    }

    /// The bytes of this lane's word as the sequence has them that begins at a mark. Those of other sequences may be anything.
    fn bytes_of(&self, b: &mut Body<'_>, half: &Half<'_>, mark: &Var, from: &Var, at: &Var, first: &Var) -> Var {
        let Decoder { buffers, last_input, last_output, .. } = self;
        let facts = b.let_("facts", half.facts(mark));
        let begin = b.let_("begin", mark >> 16u32);
        let literals = b.let_("literals", &facts & 15u32);
        let offset = b.let_("offset", &facts >> 16u32);
        let place = from + (mark & (half.window.places - 1)) + 1u32 + at - &begin;
        let of_literals = word_at(b, &buffers.compressed, place, last_input);
        let last_full = b.let_("last_full", (first - 1u32).min(last_output));
        let of_match = self.output_at(b, (&self.to & !3u32) + at - &offset, &last_full);
        let is_match = bytes_from(b, begin + literals, at);
        b.let_("bytes", (of_literals & !&is_match) | (of_match & is_match))
    }

    /// Every word of a run: what its period has before it, repeated.
    fn word_of_run(&self, b: &mut Body<'_>, half: &Half<'_>, period: &Var, first: &Var) -> Expr {
        let last_full = self.buffers.decompressed.load((first - 1u32).min(&self.last_output));
        let is_before = b.let_("is_before", self.bytes_before());
        // The last four bytes, each where it is in its word; and then in their order.
        let last = b.let_("last", (half.held_for(first) & &is_before) | (last_full & !is_before));
        let shift = b.let_("shift", (&self.to & 3u32) << 3u32);
        let last = b.let_("last", (&last >> &shift) | (&last << 1u32 << (31u32 - &shift)));
        let of_two = select(period.eq(2u32), (&last >> 16u32) * 0x0001_0001u32, &last);
        let word = b.let_("word", select(period.eq(1u32), (&last >> 24u32) * 0x0101_0101u32, of_two));
        (&word << &shift) | (word >> 1u32 >> (31u32 - shift))
    }

    /// Those bytes of the word in which the output ends that are before its end.
    fn bytes_before(&self) -> Expr {
        !(u32::MAX << ((&self.to & 3u32) << 3u32))
    }
}

/// Which bytes of the word from `at` on are from a place on.
fn bytes_from(b: &mut Body<'_>, place: impl Into<Expr>, at: &Var) -> Var {
    let place = b.let_("place", place);
    // In two steps, because it may be none of the four.
    let bits = b.let_("bits", (place.max(at) - at).min(4u32) << 2u32);
    b.let_("from_there", u32::MAX << &bits << bits)
}
