//! Deflate decoder with a workgroup for each stream.
//!
//! Control flow between blocks is uniform, since headers are loaded from read-only memory. Words of the output are assigned to
//! invocations in a fixed cyclic order. An invocation keeps the last word that it decoded, so the word in which the output ends is
//! completed without reading it back.

use vyre_ir::build::{Body, ProgramBuilder, Var, local_id, select};
use vyre_ir::{Expr, Program};

use super::bits::BitPosition;
use super::codes::{Alphabet, CodeTables};
use super::format::{
    BLOCK_HEADER_BITS, DESCRIPTOR_ERRORS, DYNAMIC_BLOCK, DeflateError, FIXED_BLOCK, FIXED_DISTANCES, FIXED_LITERALS,
    STORED_BLOCK,
};
use crate::compression::block::{Block, Buffers, STORED};

/// Builds the program for workgroups of this number of invocations, which must be a power of two of at most 32.
pub(super) fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    let literals = CodeTables::of_literals(&mut p);
    let distances = CodeTables::of_distances(&mut p);
    p.entry(|b| {
        let block = buffers.open(b, DESCRIPTOR_ERRORS);
        let position = BitPosition::of_byte(b, &block.begin);
        let end = BitPosition::of_byte(b, &block.end);
        let workers = Workers { count: invocations, own: b.let_("invocation", local_id(0)) };
        let [written, last_word] = ["written", "last_word"].map(|name| b.let_(name, 0u32));
        let decoder = Decoder {
            buffers: &buffers,
            block: &block,
            literals: &literals,
            distances: &distances,
            workers,
            position,
            end,
            written,
            last_word,
        };
        b.if_else(&block.flags & STORED, |b| decoder.stored_stream(b), |b| decoder.blocks(b));
        buffers.set_status(b, &block, 0u32, &decoder.written);
    })
}

/// Invocations of a workgroup.
pub(super) struct Workers {
    /// Number of invocations.
    pub(super) count: u32,
    /// Index of this invocation.
    pub(super) own: Var,
}

impl Workers {
    /// Number of groups of as many items as there are invocations.
    pub(super) fn groups(&self, count: &Expr) -> Expr {
        (count + (self.count - 1)) / self.count
    }

    /// Processes each of a number of items by one invocation.
    pub(super) fn each(&self, b: &mut Body<'_>, count: &Expr, process: impl FnOnce(&mut Body<'_>, &Var)) {
        b.for_("group", 0u32, self.groups(count), |b, group| {
            let item = b.let_("item", group * self.count + &self.own);
            b.if_(item.lt(count), |b| process(b, &item));
        });
    }

    /// Runs a body on the first invocation.
    pub(super) fn first(&self, b: &mut Body<'_>, body: impl FnOnce(&mut Body<'_>)) {
        b.if_(self.own.eq(0u32), body);
    }
}

/// State of the decoder of one stream.
pub(super) struct Decoder<'p> {
    pub(super) buffers: &'p Buffers,
    pub(super) block: &'p Block,
    pub(super) literals: &'p CodeTables,
    pub(super) distances: &'p CodeTables,
    pub(super) workers: Workers,
    /// Position of the next bit of input. Uniform.
    pub(super) position: BitPosition,
    /// End of the input.
    pub(super) end: BitPosition,
    /// Number of bytes of output so far. Uniform.
    pub(super) written: Var,
    /// Word that this invocation decoded last. For one invocation it is the word in which the output ends; the bytes after the end
    /// are arbitrary.
    pub(super) last_word: Var,
}

