//! Decoder of Zstandard frames with a workgroup for each frame.
//!
//! All invocations parse headers, whose fields are uniform. Tables are kept in their descriptions (weights of the Huffman tree,
//! normalized counts of FSE) and built for each block, because a block needs its Huffman table and its FSE tables at different
//! times: they share memory. Literals are decoded to scratch memory, one stream an invocation. Then one invocation decodes
//! sequences, as many at a time as there are invocations, and all execute them.
//!
//! An error ends the loop in which it is found, and every loop around it tests [`Decoder::code`].

mod execute;
mod fse;
mod huffman;
mod literals;
mod sequences;

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, select};
use vyre_ir::{DataType, Program};

use super::format::{DESCRIPTOR_ERRORS, MAGIC, MAX_BLOCK_BYTES, MAX_WINDOW_LOG, SKIPPABLE_MAGIC, ZstdFullError};
use crate::compression::block::{Block, Buffers, STORED};
use crate::compression::words::{WordOutput, bytes_at};

/// Types of blocks.
const RAW: u32 = 0;
const COMPRESSED: u32 = 2;
const RESERVED: u32 = 3;

/// Builds the program for workgroups of this number of invocations, which must be a power of two and at most 32.
pub(super) fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    let scratch = p.read_write("scratch", DataType::U32);
    let memory = Memory {
        tables: p.workgroup("tables", fse::TABLE_WORDS, DataType::U32),
        counts: p.workgroup("counts", fse::COUNT_WORDS, DataType::U32),
        codes: p.workgroup("codes", fse::COUNT_WORDS, DataType::U32),
        logs: p.workgroup("logs", 8, DataType::U32),
        weights: p.workgroup("weights", huffman::WEIGHT_WORDS, DataType::U32),
        ranks: p.workgroup("ranks", 16, DataType::U32),
        batch: p.workgroup("batch", 4 * invocations, DataType::U32),
    };
    p.entry(|b| {
        let block = buffers.open(b, DESCRIPTOR_ERRORS);
        let Block { begin, end, base, room, flags, .. } = &block;
        let room_words = (room >> 2u32) + (room & 3u32).ne(0u32);
        b.if_((base + room_words).gt(scratch.len()), |b| buffers.fail(b, &block, DESCRIPTOR_ERRORS.output, 0u32));
        let is_stored = b.let_("is_stored", flags & STORED);
        // Neither an empty frame nor an empty stored block has words.
        b.if_(begin.eq(end), |b| {
            let code = select(&is_stored, 0u32, ZstdFullError::InputTruncated.code());
            buffers.set_status(b, &block, code, 0u32);
            b.return_();
        });
        let last_input = b.let_("last_input", (end - 1u32) >> 2u32);
        // Never true, since the block is within the buffer. The test makes that visible to the optimizer.
        b.if_(last_input.ge(buffers.compressed.len()), |b| b.return_());
        let decoder = Decoder {
            buffers: &buffers,
            scratch: &scratch,
            memory: &memory,
            block: &block,
            invocations,
            invocation: b.let_("invocation", local_id(0)),
            last_input,
            last_word: b.let_("last_word", base + ((room - 1u32) >> 2u32)),
            input: b.let_("input", begin),
            written: b.let_("written", 0u32),
            code: b.let_("code", 0u32),
            max_block: b.let_("max_block", 0u32),
            has_tree: b.let_("has_tree", 0u32),
            tree_symbols: b.let_("tree_symbols", 0u32),
            tree_bits: b.let_("tree_bits", 0u32),
            has_tables: b.let_("has_tables", 0u32),
            last_offsets: ["first_offset", "second_offset", "third_offset"]
                .into_iter()
                .zip([1u32, 4, 8])
                .map(|(name, offset)| b.let_(name, offset))
                .collect(),
        };
        b.if_else(&is_stored, |b| decoder.stored(b), |b| decoder.frame(b));
        b.barrier();
        decoder.output().clear_padding(b, &decoder.written);
        buffers.set_status(b, &block, &decoder.code, &decoder.written);
    })
}

/// Workgroup memory.
struct Memory {
    /// The Huffman table, or the FSE tables.
    tables: Handle,
    /// Normalized counts of the FSE tables.
    counts: Handle,
    /// Baseline and number of extra bits of each code.
    codes: Handle,
    /// Binary logarithms of the sizes of the FSE tables, and then their numbers of symbols.
    logs: Handle,
    /// Weights of the Huffman tree, 4 bits each.
    weights: Handle,
    /// First table entry of the next symbol of each weight.
    ranks: Handle,
    /// Sequences that are executed together.
    batch: Handle,
}

