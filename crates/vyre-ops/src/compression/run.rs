//! Execution of compression ops on a device.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use vyre_ir::OpTable;
use vyre_memory::zeros;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Error, KeyedRunner, Resource, RunOptions};

use super::block::{DESCRIPTOR_WORDS, Descriptor, STATUS_WORDS, STORED, Status};
use super::scratch::scratch_words;
use crate::checksum::ChecksumOps;
use crate::{Op, ProgramVariant};

/// Number of blocks from which workgroups of 16 invocations are faster than workgroups of 32, if workgroups share warps. Measured on
/// an H200.
const MIN_BLOCKS_FOR_16: usize = 12_288;

/// Approximate number of bytes of a write to the device.
const UPLOAD_BYTES: usize = 4 << 20;

/// A compressed block.
#[derive(Clone, Copy, Debug)]
pub struct CompressedBlock<'a> {
    /// Bytes of the block.
    pub bytes: &'a [u8],
    /// Maximum size of its output in bytes.
    pub room: u32,
    /// True if the block is stored without compression.
    pub is_stored: bool,
}

/// Packing of blocks and their output in the buffers of a program.
#[derive(Clone, Debug, Default)]
pub struct BlockPacking {
    /// Words of all descriptors.
    pub descriptors: Vec<u32>,
    /// Size of all blocks in bytes, each aligned to 4.
    pub input_bytes: u64,
    /// Size of the output of all blocks in words.
    pub output_words: u64,
}

impl BlockPacking {
    /// Packs blocks. `None` if they need more than the 4 GiB that descriptors address.
    #[must_use]
    pub fn of(blocks: &[CompressedBlock<'_>]) -> Option<BlockPacking> {
        let descriptors = Vec::with_capacity(blocks.len() * DESCRIPTOR_WORDS);
        let mut packing = BlockPacking { descriptors, ..BlockPacking::default() };
        for block in blocks {
            let descriptor = Descriptor {
                input: u32::try_from(packing.input_bytes).ok()?,
                input_size: u32::try_from(block.bytes.len()).ok()?,
                output: u32::try_from(packing.output_words * 4).ok()?,
                output_size: block.room,
                flags: if block.is_stored { STORED } else { 0 },
            };
            packing.descriptors.extend(descriptor.words());
            packing.input_bytes += block.bytes.len().next_multiple_of(4) as u64;
            packing.output_words += u64::from(block.room).div_ceil(4);
        }
        let max = u64::from(u32::MAX);
        (packing.input_bytes <= max && packing.output_words * 4 <= max).then_some(packing)
    }
}

/// Output and status of decompressed blocks.
#[derive(Clone, Debug, Default)]
pub struct Decompressed {
    statuses: Vec<Status>,
    /// Position of the output of each block.
    positions: Vec<u32>,
    output: Vec<u8>,
    /// Time of the device; zero if the device has no timestamps.
    pub device_time: Duration,
}

impl Decompressed {
    /// Status of each block.
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// Output of a block. For a block with an error, the bytes before the error.
    #[must_use]
    pub fn bytes(&self, block: usize) -> &[u8] {
        let Range { start, end } = self.range(block);
        self.output.get(start..end).unwrap_or_default()
    }

    /// Range of the output of a block in the whole output.
    ///
    /// # Panics
    ///
    /// If there is no such block.
    #[must_use]
    pub fn range(&self, block: usize) -> Range<usize> {
        let start = self.positions[block] as usize;
        start..start + self.statuses[block].size as usize
    }

