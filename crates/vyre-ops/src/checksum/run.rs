//! Execution of checksum ops on a device.

use std::sync::Arc;

use vyre_ir::OpTable;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Error, KeyedRunner, RunOptions};

use super::range::{CHECKSUM_WORDS, Checksum, ChecksumRange};
use crate::{Op, ProgramVariant};

/// Mean size of ranges from which workgroups of 256 invocations are worth their larger reduction, if ranges are few.
const LARGE_RANGE_BYTES: u64 = 256 << 10;

/// Number of ranges from which workgroups of 32 invocations fill a device.
const MANY_RANGES: usize = 1024;

/// A checksum algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChecksumKind {
    /// `checksum.xxh32`.
    Xxh32,
    /// `checksum.xxh64`.
    Xxh64,
    /// `checksum.crc32`.
    Crc32,
    /// `checksum.adler32`.
    Adler32,
}

impl ChecksumKind {
    /// All algorithms.
    pub const ALL: [ChecksumKind; 4] =
        [ChecksumKind::Xxh32, ChecksumKind::Xxh64, ChecksumKind::Crc32, ChecksumKind::Adler32];

    /// The op.
    #[must_use]
    pub fn op(self) -> &'static Op {
        match self {
            ChecksumKind::Xxh32 => &super::xxh32::OP,
            ChecksumKind::Xxh64 => &super::xxh64::OP,
            ChecksumKind::Crc32 => &super::crc32::OP,
            ChecksumKind::Adler32 => &super::adler32::OP,
        }
    }

    /// Result of the host reference.
    #[must_use]
    pub fn on_host(self, data: &[u8]) -> u64 {
        match self {
            ChecksumKind::Xxh32 => super::xxh32_on_host(data).into(),
            ChecksumKind::Xxh64 => super::xxh64_on_host(data),
            ChecksumKind::Crc32 => super::crc32_on_host(data).into(),
            ChecksumKind::Adler32 => super::adler32_on_host(data).into(),
        }
    }
}

/// Runs checksum ops on a device. Each program is compiled at its first use and kept.
///
/// ```
/// use std::sync::Arc;
///
/// use vyre_ops::checksum::{Checksum, ChecksumKind, ChecksumOps, ChecksumRange};
/// use vyre_runtime::ReferenceDevice;
///
/// let ops = ChecksumOps::new(Arc::new(ReferenceDevice::new()));
/// let data = ops.device().create_buffer(12)?;
/// ops.device().write(&data, 0, b"123456789")?;
/// let sums = ops.run(ChecksumKind::Crc32, &data, &[ChecksumRange { offset: 0, size: 9 }])?;
/// assert_eq!(sums, [Checksum { code: 0, sum: 0xcbf4_3926 }]);
/// # Ok::<(), vyre_runtime::Error>(())
/// ```
pub struct ChecksumOps {
    runner: KeyedRunner<(&'static str, &'static str)>,
}

impl ChecksumOps {
    /// Creates checksum ops for a device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> ChecksumOps {
        ChecksumOps { runner: KeyedRunner::new(device) }
    }

    /// Sets a deadline, a cancellation token, or race detection.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> ChecksumOps {
        self.runner.run_options = options;
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.runner.device()
    }

    /// Selects the fastest program for the device and the ranges. XXH has a parallelism of four in a range; the others divide long
    /// ranges further.
    #[must_use]
    pub fn program(&self, kind: ChecksumKind, ranges: &[ChecksumRange]) -> ProgramVariant {
        let bytes: u64 = ranges.iter().map(|range| u64::from(range.size)).sum();
        let is_large = ranges.len() < MANY_RANGES && bytes / ranges.len().max(1) as u64 >= LARGE_RANGE_BYTES;
        let name = match kind {
            _ if !self.device().is_throughput_oriented() => ProgramVariant::CANONICAL,
            ChecksumKind::Xxh32 | ChecksumKind::Xxh64 => "cooperative_4",
            ChecksumKind::Crc32 | ChecksumKind::Adler32 if is_large => "cooperative_256",
            ChecksumKind::Crc32 | ChecksumKind::Adler32 => "cooperative_32",
        };
        kind.op().programs().find(|program| program.name == name).expect("is one of the programs")
    }

    /// Appends the checksums of ranges of a buffer to a command list. Returns the buffer of the results, which
    /// [`Checksum::from_words`] decodes after the run.
    ///
    /// # Errors
    ///
    /// The ranges do not fit the device, or the program does not compile.
    pub fn push(
        &self,
        commands: &mut CommandList,
        kind: ChecksumKind,
        data: &Buffer,
        ranges: &[ChecksumRange],
    ) -> Result<Buffer, Error> {
        let program = self.program(kind, ranges);
        let pipeline = self.runner.pipeline((kind.op().id, program.name), &OpTable::default(), program.build)?;
        let words: Vec<u32> = ranges.iter().flat_map(|range| range.words()).collect();
        let ranges_buffer = self.runner.words(&words)?;
        let sums = self.runner.zeros((ranges.len() * CHECKSUM_WORDS) as u64)?;
        let bindings = Bindings::in_order([data, &ranges_buffer, &sums]);
        commands.push(Command::Dispatch { pipeline, bindings, grid: [ranges.len() as u32, 1, 1] });
        Ok(sums)
    }

    /// Reads results that [`push`](ChecksumOps::push) returned, after the run.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn read(&self, sums: &Buffer) -> Result<Vec<Checksum>, Error> {
        Ok(Checksum::from_words(&self.runner.read(sums)?).collect())
    }

    /// Checksums of ranges of a buffer.
    ///
    /// # Errors
    ///
    /// The ranges do not fit the device, or the device fails. A range outside of the data is an error in its result.
    pub fn run(&self, kind: ChecksumKind, data: &Buffer, ranges: &[ChecksumRange]) -> Result<Vec<Checksum>, Error> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let mut commands = CommandList::new();
        let sums = self.push(&mut commands, kind, data, ranges)?;
        let report = self.runner.run(&commands)?;
        if let Some(race) = report.races.races.first() {
            return Err(Error::DataRace { program: kind.op().id.to_owned(), race: Box::new(race.clone()) });
        }
        self.read(&sums)
    }
}