/// State of the decoder of one frame. The variables are uniform but for those that are noted.
struct Decoder<'p> {
    buffers: &'p Buffers,
    /// Literals of the current block, from the word on at which the output begins.
    scratch: &'p Handle,
    memory: &'p Memory,
    block: &'p Block,
    invocations: u32,
    /// Index of this invocation. Divergent.
    invocation: Var,
    /// Last word of the frame.
    last_input: Var,
    /// Last word of the room for the output, if there is any.
    last_word: Var,
    /// Position of the next byte of input.
    input: Var,
    /// Number of bytes of output so far.
    written: Var,
    /// Error code, or 0.
    code: Var,
    /// Maximum size of a block and of its output.
    max_block: Var,
    has_tree: Var,
    /// Number of symbols of the Huffman tree.
    tree_symbols: Var,
    /// Maximum length of a Huffman code.
    tree_bits: Var,
    /// True if there are tables of an earlier sequences section.
    has_tables: Var,
    /// The last three offsets. Divergent: only invocation 0 has them.
    last_offsets: Vec<Var>,
}

impl Decoder<'_> {
    fn output(&self) -> WordOutput<'_> {
        WordOutput {
            words: &self.buffers.decompressed,
            base: &self.block.base,
            invocations: self.invocations,
            invocation: &self.invocation,
        }
    }

    /// Output to the scratch memory.
    fn literals(&self) -> WordOutput<'_> {
        WordOutput { words: self.scratch, ..self.output() }
    }

    /// Number of bytes for which there is room.
    fn left(&self, b: &mut Body<'_>) -> Var {
        b.let_("left", &self.block.room - &self.written)
    }

    /// Assigns an error code, and ends the innermost loop.
    fn fail(&self, b: &mut Body<'_>, error: ZstdFullError) {
        b.assign(&self.code, error.code());
        b.break_();
    }

    fn stored(&self, b: &mut Body<'_>) {
        let size = b.let_("size", &self.block.end - &self.input);
        b.if_else(
            size.gt(&self.block.room),
            |b| b.assign(&self.code, ZstdFullError::OutputOverflow.code()),
            |b| self.append_input(b, &size),
        );
    }

    /// Appends bytes of the input to the output.
    fn append_input(&self, b: &mut Body<'_>, size: &Var) {
        let from = b.let_("from", &self.written);
        let to = b.let_("to", &from + size);
        let distance = b.let_("distance", &self.input - &from);
        self.output().store(b, &from, &to, |b, at| {
            // Positions before the input belong to the frame header, and to no word if a stored block begins there.
            bytes_at(b, &self.buffers.compressed, 0u32, at + &distance, &self.last_input)
        });
        b.assign(&self.written, &to);
    }

    fn frame(&self, b: &mut Body<'_>) {
        let Decoder { block, input, written, code, max_block, .. } = self;
        let end = &block.end;
        let compressed = &self.buffers.compressed;
        let [content_low, content_high, has_size, descriptor] =
            ["content_low", "content_high", "has_size", "descriptor"].map(|name| b.let_(name, 0u32));
        // One iteration, so that an error can end it.
        b.for_("header", 0u32, 1u32, |b, _| {
            let size = b.let_("size", end - input);
            b.if_(size.lt(4u32), |b| self.fail(b, ZstdFullError::InputTruncated));
            let magic = b.load_word(compressed, input);
            b.if_((&magic & !15u32).eq(SKIPPABLE_MAGIC), |b| self.fail(b, ZstdFullError::SkippableFrame));
            b.if_(magic.ne(MAGIC), |b| self.fail(b, ZstdFullError::CorruptHeader));
            b.if_(size.eq(4u32), |b| self.fail(b, ZstdFullError::InputTruncated));
            let byte = b.load_byte(compressed, input + 4u32);
            b.assign(&descriptor, &byte);
            b.if_(&descriptor & 8u32, |b| self.fail(b, ZstdFullError::CorruptHeader));
            let is_single = b.let_("is_single", (&descriptor >> 5u32) & 1u32);
            let dictionary_size = b.let_("dictionary_size", (1u32 << (&descriptor & 3u32)) >> 1u32);
            let size_flag = b.let_("size_flag", &descriptor >> 6u32);
            let content_bytes = b.let_("content_bytes", select(&size_flag, 1u32 << &size_flag, &is_single));
            let after_window = b.let_("after_window", 6u32 - &is_single);
            let after_dictionary = b.let_("after_dictionary", &after_window + &dictionary_size);
            let header_size = b.let_("header_size", &after_dictionary + &content_bytes);
            b.if_(size.lt(&header_size), |b| self.fail(b, ZstdFullError::InputTruncated));

            let byte = b.load_byte(compressed, input + 5u32);
            let window = b.let_("window", select(&is_single, 0u32, &byte));
            let log = b.let_("log", (&window >> 3u32) + 10u32);
            b.if_(log.gt(MAX_WINDOW_LOG), |b| self.fail(b, ZstdFullError::WindowTooLarge));
            let dictionary = b.load_word(compressed, input + &after_window);
            // Bytes of the identifier in a word, without a shift by 32.
            let unused = b.let_("unused", (4u32 - &dictionary_size) << 2u32);
            let dictionary = &dictionary << &unused << &unused;
            b.if_(dictionary, |b| self.fail(b, ZstdFullError::DictionaryRequired));
            let low = b.load_word(compressed, input + &after_dictionary);
            let high = b.load_word(compressed, input + &after_dictionary + 4u32);
            let small = select(size_flag.eq(1u32), (&low & 0xffffu32) + 256u32, &low & 0xffu32);
            b.assign(&content_low, select(size_flag.ge(2u32), &low, small));
            b.assign(&content_high, select(size_flag.eq(3u32), high, 0u32));
            b.assign(&has_size, content_bytes.ne(0u32));
            let window = (1u32 << &log) + (1u32 << &log >> 3u32) * (&window & 7u32);
            let content = select(&content_high, u32::MAX, &content_low);
            b.assign(max_block, select(&is_single, content, window).min(MAX_BLOCK_BYTES));
            b.assign(input, input + &header_size);
        });
        b.for_("block", 0u32, select(code, 0u32, u32::MAX), |b, _| {
            let left = b.let_("left", end - input);
            b.if_(left.lt(3u32), |b| self.fail(b, ZstdFullError::InputTruncated));
            let header = b.load_word(compressed, input);
            let kind = b.let_("kind", (&header >> 1u32) & 3u32);
            let size = b.let_("size", (&header & 0x00ff_ffffu32) >> 3u32);
            b.if_(kind.eq(RESERVED).or(size.gt(max_block)), |b| self.fail(b, ZstdFullError::CorruptBlock));
            let is_rle = b.let_("is_rle", kind.eq(1u32));
            let content = b.let_("content", select(&is_rle, 1u32, &size));
            b.if_(content.gt(&left - 3u32), |b| self.fail(b, ZstdFullError::InputTruncated));
            b.assign(input, input + 3u32);
            b.if_else(
                kind.eq(COMPRESSED),
                |b| self.compressed_block(b, &size),
                |b| {
                    let left = self.left(b);
                    b.if_(size.gt(left), |b| self.fail(b, ZstdFullError::OutputOverflow));
                    b.if_else(kind.eq(RAW), |b| self.append_input(b, &size), |b| self.append_run(b, &size));
                },
            );
            b.assign(input, input + &content);
            // The next block reads this output, and overwrites the literals.
            b.barrier();
            b.if_(&header & 1u32, |b| b.break_());
        });
        b.if_(code.is_zero(), |b| {
            let checksum = b.let_("checksum", &descriptor & 4u32);
            let left = b.let_("left", end - input);
            let is_other = content_low.ne(written).or(&content_high);
            let mismatch = ZstdFullError::ContentSizeMismatch.code();
            let trailing = select(left.gt(&checksum), ZstdFullError::TrailingBytes.code(), 0u32);
            let of_end = select(left.lt(&checksum), ZstdFullError::InputTruncated.code(), trailing);
            b.assign(code, select(has_size.and(is_other), mismatch, of_end));
        });
    }

    /// Appends a run of the byte at the input to the output.
    fn append_run(&self, b: &mut Body<'_>, size: &Var) {
        let byte = b.load_byte(&self.buffers.compressed, &self.input);
        let run = b.let_("run", &byte * 0x0101_0101u32);
        let from = b.let_("from", &self.written);
        let to = b.let_("to", &from + size);
        self.output().store(b, &from, &to, |b, _| b.let_("bytes", &run));
        b.assign(&self.written, &to);
    }

    /// Decodes a compressed block. An error ends the loop around it.
    fn compressed_block(&self, b: &mut Body<'_>, size: &Var) {
        let section = self.literals_section(b, size);
        self.sequences_section(b, size, section);
    }
}
