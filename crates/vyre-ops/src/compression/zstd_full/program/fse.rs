//! FSE tables: descriptions, normalized counts and decoding tables.
//!
//! A count is stored with the number of states that a symbol has so far, from which the builder numbers them.
//!
//! | Bits of a count | Content |
//! |---|---|
//! | 0 to 15 | normalized count plus 1; 0 is the count -1, a probability of less than 1 |
//! | 16 to 31 | number of the symbol's next state |
//!
//! The number of a state determines the number of bits that lead to the next one, and its baseline: if the table has 2^log cells and
//! the number has n bits, then log + 1 - n bits follow, and the next cell is the number shifted left by as many bits, plus these bits,
//! less 2^log.
//!
//! | Bits of a cell | Content |
//! |---|---|
//! | 0 to 16 | baseline of the code; of weights, the symbol |
//! | 17 to 21 | number of extra bits of the code |
//! | 22 to 31 | number of the state |

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer as Handle, Var, select};

use super::Decoder;
use crate::compression::words::{bits_from, choose, for_own};
use crate::compression::zstd_full::format::ZstdFullError;

/// Number of words of the tables: the largest tables of literal lengths, match lengths and offsets.
pub(super) const TABLE_WORDS: u32 = 512 + 512 + 256;

/// Words of the counts of each kind: literal lengths, offsets, match lengths. Reading a description may clear three counts more than
/// there are symbols.
const COUNTS_AT: u32 = 40;

/// Number of words of all counts.
pub(super) const COUNT_WORDS: u32 = 2 * COUNTS_AT + 56;

/// First cells of the tables of each kind.
const CELLS_AT: [u32; 3] = [0, 1024, 512];

/// Maximum symbols.
const MAX_SYMBOLS: [u32; 3] = [35, 31, 52];

/// Maximum binary logarithms of the sizes of tables.
const MAX_LOGS: [u32; 3] = [9, 8, 9];

/// Predefined tables: binary logarithms of their sizes, and numbers of symbols.
const DEFAULT_LOGS: [u32; 3] = [6, 5, 6];
const DEFAULT_SYMBOLS: [u32; 3] = [36, 29, 53];

/// Counts of the predefined tables plus 1, eight in a word, lowest bits first.
const DEFAULT_COUNTS: [u32; (COUNT_WORDS / 8) as usize] = [
    0x3333_3345,
    0x2223_3333,
    0x3333_3333,
    0x2222_2343,
    0x0000_0000,
    0x3322_2222,
    0x2222_2223,
    0x2222_2222,
    0x0000_0000,
    0x0000_0000,
    0x3333_3452,
    0x2222_2223,
    0x2222_2222,
    0x2222_2222,
    0x2222_2222,
    0x0022_2222,
    0x0000_0000,
];

// Modes of tables.
const PREDEFINED: u32 = 0;
const RLE: u32 = 1;
const COMPRESSED: u32 = 2;
const REPEAT: u32 = 3;

/// Bounds of a table, and the place of its counts.
pub(super) struct TableShape {
    pub(super) max_log: Var,
    pub(super) max_symbol: Var,
    pub(super) counts_at: Var,
}

/// Description of a table.
pub(super) struct Description {
    /// Binary logarithm of the number of cells.
    pub(super) log: Var,
    /// Number of symbols.
    pub(super) symbols: Var,
    /// Position after the description.
    pub(super) end: Var,
    pub(super) is_valid: Var,
}

