//! Sample words, and cases from text.

use std::collections::BTreeMap;

use vyre_ir::{Name, OpTable, text};

use super::judge::Contents;
use crate::Case;
use crate::race_free::Random;

/// Words where operators and casts have corner cases.
pub(super) const CORNERS: [u32; 36] = [
    0,
    1,
    2,
    3,
    5,
    7,
    22,
    30,
    31,
    32,
    33,
    63,
    64,
    // Counts and offsets of packed bit fields.
    1 << 5,
    31 << 5,
    31 << 5 | 31,
    1 << 5 | 31,
    0xffff_ffe0,
    0xffff_fc3f,
    0xff,
    0xffff,
    0x1_0000,
    0x1_0001,
    // Packed bounds with the high half below, at and above the low half.
    0x0010_0020,
    0x0020_0020,
    0x0020_0010,
    0xffff_0000,
    0x5555_5555,
    0xaaaa_aaaa,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x1234_5678,
];

/// A random word: small, large, sparse, or a corner case.
pub(super) fn word(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.below(64),
        1 => random.word() >> random.below(32),
        2 => random.word() & random.word() & random.word(),
        3 => random.pick(&CORNERS),
        _ => random.word(),
    }
}

/// Bytes of words.
pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Contents of buffers by name.
pub(super) fn contents<'n>(buffers: impl IntoIterator<Item = (&'n str, Vec<u8>)>) -> Contents {
    buffers.into_iter().map(|(name, bytes)| (Name::from(name), bytes)).collect()
}

/// A case of a program of the suite.
///
/// # Panics
///
/// Panics on a text that does not parse, which is a defect of the suite.
pub(super) fn case<'n>(
    source: &str,
    ops: &OpTable,
    grid: [u32; 3],
    buffers: impl IntoIterator<Item = (&'n str, Vec<u8>)>,
) -> Case {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}")).program;
    Case { program, ops: ops.clone(), grid, contents: contents(buffers) }
}

/// Contents after a run: those before it, with these buffers replaced.
pub(super) fn after<'n>(case: &Case, changed: impl IntoIterator<Item = (&'n str, Vec<u8>)>) -> Contents {
    let mut expected: BTreeMap<Name, Vec<u8>> = case.contents.clone();
    expected.extend(contents(changed));
    expected
}
