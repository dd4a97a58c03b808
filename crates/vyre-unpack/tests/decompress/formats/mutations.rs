//! Deterministic mutations of all fixtures: nothing panics, and the output stays within the limits.

use vyre_unpack::{Limits, Options};

use super::folder;
use crate::collect::open_with;

/// Formats of this folder.
const FORMATS: [&str; 7] = ["7z", "rpm", "cab", "squashfs", "iso", "cfb", "brotli"];
/// Number of mutants of each fixture.
const MUTANTS: u32 = 150;
/// Limit of the whole output.
const MAX_OUTPUT: u64 = 4 << 20;

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Changes some bytes, most of them where headers usually are, or cuts the end off.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let length = mutant.len();
        let at = match random.below(4) {
            0 => random.below(length.min(256)),
            1 => length - 1 - random.below(length.min(256)),
            _ => random.below(length),
        };
        match random.below(6) {
            0 => mutant[at] = 0xff,
            1 => mutant[at] = 0,
            2 => mutant[at] ^= 1 << random.below(8),
            3 => mutant[at] = random.below(256) as u8,
            4 if length > 64 => mutant.truncate(length - random.below(length / 2)),
            _ => {
                let from = random.below(length);
                let count = random.below(8).min(length - from.max(at));
                mutant.copy_within(from..from + count, at);
            }
        }
    }
    mutant
}

/// Recomputes the checksums of the headers of a 7z archive, so that the parser behind them is reached.
fn repair_sevenz(bytes: &mut [u8]) {
    if bytes.len() < 32 || !bytes.starts_with(b"7z\xbc\xaf\x27\x1c") {
        return;
    }
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let start = usize::try_from(word(12)).unwrap_or(usize::MAX).saturating_add(32);
    let end = start.saturating_add(usize::try_from(word(20)).unwrap_or(usize::MAX));
    if let Some(header) = bytes.get(start..end) {
        let sum = crc32fast::hash(header);
        bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = crc32fast::hash(&bytes[12..32]);
    bytes[8..12].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn mutants_are_unpacked_or_refused_within_the_limits() {
    let limits = Limits::default().with_total(MAX_OUTPUT).with_entries(1_000).with_depth(6);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for format in FORMATS {
        let mut files: Vec<_> = std::fs::read_dir(folder(format)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort_unstable();
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            for _ in 0..MUTANTS {
                let mut mutant = mutate(&bytes, &mut random);
                repair_sevenz(&mut mutant);
                let options = Options::default().with_limits(limits);
                let (collected, _) = open_with("x.br", mutant, options);
                let output: u64 = collected.entries.iter().map(|entry| entry.bytes.len() as u64).sum();
                assert!(output <= MAX_OUTPUT, "{}: {output}", file.display());
                assert!(collected.entries.len() <= 1_000);
            }
        }
    }
}
