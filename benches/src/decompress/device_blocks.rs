//! Ops that decompress blocks, on copies of the blocks in the memory of a device.

use std::sync::Arc;
use std::time::Duration;

use vyre_ir::{OpTable, Program};
use vyre_ops::compression::scratch_words;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, KeyedRunner, Pipeline, words};

use super::blocks::{BLOCK_BYTES, Blocks};
use crate::error::Error;

/// Fill of the output before a verification, so that no earlier result is taken for a new one.
const STALE_BYTE: u8 = 0xa5;

/// Number of copies that are compared with the text.
const VERIFIED_COPIES: usize = 8;

/// Sizes of a descriptor and of a status.
const DESCRIPTOR_WORDS: usize = 5;
const STATUS_BYTES: usize = 8;

/// Copies of the blocks on a device, with buffers for their output.
pub struct DeviceBlocks<'b> {
    runner: KeyedRunner<String>,
    blocks: &'b Blocks,
    copies: usize,
    /// Parts that fit the maximum size of a buffer; a run dispatches them in sequence.
    parts: Vec<Part>,
    ops: OpTable,
}

/// Buffers of some copies.
struct Part {
    copies: usize,
    data: Buffer,
    descriptors: Buffer,
    output: Buffer,
    status: Buffer,
    /// The fifth buffer of ops that have one.
    scratch: Option<Buffer>,
}

/// Compiled program that decodes blocks.
pub struct DeviceProgram {
    /// Name in reports.
    pub name: String,
    pipeline: Pipeline,
}

impl<'b> DeviceBlocks<'b> {
    /// Writes `copies` copies of the blocks to a device.
    ///
    /// # Errors
    ///
    /// There is too little memory.
    pub fn new(device: Arc<dyn Device>, blocks: &'b Blocks, copies: usize) -> Result<DeviceBlocks<'b>, Error> {
        // Descriptors have byte offsets of 32 bits.
        let max_buffer_bytes = device.limits().buffer_bytes.min(u64::from(u32::MAX));
        DeviceBlocks::in_buffers(device, blocks, copies, max_buffer_bytes)
    }

    /// As [`new`](DeviceBlocks::new), with buffers of at most `max_buffer_bytes` bytes.
    fn in_buffers(
        device: Arc<dyn Device>,
        blocks: &'b Blocks,
        copies: usize,
        max_buffer_bytes: u64,
    ) -> Result<DeviceBlocks<'b>, Error> {
        let runner = KeyedRunner::new(device);
        let copy_bytes = (blocks.blocks.len() * BLOCK_BYTES).max(blocks.data.len());
        let max_copies = usize::try_from(max_buffer_bytes).unwrap_or(usize::MAX) / copy_bytes.max(1);
        if max_copies == 0 {
            return Err(Error::unavailable("no buffer of the device is large enough for the text"));
        }
        let part_count = copies.div_ceil(max_copies);
        let mut parts = Vec::new();
        for part in 0..part_count {
            // Sizes of parts differ by at most one copy.
            let copies = (part + 1) * copies / part_count - part * copies / part_count;
            parts.push(Part::new(&runner, blocks, copies)?);
        }
        Ok(DeviceBlocks { runner, blocks, copies, parts, ops: vyre_ops::table() })
    }

