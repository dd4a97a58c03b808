//! Comparison of the programs of a compression op with its reference.

use std::sync::Arc;

use vyre_ops::compression::{
    CompressedBlock, DESCRIPTOR_WORDS, DeflateError, Descriptor, Lz4Error, STATUS_WORDS, STORED, Status, ZstdError,
    ZstdFullError, deflate_stream_on_host, lz4_block_on_host, scratch_words, zstd_block_on_host, zstd_frame_on_host,
};
use vyre_ops::{Op, ProgramVariant};
use vyre_runtime::{Bindings, CommandList, Device, Error, Pipeline, RunOptions};

use crate::op_pipelines::OpPipelines;

/// Expected result of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Error code, or 0.
    pub code: u32,
    /// Output bytes; on an error, those before it.
    pub bytes: Vec<u8>,
}

/// Result of the reference of an op.
///
/// # Panics
///
/// Panics if the op is not a compression op.
#[must_use]
pub fn reference(op: &Op, block: &CompressedBlock<'_>) -> Verdict {
    let room = block.room as usize;
    if block.is_stored {
        let fits = block.bytes.len() <= room;
        return if fits { right(block.bytes.to_vec()) } else { Verdict { code: overflow_code(op), bytes: Vec::new() } };
    }
    match op.id {
        "compression.lz4" => {
            let (error, bytes) = lz4_block_on_host(block.bytes, room);
            Verdict { code: error.map_or(0, Lz4Error::code), bytes }
        }
        "compression.zstd" => match zstd_block_on_host(block.bytes, room) {
            Ok(bytes) => right(bytes),
            Err(error) => Verdict { code: error.code(), bytes: Vec::new() },
        },
        "compression.deflate" => {
            let (error, bytes) = deflate_stream_on_host(block.bytes, room);
            Verdict { code: error.map_or(0, DeflateError::code), bytes }
        }
        "compression.zstd_full" => {
            let (error, bytes) = zstd_frame_on_host(block.bytes, room);
            Verdict { code: error.map_or(0, ZstdFullError::code), bytes }
        }
        other => panic!("{other} is no compression op"),
    }
}

fn right(bytes: Vec<u8>) -> Verdict {
    Verdict { code: 0, bytes }
}

/// Code of an output that is too small, or not within the buffer.
fn overflow_code(op: &Op) -> u32 {
    match op.id {
        "compression.lz4" => Lz4Error::OutputOverflow.code(),
        "compression.zstd" => ZstdError::OutputOverflow.code(),
        "compression.deflate" => DeflateError::OutputOverflow.code(),
        "compression.zstd_full" => ZstdFullError::OutputOverflow.code(),
        other => panic!("{other} is no compression op"),
    }
}

/// Code of a block that is not within the compressed data, of every op.
const INPUT_OUTSIDE: u32 = 1;

/// Words between the outputs of blocks, which must not be written.
const GAP: usize = 3;

/// Prior contents of buffers, and words after the output of the last block. Two runs with different ones must give the same result.
const RUNS: [(u32, usize); 2] = [(0xa5a5_a5a5, GAP), (0x0102_0304, 0)];

