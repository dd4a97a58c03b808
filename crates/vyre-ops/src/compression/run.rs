//! Runs compression ops on a device.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use vyre_ir::OpTable;
use vyre_runtime::{Bindings, Command, CommandList, Device, Error, Resource, RunOptions, Workbench};

use super::block::{DESCRIPTOR_WORDS, Descriptor, STATUS_WORDS, STORED, Status};
use crate::{Op, ProgramVariant};

/// From how many blocks on 16 lanes for each are faster than 32, where workgroups share the lanes of the hardware.
const MANY_BLOCKS: usize = 12_288;

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

/// Blocks laid out for a program.
#[derive(Clone, Debug, Default)]
pub struct BlockLayout {
    /// The bytes of all blocks, each from a multiple of 4 on.
    pub compressed: Vec<u8>,
    /// The words of all descriptors.
    pub descriptors: Vec<u32>,
    /// How many words the output of all blocks needs.
    pub output_words: u64,
}

impl BlockLayout {
    /// The layout of blocks, or none where they need more than the 4 GiB that descriptors reach.
    #[must_use]
    pub fn of(blocks: &[CompressedBlock<'_>]) -> Option<BlockLayout> {
        let input: usize = blocks.iter().map(|block| block.bytes.len().next_multiple_of(4)).sum();
        u32::try_from(input).ok()?;
        let mut layout = BlockLayout {
            compressed: Vec::with_capacity(input),
            descriptors: Vec::with_capacity(blocks.len() * DESCRIPTOR_WORDS),
            output_words: 0,
        };
        for block in blocks {
            let descriptor = Descriptor {
                input: layout.compressed.len() as u32,
                input_size: block.bytes.len() as u32,
                output: u32::try_from(layout.output_words * 4).ok()?,
                output_size: block.room,
                flags: if block.is_stored { STORED } else { 0 },
            };
            layout.compressed.extend_from_slice(block.bytes);
            layout.compressed.resize(layout.compressed.len().next_multiple_of(4), 0);
            layout.descriptors.extend(descriptor.words());
            layout.output_words += u64::from(block.room).div_ceil(4);
        }
        Some(layout)
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

    fn range(&self, block: usize) -> Range<usize> {
        let start = self.places[block] as usize;
        start..start + self.statuses[block].size as usize
    }
}

/// Runs compression ops on a device. Programs are compiled when they are first needed, and kept.
pub struct CompressionOps {
    bench: Workbench<(&'static str, &'static str)>,
}

impl CompressionOps {
    /// Compression ops on this device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> CompressionOps {
        CompressionOps { bench: Workbench::new(device) }
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
            _ if !device.is_wide() => ProgramVariant::CANONICAL,
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
        let compressed = device.create_buffer(layout.compressed.len() as u64)?;
        device.write(&compressed, 0, &layout.compressed)?;
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
            return Err(Error::Backend { message: format!("{} has a race: {race}", op.id) });
        }
        let device_time = match report.timestamps[..] {
            [first, .., last] => Duration::from_nanos(last.saturating_sub(first)),
            _ => Duration::ZERO,
        };
        let statuses = Status::of_words(&self.bench.read(&status)?).collect();
        let places = layout.descriptors.chunks(DESCRIPTOR_WORDS).map(|descriptor| descriptor[2]).collect();
        Ok(Decompressed { statuses, places, output: device.read(&output)?, device_time })
    }
}

fn too_large(blocks: &[CompressedBlock<'_>]) -> Error {
    let bytes = |block: &CompressedBlock<'_>| u64::from(block.room).max(block.bytes.len() as u64);
    Error::ResourceExceeded {
        resource: Resource::BufferBytes,
        wanted: blocks.iter().map(bytes).sum(),
        limit: u32::MAX.into(),
    }
}
