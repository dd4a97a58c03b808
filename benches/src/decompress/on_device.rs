//! The op `compression.lz4` on blocks that are in the memory of a device many times.

use std::sync::Arc;
use std::time::Duration;

use vyre_ir::{OpTable, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline, Session, words};

use super::blocks::{BLOCK_BYTES, Blocks};
use super::error::Error;

/// Output before a run that is checked, so that nothing of an earlier run is taken for a result.
const OLD_BYTE: u8 = 0xa5;

/// How many of the copies are compared with the text.
const CHECKED_COPIES: usize = 8;

/// The words of a descriptor, and of a status.
const DESCRIPTOR_WORDS: usize = 5;
const STATUS_BYTES: usize = 8;

/// Blocks on a device, and room for what they decode to.
pub struct DeviceBlocks<'b> {
    bench: Session<String>,
    blocks: &'b Blocks,
    copies: usize,
    /// In turn; there are several where one would be larger than a buffer may be.
    parts: Vec<Part>,
    ops: OpTable,
}

/// The buffers of some copies.
struct Part {
    copies: usize,
    data: Buffer,
    descriptors: Buffer,
    output: Buffer,
    status: Buffer,
}

/// A program that decodes them.
pub struct DeviceProgram {
    /// What it is called.
    pub name: String,
    pipeline: Pipeline,
}

impl<'b> DeviceBlocks<'b> {
    /// Puts so many copies of the blocks on a device.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub fn new(device: Arc<dyn Device>, blocks: &'b Blocks, copies: usize) -> Result<DeviceBlocks<'b>, Error> {
        // Offsets of descriptors are bytes in 32 bits.
        let most_bytes = device.limits().buffer_bytes.min(u64::from(u32::MAX));
        DeviceBlocks::in_buffers(device, blocks, copies, most_bytes)
    }

    /// The same with buffers of at most so many bytes.
    fn in_buffers(
        device: Arc<dyn Device>,
        blocks: &'b Blocks,
        copies: usize,
        most_bytes: u64,
    ) -> Result<DeviceBlocks<'b>, Error> {
        let bench = Session::new(device);
        let copy_bytes = (blocks.blocks.len() * BLOCK_BYTES).max(blocks.data.len());
        let most_copies = usize::try_from(most_bytes).unwrap_or(usize::MAX) / copy_bytes.max(1);
        if most_copies == 0 {
            return Err(Error::Unavailable("the device takes no buffer that is large enough for the text".to_owned()));
        }
        let part_count = copies.div_ceil(most_copies);
        let mut parts = Vec::new();
        for part in 0..part_count {
            // Parts differ by one copy at most.
            let copies = (part + 1) * copies / part_count - part * copies / part_count;
            parts.push(Part::new(&bench, blocks, copies)?);
        }
        Ok(DeviceBlocks { bench, blocks, copies, parts, ops: vyre_ops::table() })
    }

    /// How many blocks there are, with all copies.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.blocks.len() * self.copies
    }

    /// How many bytes they decode to.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        self.blocks.text.len() * self.copies
    }

    /// In how many dispatches.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.parts.len()
    }

    /// Makes a program ready.
    ///
    /// # Errors
    ///
    /// The device cannot compile it.
    pub fn program(&self, name: &str, program: Program) -> Result<DeviceProgram, Error> {
        let pipeline = self.bench.pipeline(name.to_owned(), &self.ops, || program)?;
        Ok(DeviceProgram { name: name.to_owned(), pipeline })
    }

    /// Decodes all blocks, and says how long the device takes.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn run(&self, program: &DeviceProgram) -> Result<Duration, Error> {
        let mut commands = CommandList::new();
        commands.push(Command::Timestamp);
        for part in &self.parts {
            let bindings = Bindings::in_order([&part.data, &part.descriptors, &part.output, &part.status]);
            let blocks = (part.copies * self.blocks.blocks.len()) as u32;
            commands.dispatch(&program.pipeline, &bindings, [blocks, 1, 1]);
        }
        commands.push(Command::Timestamp);
        let report = self.bench.run(&commands)?;
        match report.timestamps[..] {
            [before, after] => Ok(Duration::from_nanos(after - before)),
            _ => Err(Error::Unavailable("the device has no timestamps".to_owned())),
        }
    }

    /// Decodes into memory that holds something else; looks at the status of every block, and compares the output of some
    /// copies with the text.
    ///
    /// # Errors
    ///
    /// Something is wrong, or a failure of the device.
    pub fn check(&self, program: &DeviceProgram) -> Result<(), Error> {
        let mut clear = CommandList::new();
        for part in &self.parts {
            clear.push(Command::fill_all(&part.output, OLD_BYTE));
            clear.push(Command::fill_all(&part.status, OLD_BYTE));
        }
        self.bench.run(&clear)?;
        self.run(program)?;
        let mut before = 0;
        for part in &self.parts {
            self.check_statuses(program, part, before)?;
            for copy in checked_copies(self.copies).filter_map(|copy| copy.checked_sub(before)) {
                if copy < part.copies {
                    self.check_output(program, part, copy, before + copy)?;
                }
            }
            before += part.copies;
        }
        Ok(())
    }

    fn check_statuses(&self, program: &DeviceProgram, part: &Part, before: usize) -> Result<(), Error> {
        let statuses = words(&self.bench.device().read(&part.status)?);
        let expected = self.blocks.blocks.iter().map(|block| [0, block.size as u32]).cycle();
        let wrong = statuses.chunks_exact(2).zip(expected).position(|(found, expected)| found != expected);
        wrong.map_or(Ok(()), |at| {
            let [block, copy] = [at % self.blocks.blocks.len(), before + at / self.blocks.blocks.len()];
            let what = format!("block {block} of copy {copy} has the status {:?}", &statuses[2 * at..2 * at + 2]);
            Err(Error::Wrong { who: program.name.clone(), what })
        })
    }

    fn check_output(&self, program: &DeviceProgram, part: &Part, copy: usize, number: usize) -> Result<(), Error> {
        let bytes = (self.blocks.blocks.len() * BLOCK_BYTES) as u64;
        let sample = self.bench.device().create_buffer(bytes)?;
        let mut commands = CommandList::new();
        commands.push(Command::Copy {
            source: part.output.clone(),
            source_offset: copy as u64 * bytes,
            target: sample.clone(),
            target_offset: 0,
            length: bytes,
        });
        self.bench.run(&commands)?;
        let output = self.bench.device().read(&sample)?;
        // All blocks but the last are whole, so the text is there without gaps.
        match output[..self.blocks.text.len()].iter().zip(&self.blocks.text).position(|(found, byte)| found != byte) {
            None => Ok(()),
            Some(at) => Err(Error::Wrong {
                who: program.name.clone(),
                what: format!("byte {at} of copy {number} is {:#04x}, not {:#04x}", output[at], self.blocks.text[at]),
            }),
        }
    }
}

