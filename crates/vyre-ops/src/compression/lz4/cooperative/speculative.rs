//! Speculative parallel parsing of LZ4 sequences.
//!
//! 1. Every invocation parses the sequence that would begin at its own byte of the input, and publishes the result in a table in
//!    workgroup memory. Most of these sequences do not exist.
//! 2. Every invocation follows the chain of true sequences through the table, from the first byte on: the size of a sequence is the
//!    distance to the next entry of the chain. On the way it finds the sequence that its word of the output begins in.
//! 3. Every invocation decodes its word.
//!
//! The chain ends before a sequence that is too long to be parsed here or has no room. [`single`](super::single) decodes such a
//! sequence. Matches have at least four bytes, so no two sequences begin in one word: a word has bytes of one sequence, or of one
//! and the next.
//!
//! The last sequence of a chain may be *cut* in its match: where the output of an iteration ends, or where the match would copy output
//! of the chain itself. The rest of the match is *pending*: the next iteration begins with it.
//!
//! A *run* is a pending match whose offset is 1, 2 or 4, as compressors emit it for repeated bytes. It overlaps its own output, but
//! all its words are equal. Another pending match that overlaps its own output is periodic with its offset as the period. Its offset
//! doubles when enough of it is copied, so that a long match needs few iterations.
//!
//! # Packed words
//!
//! A cursor is a position between two sequences of a chain. An entry of the table has two words. Adding the sizes of a sequence to
//! the cursor before it yields the cursor after it.
//!
//! | Word | Bits 0 to 15 | Bits 16 to 31 |
//! |---|---|---|
//! | cursor | bytes of input since the first sequence | bytes of output since the word in which the output ends |
//! | sizes | bytes of input of the sequence | bytes of output of the sequence |
//! | properties | number of literals, and [`VALID`] | match offset in bytes |
//!
//! All properties are 0 if the sequence cannot be part of a chain. A sequence extends a chain if the cursor after it is at most its
//! properties: then its output ends at most an offset after the chain's first word, so its match reads only output from before
//! the chain. [`VALID`] exceeds every input position, so the low halves never decide the comparison, and properties of 0 always
//! end the chain.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, broadcast, select};
use vyre_ir::{DataType, Expr};

use super::decoder::{Decoder, word_at};
use crate::compression::block::Block;
use crate::compression::lz4::format::{EXTENDED_LENGTH, MIN_MATCH_BYTES, NEXT_LENGTH_BYTE};

/// Maximum number of literals of a sequence that is parsed here. More would need a larger table.
const MAX_LITERALS: u32 = 27;

/// Maximum size of a sequence that is parsed here: token, length byte, literals, offset, and length byte.
const MAX_SEQUENCE_BYTES: u32 = 1 + 1 + MAX_LITERALS + 2 + 1;

/// Bit of the properties of every sequence that can be part of a chain.
const VALID: u32 = 0x8000;

/// Bit set of the offsets of runs.
const RUN_OFFSETS: u32 = 1 << 1 | 1 << 2 | 1 << 4;

/// Offset of matches that are never cut: the rest would not always begin with a byte whose source is in a full word, and is no run.
const UNCUT_OFFSET: u32 = 3;

/// Table of speculative sequences in workgroup memory, with the last word of each invocation.
///
/// The table is double-buffered: invocations may publish entries of the next iteration while others still read those of this one.
/// Entries after those of the invocations are 0 and end every chain.
pub(super) struct SequenceTable {
    /// For each half: the sizes of all entries, and then their properties.
    entries: Handle,
    entry_count: u32,
    /// For each half: the last word of each invocation.
    last_words: Handle,
    invocations: u32,
}

/// The half of the table that belongs to an iteration.
pub(super) struct TableHalf<'t> {
    table: &'t SequenceTable,
    entries_begin: Var,
    last_words_begin: Var,
}

/// A chain of sequences that one iteration decodes, as cursors.
pub(super) struct SequenceChain {
    /// Cursor before the pending match, or before the first sequence if no match is pending.
    pub(super) start: Var,
    /// Cursor before the first sequence.
    first: Var,
    /// Cursor after the last sequence, or after the part of it that is decoded.
    pub(super) end: Var,
    /// Cursor before the sequence that has the first byte of this invocation's word; less than `first` if no sequence of the chain has
    /// it.
    own: Var,
    /// The match that is pending before the chain, as [`PendingMatch::source`].
    source: Var,
}

