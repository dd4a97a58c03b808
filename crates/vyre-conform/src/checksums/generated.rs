//! Random ranges of random bytes.

use std::sync::Arc;

use vyre_ops::checksum::{Checksum, ChecksumKind, ChecksumRange};
use vyre_runtime::{Device, RunOptions};

use super::check::{Checker, expected};
use crate::generated::Seeds;
use crate::race_free::Random;

/// Size of the data of most seeds: more than a row of 256 invocations, so that every program has regular rows.
const DATA_BYTES: usize = 3 << 10;

/// Size of one input: more rows than Adler-32 adds without a reduction.
const LONG_BYTES: usize = 9 << 10;

/// Computes the checksums of random ranges of these seeds with all programs of all checksum ops.
#[track_caller]
pub fn expect_agreement(device: &Arc<dyn Device>, options: &RunOptions, seeds: Seeds) {
    let mut count = 0;
    let mut checker = Checker::new(device, options);
    let mut inputs: Vec<(Vec<u8>, Vec<ChecksumRange>)> =
        seeds.iter().map(|seed| input(&mut Random::new(seed))).collect();
    inputs.push((vec![0xff; LONG_BYTES], vec![ChecksumRange { offset: 0, size: LONG_BYTES as u32 }]));
    for kind in ChecksumKind::ALL {
        for (data, ranges) in &inputs {
            let judged: Result<Vec<(ChecksumRange, Checksum)>, String> =
                ranges.iter().map(|&range| Ok((range, expected(kind, data, range)?))).collect();
            let checked = judged.and_then(|judged| checker.check(kind, data, &judged));
            checked.unwrap_or_else(|message| panic!("on {}: {message}", device.name()));
            count += ranges.len();
        }
    }
    println!("{count} checksums");
}

/// Computes the checksums of random ranges of a seed with all programs of an op. Returns the number of ranges.
///
/// # Errors
///
/// The first difference from the reference or from the library.
pub fn check_seed(checker: &mut Checker<'_>, kind: ChecksumKind, seed: u64) -> Result<u64, String> {
    let (data, ranges) = input(&mut Random::new(seed));
    let judged: Result<Vec<(ChecksumRange, Checksum)>, String> =
        ranges.iter().map(|&range| Ok((range, expected(kind, &data, range)?))).collect();
    checker.check(kind, &data, &judged?)?;
    Ok(ranges.len() as u64)
}

/// Random bytes, and ranges of all alignments: short ones of all sizes, long ones, and some outside of the data.
fn input(random: &mut Random) -> (Vec<u8>, Vec<ChecksumRange>) {
    let is_high = random.below(4) == 0;
    let data: Vec<u8> = (0..DATA_BYTES).map(|_| if is_high { 0xff } else { random.below(256) as u8 }).collect();
    let mut ranges = Vec::new();
    for _ in 0..12 {
        ranges.push(ChecksumRange { offset: random.below(2_000), size: random.below(80) });
    }
    for _ in 0..2 {
        let offset = random.below(1_000);
        ranges.push(ChecksumRange { offset, size: random.below(DATA_BYTES as u32 - offset + 1) });
    }
    ranges.push(ChecksumRange { offset: 0, size: DATA_BYTES as u32 });
    ranges.push(ChecksumRange { offset: DATA_BYTES as u32, size: 0 });
    ranges.push(ChecksumRange { offset: DATA_BYTES as u32 - 3, size: 4 });
    ranges.push(ChecksumRange { offset: DATA_BYTES as u32 + 1, size: 0 });
    ranges.push(ChecksumRange { offset: u32::MAX, size: 2 + random.below(100) });
    ranges.push(ChecksumRange { offset: random.below(100), size: u32::MAX - random.below(100) });
    (data, ranges)
}