impl Part {
    fn new(bench: &Session<String>, blocks: &Blocks, copies: usize) -> Result<Part, Error> {
        let count = blocks.blocks.len();
        let device = bench.device();
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
        bench.run(&commands)?;
        let mut descriptors = Vec::with_capacity(copies * count * DESCRIPTOR_WORDS);
        for copy in 0..copies {
            for (number, block) in blocks.blocks.iter().enumerate() {
                let from = copy * blocks.data.len() + block.offset;
                let to = (copy * count + number) * BLOCK_BYTES;
                descriptors.extend([from as u32, block.compressed_size as u32, to as u32, block.size as u32, 0]);
            }
        }
        Ok(Part {
            copies,
            data,
            descriptors: bench.words(&descriptors)?,
            output: device.create_buffer((copies * count * BLOCK_BYTES) as u64)?,
            status: device.create_buffer((copies * count * STATUS_BYTES) as u64)?,
        })
    }
}

/// The copies that are compared: the first, the last, and some between them.
fn checked_copies(copies: usize) -> impl Iterator<Item = usize> {
    let checked = copies.min(CHECKED_COPIES);
    (0..checked).map(move |at| at * copies.saturating_sub(1) / checked.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};

    use super::*;

    #[test]
    fn every_copy_is_decoded_in_however_many_parts() {
        let text: Vec<u8> = (0..30_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let blocks = Blocks::compress(text).expect("liblz4 compresses");
        let copy_bytes = (blocks.blocks.len() * BLOCK_BYTES) as u64;
        for (most_copies, dispatches) in [(5, 1), (2, 3), (1, 5)] {
            let device = JitDevice::new(&JitOptions::default()).expect("this machine has a CPU");
            let most_bytes = copy_bytes * most_copies + 1;
            let decoded = DeviceBlocks::in_buffers(Arc::new(device), &blocks, 5, most_bytes).expect("they fit");
            assert_eq!(decoded.dispatches(), dispatches);
            assert_eq!(decoded.output_bytes(), 5 * blocks.text.len());
            let program = |id| decoded.program(id, vyre_ops::find(id).expect("there is such an op").program());
            let right = program("compression.lz4").expect("it compiles");
            assert!(decoded.check(&right).is_ok());
            let wrong = program("compression.zstd").expect("it compiles");
            assert!(matches!(decoded.check(&wrong), Err(Error::Wrong { .. })));
        }
    }

    #[test]
    fn the_first_and_the_last_copy_are_compared() {
        assert_eq!(checked_copies(1).collect::<Vec<_>>(), [0]);
        assert_eq!(checked_copies(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<_> = checked_copies(128).collect();
        assert_eq!((many.len(), many[0], many[7]), (8, 0, 127));
    }
}
