//! Literals section of a block. The literals go to the scratch memory.

use vyre_ir::ReduceOp;
use vyre_ir::build::{Body, Var, reduce, select};

use super::Decoder;
use crate::compression::words::{bits_before, bytes_at};
use crate::compression::zstd_full::format::ZstdFullError;

// Types of literals sections.
const RAW: u32 = 0;
const RLE: u32 = 1;
const COMPRESSED: u32 = 2;

/// Minimum number of literals in four streams.
const MIN_FOR_FOUR_STREAMS: u32 = 6;

/// Minimum number of literals for which four invocations decode the streams. With fewer, a word may have bytes of three streams.
const MIN_FOR_FOUR_INVOCATIONS: u32 = 16;

/// Size of the table of the sizes of streams.
const JUMP_TABLE_BYTES: u32 = 6;

/// Literals of a block.
pub(super) struct Literals {
    /// Number of literals.
    pub(super) count: Var,
    /// Position after their section.
    pub(super) end: Var,
}

/// Streams of literals.
struct Streams {
    /// Number of literals.
    count: Var,
    is_four: Var,
    /// Position of the first stream.
    begin: Var,
    /// Position after the last stream.
    end: Var,
    /// Sizes of the first three streams.
    sizes: [Var; 3],
}

impl Decoder<'_> {
    /// Decodes the literals section of the block of this size at the input.
    pub(super) fn literals_section(&self, b: &mut Body<'_>, size: &Var) -> Literals {
        let Decoder { input, has_tree, max_block, .. } = self;
        let compressed = &self.buffers.compressed;
        b.if_(size.is_zero(), |b| self.fail(b, ZstdFullError::CorruptLiterals));
        let header = b.load_word(compressed, input);
        let fifth = b.load_byte(compressed, input + 4u32);
        let kind = b.let_("kind", &header & 3u32);
        let format = b.let_("format", (&header >> 2u32) & 3u32);
        let is_compressed = b.let_("is_compressed", kind.ge(COMPRESSED));
        let plain_size = (&format & 1u32) + format.eq(3u32) + 1u32;
        let step = b.let_("step", format.max(1u32) - 1u32);
        let header_size = b.let_("header_size", select(&is_compressed, &step + 3u32, plain_size));
        b.if_(header_size.gt(size), |b| self.fail(b, ZstdFullError::CorruptLiterals));
        // Numbers of plain literals have 5, 12 or 20 bits, those of compressed ones 10, 14 or 18.
        let plain_shift = select(header_size.eq(1u32), 3u32, 4u32);
        let plain_bits = select(header_size.eq(1u32), 8u32, select(header_size.eq(2u32), 16u32, 24u32));
        let plain_count = (&header & ((1u32 << plain_bits) - 1u32)) >> plain_shift;
        let width = b.let_("width", (&step << 2u32) + 10u32);
        let mask = b.let_("mask", (1u32 << &width) - 1u32);
        let packed_count = (&header >> 4u32) & &mask;
        let count = b.let_("literals", select(&is_compressed, packed_count, plain_count));
        // The second number of the longest header is in two words.
        let high = select(format.eq(3u32), fifth << 10u32, 0u32);
        let packed_size = ((&header >> (&width + 4u32)) | high) & &mask;
        let plain_size = select(kind.eq(RLE), 1u32, &count);
        let packed_size = b.let_("packed_size", select(&is_compressed, packed_size, plain_size));
        let is_four = b.let_("is_four", is_compressed.and(&format));
        let is_too_few = is_four.and(count.lt(MIN_FOR_FOUR_STREAMS));
        b.if_(count.gt(max_block).or(is_too_few), |b| self.fail(b, ZstdFullError::CorruptLiterals));
        b.if_(packed_size.gt(size - &header_size), |b| self.fail(b, ZstdFullError::CorruptLiterals));
        let left = self.left(b);
        b.if_(count.gt(left), |b| self.fail(b, ZstdFullError::OutputOverflow));
        let begin = b.let_("begin", input + &header_size);
        let end = b.let_("end", &begin + &packed_size);

        let zero = b.let_("zero", 0u32);
        b.if_(kind.eq(RAW), |b| {
            self.literals()
                .store(b, &zero, &count, |b, at| bytes_at(b, compressed, 0u32, at + &begin, &self.last_input));
        });
        b.if_(kind.eq(RLE), |b| {
            let byte = b.load_byte(compressed, &begin);
            let run = b.let_("run", &byte * 0x0101_0101u32);
            self.literals().store(b, &zero, &count, |b, _| b.let_("bytes", &run));
        });
        b.if_(kind.eq(COMPRESSED), |b| {
            self.read_tree(b, &begin, &end);
            b.if_(&self.code, |b| b.break_());
            b.assign(has_tree, 1u32);
        });
        b.if_(&is_compressed, |b| {
            b.if_(has_tree.is_zero(), |b| self.fail(b, ZstdFullError::CorruptLiterals));
            self.build_huffman_table(b);
            b.if_(is_four.and((&end - &begin).lt(JUMP_TABLE_BYTES)), |b| self.fail(b, ZstdFullError::CorruptLiterals));
            let low = b.load_word(compressed, &begin);
            let high = b.load_word(compressed, &begin + 4u32);
            let sizes = [&low & 0xffffu32, &low >> 16u32, &high & 0xffffu32].map(|size| b.let_("stream_size", size));
            let before_last = &sizes[0] + &sizes[1] + &sizes[2];
            b.if_(is_four.and(before_last.gt(&end - &begin - JUMP_TABLE_BYTES)), |b| {
                self.fail(b, ZstdFullError::CorruptLiterals);
            });
            let begin = b.let_("streams_begin", &begin + select(&is_four, JUMP_TABLE_BYTES, 0u32));
            let streams = Streams { count: count.clone(), is_four, begin, end: end.clone(), sizes };
            self.decode_streams(b, &streams);
            b.if_(&self.code, |b| b.break_());
        });
        b.barrier();
        Literals { count, end }
    }

    /// Decodes streams of literals: all at the same time, each by an invocation, or one after the other.
    fn decode_streams(&self, b: &mut Body<'_>, streams: &Streams) {
        let Decoder { scratch, block, invocation, invocations, .. } = self;
        let Streams { count, is_four, begin, end, sizes } = streams;
        let share = b.let_("share", select(is_four, (count + 3u32) >> 2u32, count));
        let is_parallel = if *invocations < 4 {
            b.let_("is_parallel", 0u32)
        } else {
            b.let_("is_parallel", is_four.and(count.ge(MIN_FOR_FOUR_INVOCATIONS)))
        };
        let stream_count = b.let_("stream_count", select(is_four, 4u32, 1u32));
        let passes = b.let_("passes", select(&is_parallel, 1u32, &stream_count));
        let is_bad = b.let_("is_bad", 0u32);
        let [tail, tail_word, tail_bytes] = ["tail", "tail_word", "tail_bytes"].map(|name| b.let_(name, 0u32));
        b.for_("pass", 0u32, passes, |b, pass| {
            let stream = b.let_("stream", select(&is_parallel, invocation, pass));
            let is_own = select(&is_parallel, stream.lt(&stream_count), invocation.eq(0u32));
            b.if_(is_own, |b| {
                let ends = [
                    b.let_("first_end", begin + &sizes[0]),
                    b.let_("second_end", begin + &sizes[0] + &sizes[1]),
                    b.let_("third_end", begin + &sizes[0] + &sizes[1] + &sizes[2]),
                ];
                let number = |values: [&Var; 4]| {
                    let [first, second, third, fourth] = values;
                    select(
                        stream.eq(0u32),
                        first,
                        select(stream.eq(1u32), second, select(stream.eq(2u32), third, fourth)),
                    )
                };
                let from = b.let_("from", number([begin, &ends[0], &ends[1], &ends[2]]));
                let is_last = b.let_("is_last", (&stream + 1u32).eq(&stream_count));
                let to = b.let_("to", select(&is_last, end, number([&ends[0], &ends[1], &ends[2], end])));
                let output = b.let_("output", &stream * &share);
                let output_end = b.let_("output_end", select(&is_last, count, &output + &share));
                let is_begun = b.let_("is_begun", (&output & 3u32).ne(0u32).and(is_parallel.is_zero()));
                b.assign(&tail, 0u32);
                b.if_(&is_begun, |b| {
                    let before = !(u32::MAX << ((&output & 3u32) << 3u32));
                    b.assign(&tail, scratch.load(&block.base + (&output >> 2u32)) & before);
                });
                let is_valid = self.decode_stream(b, (&from, &to), (&output, &output_end), &tail);
                b.assign(&is_bad, &is_bad | is_valid.is_zero());
                b.assign(&tail_word, &block.base + (&output_end >> 2u32));
                b.assign(&tail_bytes, &output_end & 3u32);
                // Alone or at the end, the word in which the stream ends is complete.
                b.if_(tail_bytes.ne(0u32).and(is_last.or(is_parallel.is_zero())), |b| {
                    b.store(scratch, &tail_word, &tail);
                    b.assign(&tail_bytes, 0u32);
                });
            });
            b.barrier();
        });
        // Otherwise the next stream has begun it.
        b.if_(&tail_bytes, |b| b.store(scratch, &tail_word, scratch.load(&tail_word) | &tail));
        let is_bad = b.let_("is_bad", reduce(ReduceOp::Max, is_bad));
        b.if_(is_bad, |b| b.assign(&self.code, ZstdFullError::CorruptLiterals.code()));
    }

    /// Decodes a stream to a range of the literals. `tail` has the literals before them in their first word, and then those in the
    /// word in which they end. The result is 1 if the stream ends with the last of them.
    fn decode_stream(
        &self,
        b: &mut Body<'_>,
        (from, to): (&Var, &Var),
        (output, output_end): (&Var, &Var),
        tail: &Var,
    ) -> Var {
        let Decoder { scratch, memory, block, last_input, tree_bits, .. } = self;
        let compressed = &self.buffers.compressed;
        let is_valid = b.let_("is_valid", 0u32);
        let last = b.load_byte(compressed, to - 1u32);
        b.if_(from.lt(to).and(&last), |b| {
            // Positions count bits from two words before the stream, so that they stay positive.
            let origin = b.let_("origin", (from >> 2u32) - 2u32);
            let start = b.let_("start", ((from & 3u32) << 3u32) + 64u32);
            let position = b.let_("position", &start + ((to - from) << 3u32) - (last.clz() - 23u32));
            let shift = b.let_("shift", (output & 3u32) << 3u32);
            let target = b.let_("target", &block.base + (output >> 2u32));
            let unused = b.let_("unused", 32u32 - tree_bits);
            let symbol = |b: &mut Body<'_>, bits: &Var, used: &Var| {
                let index = b.let_("index", bits << used >> &unused);
                let pair = memory.tables.load(&index >> 1u32);
                let entry = b.let_("entry", pair >> ((&index & 1u32) << 4u32));
                b.assign(used, used + ((&entry >> 8u32) & 15u32));
                b.let_("symbol", &entry & 0xffu32)
            };
            let count = b.let_("count", output_end - output);
            b.for_("word", 0u32, &count >> 2u32, |b, _| {
                let decoded = b.let_("decoded", 0u32);
                for half in 0..2u32 {
                    let bits = bits_before(b, compressed, &origin, &position, last_input);
                    let used = b.let_("used", 0u32);
                    let first = symbol(b, &bits, &used);
                    let second = symbol(b, &bits, &used);
                    b.assign(&position, &position - &used);
                    b.assign(&decoded, &decoded | ((first | (second << 8u32)) << (16 * half)));
                }
                b.store(scratch, &target, tail | (&decoded << &shift));
                b.assign(tail, &decoded >> 1u32 >> (31u32 - &shift));
                b.assign(&target, &target + 1u32);
            });
            b.for_("rest", 0u32, &count & 3u32, |b, _| {
                let bits = bits_before(b, compressed, &origin, &position, last_input);
                let used = b.let_("used", 0u32);
                let symbol = symbol(b, &bits, &used);
                b.assign(&position, &position - &used);
                b.assign(tail, tail | (symbol << &shift));
                b.assign(&shift, (&shift + 8u32) & 31u32);
                b.if_(shift.is_zero(), |b| {
                    b.store(scratch, &target, tail);
                    b.assign(tail, 0u32);
                    b.assign(&target, &target + 1u32);
                });
            });
            b.assign(&is_valid, position.eq(&start));
        });
        is_valid
    }
}
