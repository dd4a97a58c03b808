//! Runs compression ops on a device.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use vyre_ir::OpTable;
use vyre_memory::zeros;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Error, Resource, RunOptions, Session};

use super::block::{DESCRIPTOR_WORDS, Descriptor, STATUS_WORDS, STORED, Status};
use crate::{Op, ProgramVariant};

/// From how many blocks on 16 lanes for each are faster than 32, where workgroups share the lanes of the hardware.
const MANY_BLOCKS: usize = 12_288;

/// About how many bytes of blocks are written to a device at a time.
const UPLOAD_BYTES: usize = 4 << 20;

/// A block that a device is to decompress.
#[derive(Clone, Copy, Debug)]
pub struct CompressedBlock<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The most bytes that its output may have.
    pub room: u32,
    /// Whether it is stored without compression.
    pub is_stored: bool,
}

/// Where blocks and their output are in the buffers of a program.
#[derive(Clone, Debug, Default)]
pub struct BlockLayout {
    /// The words of all descriptors.
    pub descriptors: Vec<u32>,
    /// How many bytes all blocks need, each from a multiple of 4 on.
    pub input_bytes: u64,
    /// How many words the output of all blocks needs.
    pub output_words: u64,
}

impl BlockLayout {
    /// The layout of blocks, or none where they need more than the 4 GiB that descriptors reach.
    #[must_use]
    pub fn of(blocks: &[CompressedBlock<'_>]) -> Option<BlockLayout> {
        let descriptors = Vec::with_capacity(blocks.len() * DESCRIPTOR_WORDS);
        let mut layout = BlockLayout { descriptors, ..BlockLayout::default() };
        for block in blocks {
            let descriptor = Descriptor {
                input: u32::try_from(layout.input_bytes).ok()?,
                input_size: u32::try_from(block.bytes.len()).ok()?,
                output: u32::try_from(layout.output_words * 4).ok()?,
                output_size: block.room,
                flags: if block.is_stored { STORED } else { 0 },
            };
            layout.descriptors.extend(descriptor.words());
            layout.input_bytes += block.bytes.len().next_multiple_of(4) as u64;
            layout.output_words += u64::from(block.room).div_ceil(4);
        }
        let most = u64::from(u32::MAX);
        (layout.input_bytes <= most && layout.output_words * 4 <= most).then_some(layout)
    }
}

/// What a device gave for blocks.
#[derive(Clone, Debug, Default)]
pub struct Decompressed {
    statuses: Vec<Status>,
    places: Vec<u32>,
    output: Vec<u8>,
    /// How long the device took, where it says.
    pub device_time: Duration,
}

impl Decompressed {
    /// The status of each block.
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// The bytes of a block: with an error, those before it.
    #[must_use]
    pub fn bytes(&self, block: usize) -> &[u8] {
        let Range { start, end } = self.range(block);
        self.output.get(start..end).unwrap_or_default()
    }

    /// Where the bytes of a block are in the whole output.
    ///
    /// # Panics
    ///
    /// If there is no such block.
    #[must_use]
    pub fn range(&self, block: usize) -> Range<usize> {
        let start = self.places[block] as usize;
        start..start + self.statuses[block].size as usize
    }

    /// The whole output, as it was on the device.
    #[must_use]
    pub fn into_output(self) -> Vec<u8> {
        self.output
    }
}

/// Runs compression ops on a device. Programs are compiled when they are first needed, and kept.
pub struct CompressionOps {
    bench: Session<(&'static str, &'static str)>,
}

impl CompressionOps {
    /// Compression ops on this device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> CompressionOps {
        CompressionOps { bench: Session::new(device) }
    }

    /// The same with a deadline, a token to cancel runs with, or a search for races.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> CompressionOps {
        self.bench.run_options = options;
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.bench.device()
    }

    /// The program of `compression.lz4` that suits the device and so many blocks best. More lanes finish a block sooner, and few
    /// blocks wait for the slowest. With many blocks fewer lanes do more for each instruction, where they leave none idle. The number is
    /// that of an H200.
    #[must_use]
    pub fn lz4_program(&self, blocks: usize) -> ProgramVariant {
        let device = self.device();
        let name = match blocks {
            _ if !device.is_throughput_oriented() => ProgramVariant::CANONICAL,
            MANY_BLOCKS.. if device.packs_workgroups() => "cooperative_16",
            _ => "cooperative_32",
        };
        super::lz4::OP.programs().find(|program| program.name == name).expect("is one of the programs")
    }

    /// `compression.lz4` of blocks, by the program that suits them.
    ///
    /// # Errors
    ///
    /// Blocks that do not fit the device, or its failure. What is wrong with blocks is in their status.
    pub fn lz4(&self, blocks: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        self.run(&super::lz4::OP, &self.lz4_program(blocks.len()), blocks)
    }

    /// `compression.zstd` of blocks.
    ///
    /// # Errors
    ///
    /// As [`lz4`](CompressionOps::lz4).
    pub fn zstd(&self, blocks: &[CompressedBlock<'_>]) -> Result<Decompressed, Error> {
        let program = ProgramVariant { name: ProgramVariant::CANONICAL, build: super::zstd::OP.canonical };
        self.run(&super::zstd::OP, &program, blocks)
    }

    /// A compression op by one of its programs.
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
        let layout = BlockLayout::of(blocks).ok_or_else(|| too_large(blocks))?;
        let device = self.device();
        let pipeline = self.bench.pipeline((op.id, program.name), &OpTable::default(), program.build)?;
        let compressed = device.create_buffer(layout.input_bytes)?;
        upload(&**device, &compressed, blocks)?;
        let descriptors = self.bench.words(&layout.descriptors)?;
        let output = self.bench.zeros(layout.output_words)?;
        let status = self.bench.zeros((blocks.len() * STATUS_WORDS) as u64)?;
        let bindings = Bindings::in_order([&compressed, &descriptors, &output, &status]);
        let mut commands = CommandList::new();
        commands.push(Command::Timestamp);
        commands.push(Command::Dispatch { pipeline, bindings, grid: [blocks.len() as u32, 1, 1] });
        commands.push(Command::Timestamp);
        let report = self.bench.run(&commands)?;
        if let Some(race) = report.races.races.first() {
            return Err(Error::DataRace { program: op.id.to_owned(), race: Box::new(race.clone()) });
        }
        let device_time = match report.timestamps[..] {
            [first, .., last] => Duration::from_nanos(last.saturating_sub(first)),
            _ => Duration::ZERO,
        };
        let statuses = Status::of_words(&self.bench.read(&status)?).collect();
        let places = layout.descriptors.chunks(DESCRIPTOR_WORDS).map(|descriptor| descriptor[2]).collect();
        let mut bytes = zeros(usize::try_from(output.size()).map_err(|_| too_large(blocks))?);
        device.read_into(&output, &mut bytes)?;
        Ok(Decompressed { statuses, places, output: bytes, device_time })
    }
}

/// Writes blocks to a buffer as they are laid out, a few at a time, so that there is no second copy of all of them.
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
