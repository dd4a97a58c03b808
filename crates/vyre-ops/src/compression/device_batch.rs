//! Decoding into buffers that stay on the device.
//!
//! A [`DeviceBatch`] lists inputs, blocks of any compression ops, copies and checksums. One command list decodes all blocks into one
//! buffer and computes the checksums; only statuses and checksums come back. The buffers are the input of what the device does next, which
//! may be another batch: [`DeviceBatch::on`] decodes blocks that are on the device already.

use std::ops::Range;
use std::time::Duration;

use vyre_runtime::{Buffer, Command, CommandList, Device, Error};

use super::block::{Descriptor, STORED, Status};
use super::run::CompressionOps;
use crate::Op;
use crate::checksum::{Checksum, ChecksumKind, ChecksumRange};

/// Size up to which inputs are gathered before they are written to the device.
const MAX_GATHERED_BYTES: usize = 256 << 10;

/// Approximate number of gathered bytes of a write to the device.
const UPLOAD_BYTES: usize = 4 << 20;

/// Buffer of a batch in which a checksum is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BatchSide {
    /// The compressed data.
    Input,
    /// The decompressed data.
    Output,
}

/// Blocks, copies and checksums that a device processes together.
#[derive(Default)]
pub struct DeviceBatch<'a> {
    /// Inputs with their positions.
    inputs: Vec<(u64, &'a [u8])>,
    input_bytes: u64,
    /// Compressed data that are on the device already.
    resident: Option<Buffer>,
    blocks: Vec<(&'static Op, Descriptor)>,
    /// Ranges of the input, each with its position in the output.
    copies: Vec<(Range<u64>, u64)>,
    output_bytes: u64,
    checks: Vec<(ChecksumKind, BatchSide, ChecksumRange)>,
}

impl<'a> DeviceBatch<'a> {
    /// A batch without inputs.
    #[must_use]
    pub fn new() -> DeviceBatch<'a> {
        DeviceBatch::default()
    }

    /// A batch whose compressed data are on the device.
    #[must_use]
    pub fn on(compressed: &Buffer) -> DeviceBatch<'a> {
        DeviceBatch { input_bytes: compressed.size(), resident: Some(compressed.clone()), ..DeviceBatch::default() }
    }

    /// Adds compressed data and returns their position; none beyond the 4 GiB that descriptors address, or if the compressed data are on
    /// the device.
    pub fn push_input(&mut self, bytes: &'a [u8]) -> Option<u32> {
        let at = self.input_bytes;
        let end = at + bytes.len().next_multiple_of(4) as u64;
        if self.resident.is_some() || end > u64::from(u32::MAX) {
            return None;
        }
        self.inputs.push((at, bytes));
        self.input_bytes = end;
        u32::try_from(at).ok()
    }

    /// Adds room for output, aligned to 4 bytes.
    fn push_output(&mut self, bytes: u64) -> Option<u32> {
        let at = self.output_bytes;
        let end = at.checked_add(bytes)?.next_multiple_of(4);
        if end > u64::from(u32::MAX) {
            return None;
        }
        self.output_bytes = end;
        u32::try_from(at).ok()
    }

    /// Adds a block of the compressed data, with room for `room` bytes of output. Returns the position of its output, directly after the
    /// output before it but for alignment; none beyond the 4 GiB that descriptors address.
    pub fn push_block(&mut self, op: &'static Op, input: Range<u32>, room: u32, is_stored: bool) -> Option<u32> {
        let output = self.push_output(room.into())?;
        let flags = if is_stored { STORED } else { 0 };
        let input_size = input.end.saturating_sub(input.start);
        self.blocks.push((op, Descriptor { input: input.start, input_size, output, output_size: room, flags }));
        Some(output)
    }

    /// Adds a copy of compressed data to the output. Returns its position there; none beyond the 4 GiB that descriptors address.
    pub fn push_copy(&mut self, input: Range<u32>) -> Option<u32> {
        let output = self.push_output(input.end.saturating_sub(input.start).into())?;
        self.copies.push((input.start.into()..input.end.into(), output.into()));
        Some(output)
    }

    /// Adds a checksum and returns its index among all checksums of the batch.
    pub fn push_check(&mut self, kind: ChecksumKind, side: BatchSide, range: ChecksumRange) -> usize {
        self.checks.push((kind, side, range));
        self.checks.len() - 1
    }

    /// Number of blocks.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Size of the output in bytes so far.
    #[must_use]
    pub fn output_bytes(&self) -> u64 {
        self.output_bytes
    }
}

/// Results of a batch. The buffers stay on the device.
#[derive(Clone, Debug)]
pub struct DeviceOutput {
    /// The compressed data.
    pub input: Buffer,
    /// The output of all blocks and copies, at the positions that the batch returned.
    pub output: Buffer,
    /// Status of each block, in the order of the batch.
    pub statuses: Vec<Status>,
    /// The checksums, in the order of the batch. Those of the output are meaningless for blocks with an error.
    pub sums: Vec<Checksum>,
    /// Number of dispatches of compression ops.
    pub dispatches: u64,
    /// Time of the device; zero if the device has no timestamps.
    pub device_time: Duration,
}