    /// The whole output buffer.
    #[must_use]
    pub fn into_output(self) -> Vec<u8> {
        self.output
    }
}

/// Runs compression ops on a device. Each program is compiled at its first use and kept.
pub struct CompressionOps {
    pub(super) runner: KeyedRunner<(&'static str, &'static str)>,
    pub(super) checksums: ChecksumOps,
}

/// Programs of an op that are the fastest on devices that are throughput-oriented.
struct Preference {
    op: &'static str,
    /// The program for few blocks.
    program: &'static str,
    /// Number of blocks from which another program is faster if workgroups share warps, and that program.
    for_many: Option<(usize, &'static str)>,
}

/// Measured on an H200 unless a comment says otherwise. Ops that are not here take the program with the largest workgroups.
const PREFERENCES: &[Preference] = &[
    Preference {
        op: "compression.lz4",
        program: "cooperative_32",
        for_many: Some((MIN_BLOCKS_FOR_16, "cooperative_16")),
    },
    // Not measured: at most four invocations of a frame work for most of its time, so small workgroups fill a warp better.
    Preference { op: "compression.zstd_full", program: "cooperative_32", for_many: Some((1, "cooperative_8")) },
];

impl CompressionOps {
    /// Creates compression ops for a device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> CompressionOps {
        CompressionOps { runner: KeyedRunner::new(Arc::clone(&device)), checksums: ChecksumOps::new(device) }
    }

    /// Sets a deadline, a cancellation token, or race detection.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> CompressionOps {
        self.checksums = self.checksums.with_run_options(options.clone());
        self.runner.run_options = options;
        self
    }

    /// The checksum ops on the same device.
    #[must_use]
    pub fn checksums(&self) -> &ChecksumOps {
        &self.checksums
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.runner.device()
    }

    /// Selects the fastest program of a compression op for the device and the number of blocks. More invocations shorten the latency of
    /// a block, which dominates if blocks are few. Fewer invocations raise the throughput if blocks are many and workgroups share
    /// warps.
    #[must_use]
    pub fn fastest_program(&self, op: &Op, blocks: usize) -> ProgramVariant {
        let canonical = ProgramVariant { name: ProgramVariant::CANONICAL, build: op.canonical };
        if !self.device().is_throughput_oriented() {
            return canonical;
        }
        let named = |name: &str| op.alternatives.iter().copied().find(|program| program.name == name);
        let preferred = PREFERENCES.iter().find(|preference| preference.op == op.id).and_then(|preference| {
            match preference.for_many {
                Some((many, name)) if blocks >= many && self.device().packs_workgroups() => named(name),
                _ => named(preference.program),
            }
        });
        preferred.or(op.alternatives.last().copied()).unwrap_or(canonical)
    }

    /// Runs `compression.lz4` with its fastest program.
    ///
    /// # Errors
    ///
    /// The blocks do not fit the device, or the device fails. Errors of blocks are in their status.
    pub fn lz4(&self, blocks: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run_fastest(&super::lz4::OP, blocks)
    }

    /// Runs `compression.zstd` with its fastest program.
    ///
    /// # Errors
    ///
    /// As [`lz4`](CompressionOps::lz4).
    pub fn zstd(&self, blocks: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run_fastest(&super::zstd::OP, blocks)
    }

    /// Runs `compression.zstd_full` with its fastest program.
    ///
    /// # Errors
    ///
    /// As [`lz4`](CompressionOps::lz4).
    pub fn zstd_full(&self, frames: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run_fastest(&super::zstd_full::OP, frames)
    }

    /// Runs `compression.deflate` with its fastest program.
    ///
    /// # Errors
    ///
    /// As [`lz4`](CompressionOps::lz4).
    pub fn deflate(&self, streams: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run_fastest(&super::deflate::OP, streams)
    }

    /// Runs the program of an op that [`fastest_program`](CompressionOps::fastest_program) selects.
    fn run_fastest(&self, op: &Op, blocks: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run(op, &self.fastest_program(op, blocks.len()), blocks)
    }

