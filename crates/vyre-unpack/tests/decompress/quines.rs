//! Archive quines: archives that contain themselves (Cox, "Zip Files All The Way Down", 2010).
//!
//! A Deflate stream of stored blocks, which emit the bytes after them, and of matches, which repeat the last output, can emit
//! itself with the bytes around it. The checksum of the file is part of the file. CRC-32 is linear, so the right checksum is the
//! solution of 32 linear equations.

use std::io::{Cursor, Read};

use vyre_unpack::{Limit, Limits, Options, ProblemKind};

use crate::collect::{kinds, limited, open_with};

/// Header of a stored block of this length.
fn literal(length: usize) -> Vec<u8> {
    let length = length as u16;
    [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat()
}

/// Bit stream of a Deflate block, least significant bit first.
#[derive(Default)]
struct Bits {
    bits: Vec<bool>,
}

impl Bits {
    fn number(&mut self, value: usize, count: usize) {
        self.bits.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    /// Huffman codes have their most significant bit first.
    fn code(&mut self, value: usize, count: usize) {
        self.bits.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// A match of up to 114 bytes in a block of fixed codes.
    fn copy(&mut self, length: usize, distance: usize) {
        let (code, extra, first) = if length <= 10 {
            (length - 2, 0, length)
        } else {
            let extra = (length - 3).ilog2() as usize - 2;
            let step = (length - 3) >> extra & 3;
            (5 + 4 * extra + step, extra, 3 + ((4 + step) << extra))
        };
        assert!((3..115).contains(&length) && distance >= 5);
        self.code(code, 7);
        self.number(length - first, extra);
        let extra = (distance - 1).ilog2() as usize - 1;
        let step = (distance - 1) >> extra & 1;
        self.code(2 * extra + 2 + step, 5);
        self.number(distance - 1 - ((2 + step) << extra), extra);
    }
}

/// Blocks of exactly `size` bytes that repeat the last `length` bytes. The last two bits may belong to the header of a stored
/// block.
fn repeat(length: usize, size: usize, is_last: bool) -> Option<Vec<u8>> {
    let splits = (3..length.saturating_sub(2)).map(|first| vec![first, length - first]);
    for lengths in std::iter::once(vec![length]).chain(splits) {
        for empty_blocks in 0..3 {
            let mut bits = Bits::default();
            bits.number(0b010, 3);
            lengths.iter().for_each(|&part| bits.copy(part, length));
            bits.code(0, 7);
            for _ in 0..empty_blocks {
                bits.number(0b010, 3);
                bits.code(0, 7);
            }
            let missing = (8 * size).checked_sub(bits.bits.len());
            if missing.is_some_and(|missing| missing <= if is_last { 0 } else { 2 }) {
                let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
                return Some(bits.bits.chunks(8).map(byte).collect());
            }
        }
    }
    None
}

/// A Deflate stream that emits itself with `before` and `after` around it.
fn quine(before: &[u8], after: &[u8]) -> Vec<u8> {
    let (one, four, none) = (literal(5), literal(20), literal(0));
    let head = literal(before.len() + 5);
    let again_head = repeat(before.len() + 5, 5, false).unwrap();
    let again_four = repeat(20, 5, false).unwrap();
    // The last stored block is empty and ends the stream.
    let tail = [&[1, 0, 0, 0xff, 0xff], after].concat();
    let again_tail = (5..9).find_map(|size| repeat(tail.len() + size, size, true)).unwrap();
    let last = literal(again_tail.len() + tail.len());
    let parts: [&[u8]; 34] = [
        before,
        &head,
        before,
        &head,
        &again_head,
        &one,
        &again_head,
        &one,
        &one,
        &four,
        &again_head,
        &one,
        &one,
        &four,
        &again_four,
        &four,
        &again_four,
        &four,
        &again_four,
        &four,
        &again_four,
        &four,
        &again_four,
        &none,
        &none,
        &last,
        &again_four,
        &none,
        &none,
        &last,
        &again_tail,
        &tail,
        &again_tail,
        &tail,
    ];
    parts.concat()
}

/// The file with its own checksum inserted.
fn with_checksum(make: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let sum = |field: u32| crc32fast::hash(&make(field));
    let constant = sum(0);
    // Rows: the bits of the field that flip a bit of the difference between field and checksum, and the required difference.
    let columns: Vec<u32> = (0..32).map(|bit| sum(1 << bit) ^ constant ^ (1 << bit)).collect();
    let row = |bit: u32| {
        let coefficients = (0..32).filter(|&column| columns[column] >> bit & 1 == 1).map(|column| 1_u64 << column);
        coefficients.sum::<u64>() | u64::from(constant >> bit & 1) << 32
    };
    let mut rows: Vec<u64> = (0..32).map(row).collect();
    let mut pivots = Vec::new();
    for column in 0..32 {
        let Some(found) = (pivots.len()..32).find(|&row| rows[row] >> column & 1 == 1) else { continue };
        let rank = pivots.len();
        rows.swap(rank, found);
        let pivot = rows[rank];
        let others = rows.iter_mut().enumerate().filter(|(row, bits)| *row != rank && **bits >> column & 1 == 1);
        others.for_each(|(_, bits)| *bits ^= pivot);
        pivots.push(column);
    }
    let field = pivots.iter().zip(&rows).map(|(column, row)| ((row >> 32) as u32 & 1) << column).sum();
    let file = make(field);
    assert_eq!(crc32fast::hash(&file), field, "the equations have no solution");
    file
}

fn gzip_quine() -> Vec<u8> {
    let before = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let length = quine(&before, &[0; 8]).len() as u32;
    with_checksum(|sum| quine(&before, &[sum.to_le_bytes(), length.to_le_bytes()].concat()))
}

fn zip_quine() -> Vec<u8> {
    let make = |sum: u32, compressed: u32, size: u32| {
        let fields = |start: &[u8]| {
            let mut bytes = start.to_vec();
            bytes.extend([20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]);
            bytes.extend([sum, compressed, size].into_iter().flat_map(u32::to_le_bytes));
            bytes.extend([1, 0, 0, 0]);
            bytes
        };
        let before = [&fields(b"PK\x03\x04")[..], b"q"].concat();
        let record = [&fields(b"PK\x01\x02\x14\x03")[..], &[0; 14], b"q"].concat();
        let after = [&record[..], &crate::zip::end(1, record.len() as u32, before.len() as u32 + compressed)].concat();
        (quine(&before, &after), before.len() + after.len())
    };
    let (file, around) = make(0, 0, 0);
    let size = file.len() as u32;
    with_checksum(|sum| make(sum, size - around as u32, size).0)
}

#[test]
fn a_gzip_quine_stops_at_the_depth() {
    let quine = gzip_quine();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&quine[..]).read_to_end(&mut bytes).unwrap();
    assert!(bytes == quine, "this is no quine");
    let (collected, result) = open_with("quine.gz", quine.clone(), Options::default());
    let summary = result.unwrap();
    assert_eq!((summary.layers, summary.output), (16, 16 * quine.len() as u64));
    assert_eq!(&collected.entries[0].bytes[..], quine);
    let problems = &collected.entries[0].problems;
    assert!(matches!(kinds(problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Depth));
}

#[test]
fn a_zip_quine_stops_at_the_depth() {
    let quine = zip_quine();
    let mut reader = zip::ZipArchive::new(Cursor::new(&quine[..])).unwrap();
    let mut bytes = Vec::new();
    reader.by_index(0).unwrap().read_to_end(&mut bytes).unwrap();
    assert!(bytes == quine, "this is no quine");
    let (collected, result) = open_with("quine.zip", quine.clone(), Options::default());
    let summary = result.unwrap();
    assert_eq!((summary.layers, summary.entries, summary.damaged), (16, 16, 1));
    assert!(collected.entries.iter().all(|entry| entry.bytes[..] == quine[..]));
    let problems = &collected.entries[15].problems;
    assert!(matches!(kinds(problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Depth));
    // Without a depth limit, the total stops it.
    let limits = Limits::default().with_depth(u32::MAX).with_total(1 << 20);
    let (collected, result) = open_with("quine.zip", quine.clone(), limited(limits));
    assert!(result.is_err());
    assert_eq!(collected.entries.iter().filter(|entry| entry.is_opened).count(), (1 << 20) / quine.len());
}
