//! Headers of blocks with dynamic codes (RFC 1951, section 3.2.7).

use super::Memory;
use super::bits::BitReader;

/// Most literal and length codes that zlib accepts.
const MAX_LITERALS: usize = 286;
/// Most distance codes that zlib accepts.
const MAX_DISTANCES: usize = 30;
/// Number of symbols of the code of lengths.
const LENGTH_SYMBOLS: usize = 19;
/// Order of the lengths of the code of lengths.
const LENGTH_ORDER: [u8; LENGTH_SYMBOLS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Bits of the longest code of the code of lengths.
const LENGTH_BITS: u32 = 7;
/// Most bits of a symbol of the code of lengths, with its extra bits.
const LENGTH_SYMBOL_BITS: u32 = LENGTH_BITS + 7;
/// Symbol of the end of the block.
const END_OF_BLOCK: usize = 256;

/// Reads the header of a block after its type, and builds the tables. The buffer must have 14 bits. None if zlib refuses the header, or if it is
/// truncated.
#[inline(always)]
pub(super) fn read(bits: &mut BitReader<'_>, memory: &mut Memory) -> Option<()> {
    let literals = bits.take(5) + 257;
    let distances = bits.take(5) + 1;
    let count = bits.take(4) + 4;
    if literals > MAX_LITERALS || distances > MAX_DISTANCES {
        return None;
    }
    let mut sizes = [0; LENGTH_SYMBOLS];
    bits.refill();
    let (order, rest) = LENGTH_ORDER[..count].split_at(count.min(16));
    for &symbol in order {
        sizes[usize::from(symbol)] = bits.take(3) as u8;
    }
    bits.refill();
    for &symbol in rest {
        sizes[usize::from(symbol)] = bits.take(3) as u8;
    }
    let table = length_table(&sizes)?;
    memory.literals.clear();
    memory.distances.clear();
    let total = literals + distances;
    let mut has_end = false;
    let mut push = |length: u8, symbol: usize| {
        has_end |= symbol == END_OF_BLOCK && length > 0;
        if symbol < literals { memory.literals.push(length, symbol) } else { memory.distances.push(length, symbol) }
    };
    let mut at = 0;
    let mut last = None;
    while at < total {
        if bits.left < LENGTH_SYMBOL_BITS {
            bits.refill();
        }
        let (symbol, size) = table[bits.peek(LENGTH_BITS)];
        bits.remove(size.into());
        match symbol {
            0..16 => {
                push(symbol, at)?;
                last = Some(symbol);
                at += 1;
            }
            16 => {
                let length = last?;
                let end = at + 3 + bits.take(2);
                if end > total {
                    return None;
                }
                if length > 0 {
                    for symbol in at..end {
                        push(length, symbol)?;
                    }
                }
                at = end;
            }
            17 => {
                last = Some(0);
                at += 3 + bits.take(3);
            }
            _ => {
                last = Some(0);
                at += 11 + bits.take(7);
            }
        }
    }
    if at > total || !has_end || bits.is_overrun() {
        return None;
    }
    memory.tables.build(&memory.literals, &memory.distances, literals)
}

/// Symbol and length of the code that each value of the next bits begins with. None if the code is not complete.
#[inline(always)]
fn length_table(sizes: &[u8; LENGTH_SYMBOLS]) -> Option<[(u8, u8); 1 << LENGTH_BITS]> {
    let mut counts = [0_u8; LENGTH_BITS as usize + 1];
    for &size in sizes {
        counts[usize::from(size & 7)] += 1;
    }
    // The first code of each length, with zeros up to the longest length.
    let mut codes = [0_u32; LENGTH_BITS as usize + 1];
    let mut space = 0;
    for length in 1..codes.len() {
        codes[length] = space;
        space += u32::from(counts[length]) << (LENGTH_BITS as usize - length);
    }
    if space != 1 << LENGTH_BITS {
        return None;
    }
    let mut table = [(0, 0); 1 << LENGTH_BITS];
    for (symbol, &size) in (0_u8..).zip(sizes).filter(|&(_, &size)| size > 0) {
        let code = &mut codes[usize::from(size & 7)];
        let first = usize::from((*code as u8).reverse_bits() >> 1);
        table.iter_mut().skip(first).step_by(1 << size).for_each(|entry| *entry = (symbol, size));
        *code += 1 << (LENGTH_BITS - u32::from(size));
    }
    Some(table)
}
