//! Huffman trees and literal streams (RFC 8878, 4.2).

use super::bits::BackwardBits;
use super::fse::FseTable;
use crate::compression::zstd_full::format::{MAX_HUFFMAN_BITS, ZstdFullError};

/// Maximum binary logarithm of the size of an FSE table of weights.
const MAX_WEIGHT_TABLE_LOG: u32 = 6;

/// Maximum number of weights in a description. The last weight of a tree follows from the others.
const MAX_WEIGHTS: usize = 255;

/// Decoding table: a symbol and its length for all values of the next bits.
#[derive(Clone, Debug)]
pub(super) struct HuffmanTable {
    max_bits: u32,
    symbols: Vec<(u8, u32)>,
}

impl HuffmanTable {
    /// Reads the description of a tree. Returns its table with the bytes after the description.
    pub(super) fn read(bytes: &[u8]) -> Result<(HuffmanTable, &[u8]), ZstdFullError> {
        weights(bytes)
            .and_then(|(weights, rest)| Some((HuffmanTable::of_weights(weights)?, rest)))
            .ok_or(ZstdFullError::CorruptHuffmanTree)
    }

    fn of_weights(mut weights: Vec<u8>) -> Option<HuffmanTable> {
        if weights.iter().any(|&weight| u32::from(weight) > MAX_HUFFMAN_BITS) {
            return None;
        }
        let total: u32 = weights.iter().map(|&weight| 1 << weight >> 1).sum();
        let max_bits = total.checked_ilog2()? + 1;
        let rest = (1 << max_bits) - total;
        if max_bits > MAX_HUFFMAN_BITS || !rest.is_power_of_two() {
            return None;
        }
        weights.push(rest.ilog2() as u8 + 1);
        // Two leaves at the deepest level are siblings.
        let deepest = weights.iter().filter(|&&weight| weight == 1).count();
        if deepest < 2 || deepest % 2 == 1 {
            return None;
        }
        let mut symbols = Vec::with_capacity(1 << max_bits);
        for weight in 1..=max_bits as u8 {
            for (symbol, _) in weights.iter().enumerate().filter(|&(_, &of_symbol)| of_symbol == weight) {
                let bits = max_bits + 1 - u32::from(weight);
                symbols.extend(std::iter::repeat_n((symbol as u8, bits), 1 << weight >> 1));
            }
        }
        Some(HuffmanTable { max_bits, symbols })
    }

    /// Decodes a stream of a number of symbols, which must end with the last one.
    pub(super) fn decode(&self, stream: &[u8], count: usize, output: &mut Vec<u8>) -> Option<()> {
        let mut bits = BackwardBits::new(stream)?;
        for _ in 0..count {
            // Codes are read bit by bit: the code of a symbol is the prefix of all its entries.
            let (mut code, mut length) = (0, 0);
            let symbol = loop {
                code = code << 1 | bits.read(1)?;
                length += 1;
                let (symbol, bits) = self.symbols[(code << (self.max_bits - length)) as usize];
                if bits == length {
                    break symbol;
                }
            };
            output.push(symbol);
        }
        bits.is_at_end().then_some(())
    }
}

/// Reads the weights of a description.
fn weights(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (&header, rest) = bytes.split_first()?;
    if header >= 128 {
        let count = usize::from(header) - 127;
        let (packed, rest) = rest.split_at_checked(count.div_ceil(2))?;
        let mut weights: Vec<u8> = packed.iter().flat_map(|&pair| [pair >> 4, pair & 15]).collect();
        weights.truncate(count);
        return Some((weights, rest));
    }
    let (description, rest) = rest.split_at_checked(usize::from(header))?;
    let (table, stream) = FseTable::read(description, MAX_WEIGHT_TABLE_LOG, 255)?;
    let mut bits = BackwardBits::new(stream)?;
    let mut state = table.start(&mut bits)?;
    let mut other = table.start(&mut bits)?;
    let mut weights = Vec::new();
    // Two interleaved states take turns. The stream ends where one of them has no bits left.
    loop {
        weights.push(table.symbol(state));
        if weights.len() >= MAX_WEIGHTS {
            return None;
        }
        let Some(next) = table.next(state, &mut bits) else { break };
        state = std::mem::replace(&mut other, next);
    }
    weights.push(table.symbol(other));
    Some((weights, rest))
}