impl Decoder<'_> {
    /// Stores an error and ends the invocation. Control flow must be uniform.
    pub(super) fn fail(&self, b: &mut Body<'_>, error: DeflateError) {
        self.buffers.fail(b, self.block, error.code(), &self.written);
    }

    /// Reads a number of at most 32 bits.
    pub(super) fn take(&self, b: &mut Body<'_>, bits: u32) -> Var {
        let left = self.position.bits_left(b, &self.end);
        b.if_(left.lt(bits), |b| self.fail(b, DeflateError::Truncated));
        let window = self.position.window(b, &self.buffers.compressed);
        self.position.advance(b, bits);
        b.let_("number", window & (u32::MAX >> (32 - bits)))
    }

    /// Copies a stream that is stored without compression.
    fn stored_stream(&self, b: &mut Body<'_>) {
        let Block { begin, end, room, .. } = self.block;
        let size = b.let_("size", end - begin);
        b.if_(size.gt(room), |b| self.fail(b, DeflateError::OutputOverflow));
        self.copy_input(b, begin, &size);
    }

    /// Decodes the blocks of the stream.
    fn blocks(&self, b: &mut Body<'_>) {
        b.for_("block_number", 0u32, u32::MAX, |b, _| {
            let header = self.take(b, BLOCK_HEADER_BITS);
            let kind = b.let_("kind", &header >> 1u32);
            b.if_(kind.gt(DYNAMIC_BLOCK), |b| self.fail(b, DeflateError::InvalidBlockType));
            b.if_else(
                kind.eq(STORED_BLOCK),
                |b| self.stored_block(b),
                |b| {
                    let literals = b.let_("literals", FIXED_LITERALS);
                    let distances = b.let_("distances", FIXED_DISTANCES);
                    b.if_else(
                        kind.eq(FIXED_BLOCK),
                        |b| self.fixed_lengths(b),
                        |b| self.dynamic_lengths(b, &literals, &distances),
                    );
                    self.build_codes(b, &literals.into(), &distances.into());
                    self.symbols(b);
                },
            );
            b.if_(header & 1u32, |b| b.break_());
        });
        let left = self.position.bits_left(b, &self.end);
        b.if_(left.ge(8u32), |b| self.fail(b, DeflateError::TrailingBytes));
    }

    /// Builds both codes from the lengths of their code words, which lie one after the other in the roots of literals.
    fn build_codes(&self, b: &mut Body<'_>, literals: &Expr, distances: &Expr) {
        let Decoder { workers, .. } = self;
        let lengths = &self.literals.roots;
        b.barrier();
        let of_literals = self.literals.sort(b, workers, Alphabet::Literals, lengths, &0u32.into(), literals);
        let of_distances = self.distances.sort(b, workers, Alphabet::Distances, lengths, literals, distances);
        let is_invalid = of_literals.is_zero().or(of_distances.is_zero());
        b.if_(is_invalid, |b| self.fail(b, DeflateError::InvalidCodeLengths));
        self.literals.fill_roots(b, workers);
        self.distances.fill_roots(b, workers);
        b.barrier();
    }

    /// Decodes a stored block.
    fn stored_block(&self, b: &mut Body<'_>) {
        // The end of a byte that begins in this word.
        let padding = (0u32 - &self.position.bit) & 7u32;
        self.position.advance(b, padding);
        let lengths = self.take(b, 32);
        let size = b.let_("size", &lengths & 0xffffu32);
        b.if_(size.ne(!&lengths >> 16u32), |b| self.fail(b, DeflateError::StoredLengthMismatch));
        let input = b.let_("input", (&self.position.word << 2u32) | (&self.position.bit >> 3u32));
        b.if_(size.gt(&self.block.end - &input), |b| self.fail(b, DeflateError::Truncated));
        b.if_(size.gt(&self.block.room - &self.written), |b| self.fail(b, DeflateError::OutputOverflow));
        self.copy_input(b, &input, &size);
        let next = b.let_("next", input + size);
        self.position.move_to_byte(b, &next);
        b.barrier();
    }

    /// Copies bytes of the input, a word for each invocation at a time. Their number is uniform.
    fn copy_input(&self, b: &mut Body<'_>, input: &Var, size: &Var) {
        let Decoder { buffers, block, workers, written, last_word, .. } = self;
        let before = b.let_("before", written & 3u32);
        let total = b.let_("total", &before + size);
        let words = b.let_("words", (&total >> 2u32) + (&total & 3u32).ne(0u32));
        let first = b.let_("first", &block.base + (written >> 2u32));
        let from = b.let_("from", input - &before);
        let own = b.let_("own", self.word_distance(&first));
        b.for_("iteration", 0u32, &words / workers.count + 1u32, |b, iteration| {
            let index = b.let_("index", iteration * workers.count + &own);
            b.if_(index.lt(&words), |b| {
                let at = b.let_("at", &index << 2u32);
                let bytes = b.load_word(&buffers.compressed, &from + &at);
                let kept = b.let_("kept", select(index.eq(0u32), !(u32::MAX << (&before << 3u32)), 0u32));
                let bytes = b.let_("bytes", (last_word & &kept) | (bytes & !kept));
                b.assign(last_word, bytes & used_mask(&(&total - &at)));
                b.store(&buffers.decompressed, &first + &index, last_word);
            });
        });
        b.assign(written, written + size);
    }

    /// Number of words from a word of the output to the next one of this invocation.
    pub(super) fn word_distance(&self, word: &Var) -> Expr {
        (&self.workers.own - word) & (self.workers.count - 1)
    }
}

/// Mask of the bytes of a word that a number of bytes, at least 1, covers.
pub(super) fn used_mask(bytes: &Expr) -> Expr {
    u32::MAX >> ((4u32 - bytes.clone().min(4u32)) << 3u32)
}
