//! FSE tables (RFC 8878, 4.1).

use super::bits::{BackwardBits, ForwardBits};

/// Cell of an FSE table.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    symbol: u8,
    /// Number of bits that lead to the next state.
    bits: u32,
    /// Next state if these bits are 0.
    baseline: u32,
}

/// Decoding table.
#[derive(Clone, Debug)]
pub(super) struct FseTable {
    log: u32,
    cells: Vec<Cell>,
}

/// State of a decoder.
#[derive(Clone, Copy)]
pub(super) struct FseState(u32);

impl FseTable {
    /// Table of a single symbol, which takes no bits.
    pub(super) fn of_symbol(symbol: u8) -> FseTable {
        FseTable { log: 0, cells: vec![Cell { symbol, ..Cell::default() }] }
    }

    /// Reads the description of a table. Returns it with the bytes after the description.
    pub(super) fn read(bytes: &[u8], max_log: u32, max_symbol: usize) -> Option<(FseTable, &[u8])> {
        let mut bits = ForwardBits::new(bytes);
        let log = bits.peek(4) + 5;
        bits.skip(4);
        if log > max_log {
            return None;
        }
        let mut counts: Vec<i32> = Vec::new();
        let mut left = 1u32 << log;
        while left > 0 {
            if counts.len() > max_symbol {
                return None;
            }
            // Values up to `left + 1`. The smaller ones take a bit less.
            let width = (left + 1).ilog2() + 1;
            let short = (1 << width) - 1 - (left + 1);
            let low = bits.peek(width - 1);
            let value = if low < short {
                bits.skip(width - 1);
                low
            } else {
                let value = bits.peek(width);
                bits.skip(width);
                if value >= 1 << (width - 1) { value - short } else { value }
            };
            let count = value as i32 - 1;
            left -= count.unsigned_abs();
            counts.push(count);
            if count == 0 {
                loop {
                    let zeros = bits.peek(2) as usize;
                    bits.skip(2);
                    counts.resize(counts.len() + zeros, 0);
                    if zeros < 3 {
                        break;
                    }
                    if counts.len() > max_symbol {
                        return None;
                    }
                }
            }
        }
        Some((FseTable::of_counts(log, &counts), bits.rest()?))
    }

    /// Builds the table of normalized counts. A count of -1 is a probability of less than 1.
    pub(super) fn of_counts(log: u32, counts: &[i32]) -> FseTable {
        let size = 1usize << log;
        let mut symbols: Vec<Option<u8>> = vec![None; size];
        let mut end = size;
        for (symbol, _) in counts.iter().enumerate().filter(|&(_, &count)| count == -1) {
            end -= 1;
            symbols[end] = Some(symbol as u8);
        }
        let mut position = 0;
        for (symbol, &count) in counts.iter().enumerate() {
            for _ in 0..count.max(0) {
                symbols[position] = Some(symbol as u8);
                loop {
                    position = (position + (size >> 1) + (size >> 3) + 3) % size;
                    if position < end {
                        break;
                    }
                }
            }
        }
        let mut next: Vec<u32> = counts.iter().map(|&count| count.unsigned_abs()).collect();
        let cells = symbols.into_iter().map(|symbol| {
            let symbol = symbol.expect("the counts fill the table");
            let state = next[usize::from(symbol)];
            next[usize::from(symbol)] += 1;
            let bits = log - state.ilog2();
            Cell { symbol, bits, baseline: (state << bits) - size as u32 }
        });
        FseTable { log, cells: cells.collect() }
    }

    /// Reads the initial state.
    pub(super) fn start(&self, bits: &mut BackwardBits<'_>) -> Option<FseState> {
        bits.read(self.log).map(FseState)
    }

    pub(super) fn symbol(&self, state: FseState) -> u8 {
        self.cells[state.0 as usize].symbol
    }

    /// Reads the next state.
    pub(super) fn next(&self, state: FseState, bits: &mut BackwardBits<'_>) -> Option<FseState> {
        let Cell { bits: count, baseline, .. } = self.cells[state.0 as usize];
        Some(FseState(baseline + bits.read(count)?))
    }
}