/// The rest of the match of a sequence that was cut. Two packed words need fewer registers than four.
pub(super) struct PendingMatch {
    /// Bits 0 to 15: number of bytes that are copied. Bits 16 to 31: number of bytes that are not yet copied, or 0.
    progress: Var,
    /// Bit 0: 1 for a run. Bits 16 to 31: offset.
    source: Var,
}

impl PendingMatch {
    /// State without a pending match.
    pub(super) fn none(b: &mut Body<'_>) -> PendingMatch {
        let [progress, source] = ["pending_progress", "pending_source"].map(|name| b.let_(name, 0u32));
        PendingMatch { progress, source }
    }

    fn is_any(&self) -> Expr {
        self.progress.ge(1u32 << 16)
    }
}

impl SequenceTable {
    pub(super) fn declare(p: &mut ProgramBuilder, invocations: u32) -> SequenceTable {
        let entry_count = (invocations + MAX_SEQUENCE_BYTES).next_power_of_two();
        let entries = p.workgroup("sequences", 4 * entry_count, DataType::U32);
        let last_words = p.workgroup("last_words", 2 * invocations, DataType::U32);
        SequenceTable { entries, entry_count, last_words, invocations }
    }

    pub(super) fn half(&self, b: &mut Body<'_>, iteration: &Var) -> TableHalf<'_> {
        let half = b.let_("half", iteration & 1u32);
        let entries_begin = b.let_("entries_begin", &half * (2 * self.entry_count));
        TableHalf { table: self, entries_begin, last_words_begin: b.let_("last_words_begin", half * self.invocations) }
    }
}

impl TableHalf<'_> {
    /// Index of the sizes of the sequence at a cursor.
    fn entry(&self, cursor: &Var) -> Expr {
        &self.entries_begin + (cursor & (self.table.entry_count - 1))
    }

    fn sizes(&self, cursor: &Var) -> Expr {
        self.table.entries.load(self.entry(cursor))
    }

    fn properties(&self, cursor: &Var) -> Expr {
        self.table.entries.load(self.entry(cursor) + self.table.entry_count)
    }

    /// Last word of the invocation that decodes a word of the output.
    fn last_word_of_owner(&self, word: &Var) -> Expr {
        self.table.last_words.load(&self.last_words_begin + (word & (self.table.invocations - 1)))
    }

    fn publish(
        &self,
        b: &mut Body<'_>,
        invocation: &Var,
        sizes: impl Into<Expr>,
        properties: impl Into<Expr>,
        last_word: &Var,
    ) {
        b.store(&self.table.entries, &self.entries_begin + invocation, sizes);
        b.store(&self.table.entries, &self.entries_begin + invocation + self.table.entry_count, properties);
        b.store(&self.table.last_words, &self.last_words_begin + invocation, last_word);
    }
}