    /// Number of blocks of all copies.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.blocks.len() * self.copies
    }

    /// Bytes of output of all copies.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        self.blocks.text.len() * self.copies
    }

    /// Number of dispatches of a run.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.parts.len()
    }

    /// Builds the pipeline of a program.
    ///
    /// # Errors
    ///
    /// The device cannot compile the program.
    pub fn program(&self, name: &str, program: Program) -> Result<DeviceProgram, Error> {
        let pipeline = self.runner.pipeline(name.to_owned(), &self.ops, || program)?;
        Ok(DeviceProgram { name: name.to_owned(), pipeline })
    }

    /// Decodes all blocks and returns the time of the device.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn run(&self, program: &DeviceProgram) -> Result<Duration, Error> {
        let mut commands = CommandList::new();
        commands.push(Command::Timestamp);
        for part in &self.parts {
            let buffers = [&part.data, &part.descriptors, &part.output, &part.status];
            let bindings = Bindings::in_order(buffers.into_iter().chain(&part.scratch));
            let blocks = (part.copies * self.blocks.blocks.len()) as u32;
            commands.dispatch(&program.pipeline, &bindings, [blocks, 1, 1]);
        }
        commands.push(Command::Timestamp);
        let report = self.runner.run(&commands)?;
        match report.timestamps[..] {
            [before, after] => Ok(Duration::from_nanos(after - before)),
            _ => Err(Error::unavailable("the device has no timestamps")),
        }
    }

    /// Decodes into stale memory, verifies the status of every block, and compares the output of some copies with the text.
    ///
    /// # Errors
    ///
    /// A status or an output is wrong, or the device fails.
    pub fn verify(&self, program: &DeviceProgram) -> Result<(), Error> {
        let mut clear = CommandList::new();
        for part in &self.parts {
            clear.push(Command::fill_all(&part.output, STALE_BYTE));
            clear.push(Command::fill_all(&part.status, STALE_BYTE));
        }
        self.runner.run(&clear)?;
        self.run(program)?;
        let mut before = 0;
        for part in &self.parts {
            self.verify_statuses(program, part, before)?;
            for copy in verified_copies(self.copies).filter_map(|copy| copy.checked_sub(before)) {
                if copy < part.copies {
                    self.verify_output(program, part, copy, before + copy)?;
                }
            }
            before += part.copies;
        }
        Ok(())
    }

    fn verify_statuses(&self, program: &DeviceProgram, part: &Part, before: usize) -> Result<(), Error> {
        let statuses = words(&self.runner.device().read(&part.status)?);
        let expected = self.blocks.blocks.iter().map(|block| [0, block.size as u32]).cycle();
        let wrong = statuses.chunks_exact(2).zip(expected).position(|(found, expected)| found != expected);
        wrong.map_or(Ok(()), |at| {
            let [block, copy] = [at % self.blocks.blocks.len(), before + at / self.blocks.blocks.len()];
            let message = format!("block {block} of copy {copy} has the status {:?}", &statuses[2 * at..2 * at + 2]);
            Err(Error::WrongResult { contender: program.name.clone(), message })
        })
    }

    fn verify_output(&self, program: &DeviceProgram, part: &Part, copy: usize, number: usize) -> Result<(), Error> {
        let bytes = (self.blocks.blocks.len() * BLOCK_BYTES) as u64;
        let sample = self.runner.device().create_buffer(bytes)?;
        let mut commands = CommandList::new();
        commands.push(Command::Copy {
            source: part.output.clone(),
            source_offset: copy as u64 * bytes,
            target: sample.clone(),
            target_offset: 0,
            length: bytes,
        });
        self.runner.run(&commands)?;
        let output = self.runner.device().read(&sample)?;
        // All blocks but the last are whole, so the output has no gaps.
        match output[..self.blocks.text.len()].iter().zip(&self.blocks.text).position(|(found, byte)| found != byte) {
            None => Ok(()),
            Some(at) => Err(Error::WrongResult {
                contender: program.name.clone(),
                message: format!(
                    "byte {at} of copy {number} is {:#04x}, not {:#04x}",
                    output[at], self.blocks.text[at]
                ),
            }),
        }
    }
}

