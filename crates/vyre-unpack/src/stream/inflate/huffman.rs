//! Tables of canonical Huffman codes.
//!
//! A table has an entry for each value of the next bits. It is built code by code, in the order of their lengths: the part that has the codes of
//! up to n bits is doubled when those of n + 1 bits begin. Longer codes than the table has bits are in subtables behind it, one for
//! each of their beginnings.

/// Longest code in bits.
pub(super) const MAX_LENGTH: usize = 15;
/// Symbols that a row has room for: all lengths of a header.
const ROW_SYMBOLS: usize = 320;

/// Symbols of a code by the lengths of their codes, each row in ascending order.
pub(super) struct Symbols {
    counts: [u16; MAX_LENGTH + 1],
    rows: [[u16; ROW_SYMBOLS]; MAX_LENGTH + 1],
}

impl Symbols {
    /// No symbols.
    pub(super) const fn new() -> Symbols {
        Symbols { counts: [0; MAX_LENGTH + 1], rows: [[0; ROW_SYMBOLS]; MAX_LENGTH + 1] }
    }

    /// Removes all symbols.
    pub(super) fn clear(&mut self) {
        self.counts = [0; MAX_LENGTH + 1];
    }

    /// Appends a symbol with the length of its code; those of length 0 have none. Returns none if there is no room.
    #[inline(always)]
    pub(super) fn push(&mut self, length: u8, symbol: usize) -> Option<()> {
        let row = usize::from(length) & MAX_LENGTH;
        let count = &mut self.counts[row];
        *self.rows[row].get_mut(usize::from(*count))? = symbol as u16;
        *count += 1;
        Some(())
    }

    /// The symbols with codes of this length.
    #[inline(always)]
    fn of_length(&self, length: usize) -> &[u16] {
        self.rows[length].get(..usize::from(self.counts[length])).unwrap_or_default()
    }

    /// Share of the code space that the codes use, in units of 2^-15, and the longest length; 0 without codes.
    fn space(&self) -> (u32, usize) {
        let lengths = (1..=MAX_LENGTH).zip(&self.counts[1..]);
        lengths.fold((0, 0), |(space, longest), (length, &count)| {
            (space + (u32::from(count) << (MAX_LENGTH - length)), if count > 0 { length } else { longest })
        })
    }
}

/// Entries of a table.
pub(super) trait Entries {
    /// Bits that the table without subtables decides.
    const BITS: u32;
    /// Entry of bits without a code.
    const NONE: u32;

    /// Entry of a symbol; `length` is the number of bits of the code that remain in this table.
    fn symbol(&self, symbol: usize, length: u32) -> u32;

    /// Entry of a subtable with this number, start, and number of bits.
    fn subtable(&mut self, number: usize, start: usize, bits: u32) -> u32;
}

/// Builds the table of a code. None if zlib refuses the code.
#[inline(always)]
pub(super) fn build<const SIZE: usize, E: Entries>(
    symbols: &Symbols,
    entries: E,
    table: &mut [u32; SIZE],
) -> Option<()> {
    let (space, longest) = symbols.space();
    if space != 1 << MAX_LENGTH {
        return build_incomplete(symbols, space, longest, entries, table);
    }
    let main = E::BITS as usize;
    let mut code = 0;
    for length in 1..=main {
        for &symbol in symbols.of_length(length) {
            table[code & (SIZE - 1)] = entries.symbol(usize::from(symbol), length as u32);
            code = next_code(code, length);
        }
        if length < main {
            let (codes, copy) = table.split_at_mut(1 << length);
            copy[..1 << length].copy_from_slice(codes);
        }
    }
    if longest > main { build_subtables(symbols, longest, code, entries, table) } else { Some(()) }
}

/// Builds the table of an incomplete code: one without symbols, or with one symbol and a code of one bit. Zlib refuses all others.
#[cold]
fn build_incomplete<const SIZE: usize, E: Entries>(
    symbols: &Symbols,
    space: u32,
    longest: usize,
    entries: E,
    table: &mut [u32; SIZE],
) -> Option<()> {
    if longest > 1 || space > 1 << (MAX_LENGTH - 1) {
        return None;
    }
    let table = &mut table[..1 << E::BITS];
    table.fill(E::NONE);
    if let Some(&symbol) = symbols.of_length(1).first() {
        let entry = entries.symbol(usize::from(symbol), 1);
        table.iter_mut().step_by(2).for_each(|slot| *slot = entry);
    }
    Some(())
}

/// Builds the subtables of a complete code whose codes of up to `E::BITS` bits are in the table. `code` is the first longer code.
fn build_subtables<const SIZE: usize, E: Entries>(
    symbols: &Symbols,
    longest: usize,
    mut code: usize,
    mut entries: E,
    table: &mut [u32; SIZE],
) -> Option<()> {
    let main = E::BITS as usize;
    let mut number = 0;
    let mut start = 1 << main;
    let mut end = start;
    let mut beginning = None;
    for length in main + 1..=longest {
        let of_length = symbols.of_length(length);
        for (before, &symbol) in of_length.iter().enumerate() {
            let own = code & ((1 << main) - 1);
            if beginning != Some(own) {
                beginning = Some(own);
                // As many bits as it takes until the following codes fill the subtable.
                let mut bits = length - main;
                let mut filled = of_length.len() - before;
                while filled < 1 << bits && main + bits < longest {
                    bits += 1;
                    filled = 2 * filled + symbols.of_length(main + bits).len();
                }
                start = end;
                end = start + (1 << bits);
                *table.get_mut(own)? = entries.subtable(number, start, bits as u32);
                number += 1;
            }
            let entry = entries.symbol(usize::from(symbol), (length - main) as u32);
            let subtable = table.get_mut(start..end)?;
            subtable.iter_mut().skip(code >> main).step_by(1 << (length - main)).for_each(|slot| *slot = entry);
            code = next_code(code, length);
        }
    }
    Some(())
}

/// The code of this length after `code`, both with their bits in reverse order. After the last one, any number of so many bits.
#[inline(always)]
fn next_code(code: usize, length: usize) -> usize {
    // Adding one from the highest bit downwards sets the highest zero, and clears the ones above it.
    let zeros = !code as u32 & ((1 << length) - 1);
    let highest = (1 << 31) >> (zeros | 1).leading_zeros();
    (code & (highest - 1)) | highest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_each_other_in_reverse_bit_order() {
        for length in 1..=MAX_LENGTH {
            let reversed = |code: usize| (code as u32).reverse_bits() as usize >> (32 - length);
            for code in 0..(1 << length) - 1 {
                assert_eq!(next_code(reversed(code), length), reversed(code + 1));
            }
            assert!(next_code((1 << length) - 1, length) < 1 << length);
        }
    }
}
