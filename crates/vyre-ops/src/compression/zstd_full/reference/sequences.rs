//! Sequences (RFC 8878, 3.1.1.3.2).

use super::bits::BackwardBits;
use super::fse::{FseState, FseTable};
use crate::compression::zstd_full::format::ZstdFullError;

/// Baselines and numbers of extra bits of literal length codes from 16 on.
const LITERAL_LENGTHS: [(u32, u32); 20] = [
    (16, 1),
    (18, 1),
    (20, 1),
    (22, 1),
    (24, 2),
    (28, 2),
    (32, 3),
    (40, 3),
    (48, 4),
    (64, 6),
    (128, 7),
    (256, 8),
    (512, 9),
    (1024, 10),
    (2048, 11),
    (4096, 12),
    (8192, 13),
    (16384, 14),
    (32768, 15),
    (65536, 16),
];

/// Baselines and numbers of extra bits of match length codes from 32 on.
const MATCH_LENGTHS: [(u32, u32); 21] = [
    (35, 1),
    (37, 1),
    (39, 1),
    (41, 1),
    (43, 2),
    (47, 2),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 5),
    (131, 7),
    (259, 8),
    (515, 9),
    (1027, 10),
    (2051, 11),
    (4099, 12),
    (8195, 13),
    (16387, 14),
    (32771, 15),
    (65539, 16),
];

/// Kind of a code.
struct Kind {
    max_log: u32,
    max_symbol: usize,
    default_log: u32,
    default_counts: &'static [i32],
}

const LITERAL_LENGTH: Kind = Kind {
    max_log: 9,
    max_symbol: 35,
    default_log: 6,
    default_counts: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
    ],
};

const OFFSET: Kind = Kind {
    max_log: 8,
    max_symbol: 31,
    default_log: 5,
    default_counts: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
};

const MATCH_LENGTH: Kind = Kind {
    max_log: 9,
    max_symbol: 52,
    default_log: 6,
    default_counts: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
};

/// Tables of the three kinds of codes.
#[derive(Clone, Debug)]
pub(super) struct SequenceTables {
    literal_lengths: FseTable,
    offsets: FseTable,
    match_lengths: FseTable,
}

impl SequenceTables {
    /// Reads the modes and the descriptions of the tables. Returns the tables with the bytes after them.
    pub(super) fn read<'a>(
        bytes: &'a [u8],
        before: Option<&SequenceTables>,
    ) -> Result<(SequenceTables, &'a [u8]), ZstdFullError> {
        let (&modes, rest) = bytes.split_first().ok_or(ZstdFullError::CorruptSequences)?;
        if modes & 3 != 0 {
            return Err(ZstdFullError::CorruptSequences);
        }
        let corrupt = ZstdFullError::CorruptFseTable;
        let (literal_lengths, rest) =
            table(&LITERAL_LENGTH, modes >> 6, rest, before.map(|tables| &tables.literal_lengths)).ok_or(corrupt)?;
        let (offsets, rest) =
            table(&OFFSET, modes >> 4 & 3, rest, before.map(|tables| &tables.offsets)).ok_or(corrupt)?;
        let (match_lengths, rest) =
            table(&MATCH_LENGTH, modes >> 2 & 3, rest, before.map(|tables| &tables.match_lengths)).ok_or(corrupt)?;
        Ok((SequenceTables { literal_lengths, offsets, match_lengths }, rest))
    }
}

fn table<'a>(kind: &Kind, mode: u8, bytes: &'a [u8], before: Option<&FseTable>) -> Option<(FseTable, &'a [u8])> {
    match mode {
        0 => Some((FseTable::of_counts(kind.default_log, kind.default_counts), bytes)),
        1 => {
            let (&symbol, rest) = bytes.split_first()?;
            (usize::from(symbol) <= kind.max_symbol).then(|| (FseTable::of_symbol(symbol), rest))
        }
        2 => FseTable::read(bytes, kind.max_log, kind.max_symbol),
        _ => Some((before?.clone(), bytes)),
    }
}

/// A sequence whose offset is not resolved.
pub(super) struct Sequence {
    pub(super) literals: usize,
    pub(super) length: usize,
    /// Offset plus 3, or 1 to 3 for one of the last offsets.
    pub(super) offset_value: u64,
}

/// Decoder of the bitstream of a sequences section.
pub(super) struct SequenceDecoder<'a> {
    tables: &'a SequenceTables,
    bits: BackwardBits<'a>,
    literal_length: FseState,
    offset: FseState,
    match_length: FseState,
}

impl<'a> SequenceDecoder<'a> {
    pub(super) fn new(tables: &'a SequenceTables, stream: &'a [u8]) -> Option<SequenceDecoder<'a>> {
        let mut bits = BackwardBits::new(stream)?;
        let literal_length = tables.literal_lengths.start(&mut bits)?;
        let offset = tables.offsets.start(&mut bits)?;
        let match_length = tables.match_lengths.start(&mut bits)?;
        Some(SequenceDecoder { tables, bits, literal_length, offset, match_length })
    }

    /// Decodes the next sequence, and the states after it unless it is the last one.
    pub(super) fn next(&mut self, is_last: bool) -> Option<Sequence> {
        let SequenceDecoder { tables, bits, .. } = self;
        let offset_code = u32::from(tables.offsets.symbol(self.offset));
        let offset_value = (1 << offset_code) + u64::from(bits.read(offset_code)?);
        let (base, extra) = of_code(tables.match_lengths.symbol(self.match_length), 3, 32, &MATCH_LENGTHS);
        let length = (base + bits.read(extra)?) as usize;
        let (base, extra) = of_code(tables.literal_lengths.symbol(self.literal_length), 0, 16, &LITERAL_LENGTHS);
        let literals = (base + bits.read(extra)?) as usize;
        if !is_last {
            self.literal_length = tables.literal_lengths.next(self.literal_length, bits)?;
            self.match_length = tables.match_lengths.next(self.match_length, bits)?;
            self.offset = tables.offsets.next(self.offset, bits)?;
        }
        Some(Sequence { literals, length, offset_value })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bits.is_at_end()
    }
}

/// Baseline and number of extra bits of a length code.
fn of_code(code: u8, minimum: u32, short: u8, table: &[(u32, u32)]) -> (u32, u32) {
    match code.checked_sub(short) {
        None => (minimum + u32::from(code), 0),
        Some(index) => table[usize::from(index)],
    }
}

/// The last three offsets of a frame.
pub(super) struct LastOffsets([usize; 3]);

impl LastOffsets {
    pub(super) fn new() -> LastOffsets {
        LastOffsets([1, 4, 8])
    }

    /// Resolves the offset of a sequence. The result may be 0, which is invalid.
    pub(super) fn resolve(&mut self, sequence: &Sequence) -> usize {
        let [first, second, third] = self.0;
        let has_no_literals = u64::from(sequence.literals == 0);
        let (offset, others) = match sequence.offset_value {
            value if value > 3 => ((value - 3) as usize, [first, second]),
            value => match value + has_no_literals {
                1 => (first, [second, third]),
                2 => (second, [first, third]),
                3 => (third, [first, second]),
                _ => (first - 1, [first, second]),
            },
        };
        self.0 = [offset, others[0], others[1]];
        offset
    }
}