impl Part {
    fn new(runner: &KeyedRunner<String>, blocks: &Blocks, copies: usize) -> Result<Part, Error> {
        let count = blocks.blocks.len();
        let device = runner.device();
        let data_bytes = blocks.data.len() as u64;
        let data = device.create_buffer(data_bytes * copies as u64)?;
        device.write(&data, 0, &blocks.data)?;
        let mut commands = CommandList::new();
        for copy in 1..copies as u64 {
            commands.push(Command::Copy {
                source: data.clone(),
                source_offset: 0,
                target: data.clone(),
                target_offset: copy * data_bytes,
                length: data_bytes,
            });
        }
        runner.run(&commands)?;
        let mut descriptors = Vec::with_capacity(copies * count * DESCRIPTOR_WORDS);
        for copy in 0..copies {
            for (number, block) in blocks.blocks.iter().enumerate() {
                let from = copy * blocks.data.len() + block.offset;
                let to = (copy * count + number) * BLOCK_BYTES;
                descriptors.extend([from as u32, block.compressed_size as u32, to as u32, block.size as u32, 0]);
            }
        }
        let output_bytes = (copies * count * BLOCK_BYTES) as u64;
        let scratch_words = vyre_ops::find(blocks.format.op()).map_or(0, |op| scratch_words(op, output_bytes / 4));
        let scratch = (scratch_words > 0).then(|| device.create_buffer(4 * scratch_words)).transpose()?;
        Ok(Part {
            copies,
            data,
            descriptors: runner.words(&descriptors)?,
            output: device.create_buffer(output_bytes)?,
            status: device.create_buffer((copies * count * STATUS_BYTES) as u64)?,
            scratch,
        })
    }
}

/// Copies that are compared: the first, the last, and some between them.
fn verified_copies(copies: usize) -> impl Iterator<Item = usize> {
    let verified = copies.min(VERIFIED_COPIES);
    (0..verified).map(move |at| at * copies.saturating_sub(1) / verified.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};

    use super::super::format::Format;
    use super::*;

    #[test]
    fn every_copy_is_decoded_in_any_number_of_parts() {
        let text: Vec<u8> = (0..30_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let blocks = Blocks::compress(Format::Lz4, text).expect("liblz4 compresses");
        let copy_bytes = (blocks.blocks.len() * BLOCK_BYTES) as u64;
        for (max_copies, dispatches) in [(5, 1), (2, 3), (1, 5)] {
            let device = JitDevice::new(&JitOptions::default()).expect("this machine has a CPU");
            let max_buffer_bytes = copy_bytes * max_copies + 1;
            let decoded = DeviceBlocks::in_buffers(Arc::new(device), &blocks, 5, max_buffer_bytes).expect("they fit");
            assert_eq!(decoded.dispatches(), dispatches);
            assert_eq!(decoded.output_bytes(), 5 * blocks.text.len());
            let program = |id| decoded.program(id, vyre_ops::find(id).expect("the op exists").program());
            let right = program("compression.lz4").expect("it compiles");
            assert!(decoded.verify(&right).is_ok());
            let wrong = program("compression.zstd").expect("it compiles");
            assert!(matches!(decoded.verify(&wrong), Err(Error::WrongResult { .. })));
        }
    }

    #[test]
    fn blocks_of_every_format_are_decoded() {
        let text: Vec<u8> = (0..20_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        for format in [Format::Lz4, Format::Zstd, Format::Deflate] {
            let blocks = Blocks::compress(format, text.clone()).expect("it compresses");
            let device = JitDevice::new(&JitOptions::default()).expect("this machine has a CPU");
            let decoded = DeviceBlocks::new(Arc::new(device), &blocks, 1).expect("they fit");
            let op = vyre_ops::find(format.op()).expect("the op exists");
            let program = decoded.program(op.id, op.program()).expect("it compiles");
            assert!(decoded.verify(&program).is_ok(), "{}", op.id);
        }
    }

    #[test]
    fn the_first_and_the_last_copy_are_compared() {
        assert_eq!(verified_copies(1).collect::<Vec<_>>(), [0]);
        assert_eq!(verified_copies(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<_> = verified_copies(128).collect();
        assert_eq!((many.len(), many[0], many[7]), (8, 0, 127));
    }
}
