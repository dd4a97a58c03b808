//! Comparison of the programs of a checksum op with its reference and with a library.

use std::sync::Arc;

use vyre_ir::{OpTable, validate};
use vyre_ops::checksum::{CHECKSUM_WORDS, Checksum, ChecksumKind, ChecksumRange, ERROR_NONE, ERROR_RANGE_OUTSIDE};
use vyre_runtime::{Bindings, CommandList, Device, Error, PipelineOptions, RunOptions};

/// Words after the results, which must not be written.
const GAP: usize = 4;

/// Prior contents of the results. Two runs with different ones must give the same result.
const BEFORE: [u32; 2] = [0xa5a5_a5a5, 0x0102_0304];

/// Checksum of bytes by a library that shares no code with the op.
#[must_use]
pub fn by_library(kind: ChecksumKind, data: &[u8]) -> Option<u64> {
    Some(match kind {
        ChecksumKind::Xxh32 => xxhash_rust::xxh32::xxh32(data, 0).into(),
        ChecksumKind::Xxh64 => xxhash_rust::xxh64::xxh64(data, 0),
        ChecksumKind::Crc32 => crc32fast::hash(data).into(),
        ChecksumKind::Adler32 => adler2::adler32_slice(data).into(),
        _ => return None,
    })
}

/// Expected result of a range of the data.
///
/// # Errors
///
/// The host reference and the library differ.
pub fn expected(kind: ChecksumKind, data: &[u8], range: ChecksumRange) -> Result<Checksum, String> {
    let begin = range.offset as usize;
    // Buffers are whole words.
    let Some(bytes) = data.get(begin..begin.saturating_add(range.size as usize)) else {
        return Ok(Checksum { code: ERROR_RANGE_OUTSIDE, sum: 0 });
    };
    let sum = kind.on_host(bytes);
    match by_library(kind, bytes) {
        Some(other) if other == sum => Ok(Checksum { code: ERROR_NONE, sum }),
        other => Err(format!("{range:?}: the reference says {sum:x}, the library {other:x?}")),
    }
}

/// Computes checksums of ranges with every program of the op, and compares them with the expected ones. The data must be whole words.
///
/// # Errors
///
/// Fails at the first difference.
pub fn check(
    device: &Arc<dyn Device>,
    options: &RunOptions,
    kind: ChecksumKind,
    data: &[u8],
    ranges: &[(ChecksumRange, Checksum)],
) -> Result<(), String> {
    for program in kind.op().programs() {
        let of_program = |message: String| format!("{} {}: {message}", kind.op().id, program.name);
        let built = program.program();
        let table = OpTable::default();
        let valid = validate(&built, &table).unwrap_or_else(|errors| panic!("{}: {errors:?}", program.name));
        let run = |before: u32| -> Result<Vec<u32>, Error> {
            let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
            let buffer = device.create_buffer(data.len() as u64)?;
            device.write(&buffer, 0, data)?;
            let words: Vec<u32> = ranges.iter().flat_map(|(range, _)| range.words()).collect();
            let words = device.buffer_from(&words)?;
            let sums = device.buffer_from(&vec![before; ranges.len() * CHECKSUM_WORDS + GAP])?;
            let mut commands = CommandList::new();
            // Surplus workgroups must do nothing.
            let grid = [ranges.len() as u32 + 3, 1, 1];
            commands.dispatch(&pipeline, &Bindings::in_order([&buffer, &words, &sums]), grid);
            let report = device.run(&commands, options)?;
            if let Some(race) = report.races.races.first() {
                return Err(Error::DataRace { program: program.name.to_owned(), race: Box::new(race.clone()) });
            }
            device.read_vec(&sums)
        };
        for before in BEFORE {
            let sums = run(before).map_err(|error| of_program(error.to_string()))?;
            let (found, behind) = sums.split_at(ranges.len() * CHECKSUM_WORDS);
            if behind != [before; GAP] {
                return Err(of_program("there are results of ranges that are not there".to_owned()));
            }
            for ((range, wanted), found) in ranges.iter().zip(Checksum::from_words(found)) {
                if found != *wanted {
                    return Err(of_program(format!("{range:?}: expected {wanted:x?}, found {found:x?}")));
                }
            }
        }
    }
    Ok(())
}