    /// Runs one of the programs of a compression op.
    ///
    /// # Errors
    ///
    /// As [`lz4`](CompressionOps::lz4).
    pub fn run(
        &self,
        op: &Op,
        program: &ProgramVariant,
        blocks: &[CompressedBlock<'_>],
    ) -> Result<Decompressed, Error> {
        if blocks.is_empty() {
            return Ok(Decompressed::default());
        }
        let packing = BlockPacking::of(blocks).ok_or_else(|| too_large(blocks))?;
        let device = self.device();
        let compressed = device.create_buffer(packing.input_bytes)?;
        upload(&**device, &compressed, blocks)?;
        let output = self.runner.zeros(packing.output_words)?;
        let mut commands = CommandList::new();
        commands.push(Command::Timestamp);
        let status = self.push_dispatch(&mut commands, (op, program), &packing.descriptors, &compressed, &output)?;
        commands.push(Command::Timestamp);
        let device_time = self.run_timed(&commands, op.id)?;
        let statuses = Status::from_words(&self.runner.read(&status)?).collect();
        let positions = packing.descriptors.chunks(DESCRIPTOR_WORDS).map(|descriptor| descriptor[2]).collect();
        let mut bytes = zeros(usize::try_from(output.size()).map_err(|_| too_large(blocks))?);
        device.read_at(&output, 0, &mut bytes)?;
        Ok(Decompressed { statuses, positions, output: bytes, device_time })
    }

    /// Appends a dispatch of a program over the blocks of these descriptors. Returns the buffer of their statuses.
    pub(super) fn push_dispatch(
        &self,
        commands: &mut CommandList,
        (op, program): (&Op, &ProgramVariant),
        descriptors: &[u32],
        input: &Buffer,
        output: &Buffer,
    ) -> Result<Buffer, Error> {
        let blocks = descriptors.len() / DESCRIPTOR_WORDS;
        let too_many = || Error::ResourceExceeded {
            resource: Resource::BufferBytes,
            wanted: blocks as u64,
            limit: u32::MAX.into(),
        };
        let grid = [u32::try_from(blocks).map_err(|_| too_many())?, 1, 1];
        let pipeline = self.runner.pipeline((op.id, program.name), &OpTable::default(), program.build)?;
        let descriptors = self.runner.words(descriptors)?;
        let status = self.runner.zeros((blocks * STATUS_WORDS) as u64)?;
        let scratch = match scratch_words(op, output.size().div_ceil(4)) {
            0 => None,
            words => Some(self.runner.zeros(words)?),
        };
        let bindings = Bindings::in_order([input, &descriptors, output, &status].into_iter().chain(&scratch));
        commands.push(Command::Dispatch { pipeline, bindings, grid });
        Ok(status)
    }

    /// Runs commands and returns the time between their first and their last timestamp; zero if the device has no timestamps. `what` names
    /// the commands in errors.
    pub(super) fn run_timed(&self, commands: &CommandList, what: &str) -> Result<Duration, Error> {
        let report = self.runner.run(commands)?;
        if let Some(race) = report.races.races.first() {
            return Err(Error::DataRace { program: what.to_owned(), race: Box::new(race.clone()) });
        }
        Ok(match report.timestamps[..] {
            [first, .., last] => Duration::from_nanos(last.saturating_sub(first)),
            _ => Duration::ZERO,
        })
    }
}

/// Writes packed blocks to a buffer, a few at a time, without a second copy of all of them.
fn upload(device: &dyn Device, buffer: &Buffer, blocks: &[CompressedBlock<'_>]) -> Result<(), Error> {
    let mut part = Vec::new();
    let mut written = 0;
    for block in blocks {
        part.extend_from_slice(block.bytes);
        part.resize(part.len().next_multiple_of(4), 0);
        if part.len() >= UPLOAD_BYTES {
            device.write(buffer, written, &part)?;
            written += part.len() as u64;
            part.clear();
        }
    }
    device.write(buffer, written, &part)
}

fn too_large(blocks: &[CompressedBlock<'_>]) -> Error {
    let bytes = |block: &CompressedBlock<'_>| u64::from(block.room).max(block.bytes.len() as u64);
    Error::ResourceExceeded {
        resource: Resource::BufferBytes,
        wanted: blocks.iter().map(bytes).sum(),
        limit: u32::MAX.into(),
    }
}
