//! Comparison of the programs of a checksum op with its reference and with a library.

use std::sync::Arc;

use vyre_ops::checksum::{CHECKSUM_WORDS, Checksum, ChecksumKind, ChecksumRange, ERROR_NONE, ERROR_RANGE_OUTSIDE};
use vyre_runtime::{Bindings, CommandList, Device, Error, Pipeline, RunOptions};

use crate::op_pipelines::OpPipelines;

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

/// Computes checksums with all programs of an op on a device. Pipelines are created on first use and cached.
pub struct Checker<'d> {
    pipelines: OpPipelines<'d>,
    options: &'d RunOptions,
}

impl<'d> Checker<'d> {
    /// Creates a checker for a device.
    #[must_use]
    pub fn new(device: &'d Arc<dyn Device>, options: &'d RunOptions) -> Checker<'d> {
        Checker { pipelines: OpPipelines::new(device), options }
    }

    /// Computes checksums of ranges with every program of the op, and compares them with the expected ones. The data must be whole words.
    ///
    /// # Errors
    ///
    /// Fails at the first difference.
    pub fn check(
        &mut self,
        kind: ChecksumKind,
        data: &[u8],
        ranges: &[(ChecksumRange, Checksum)],
    ) -> Result<(), String> {
        for program in kind.op().programs() {
            let of_program = |message: String| format!("{} {}: {message}", kind.op().id, program.name);
            let of_device = |error: Error| of_program(error.to_string());
            let pipeline = self.pipelines.get(kind.op(), &program).map_err(of_device)?;
            for before in BEFORE {
                let sums = self.run(&pipeline, program.name, data, ranges, before).map_err(of_device)?;
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

    /// Words of the results, and of those after them, which had the contents `before`.
    fn run(
        &self,
        pipeline: &Pipeline,
        program: &str,
        data: &[u8],
        ranges: &[(ChecksumRange, Checksum)],
        before: u32,
    ) -> Result<Vec<u32>, Error> {
        let device = self.pipelines.device;
        let buffer = device.create_buffer(data.len() as u64)?;
        device.write(&buffer, 0, data)?;
        let words: Vec<u32> = ranges.iter().flat_map(|(range, _)| range.words()).collect();
        let words = device.buffer_from(&words)?;
        let sums = device.buffer_from(&vec![before; ranges.len() * CHECKSUM_WORDS + GAP])?;
        let mut commands = CommandList::new();
        // Surplus workgroups must do nothing.
        let grid = [ranges.len() as u32 + 3, 1, 1];
        commands.dispatch(pipeline, &Bindings::in_order([&buffer, &words, &sums]), grid);
        let report = device.run(&commands, self.options)?;
        if let Some(race) = report.races.races.first() {
            return Err(Error::DataRace { program: program.to_owned(), race: Box::new(race.clone()) });
        }
        device.read_vec(&sums)
    }
}
