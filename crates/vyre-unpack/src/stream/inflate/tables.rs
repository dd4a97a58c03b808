//! Entries of the two tables of a block.
//!
//! | Bits | Literal | Length, distance | Subtable of literals and lengths | End of the block |
//! |---|---|---|---|---|
//! | 0 to 5 | bits of the code | bits of the code, and extra bits | 11 | bits of the code |
//! | 6 | 0 | 0 | [`EXCEPTIONAL`] | [`EXCEPTIONAL`] |
//! | 7 | [`LITERAL`] | 0 | 0 | 0 |
//! | 8 to 13 | | bits of the code | bits of the subtable | |
//! | 14, 15 | | 0 | [`SUBTABLE`] | [`END`] |
//! | 16 to 31 | byte | base | start of the subtable | |
//!
//! Bits without a code, and reserved symbols, are [`EXCEPTIONAL`] and nothing else. Distances have no such flags: an entry without a base is a
//! subtable, whose number is in the bits from 8 on, or no distance, with a number that no subtable has.

use std::sync::LazyLock;

use super::huffman::{self, Entries, Symbols};

/// Bits that the table of literals and lengths decides.
pub(super) const LITERAL_BITS: u32 = 11;
/// Bits that the table of distances decides.
pub(super) const DISTANCE_BITS: u32 = 8;
/// Room for the table of literals and lengths: a power of two. No code of 288 symbols needs more than 2,342 entries.
pub(super) const LITERAL_ENTRIES: usize = 4096;
/// Room for the table of distances: a power of two. No code of 32 symbols needs more than 402 entries.
pub(super) const DISTANCE_ENTRIES: usize = 512;
/// Room for the subtables of distances: each has two symbols at least.
const DISTANCE_SUBTABLES: usize = 16;

/// Flag of literals.
pub(super) const LITERAL: u32 = 1 << 7;
/// Flag of what is neither a literal nor a length.
pub(super) const EXCEPTIONAL: u32 = 1 << 6;
/// Flag of exceptional entries: a subtable.
pub(super) const SUBTABLE: u32 = 1 << 14;
/// Flag of exceptional entries: the end of the block.
pub(super) const END: u32 = 1 << 15;
/// No distance.
const NO_DISTANCE: u32 = 0xff << 8;

/// Number of literal and length symbols of the fixed code; the last two are reserved.
const FIXED_LITERALS: usize = 288;
/// Number of distance symbols of the fixed code; the last two are reserved.
const FIXED_DISTANCES: usize = 32;

/// Entries of literals and lengths, without their codes.
static LITERALS: [u32; FIXED_LITERALS] = literals();
/// Entries of distances, without their codes.
static DISTANCES: [u32; FIXED_DISTANCES] = distances();

const fn literals() -> [u32; FIXED_LITERALS] {
    let mut entries = [EXCEPTIONAL; FIXED_LITERALS];
    let mut symbol = 0;
    while symbol < 256 {
        entries[symbol] = LITERAL | (symbol as u32) << 16;
        symbol += 1;
    }
    entries[256] = EXCEPTIONAL | END;
    symbol += 1;
    let mut base = 3;
    while symbol < 285 {
        let extra = if symbol < 265 { 0 } else { (symbol as u32 - 261) / 4 };
        entries[symbol] = extra | base << 16;
        base += 1 << extra;
        symbol += 1;
    }
    entries[285] = 258 << 16;
    entries
}

const fn distances() -> [u32; FIXED_DISTANCES] {
    let mut entries = [NO_DISTANCE; FIXED_DISTANCES];
    let mut symbol = 0;
    let mut base = 1;
    while symbol < 30 {
        let extra = if symbol < 4 { 0 } else { (symbol as u32 - 2) / 2 };
        entries[symbol] = extra | base << 16;
        base += 1 << extra;
        symbol += 1;
    }
    entries
}

/// A subtable of distances.
#[derive(Clone, Copy)]
struct Subtable {
    start: u16,
    /// A mask of its bits.
    mask: u16,
}

/// The tables of a block.
pub(super) struct Tables {
    literals: [u32; LITERAL_ENTRIES],
    distances: [u32; DISTANCE_ENTRIES],
    subtables: [Subtable; DISTANCE_SUBTABLES],
}

/// Entries of literals and lengths.
struct LiteralTable;

impl Entries for LiteralTable {
    const BITS: u32 = LITERAL_BITS;
    const NONE: u32 = EXCEPTIONAL;

