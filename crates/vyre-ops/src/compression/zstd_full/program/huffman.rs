//! Huffman trees: weights and decoding tables.
//!
//! An entry of the table is a half word. The table has an entry for each value of the next [`Decoder::tree_bits`] bits.
//!
//! | Bits of an entry | Content |
//! |---|---|
//! | 0 to 7 | symbol |
//! | 8 to 11 | length of its code |

use vyre_ir::ReduceOp;
use vyre_ir::build::{Body, Var, broadcast, reduce, select};

use super::Decoder;
use super::fse::{Description, TableShape};
use crate::compression::words::{bits_before, for_own, highest};
use crate::compression::zstd_full::format::{MAX_HUFFMAN_BITS, ZstdFullError};

/// Number of words of the weights, eight in a word.
pub(super) const WEIGHT_WORDS: u32 = 32;

/// Maximum number of symbols.
const MAX_SYMBOLS: u32 = 256;

/// Byte of a description from which on weights are not compressed. It is their number plus 127.
const DIRECT: u32 = 128;

/// Word of the tables at which the FSE table of weights begins. The counts precede it.
const WEIGHT_CELLS: u32 = 320;

/// Maximum binary logarithm of the size of that table.
const MAX_WEIGHT_LOG: u32 = 6;

/// Word of the tables at which the first entries of symbols begin.
const FIRST_ENTRIES: u32 = 1024;

