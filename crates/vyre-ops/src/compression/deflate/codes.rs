//! Canonical prefix codes as tables in workgroup memory.
//!
//! A code has three tables. *Roots* has an entry for each value of the next bits of the stream, which is the entry of the symbol
//! if its code word is not longer. *Symbols* has the entries of all symbols, ordered by the length of their code words and then by
//! the symbol, which is the numerical order of code words. *Ranges* locates the code words of each length.
//!
//! | Bits of an entry | Content |
//! |---|---|
//! | 0 to 3 | length of the code word; 0 in *symbols* |
//! | 4 to 7 | number of extra bits |
//! | 8 to 23 | literal, or base of the length or distance |
//! | 24 and up | kind: 0 for literals and distances, [`LENGTH`], [`END`], [`INVALID`], [`LONG`] |
//!
//! | Words of *ranges* | Content |
//! |---|---|
//! | 0 | entry of bits that are no code word |
//! | 1 to 15 | end of the code words of each length, left-justified in 16 bits; they are ascending |
//! | 17 to 31 | for each length, the position of a symbol less its code word |
//! | 33 to 47 | number of symbols of each length |
//! | 49 to 63 | position of the next symbol of each length, while symbols are sorted |
//!
//! Symbols are sorted by counting, a symbol for each invocation at a time. Ballots on the bits of the lengths find the symbols of
//! the same length in the group.

use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, ballot, broadcast, select};
use vyre_ir::{AtomicOp, DataType, Expr};

use super::decoder::Workers;
use super::format::{END_OF_BLOCK, MAX_CODE_BITS, MAX_DISTANCES, MAX_LITERALS};

/// Kind of a length; smaller entries are literals or distances.
pub(super) const LENGTH: u32 = 1 << 24;

/// Kind of the end of a block; smaller entries are valid symbols with a value.
pub(super) const END: u32 = 1 << 25;

/// Kind of bits that are no code word, and of symbols without a meaning.
pub(super) const INVALID: u32 = 1 << 26;

/// Kind of code words that are too long for *roots*.
const LONG: u32 = 1 << 27;

/// Sum of the shares of all code words of a complete code, in units of a code word of the maximum length.
const COMPLETE: u32 = 1 << MAX_CODE_BITS;

/// Number of bits that select an entry of *roots*, of literals and of distances.
const LITERAL_ROOT_BITS: u32 = 9;
const DISTANCE_ROOT_BITS: u32 = 7;

const ENDS: u32 = 0;
const OFFSETS: u32 = 16;
const COUNTS: u32 = 32;
const NEXT: u32 = 48;
const RANGE_WORDS: u32 = 64;

/// Meaning of the symbols of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Literals, the end of the block, and lengths.
    Literals,
    /// Distances.
    Distances,
    /// Lengths of code words.
    Lengths,
}

impl Alphabet {
    /// The entry of a symbol in the table of symbols.
    fn entry(self, b: &mut Body<'_>, symbol: &Var) -> Var {
        let value = |value: Expr| value << 8u32;
        let entry = match self {
            Alphabet::Lengths => value(symbol.into()),
            Alphabet::Distances => {
                // Groups of two symbols, each with twice the range of the one before.
                let is_exact = b.let_("is_exact", symbol.lt(4u32));
                let extra = b.let_("extra", select(&is_exact, 0u32, (symbol >> 1u32) - 1u32));
                let base = select(&is_exact, symbol + 1u32, ((2u32 + (symbol & 1u32)) << &extra) + 1u32);
                select(symbol.ge(MAX_DISTANCES), INVALID, value(base) | (extra << 4u32))
            }
            Alphabet::Literals => {
                // Groups of four symbols. The last symbol stands for the maximum length alone.
                let range = b.let_("range", symbol - (END_OF_BLOCK + 1));
                let is_exact = b.let_("is_exact", range.lt(8u32));
                let extra = b.let_("extra", select(&is_exact, 0u32, (&range >> 2u32) - 1u32));
                let base = select(&is_exact, &range + 3u32, ((4u32 + (&range & 3u32)) << &extra) + 3u32);
                let of_range = value(base) | (extra << 4u32) | LENGTH;
                let length = select(symbol.eq(MAX_LITERALS - 1), 258 << 8 | LENGTH, of_range);
                let length = select(symbol.ge(MAX_LITERALS), INVALID, length);
                let special = select(symbol.eq(END_OF_BLOCK), END, length);
                select(symbol.lt(END_OF_BLOCK), value(symbol.into()), special)
            }
        };
        b.let_("entry", entry)
    }