    #[inline(always)]
    fn symbol(&self, symbol: usize, length: u32) -> u32 {
        LITERALS.get(symbol).map_or(EXCEPTIONAL, |entry| entry + length * 0x101)
    }

    #[inline(always)]
    fn subtable(&mut self, _: usize, start: usize, bits: u32) -> u32 {
        EXCEPTIONAL | SUBTABLE | LITERAL_BITS | bits << 8 | (start as u32) << 16
    }
}

/// Entries of distances, whose symbols have numbers from `first` on.
struct DistanceTable<'t> {
    first: usize,
    subtables: &'t mut [Subtable; DISTANCE_SUBTABLES],
}

impl Entries for DistanceTable<'_> {
    const BITS: u32 = DISTANCE_BITS;
    const NONE: u32 = NO_DISTANCE;

    #[inline(always)]
    fn symbol(&self, symbol: usize, length: u32) -> u32 {
        match DISTANCES.get(symbol.wrapping_sub(self.first)) {
            None | Some(&NO_DISTANCE) => NO_DISTANCE,
            Some(entry) => entry + length * 0x101,
        }
    }

    #[inline(always)]
    fn subtable(&mut self, number: usize, start: usize, bits: u32) -> u32 {
        match self.subtables.get_mut(number) {
            Some(subtable) => {
                *subtable = Subtable { start: start as u16, mask: (1 << bits) - 1 };
                (number as u32) << 8
            }
            None => NO_DISTANCE,
        }
    }
}

impl Tables {
    /// Tables without codes.
    pub(super) fn new() -> Tables {
        Tables {
            literals: [EXCEPTIONAL; LITERAL_ENTRIES],
            distances: [NO_DISTANCE; DISTANCE_ENTRIES],
            subtables: [Subtable { start: 0, mask: 0 }; DISTANCE_SUBTABLES],
        }
    }

    /// Builds the tables of two codes. The numbers of distance symbols start with `first`. None if zlib refuses a code.
    #[inline(always)]
    pub(super) fn build(&mut self, literals: &Symbols, distances: &Symbols, first: usize) -> Option<()> {
        huffman::build(literals, LiteralTable, &mut self.literals)?;
        let entries = DistanceTable { first, subtables: &mut self.subtables };
        huffman::build(distances, entries, &mut self.distances)
    }

    /// The entry of a literal or length, or an exceptional one, for the next bits.
    #[inline(always)]
    pub(super) fn literal(&self, bits: u64) -> u32 {
        self.literals[(bits & ((1 << LITERAL_BITS) - 1)) as usize]
    }

    /// The entry of a subtable of literals and lengths for the bits after those of the table.
    #[inline(always)]
    pub(super) fn literal_in_subtable(&self, entry: u32, bits: u64) -> u32 {
        let mask = (1 << (entry >> 8 & 15)) - 1;
        self.literals[((entry >> 16) as usize + (bits & mask) as usize) & (LITERAL_ENTRIES - 1)]
    }

    /// The entry of a distance for the next bits.
    #[inline(always)]
    pub(super) fn distance(&self, bits: u64) -> u32 {
        self.distances[(bits & ((1 << DISTANCE_BITS) - 1)) as usize]
    }

    /// The entry of a subtable for the bits after those of the table. None if the entry, which has no base, is no distance.
    #[inline(always)]
    pub(super) fn distance_in_subtable(&self, entry: u32, bits: u64) -> Option<u32> {
        let Subtable { start, mask } = self.subtables.get((entry >> 8) as usize)?;
        let found =
            self.distances[(usize::from(*start) + (bits as usize & usize::from(*mask))) & (DISTANCE_ENTRIES - 1)];
        (found >> 16 > 0).then_some(found)
    }
}

/// The tables of the fixed codes (RFC 1951, section 3.2.6).
pub(super) fn fixed_tables() -> &'static Tables {
    static FIXED: LazyLock<Box<Tables>> = LazyLock::new(|| {
        let mut tables = Box::new(Tables::new());
        let (mut literals, mut distances) = (Symbols::new(), Symbols::new());
        for symbol in 0..FIXED_LITERALS {
            let length = match symbol {
                0..144 => 8,
                144..256 => 9,
                256..280 => 7,
                _ => 8,
            };
            let _: Option<()> = literals.push(length, symbol);
        }
        for symbol in 0..FIXED_DISTANCES {
            let _: Option<()> = distances.push(5, symbol);
        }
        let _: Option<()> = tables.build(&literals, &distances, 0);
        tables
    });
    &FIXED
}