impl Decoder<'_> {
    /// Step 1: parses the sequence that would begin at this invocation's byte, and publishes it.
    pub(super) fn parse_speculatively(&self, b: &mut Body<'_>, half: &TableHalf<'_>, input: &Var) {
        let Decoder { buffers, invocation, last_input, written, last_word, .. } = self;
        let position = b.let_("position", input + invocation);
        let bytes = word_at(b, &buffers.compressed, &position, last_input);
        let nibble = b.let_("nibble", (&bytes >> 4u32) & 15u32);
        let is_extended = b.let_("is_extended", nibble.eq(EXTENDED_LENGTH));
        let more_literals = b.let_("more_literals", select(&is_extended, (&bytes >> 8u32) & 0xffu32, 0u32));
        let literals = b.let_("literals", nibble + &more_literals);
        let before_offset = b.let_("before_offset", &literals + 1u32 + is_extended);
        let nibble = b.let_("nibble", bytes & 15u32);
        let has_length_byte = b.let_("has_length_byte", nibble.eq(EXTENDED_LENGTH));
        let word = word_at(b, &buffers.compressed, &position + &before_offset, last_input);
        let offset = b.let_("offset", &word & 0xffffu32);
        let more_length = b.let_("more_length", select(&has_length_byte, (&word >> 16u32) & 0xffu32, 0u32));
        let length = b.let_("length", nibble + MIN_MATCH_BYTES + &more_length);
        let consumed = b.let_("consumed", before_offset + 2u32 + has_length_byte);
        // A sequence of a chain is never the last one of the block, so a chain never reaches positions beyond the end.
        let is_short = literals.le(MAX_LITERALS).and(more_length.lt(NEXT_LENGTH_BYTE));
        let is_inside = (&self.block.end - &position).gt(&consumed).and((&offset - 1u32).lt(written & !3u32));
        let properties = select(is_short.and(is_inside), &offset << 16u32 | VALID | &literals, 0u32);
        let sizes = &consumed | ((&literals + length) << 16u32);
        half.publish(b, invocation, sizes, properties, last_word);
    }

    /// Step 2: begins with the pending match, and follows the chain of sequences from the first byte on. `at` is the position of this
    /// invocation's word in the output of the chain.
    pub(super) fn follow_chain(
        &self,
        b: &mut Body<'_>,
        half: &TableHalf<'_>,
        at: &Var,
        pending: &PendingMatch,
    ) -> SequenceChain {
        let window = 4 * self.invocations;
        let start = b.let_("start", (&self.written & 3u32) << 16u32);
        let source = b.let_("source", &pending.source);
        let max_output = b.let_("max_output", &self.block.room - (&self.written & !3u32));
        let limit = b.let_("limit", (max_output.min(window) << 16u32) | 0xffffu32);
        let first = b.let_("first_sequence", &start);
        b.if_(pending.is_any(), |b| {
            let offset = b.let_("offset", &source >> 16u32);
            let is_run = b.let_("is_run", &source & 1u32);
            let bound = select(&is_run, window, offset.min(window));
            let copied = b.let_("copied", (&pending.progress >> 16u32).min(bound - (&start >> 16u32)));
            b.assign(&first, &start + (&copied << 16u32));
            b.assign(&pending.progress, &pending.progress + &copied - (&copied << 16u32));
            let copied = b.let_("copied", &pending.progress & 0xffffu32);
            let is_doubled = is_run.is_zero().and((copied >> 1u32).ge(&offset));
            b.assign(&pending.source, &pending.source << is_doubled);
            // Nothing follows a part of a match.
            b.assign(&limit, select(pending.is_any(), 0u32, &limit));
        });
        let [end, own] = ["chain_end", "own"].map(|name| b.let_(name, &first));
        let word = b.let_("word", (at << 16u32) | 0xffffu32);
        b.assign(&own, select(word.ge(&first), &first, 0u32));
        b.for_("sequence", 0u32, self.invocations, |b, _| {
            let next = b.let_("next", &end + half.sizes(&end));
            b.if_(next.gt(half.properties(&end).min(&limit)), |b| b.break_());
            b.assign(&own, select(word.ge(&end), &end, &own));
            b.assign(&end, &next);
        });
        // The sequence after the chain is cut if a part of it can be decoded: at least its literals.
        let properties = b.let_("properties", half.properties(&end));
        let next = b.let_("next", &end + half.sizes(&end));
        let literals_end = b.let_("literals_end", (&end >> 16u32) + (&properties & (VALID - 1)));
        let offset = b.let_("offset", &properties >> 16u32);
        let max_end = b.let_("max_end", limit >> 16u32);
        let has_room = (&next >> 16u32).le(&max_output).and(literals_end.le(&max_end));
        b.if_(properties.ne(0u32).and(has_room).and(offset.ne(UNCUT_OFFSET)), |b| {
            b.assign(&own, select(word.ge(&end), &end, &own));
            let cut = b.let_("cut", literals_end.max(offset.min(&max_end)));
            b.assign(&pending.progress, ((&next >> 16u32) - &cut) << 16u32 | (&cut - &literals_end));
            let is_run = offset.lt(8u32).and((RUN_OFFSETS >> &offset) & 1u32);
            b.assign(&pending.source, offset << 16u32 | is_run);
            b.assign(&end, (&next & 0xffffu32) | (cut << 16u32));
        });
        // All invocations have the same end. The broadcast makes that visible to the validator.
        let end = b.let_("chain_end", broadcast(&end, 0u32));
        SequenceChain { start, first, end, own, source }
    }

    /// Step 3: decodes this invocation's word of the output of the chain, and advances input and output past the chain.
    pub(super) fn decode_chain(
        &self,
        b: &mut Body<'_>,
        half: &TableHalf<'_>,
        input: &Var,
        at: &Var,
        chain: &SequenceChain,
    ) {
        let Decoder { buffers, block, last_output, written, last_word, .. } = self;
        let Block { base, .. } = block;
        let first = b.let_("first", base + (written >> 2u32));
        let own = &chain.own;
        let is_pending = b.let_("is_pending", own.lt(&chain.first));
        let properties = b.let_("properties", half.properties(own));
        let own_offset = b.let_("own_offset", select(&is_pending, &chain.source, &properties) >> 16u32);
        let of_own = self.bytes_of_match(b, &own_offset, at, &first);
        b.if_(is_pending.and(&chain.source & 1u32), |b| {
            let of_run = self.word_of_run(b, half, &own_offset, &first);
            b.assign(&of_own, of_run);
        });
        // If the word has literals of its own sequence, then it has nothing of the next one, and is decoded as a whole.
        let literals_end = (own >> 16u32) + (&properties & (VALID - 1));
        let has_own_literals = b.let_("has_own_literals", at.lt(literals_end).and(is_pending.is_zero()));
        let next = select(&is_pending, &chain.first, own + half.sizes(own));
        let cursor = b.let_("cursor", select(has_own_literals, own, next));
        let of_next = self.bytes_of_sequence(b, half, &cursor, input, at, &first);
        let next_mask = mask_from(b, &cursor >> 16u32, at);
        let kept_mask = b.let_("kept_mask", select(at.eq(0u32), self.kept_mask(), 0u32));
        let bytes = b.let_("bytes", (&of_own & !&next_mask) | (&of_next & &next_mask));
        let bytes = b.let_("bytes", (last_word & &kept_mask) | (&bytes & !&kept_mask));
        let produced = b.let_("produced", &chain.end >> 16u32);
        let target = b.let_("target", &first + (at >> 2u32));
        b.if_(at.lt(&produced).and(target.le(last_output)), |b| {
            b.store(&buffers.decompressed, &target, &bytes);
            b.assign(last_word, &bytes);
        });
        b.assign(written, (written & !3u32) + &produced);
        b.assign(input, input + (&chain.end & 0xffffu32));
    }

    /// This invocation's word as decoded from the sequence at a cursor. Bytes of other sequences are arbitrary.
    fn bytes_of_sequence(
        &self,
        b: &mut Body<'_>,
        half: &TableHalf<'_>,
        cursor: &Var,
        input: &Var,
        at: &Var,
        first: &Var,
    ) -> Var {
        let Decoder { buffers, last_input, .. } = self;
        let properties = b.let_("properties", half.properties(cursor));
        let begin = b.let_("begin", cursor >> 16u32);
        let literals = b.let_("literals", &properties & (VALID - 1));
        let offset = b.let_("offset", properties >> 16u32);
        // A token, and a length byte if there are many literals.
        let before = 1u32 + literals.ge(EXTENDED_LENGTH);
        let position = input + (cursor & 0xffffu32) + before + at - &begin;
        let of_literals = word_at(b, &buffers.compressed, position, last_input);
        let of_match = self.bytes_of_match(b, &offset, at, first);
        let match_mask = mask_from(b, begin + literals, at);
        b.let_("bytes", (of_literals & !&match_mask) | (of_match & match_mask))
    }

    /// This invocation's word as copied from an offset before it.
    fn bytes_of_match(&self, b: &mut Body<'_>, offset: &Var, at: &Var, first: &Var) -> Var {
        let last_full = b.let_("last_full", (first - 1u32).min(&self.last_output));
        self.output_at(b, (&self.written & !3u32) + at - offset, &last_full)
    }

    /// The word that a run consists of: the bytes of the period before it, repeated.
    fn word_of_run(&self, b: &mut Body<'_>, half: &TableHalf<'_>, period: &Var, first: &Var) -> Expr {
        let last_full = self.buffers.decompressed.load((first - 1u32).min(&self.last_output));
        let kept_mask = b.let_("kept_mask", self.kept_mask());
        // The last four bytes of the output, each at its position in a word, then rotated into their order.
        let last = b.let_("last", (half.last_word_of_owner(first) & &kept_mask) | (last_full & !kept_mask));
        let shift = b.let_("shift", (&self.written & 3u32) << 3u32);
        let last = b.let_("last", (&last >> &shift) | (&last << 1u32 << (31u32 - &shift)));
        let of_two = select(period.eq(2u32), (&last >> 16u32) * 0x0001_0001u32, &last);
        let word = b.let_("word", select(period.eq(1u32), (&last >> 24u32) * 0x0101_0101u32, of_two));
        (&word << &shift) | (word >> 1u32 >> (31u32 - shift))
    }

    /// Mask of the bytes before the end of the output in the word in which it ends.
    fn kept_mask(&self) -> Expr {
        !(u32::MAX << ((&self.written & 3u32) << 3u32))
    }
}

/// Mask of the bytes from a position on in the word that begins at `at`.
fn mask_from(b: &mut Body<'_>, position: impl Into<Expr>, at: &Var) -> Var {
    let position = b.let_("position", position);
    // Two shifts of at most 16 bits, because one shift cannot clear all 32 bits.
    let bits = b.let_("bits", (position.max(at) - at).min(4u32) << 2u32);
    b.let_("mask", u32::MAX << &bits << bits)
}