impl Decoder<'_> {
    /// The weight of a symbol.
    fn weight(&self, b: &mut Body<'_>, symbol: &Var) -> Var {
        b.let_("weight", (self.memory.weights.load(symbol >> 3u32) >> ((symbol & 7u32) << 2u32)) & 15u32)
    }

    /// Reads the description of a tree at `begin`, and moves `begin` after it. Assigns the error code.
    pub(super) fn read_tree(&self, b: &mut Body<'_>, begin: &Var, end: &Var) {
        let Decoder { code, memory, invocation, invocations, tree_symbols, tree_bits, .. } = self;
        let compressed = &self.buffers.compressed;
        let error = ZstdFullError::CorruptHuffmanTree;
        // One iteration, so that an error can end it.
        b.for_("tree", 0u32, 1u32, |b, _| {
            b.if_(begin.eq(end), |b| self.fail(b, error));
            let header = b.load_byte(compressed, begin);
            let is_direct = b.let_("is_direct", header.ge(DIRECT));
            let direct = b.let_("direct", &header - (DIRECT - 1));
            let size = b.let_("size", select(&is_direct, (&direct + 1u32) >> 1u32, &header));
            b.if_(size.ge(end - begin), |b| self.fail(b, error));
            let weights_at = b.let_("weights_at", begin + 1u32);
            b.assign(begin, &weights_at + &size);
            let count = b.let_("count", 0u32);
            b.if_else(
                &is_direct,
                |b| {
                    for_own(b, *invocations, invocation, (&direct + 7u32) >> 3u32, |b, index| {
                        let bytes = b.load_word(compressed, &weights_at + (index << 2u32));
                        let even = (&bytes >> 4u32) & 0x0f0f_0f0fu32;
                        b.store(&memory.weights, index, even | ((&bytes & 0x0f0f_0f0fu32) << 4u32));
                    });
                    b.assign(&count, &direct);
                },
                |b| self.read_weights(b, &weights_at, begin, &count),
            );
            b.if_(code, |b| b.break_());
            b.barrier();

            let [total, deepest, is_too_deep] = ["total", "deepest", "is_too_deep"].map(|name| b.let_(name, 0u32));
            for_own(b, *invocations, invocation, &count, |b, symbol| {
                let weight = self.weight(b, symbol);
                b.assign(&total, &total + (1u32 << &weight >> 1u32));
                b.assign(&deepest, &deepest + weight.eq(1u32));
                b.assign(&is_too_deep, &is_too_deep | weight.gt(MAX_HUFFMAN_BITS));
            });
            let [total, deepest, is_too_deep] =
                [total, deepest, is_too_deep].map(|value| b.let_("sum", reduce(ReduceOp::Add, value)));
            let bits = b.let_("bits", 32u32 - total.clz());
            let rest = b.let_("rest", (1u32 << &bits) - &total);
            let is_wrong = total.is_zero().or(&is_too_deep).or(bits.gt(MAX_HUFFMAN_BITS)).or(rest.popcount().ne(1u32));
            b.if_(is_wrong, |b| self.fail(b, error));
            // The last weight completes the tree.
            let weight = b.let_("weight", 32u32 - rest.clz());
            let deepest = b.let_("deepest", deepest + weight.eq(1u32));
            b.if_(deepest.lt(2u32).or(&deepest & 1u32), |b| self.fail(b, error));
            b.barrier();
            b.if_(invocation.eq(0u32), |b| {
                let word = b.let_("word", &count >> 3u32);
                let shift = b.let_("shift", (&count & 7u32) << 2u32);
                let others = memory.weights.load(&word) & !(15u32 << &shift);
                b.store(&memory.weights, &word, others | (&weight << &shift));
            });
            b.assign(tree_symbols, &count + 1u32);
            b.assign(tree_bits, &bits);
            b.barrier();
        });
    }

    /// Reads weights that are compressed with FSE, and counts them. Assigns the error code.
    fn read_weights(&self, b: &mut Body<'_>, begin: &Var, end: &Var, count: &Var) {
        let Decoder { code, memory, invocation, last_input, .. } = self;
        let compressed = &self.buffers.compressed;
        let shape = TableShape {
            max_log: b.let_("max_log", MAX_WEIGHT_LOG),
            max_symbol: b.let_("max_symbol", MAX_SYMBOLS - 1),
            counts_at: b.let_("counts_at", 0u32),
        };
        let Description { log, symbols, end: stream, is_valid } =
            self.read_counts(b, &memory.tables, &shape, begin, end);
        let last = b.load_byte(compressed, end - 1u32);
        let origin = b.let_("origin", (&stream >> 2u32) - 2u32);
        let start = b.let_("start", ((&stream & 3u32) << 3u32) + 64u32);
        let position = b.let_("position", &start + ((end - &stream) << 3u32) - (last.clz() - 23u32));
        let is_empty = stream.ge(end).or(last.is_zero()).or((&position - &start).lt(&log << 1u32));
        b.if_else(
            is_valid.is_zero().or(is_empty),
            |b| b.assign(code, ZstdFullError::CorruptHuffmanTree.code()),
            |b| {
                b.barrier();
                let decoded = b.let_("decoded", 0u32);
                b.if_(invocation.eq(0u32), |b| {
                    // A copy, because a variable that one invocation assigns is not uniform.
                    let position = b.let_("position", &position);
                    let cells = b.let_("cells", WEIGHT_CELLS);
                    self.build_fse_table(b, &memory.tables, None, (&shape.counts_at, &cells), (&log, &symbols));
                    let read = |b: &mut Body<'_>, count: &Var| {
                        let bits = bits_before(b, compressed, &origin, &position, last_input);
                        b.assign(&position, &position - count);
                        highest(&bits, count)
                    };
                    // A state is the word of its cell.
                    let first = read(b, &log);
                    let state = b.let_("state", first + WEIGHT_CELLS);
                    let second = read(b, &log);
                    let other = b.let_("other", second + WEIGHT_CELLS);
                    let size = b.let_("size", 1u32 << &log);
                    let pending = b.let_("pending", 0u32);
                    let is_too_deep = b.let_("is_too_deep", 0u32);
                    let push = |b: &mut Body<'_>, cell: &Var| {
                        let weight = b.let_("weight", cell & 0xffu32);
                        b.assign(&is_too_deep, &is_too_deep | weight.gt(MAX_HUFFMAN_BITS));
                        b.assign(&pending, &pending | ((weight & 15u32) << ((&decoded & 7u32) << 2u32)));
                        b.store(&memory.weights, &decoded >> 3u32, &pending);
                        b.assign(&decoded, &decoded + 1u32);
                        b.if_((&decoded & 7u32).is_zero(), |b| b.assign(&pending, 0u32));
                    };
                    b.for_("weight", 0u32, MAX_SYMBOLS - 1, |b, _| {
                        let cell = b.let_("cell", memory.tables.load(&state));
                        push(b, &cell);
                        b.if_(decoded.ge(MAX_SYMBOLS - 1), |b| {
                            b.assign(&is_too_deep, 1u32);
                            b.break_();
                        });
                        let x = b.let_("x", &cell >> 22u32);
                        let bits = b.let_("bits", x.clz() + &log - 31u32);
                        b.if_(bits.gt(&position - &start), |b| b.break_());
                        let low = read(b, &bits);
                        let next = b.let_("next", (x << &bits) + low - &size + WEIGHT_CELLS);
                        b.assign(&state, &other);
                        b.assign(&other, next);
                    });
                    let cell = b.let_("cell", memory.tables.load(&other));
                    b.if_(is_too_deep.is_zero(), |b| push(b, &cell));
                    b.assign(&decoded, select(&is_too_deep, 0u32, &decoded));
                });
                b.assign(count, broadcast(&decoded, 0u32));
                b.if_(count.is_zero(), |b| b.assign(code, ZstdFullError::CorruptHuffmanTree.code()));
            },
        );
    }

    /// Builds the decoding table of the tree.
    pub(super) fn build_huffman_table(&self, b: &mut Body<'_>) {
        let Decoder { memory, invocation, invocations, tree_symbols, tree_bits, .. } = self;
        let tables = &memory.tables;
        let ranks = &memory.ranks;
        b.if_(invocation.eq(0u32), |b| {
            b.for_("weight", 0u32, 16u32, |b, weight| b.store(ranks, weight, 0u32));
            b.for_("symbol", 0u32, tree_symbols, |b, symbol| {
                let weight = self.weight(b, symbol);
                b.store(ranks, &weight, ranks.load(&weight) + 1u32);
            });
            let entry = b.let_("entry", 0u32);
            b.for_("weight", 1u32, 16u32, |b, weight| {
                let count = b.let_("count", ranks.load(weight));
                b.store(ranks, weight, &entry);
                b.assign(&entry, &entry + (count << (weight - 1u32)));
            });
            b.for_("symbol", 0u32, tree_symbols, |b, symbol| {
                let weight = self.weight(b, symbol);
                b.if_(&weight, |b| {
                    let first = b.let_("first", ranks.load(&weight));
                    b.store(ranks, &weight, &first + (1u32 << (&weight - 1u32)));
                    b.store(tables, symbol + FIRST_ENTRIES, &first >> 1u32);
                    // The two symbols of a word have the same length.
                    b.if_(weight.eq(1u32), |b| {
                        let entry = b.let_("entry", symbol | (tree_bits << 8u32));
                        let word = b.let_("word", &first >> 1u32);
                        let other = select(&first & 1u32, tables.load(&word) & 0xffffu32, 0u32);
                        b.store(tables, &word, other | (entry << ((&first & 1u32) << 4u32)));
                    });
                });
            });
        });
        b.barrier();
        b.for_("symbol", 0u32, tree_symbols, |b, symbol| {
            let weight = self.weight(b, symbol);
            b.if_(weight.gt(1u32), |b| {
                let entry = b.let_("entry", symbol | ((tree_bits + 1u32 - &weight) << 8u32));
                let pair = b.let_("pair", &entry | (&entry << 16u32));
                let first = b.let_("first", tables.load(symbol + FIRST_ENTRIES));
                for_own(b, *invocations, invocation, 1u32 << (&weight - 2u32), |b, index| {
                    b.store(tables, &first + index, &pair);
                });
            });
        });
        b.barrier();
    }
}
