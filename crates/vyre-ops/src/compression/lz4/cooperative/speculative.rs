//! Speculative parallel parsing of LZ4 sequences.
//!
//! 1. Every invocation parses the sequence that would begin at its own byte of the input, and publishes the result in a table in
//!    workgroup memory. Most of these sequences do not exist.
//! 2. Every invocation follows the chain of true sequences through the table, from the first byte on: the size of a sequence is the
//!    distance to the next entry of the chain. On the way it finds the sequence that its word of the output begins in.
//! 3. Every invocation decodes its word.
//!
//! The chain ends before a sequence that is too long to be parsed here, whose match overlaps the output of the chain, or that has
//! no room. [`single`](super::single) decodes such a sequence. Matches have at least four bytes, so no two sequences begin in one
//! word: a word has bytes of one sequence, or of one and the next.
//!
//! A *run* is a match whose offset is less than a word, as compressors emit it for repeated bytes. It overlaps its own output, but
//! with a period of 1, 2 or 4 bytes all its words are equal. The first sequence of a chain may be a run.
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
//! | properties | see below | match offset in bytes; for a run, the bytes of output before the chain |
//!
//! | Bits of properties | Content |
//! |---|---|
//! | 0 to 3 | number of literals |
//! | 4 to 6 | period of a run in bytes, or 0 |
//! | 15 | [`VALID`] |
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

/// Maximum size of a sequence that is parsed here: token, literals without length bytes, offset, and one length byte.
const MAX_SEQUENCE_BYTES: u32 = 1 + (EXTENDED_LENGTH - 1) + 2 + 1;

/// Position of the period of a run in the properties.
const PERIOD_SHIFT: u32 = 4;

/// Bit of the properties of every sequence that can be part of a chain.
const VALID: u32 = 0x8000;

/// Bit set of the periods of runs whose words are all equal.
const RUN_PERIODS: u32 = 1 << 1 | 1 << 2 | 1 << 4;

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
    /// Cursor before the first sequence.
    pub(super) start: Var,
    /// Cursor after the last sequence.
    pub(super) end: Var,
    /// Cursor before the sequence that has the first byte of this invocation's word.
    own: Var,
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
        let bytes = b.let_("bytes", buffers.compressed.load((&position >> 2u32).min(last_input)));
        let token = b.let_("token", (&bytes >> ((&position & 3u32) << 3u32)) & 0xffu32);
        let literals = b.let_("literals", &token >> 4u32);
        let nibble = b.let_("nibble", &token & 15u32);
        let has_length_byte = b.let_("has_length_byte", nibble.eq(EXTENDED_LENGTH));
        let word = word_at(b, &buffers.compressed, &position + 1u32 + &literals, last_input);
        let offset = b.let_("offset", &word & 0xffffu32);
        let length_byte = b.let_("length_byte", (&word >> 16u32) & 0xffu32);
        let length = b.let_("length", &nibble + MIN_MATCH_BYTES + select(&has_length_byte, &length_byte, 0u32));
        let consumed = b.let_("consumed", &literals + 3u32 + &has_length_byte);
        // A sequence of a chain is never the last one of the block, so a chain never reaches positions beyond the end.
        let is_short = literals.lt(EXTENDED_LENGTH).and(has_length_byte.is_zero().or(length_byte.lt(NEXT_LENGTH_BYTE)));
        let before_chain = b.let_("before_chain", written & !3u32);
        let is_eligible = is_short.and((&self.block.end - &position).gt(&consumed)).and(offset.le(&before_chain));
        let is_run =
            invocation.eq(0u32).and(literals.eq(0u32)).and(offset.lt(8u32)).and((RUN_PERIODS >> &offset) & 1u32);
        let is_run = b.let_("is_run", is_run);
        // The words of a run are also loaded as if the run were a match with this offset, which must stay within the block's output.
        let match_offset = select(&is_run, before_chain.min(0xffffu32), &offset) << 16u32;
        let properties = match_offset | VALID | literals.max(select(is_run, offset << PERIOD_SHIFT, 0u32));
        let sizes = &consumed | ((&literals + length) << 16u32);
        half.publish(b, invocation, sizes, select(is_eligible, properties, 0u32), last_word);
    }

    /// Step 2: follows the chain of sequences from the first byte on. `at` is the position of this invocation's word in the output
    /// of the chain.
    pub(super) fn follow_chain(&self, b: &mut Body<'_>, half: &TableHalf<'_>, at: &Var) -> SequenceChain {
        let start = b.let_("start", (&self.written & 3u32) << 16u32);
        let [end, own] = ["chain_end", "own"].map(|name| b.let_(name, &start));
        let max_output = (&self.block.room - (&self.written & !3u32)).min(4 * self.invocations);
        let limit = b.let_("limit", (max_output << 16u32) | 0xffffu32);
        let word = b.let_("word", (at << 16u32) | 0xffffu32);
        b.for_("sequence", 0u32, self.invocations, |b, _| {
            let next = b.let_("next", &end + half.sizes(&end));
            b.if_(next.gt(half.properties(&end).min(&limit)), |b| b.break_());
            b.assign(&own, select(word.ge(&end), &end, &own));
            b.assign(&end, &next);
        });
        // All invocations have the same end. The broadcast makes that visible to the validator.
        let end = b.let_("chain_end", broadcast(&end, 0u32));
        SequenceChain { start, end, own }
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
        let cursor = &chain.own;
        let of_own = self.bytes_of_sequence(b, half, cursor, input, at, &first);
        let period = b.let_("period", (half.properties(&chain.start) >> PERIOD_SHIFT) & 7u32);
        b.if_(period.ne(0u32).and(cursor.eq(&chain.start)), |b| {
            let of_run = self.word_of_run(b, half, &period, &first);
            b.assign(&of_own, of_run);
        });
        let cursor = b.let_("cursor", cursor + half.sizes(cursor));
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
        let Decoder { buffers, last_input, last_output, .. } = self;
        let properties = b.let_("properties", half.properties(cursor));
        let begin = b.let_("begin", cursor >> 16u32);
        let literals = b.let_("literals", &properties & 15u32);
        let offset = b.let_("offset", &properties >> 16u32);
        let position = input + (cursor & (half.table.entry_count - 1)) + 1u32 + at - &begin;
        let of_literals = word_at(b, &buffers.compressed, position, last_input);
        let last_full = b.let_("last_full", (first - 1u32).min(last_output));
        let of_match = self.output_at(b, (&self.written & !3u32) + at - &offset, &last_full);
        let match_mask = mask_from(b, begin + literals, at);
        b.let_("bytes", (of_literals & !&match_mask) | (of_match & match_mask))
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
