//! Lengths of the code words of fixed and dynamic blocks.
//!
//! The lengths of a dynamic block are symbols of a third code, whose own lengths are numbers of three bits. The tables of
//! distances hold this code until the lengths are known.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Var, broadcast, select};

use super::bits::low_bits;
use super::codes::Alphabet;
use super::decoder::Decoder;
use super::format::{
    DeflateError, END_OF_BLOCK, FIXED_DISTANCES, FIXED_LITERALS, LENGTH_SYMBOL_ORDER, LENGTH_SYMBOLS, MAX_DISTANCES,
    MAX_LENGTH_CODE_BITS, MAX_LITERALS, REPEAT_PREVIOUS, REPEAT_ZERO, REPEAT_ZERO_LONG,
};

/// Number of lengths of the third code that are taken from one window.
const LENGTHS_OF_WINDOW: usize = 10;

impl Decoder<'_> {
    /// Stores the lengths of the fixed codes.
    pub(super) fn fixed_lengths(&self, b: &mut Body<'_>) {
        let lengths = &self.literals.roots;
        self.workers.each(b, &(FIXED_LITERALS + FIXED_DISTANCES).into(), |b, symbol| {
            let of_range = select(symbol.lt(280u32), 7u32, select(symbol.lt(FIXED_LITERALS), 8u32, 5u32));
            let of_literal = select(symbol.lt(144u32), 8u32, 9u32);
            b.store(lengths, symbol, select(symbol.lt(END_OF_BLOCK), of_literal, of_range));
        });
    }

    /// Reads the lengths of the codes of a dynamic block, and assigns the numbers of symbols.
    pub(super) fn dynamic_lengths(&self, b: &mut Body<'_>, literals: &Var, distances: &Var) {
        let Decoder { workers, position, end, .. } = self;
        let lengths = &self.literals.roots;
        let counts = self.take(b, 14);
        b.assign(literals, (&counts & 31u32) + 257u32);
        b.assign(distances, ((&counts >> 5u32) & 31u32) + 1u32);
        let are_too_many = literals.gt(MAX_LITERALS).or(distances.gt(MAX_DISTANCES));
        b.if_(are_too_many, |b| self.fail(b, DeflateError::InvalidCodeLengths));

        let count = b.let_("count", (&counts >> 10u32) + 4u32);
        self.lengths_of_length_code(b, &count);
        b.barrier();
        let symbols = LENGTH_SYMBOLS.into();
        let is_valid = self.distances.sort(b, workers, Alphabet::Lengths, lengths, &0u32.into(), &symbols);
        b.if_(is_valid.is_zero(), |b| self.fail(b, DeflateError::InvalidCodeLengths));
        self.distances.fill_roots(b, workers);
        b.barrier();

        let total = b.let_("total", literals + distances);
        // Every invocation decodes all lengths. What it computes from the tables is the same, but not known to be uniform.
        let reader = position.copied(b);
        let left = reader.bits_left(b, end);
        let [done, previous, code] = ["done", "previous", "code"].map(|name| b.let_(name, 0u32));
        b.for_("length", 0u32, MAX_LITERALS + MAX_DISTANCES, |b, _| {
            b.if_(done.ge(&total), |b| b.break_());
            let window = reader.window(b, &self.buffers.compressed);
            let entry = b.let_("entry", self.distances.roots.load(&window & ((1u32 << MAX_LENGTH_CODE_BITS) - 1)));
            let bits = b.let_("bits", &entry & 15u32);
            let symbol = b.let_("symbol", &entry >> 8u32);
            let is_previous = b.let_("is_previous", symbol.eq(REPEAT_PREVIOUS));
            let is_long = b.let_("is_long", symbol.eq(REPEAT_ZERO_LONG));
            let is_length = b.let_("is_length", symbol.lt(REPEAT_PREVIOUS));
            let extra = select(&is_previous, 2u32, select(symbol.eq(REPEAT_ZERO), 3u32, 7u32));
            let extra = b.let_("extra", select(&is_length, 0u32, extra));
            let base = select(&is_length, 1u32, select(&is_long, 11u32, 3u32));
            let times = b.let_("times", base + low_bits(&window >> &bits, &extra));
            let value = b.let_("value", select(&is_length, &symbol, select(&is_previous, &previous, 0u32)));
            let used = b.let_("used", bits + extra);
            let is_wrong = is_previous.and(done.eq(0u32)).or(times.gt(&total - &done));
            let wrong = is_wrong.select(DeflateError::InvalidCodeLengths.code(), 0u32);
            b.assign(&code, select(used.gt(&left), DeflateError::Truncated.code(), wrong));
            b.if_(&code, |b| b.break_());
            workers.each(b, &Expr::from(&times), |b, index| b.store(lengths, &done + index, &value));
            b.assign(&done, &done + &times);
            b.assign(&previous, &value);
            b.assign(&left, &left - &used);
            reader.advance(b, &used);
        });
        let code = b.let_("code", broadcast(&code, 0u32));
        b.if_(&code, |b| {
            self.buffers.set_status(b, self.block, &code, &self.written);
            b.return_();
        });
        b.assign(&position.word, broadcast(&reader.word, 0u32));
        b.assign(&position.bit, broadcast(&reader.bit, 0u32));
        b.barrier();
        let end_of_block = b.let_("end_of_block", broadcast(lengths.load(END_OF_BLOCK), 0u32));
        b.if_(end_of_block.is_zero(), |b| self.fail(b, DeflateError::MissingEndOfBlock));
    }

    /// Reads the lengths of the third code, of the first symbols in their order.
    fn lengths_of_length_code(&self, b: &mut Body<'_>, count: &Var) {
        let Decoder { workers, position, end, buffers, .. } = self;
        let left = position.bits_left(b, end);
        b.if_(left.lt(count * 3u32), |b| self.fail(b, DeflateError::Truncated));
        let reader = position.copied(b);
        let mut windows = Vec::new();
        for _ in LENGTH_SYMBOL_ORDER.chunks(LENGTHS_OF_WINDOW) {
            windows.push(reader.window(b, &buffers.compressed));
            reader.advance(b, 3 * LENGTHS_OF_WINDOW as u32);
        }
        workers.first(b, |b| {
            for (index, &symbol) in (0u32..).zip(&LENGTH_SYMBOL_ORDER) {
                let [window, place] = [index / LENGTHS_OF_WINDOW as u32, index % LENGTHS_OF_WINDOW as u32];
                let length = (&windows[window as usize] >> (3 * place)) & 7u32;
                b.store(&self.literals.roots, symbol, select(count.gt(index), length, 0u32));
            }
        });
        position.advance(b, count * 3u32);
    }
}