    /// Reports whether a code with this sum of shares and this number of code words of one bit is valid: complete, or with a
    /// single code word of one bit, or without code words. The code of lengths must be complete, that of literals not empty.
    fn is_valid(self, used: &Var, ones: &Var) -> Expr {
        let is_complete = used.eq(COMPLETE);
        let is_single = used.eq(COMPLETE / 2).and(ones.eq(1u32));
        match self {
            Alphabet::Lengths => is_complete,
            Alphabet::Literals => is_complete.or(is_single),
            Alphabet::Distances => is_complete.or(is_single).or(used.eq(0u32)),
        }
    }
}

/// Tables of a code.
pub(super) struct CodeTables {
    pub(super) roots: Handle,
    root_bits: u32,
    symbols: Handle,
    ranges: Handle,
}

impl CodeTables {
    /// Declares the tables of literals.
    pub(super) fn of_literals(p: &mut ProgramBuilder) -> CodeTables {
        CodeTables {
            roots: p.workgroup("literal_roots", 1 << LITERAL_ROOT_BITS, DataType::U32),
            root_bits: LITERAL_ROOT_BITS,
            symbols: p.workgroup("literal_symbols", 288, DataType::U32),
            ranges: p.workgroup("literal_ranges", RANGE_WORDS, DataType::U32),
        }
    }

    /// Declares the tables of distances.
    pub(super) fn of_distances(p: &mut ProgramBuilder) -> CodeTables {
        CodeTables {
            roots: p.workgroup("distance_roots", 1 << DISTANCE_ROOT_BITS, DataType::U32),
            root_bits: DISTANCE_ROOT_BITS,
            symbols: p.workgroup("distance_symbols", 32, DataType::U32),
            ranges: p.workgroup("distance_ranges", RANGE_WORDS, DataType::U32),
        }
    }

    /// Sorts the symbols of a code by the lengths of their code words, which are `count` words from `begin` on, and locates the
    /// code words. Returns a uniform value: true if the code is valid. Control flow must be uniform.
    pub(super) fn sort(
        &self,
        b: &mut Body<'_>,
        workers: &Workers,
        alphabet: Alphabet,
        lengths: &Handle,
        begin: &Expr,
        count: &Expr,
    ) -> Var {
        let CodeTables { symbols, ranges, .. } = self;
        workers.each(b, &16u32.into(), |b, length| b.store(ranges, length + COUNTS, 0u32));
        b.barrier();
        workers.each(b, count, |b, symbol| {
            let length = b.let_("length", lengths.load(begin + symbol));
            b.discard(Expr::workgroup_atomic(AtomicOp::Add, ranges.name(), length + COUNTS, 1u32));
        });
        b.barrier();
        let is_valid = self.locate(b, workers, alphabet);
        let is_valid = b.let_("is_valid", broadcast(&is_valid, 0u32));
        b.barrier();
        b.for_("group", 0u32, workers.groups(count), |b, group| {
            let symbol = b.let_("symbol", group * workers.count + &workers.own);
            let length = b.let_("length", select(symbol.lt(count.clone()), lengths.load(begin + &symbol), 0u32));
            let same = b.let_("same", u32::MAX >> (32 - workers.count));
            for bit in 0..4u32 {
                let is_set = b.let_("is_set", (&length >> bit) & 1u32);
                let others = b.let_("others", ballot(&is_set));
                b.assign(&same, &same & select(&is_set, &others, !&others));
            }
            let rank = low_mask(&workers.own) & &same;
            let position = b.let_("position", ranges.load(&length + NEXT) + rank.popcount());
            b.if_(&length, |b| {
                let entry = alphabet.entry(b, &symbol);
                b.store(symbols, &position, entry);
            });
            b.barrier();
            let is_last = (&same >> &workers.own).eq(1u32);
            b.if_(is_last, |b| b.store(ranges, &length + NEXT, &position + 1u32));
            b.barrier();
        });
        is_valid
    }