/// Runs blocks with all programs of an op on a device. Pipelines are created on first use and cached.
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

    /// Runs blocks with all programs. Blocks start at unaligned bytes, their outputs have gaps, and blocks with invalid descriptors follow.
    ///
    /// # Errors
    ///
    /// Fails at the first difference from the expected results.
    pub fn check(&mut self, op: &Op, blocks: &[(CompressedBlock<'_>, Verdict)]) -> Result<(), String> {
        op.programs().try_for_each(|program| self.check_program(op, &program, blocks))
    }

    /// Runs blocks with one program of an op.
    ///
    /// # Errors
    ///
    /// Fails at the first difference from the expected results.
    pub fn check_program(
        &mut self,
        op: &Op,
        program: &ProgramVariant,
        blocks: &[(CompressedBlock<'_>, Verdict)],
    ) -> Result<(), String> {
        let of_program = |message: String| format!("{}: {message}", program.name);
        let pipeline = self.pipelines.get(op, program).map_err(|error| of_program(error.to_string()))?;
        for (before, last_gap) in RUNS {
            let packed = PackedBlocks::of(op, blocks, last_gap);
            let (output, statuses) = packed
                .run(self.pipelines.device, self.options, (op, &pipeline), before)
                .map_err(|error| of_program(error.to_string()))?;
            packed.compare(blocks, &output, &statuses, before).map_err(of_program)?;
        }
        Ok(())
    }
}

/// Blocks packed into the buffers of one dispatch.
struct PackedBlocks {
    compressed: Vec<u8>,
    descriptors: Vec<u32>,
    /// Word offset of each output.
    output_offsets: Vec<usize>,
    output_words: usize,
    /// Codes of the blocks with invalid descriptors, which follow the others.
    invalid: Vec<u32>,
}

impl PackedBlocks {
    fn of(op: &Op, blocks: &[(CompressedBlock<'_>, Verdict)], last_gap: usize) -> PackedBlocks {
        let mut packed = PackedBlocks {
            compressed: Vec::new(),
            descriptors: Vec::new(),
            output_offsets: Vec::new(),
            output_words: GAP,
            invalid: Vec::new(),
        };
        for (number, (block, _)) in blocks.iter().enumerate() {
            // Blocks start at all byte positions in words, after bytes that are invalid in every block.
            packed.compressed.resize(packed.compressed.len() + number % 5, 0xff);
            let descriptor = Descriptor {
                input: packed.compressed.len() as u32,
                input_size: block.bytes.len() as u32,
                output: packed.output_words as u32 * 4,
                output_size: block.room,
                flags: if block.is_stored { STORED } else { 0 },
            };
            packed.descriptors.extend(descriptor.words());
            packed.compressed.extend_from_slice(block.bytes);
            packed.output_offsets.push(packed.output_words);
            packed.output_words += block.room.div_ceil(4) as usize + GAP;
        }
        packed.compressed.resize(packed.compressed.len().next_multiple_of(4), 0xff);
        packed.output_words = packed.output_words - GAP + last_gap.max(usize::from(blocks.is_empty()));
        packed.add_invalid(op);
        packed
    }

    /// Adds blocks with descriptors that a program must reject, without an effect on the output.
    fn add_invalid(&mut self, op: &Op) {
        let (input_end, output_end) = (self.compressed.len() as u32, self.output_words as u32 * 4);
        let valid = Descriptor { input: 0, input_size: 0, output: 0, output_size: 4, flags: 0 };
        for (descriptor, code) in [
            // One byte begins behind the end.
            (Descriptor { input: input_end, input_size: 1, ..valid }, INPUT_OUTSIDE),
            // The position of the end wraps.
            (Descriptor { input: 8, input_size: u32::MAX - 7, ..valid }, INPUT_OUTSIDE),
            (Descriptor { output: 2, ..valid }, overflow_code(op)),
            (Descriptor { output: output_end, output_size: 1, ..valid }, overflow_code(op)),
        ] {
            self.descriptors.extend(descriptor.words());
            self.invalid.push(code);
        }
    }

    /// Output and statuses after a run.
    fn run(
        &self,
        device: &Arc<dyn Device>,
        options: &RunOptions,
        (op, pipeline): (&Op, &Pipeline),
        before: u32,
    ) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let filled = |bytes: &[u8]| {
            let buffer = device.create_buffer(bytes.len() as u64)?;
            device.write(&buffer, 0, bytes)?;
            Ok::<_, Error>(buffer)
        };
        let words = |words: &[u32]| filled(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
        let blocks = self.output_offsets.len() + self.invalid.len();
        let compressed = filled(&self.compressed)?;
        let descriptors = words(&self.descriptors)?;
        let output = words(&vec![before; self.output_words])?;
        let status = words(&vec![before; blocks * STATUS_WORDS + GAP])?;
        let mut commands = CommandList::new();
        let scratch = match scratch_words(op, self.output_words as u64) {
            0 => None,
            count => Some(words(&vec![before; count as usize])?),
        };
        let bindings = Bindings::in_order([&compressed, &descriptors, &output, &status].into_iter().chain(&scratch));
        // Surplus workgroups must do nothing.
        commands.dispatch(pipeline, &bindings, [blocks as u32 + 3, 1, 1]);
        let report = device.run(&commands, options)?;
        if let Some(race) = report.races.races.first() {
            return Err(Error::DataRace { program: "the program".to_owned(), race: Box::new(race.clone()) });
        }
        let read = |buffer| Ok::<_, Error>(vyre_runtime::words(&device.read(buffer)?));
        Ok((read(&output)?, read(&status)?))
    }

    fn compare(
        &self,
        blocks: &[(CompressedBlock<'_>, Verdict)],
        output: &[u32],
        statuses: &[u32],
        before: u32,
    ) -> Result<(), String> {
        let (of_blocks, behind) = statuses.split_at(blocks.len() * STATUS_WORDS);
        let (of_invalid, behind) = behind.split_at(self.invalid.len() * STATUS_WORDS);
        for (number, (status, &code)) in Status::from_words(of_invalid).zip(&self.invalid).enumerate() {
            let wanted = Status { code, size: 0 };
            if status != wanted {
                let descriptor = &self.descriptors[(blocks.len() + number) * DESCRIPTOR_WORDS..][..DESCRIPTOR_WORDS];
                return Err(format!("the invalid descriptor {descriptor:?}: expected {wanted:?}, found {status:?}"));
            }
        }
        if behind != [before; GAP] {
            return Err("there are statuses of blocks that are not there".to_owned());
        }
        let mut expected = vec![before; output.len()];
        for (number, (((block, verdict), status), &place)) in
            blocks.iter().zip(Status::from_words(of_blocks)).zip(&self.output_offsets).enumerate()
        {
            let wanted = Status { code: verdict.code, size: verdict.bytes.len() as u32 };
            if status != wanted {
                let descriptor = &self.descriptors[number * DESCRIPTOR_WORDS..][..DESCRIPTOR_WORDS];
                let bytes = &block.bytes[..block.bytes.len().min(200)];
                return Err(format!(
                    "block {number} ({descriptor:?}) {bytes:02x?}...: expected {wanted:?}, found {status:?}"
                ));
            }
            for (word, bytes) in expected[place..].iter_mut().zip(verdict.bytes.chunks(4)) {
                let mut padded = [0; 4];
                padded[..bytes.len()].copy_from_slice(bytes);
                *word = u32::from_le_bytes(padded);
            }
        }
        match expected.iter().zip(output).position(|(expected, found)| expected != found) {
            None => Ok(()),
            Some(word) => {
                let block = self.output_offsets.partition_point(|&place| place <= word).saturating_sub(1);
                let (place, (of, _)) = (self.output_offsets[block], &blocks[block]);
                Err(format!(
                    "word {} of block {block} ({:02x?}..., room {}): expected {:08x}, found {:08x}",
                    word - place,
                    &of.bytes[..of.bytes.len().min(200)],
                    of.room,
                    expected[word],
                    output[word]
                ))
            }
        }
    }
}