impl Decoder<'_> {
    /// Reads the description of a table from a range of the input, and stores its counts.
    pub(super) fn read_counts(
        &self,
        b: &mut Body<'_>,
        counts: &Handle,
        shape: &TableShape,
        begin: &Var,
        end: &Var,
    ) -> Description {
        let Decoder { invocation, last_input, .. } = self;
        let compressed = &self.buffers.compressed;
        let TableShape { max_log, max_symbol, counts_at } = shape;
        // Positions count bits from the word in which the description begins.
        let origin = b.let_("origin", begin >> 2u32);
        let position = b.let_("position", (begin & 3u32) << 3u32);
        let limit = b.let_("limit", &position + ((end - begin) << 3u32));
        let bits = bits_from(b, compressed, &origin, &position, last_input);
        let log = b.let_("log", (bits & 15u32) + 5u32);
        b.assign(&position, &position + 4u32);
        let is_small = b.let_("is_small", log.le(max_log));
        // Sum of the probabilities that are left.
        let left = b.let_("left", 1u32 << log.min(9u32));
        let symbol = b.let_("symbol", 0u32);
        b.for_("description", 0u32, select(&is_small, max_symbol + 1u32, 0u32), |b, _| {
            b.if_(left.is_zero().or(symbol.gt(max_symbol)), |b| b.break_());
            let bits = bits_from(b, compressed, &origin, &position, last_input);
            // Values up to `left + 1`. The smaller ones take a bit less.
            let width = b.let_("width", 32u32 - (&left + 1u32).clz());
            let short = b.let_("short", (1u32 << &width) - 2u32 - &left);
            let half = b.let_("half", 1u32 << (&width - 1u32));
            let low = b.let_("low", &bits & (&half - 1u32));
            let is_short = b.let_("is_short", low.lt(&short));
            let value = b.let_("value", bits & ((&half << 1u32) - 1u32));
            b.assign(&value, select(&is_short, low, &value - select(value.ge(half), short, 0u32)));
            b.assign(&position, &position + width - is_short);
            b.assign(&left, &left - value.abs_diff(1u32));
            b.if_(invocation.eq(0u32), |b| b.store(counts, counts_at + &symbol, &value));
            b.assign(&symbol, &symbol + 1u32);
            b.if_(value.eq(1u32), |b| {
                b.for_("run", 0u32, max_symbol + 1u32, |b, _| {
                    let bits = bits_from(b, compressed, &origin, &position, last_input);
                    let zeros = b.let_("zeros", bits & 3u32);
                    b.assign(&position, &position + 2u32);
                    b.if_(invocation.eq(0u32), |b| {
                        for further in 0..3u32 {
                            b.store(counts, counts_at + &symbol + further, 1u32);
                        }
                    });
                    b.assign(&symbol, &symbol + &zeros);
                    b.if_(zeros.lt(3u32).or(symbol.gt(max_symbol)), |b| b.break_());
                });
            });
        });
        let is_valid = is_small.and(left.is_zero()).and(position.le(limit));
        let is_valid = b.let_("is_valid", is_valid);
        let end = b.let_("end", (origin << 2u32) + ((position + 7u32) >> 3u32));
        Description { log, symbols: symbol, end, is_valid }
    }

    /// Builds the table of counts in this invocation. Cells have the code of a symbol, or the symbol itself.
    pub(super) fn build_fse_table(
        &self,
        b: &mut Body<'_>,
        counts: &Handle,
        codes: Option<&Handle>,
        (counts_at, cells_at): (&Var, &Var),
        (log, symbols): (&Var, &Var),
    ) {
        let tables = &self.memory.tables;
        let size = b.let_("size", 1u32 << log);
        // Symbols with a probability of less than 1 have one cell each, from the last one back.
        let spread_end = b.let_("spread_end", &size);
        b.for_("symbol", 0u32, symbols, |b, symbol| {
            let at = b.let_("at", counts_at + symbol);
            let count = b.let_("count", counts.load(&at) & 0xffffu32);
            let is_rare = b.let_("is_rare", count.is_zero());
            b.assign(&spread_end, &spread_end - &is_rare);
            b.if_(&is_rare, |b| b.store(tables, cells_at + &spread_end, symbol));
            b.store(counts, at, &count | (count.abs_diff(1u32) << 16u32));
        });
        let step = b.let_("step", (&size >> 1u32) + (&size >> 3u32) + 3u32);
        let place = b.let_("place", 0u32);
        let symbol = b.let_("next_symbol", 0u32);
        let left = b.let_("left", 0u32);
        b.for_("spread", 0u32, &size, |b, _| {
            b.if_(place.lt(&spread_end), |b| {
                b.for_("empty", 0u32, symbols, |b, _| {
                    b.if_(left.ne(0u32).or(symbol.ge(symbols)), |b| b.break_());
                    b.assign(&left, (counts.load(counts_at + &symbol) & 0xffffu32).max(1u32) - 1u32);
                    b.assign(&symbol, &symbol + 1u32);
                });
                b.store(tables, cells_at + &place, &symbol - 1u32);
                b.assign(&left, &left - 1u32);
            });
            b.assign(&place, (&place + &step) & (&size - 1u32));
        });
        b.for_("cell", 0u32, size, |b, cell| {
            let place = b.let_("place", cells_at + cell);
            let symbol = b.let_("symbol", tables.load(&place));
            let at = b.let_("at", counts_at + &symbol);
            let count = b.let_("count", counts.load(&at));
            b.store(counts, at, &count + (1u32 << 16u32));
            let code = match codes {
                Some(codes) => codes.load(counts_at + &symbol),
                None => symbol.into(),
            };
            b.store(tables, place, code | (count >> 16u32 << 22u32));
        });
    }

    /// Reads the modes and descriptions of the tables of sequences at `input`, moves `input` after them, and builds the tables.
    /// Assigns the error code.
    pub(super) fn read_tables(&self, b: &mut Body<'_>, modes: &Var, input: &Var, end: &Var) {
        let Decoder { code, memory, invocation, invocations, has_tables, .. } = self;
        let compressed = &self.buffers.compressed;
        let counts = &memory.counts;
        b.for_("kind", 0u32, 3u32, |b, kind| {
            let mode = b.let_("mode", (modes >> (6u32 - (kind << 1u32))) & 3u32);
            let counts_at = b.let_("counts_at", kind * COUNTS_AT);
            let max_symbol = b.let_("max_symbol", choose(kind, &MAX_SYMBOLS));
            let log = b.let_("log", choose(kind, &DEFAULT_LOGS));
            let symbols = b.let_("symbols", choose(kind, &DEFAULT_SYMBOLS));
            b.if_(mode.eq(REPEAT), |b| {
                b.if_(has_tables.is_zero(), |b| self.fail(b, ZstdFullError::CorruptFseTable));
            });
            b.if_(mode.eq(PREDEFINED), |b| {
                for_own(b, *invocations, invocation, &symbols, |b, symbol| {
                    let at = b.let_("at", &counts_at + symbol);
                    let word = b.let_("word", &at >> 3u32);
                    let packed = choose(&word, &DEFAULT_COUNTS);
                    b.store(counts, &at, (packed >> ((&at & 7u32) << 2u32)) & 15u32);
                });
            });
            b.if_(mode.eq(RLE), |b| {
                b.if_(input.ge(end), |b| self.fail(b, ZstdFullError::CorruptFseTable));
                let byte = b.load_byte(compressed, input);
                b.if_(byte.gt(&max_symbol), |b| self.fail(b, ZstdFullError::CorruptFseTable));
                b.assign(input, input + 1u32);
                b.assign(&log, 0u32);
                b.assign(&symbols, &byte + 1u32);
                for_own(b, *invocations, invocation, &symbols, |b, symbol| {
                    b.store(counts, &counts_at + symbol, symbol.eq(&byte) + 1u32);
                });
            });
            b.if_(mode.eq(COMPRESSED), |b| {
                let max_log = b.let_("max_log", choose(kind, &MAX_LOGS));
                let shape = TableShape { max_log, max_symbol, counts_at: counts_at.clone() };
                let description = self.read_counts(b, counts, &shape, input, end);
                b.if_(description.is_valid.is_zero(), |b| self.fail(b, ZstdFullError::CorruptFseTable));
                b.assign(input, description.end);
                b.assign(&log, description.log);
                b.assign(&symbols, description.symbols);
            });
            b.if_(mode.ne(REPEAT).and(invocation.eq(0u32)), |b| {
                b.store(&memory.logs, kind, &log);
                b.store(&memory.logs, kind + 4u32, &symbols);
            });
        });
        b.if_(code.is_zero(), |b| {
            self.fill_codes(b);
            b.barrier();
            for_own(b, *invocations, invocation, 3u32, |b, kind| {
                let counts_at = b.let_("counts_at", kind * COUNTS_AT);
                let cells_at = b.let_("cells_at", choose(kind, &CELLS_AT));
                let log = b.let_("log", memory.logs.load(kind));
                let symbols = b.let_("symbols", memory.logs.load(kind + 4u32));
                let codes = Some(&memory.codes);
                self.build_fse_table(b, counts, codes, (&counts_at, &cells_at), (&log, &symbols));
            });
            b.barrier();
            b.assign(has_tables, 1u32);
        });
    }

    /// Fills the table of codes, before the first sequences.
    fn fill_codes(&self, b: &mut Body<'_>) {
        b.if_(self.has_tables.is_zero(), |b| {
            for_own(b, self.invocations, &self.invocation, COUNT_WORDS, |b, at| {
                let of_match = b.let_("of_match", at - 2 * COUNTS_AT);
                let is_match = b.let_("is_match", at.ge(2 * COUNTS_AT));
                let is_offset = b.let_("is_offset", at.ge(COUNTS_AT));
                // Codes of lengths begin with one value each. Then ranges grow, and at last they double.
                let offset_code = (at - COUNTS_AT) << 17u32;
                let literal_code = self.literal_length_code(b, at);
                let match_code = self.match_length_code(b, &of_match);
                let code = select(is_match, match_code, select(is_offset, offset_code, literal_code));
                b.store(&self.memory.codes, at, code);
            });
        });
    }

    /// Baseline and number of extra bits of a literal length code, as in a cell.
    fn literal_length_code(&self, b: &mut Body<'_>, code: &Var) -> Expr {
        let index = b.let_("index", code - 16u32);
        // Halves of the baselines of codes 16 to 24.
        let base = b.let_("base", choose(&index, &[8, 9, 10, 11, 12, 14, 16, 20, 24]) << 1u32);
        let extra = b.let_("extra", choose(&index, &[1, 1, 1, 1, 2, 2, 3, 3, 4]));
        let large = b.let_("large", code - 19u32);
        let medium = base | (extra << 17u32);
        let long = (1u32 << &large) | (large << 17u32);
        select(code.lt(16u32), code, select(code.lt(25u32), medium, long))
    }

    /// Baseline and number of extra bits of a match length code, as in a cell.
    fn match_length_code(&self, b: &mut Body<'_>, code: &Var) -> Expr {
        let index = b.let_("index", code - 32u32);
        let base = b.let_("base", choose(&index, &[35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99]));
        let extra = b.let_("extra", choose(&index, &[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5]));
        let large = b.let_("large", code - 36u32);
        let medium = base | (extra << 17u32);
        let long = ((1u32 << &large) + 3u32) | (large << 17u32);
        select(code.lt(32u32), code + 3u32, select(code.lt(43u32), medium, long))
    }
}