    /// Locates the code words of each length from the numbers of symbols. Returns true if the code is valid.
    fn locate(&self, b: &mut Body<'_>, workers: &Workers, alphabet: Alphabet) -> Var {
        let ranges = &self.ranges;
        // Sum of the shares of code words, and number of symbols.
        let [used, position] = ["used", "position"].map(|name| b.let_(name, 0u32));
        b.for_("length", 1u32, MAX_CODE_BITS + 1, |b, length| {
            let count = b.let_("count", ranges.load(length + COUNTS));
            let end = b.let_("end", &used + (&count << (MAX_CODE_BITS - length)));
            workers.first(b, |b| {
                b.store(ranges, length + NEXT, &position);
                b.store(ranges, length + ENDS, &end << 1u32);
                b.store(ranges, length + OFFSETS, &position - (&used >> (MAX_CODE_BITS - length)));
            });
            b.assign(&used, &end);
            b.assign(&position, &position + &count);
        });
        let ones = b.let_("ones", ranges.load(COUNTS + 1));
        // One bit suffices to see that there is no code word, unless there is none at all.
        workers.first(b, |b| b.store(ranges, ENDS, ones.min(1u32) | INVALID));
        b.let_("is_valid", alphabet.is_valid(&used, &ones))
    }

    /// Fills the roots of a sorted code. Lengths of code words that lie in their memory are overwritten.
    pub(super) fn fill_roots(&self, b: &mut Body<'_>, workers: &Workers) {
        let CodeTables { roots, root_bits, symbols, ranges } = self;
        let ends: Vec<Var> = (1..=*root_bits).map(|length| b.let_("end", ranges.load(ENDS + length))).collect();
        workers.each(b, &(1u32 << root_bits).into(), |b, root| {
            let word = b.let_("word", root.reverse_bits() >> 16u32);
            let shorter =
                ends.iter().map(|end| word.ge(end)).fold(1u32.into(), |sum: Expr, is_shorter| sum + is_shorter);
            let length = b.let_("length", shorter);
            let symbol = symbols.load((word >> (16u32 - &length)) + ranges.load(&length + OFFSETS));
            b.store(roots, root, select(length.gt(*root_bits), LONG, symbol | &length));
        });
    }

    /// The entry of the code word at the beginning of 32 bits.
    pub(super) fn entry(&self, b: &mut Body<'_>, window: &Var) -> Var {
        let CodeTables { roots, root_bits, symbols, ranges } = self;
        let entry = b.let_("entry", roots.load(window & ((1u32 << root_bits) - 1)));
        b.if_(entry.ge(LONG), |b| {
            let word = b.let_("word", window.reverse_bits() >> 16u32);
            let shorter = (root_bits + 1..=MAX_CODE_BITS).map(|length| word.ge(ranges.load(ENDS + length)));
            let length = shorter.fold((root_bits + 1).into(), |sum: Expr, is_shorter| sum + is_shorter);
            let length = b.let_("length", length);
            let symbol = symbols.load((word >> (16u32 - &length)) + ranges.load(&length + OFFSETS));
            b.assign(&entry, select(length.gt(MAX_CODE_BITS), ranges.load(ENDS), symbol | &length));
        });
        entry
    }
}

/// Mask of the bits below a bit.
fn low_mask(bit: &Var) -> Expr {
    (1u32 << bit) - 1u32
}