impl CompressionOps {
    /// Decodes a batch into a buffer that stays on the device. Large inputs are written to the device as they are: from pinned memory
    /// ([`Device::host_memory`]) without a copy on the host.
    ///
    /// # Errors
    ///
    /// The batch does not fit the device, or the device fails. Errors of blocks are in their status.
    pub fn decode_on_device(&self, batch: &DeviceBatch<'_>) -> Result<DeviceOutput, Error> {
        let device = &**self.device();
        let input = match &batch.resident {
            Some(buffer) => buffer.clone(),
            None => {
                let buffer = device.create_buffer(batch.input_bytes)?;
                upload(device, &buffer, &batch.inputs)?;
                buffer
            }
        };
        let output = device.create_buffer(batch.output_bytes)?;
        let mut commands = CommandList::new();
        commands.push(Command::Timestamp);
        let of_ops = self.push_blocks(&mut commands, batch, &input, &output)?;
        for (range, target_offset) in batch.copies.iter().filter(|(range, _)| !range.is_empty()) {
            commands.push(Command::Copy {
                source: input.clone(),
                source_offset: range.start,
                target: output.clone(),
                target_offset: *target_offset,
                length: range.end - range.start,
            });
        }
        let of_checks = self.push_checks(&mut commands, batch, &input, &output)?;
        commands.push(Command::Timestamp);
        let device_time = self.run_timed(&commands, "the batch")?;
        let mut statuses = vec![Status::default(); batch.blocks.len()];
        for (numbers, buffer) in &of_ops {
            for (&number, status) in numbers.iter().zip(Status::from_words(&self.runner.read(buffer)?)) {
                statuses[number] = status;
            }
        }
        let mut sums = vec![Checksum::default(); batch.checks.len()];
        for (numbers, buffer) in &of_checks {
            for (&number, sum) in numbers.iter().zip(self.checksums.read(buffer)?) {
                sums[number] = sum;
            }
        }
        Ok(DeviceOutput { input, output, statuses, sums, dispatches: of_ops.len() as u64, device_time })
    }

    /// Appends a dispatch for each op. Returns the numbers of its blocks and the buffer of their statuses.
    fn push_blocks(
        &self,
        commands: &mut CommandList,
        batch: &DeviceBatch<'_>,
        input: &Buffer,
        output: &Buffer,
    ) -> Result<Vec<(Vec<usize>, Buffer)>, Error> {
        let mut of_ops: Vec<(&'static Op, Vec<usize>)> = Vec::new();
        for (number, (op, _)) in batch.blocks.iter().enumerate() {
            match of_ops.iter_mut().find(|(known, _)| known.id == op.id) {
                Some((_, numbers)) => numbers.push(number),
                None => of_ops.push((op, vec![number])),
            }
        }
        let mut results = Vec::new();
        for (op, numbers) in of_ops {
            let words: Vec<u32> = numbers.iter().flat_map(|&number| batch.blocks[number].1.words()).collect();
            let program = self.fastest_program(op, numbers.len());
            let status = self.push_dispatch(commands, (op, &program), &words, input, output)?;
            results.push((numbers, status));
        }
        Ok(results)
    }

    /// Appends a dispatch for the checksums of each kind and side. Returns their numbers and the buffer of their results.
    fn push_checks(
        &self,
        commands: &mut CommandList,
        batch: &DeviceBatch<'_>,
        input: &Buffer,
        output: &Buffer,
    ) -> Result<Vec<(Vec<usize>, Buffer)>, Error> {
        let mut results = Vec::new();
        for kind in ChecksumKind::ALL {
            for (side, buffer) in [(BatchSide::Input, input), (BatchSide::Output, output)] {
                let of_pair = batch.checks.iter().enumerate().filter(|(_, check)| (check.0, check.1) == (kind, side));
                let (numbers, ranges): (Vec<usize>, Vec<ChecksumRange>) =
                    of_pair.map(|(number, check)| (number, check.2)).unzip();
                if !numbers.is_empty() {
                    results.push((numbers, self.checksums.push(commands, kind, buffer, &ranges)?));
                }
            }
        }
        Ok(results)
    }
}

/// Writes inputs to a buffer: small ones together, large ones from where they are.
fn upload(device: &dyn Device, buffer: &Buffer, inputs: &[(u64, &[u8])]) -> Result<(), Error> {
    let mut gathered: Vec<u8> = Vec::new();
    let mut start = 0;
    let flush = |gathered: &mut Vec<u8>, start: u64| {
        let written = device.write(buffer, start, gathered);
        gathered.clear();
        written
    };
    for &(at, bytes) in inputs {
        if bytes.len() > MAX_GATHERED_BYTES {
            flush(&mut gathered, start)?;
            device.write(buffer, at, bytes)?;
            continue;
        }
        if gathered.is_empty() {
            start = at;
        }
        gathered.extend_from_slice(bytes);
        // The next input begins at a multiple of 4.
        gathered.resize(gathered.len().next_multiple_of(4), 0);
        if gathered.len() >= UPLOAD_BYTES {
            flush(&mut gathered, start)?;
        }
    }
    flush(&mut gathered, start)
}
