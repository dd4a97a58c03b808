//! Image of a file that is on a device, of which only some ranges are on the host.

use std::ops::Range;

use vyre_memory::try_zeroed_bytes;
use vyre_runtime::{Buffer, Command, CommandList, Device, RunOptions};

use crate::block_decoder::is_refusal;
use crate::device_entry::DeviceSlice;
use crate::error::DecompressError;

/// Number of ranges up to which each is read by itself.
const MAX_SINGLE_READS: usize = 4;

/// A file on a device. Bytes that were not read are the filling.
pub(crate) struct DeviceImage<'d> {
    device: &'d dyn Device,
    run_options: &'d RunOptions,
    file: DeviceSlice,
    bytes: Vec<u8>,
    /// Number of bytes that were read.
    pub(crate) read: u64,
}

impl<'d> DeviceImage<'d> {
    /// An image without bytes of the file.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub(crate) fn new(
        device: &'d dyn Device,
        run_options: &'d RunOptions,
        file: &DeviceSlice,
    ) -> Result<DeviceImage<'d>, DecompressError> {
        let size = usize::try_from(file.length).map_err(|_| DecompressError::OutOfMemory)?;
        // The system provides a page when it is first written.
        let bytes = try_zeroed_bytes(size).ok_or(DecompressError::OutOfMemory)?;
        Ok(DeviceImage { device, run_options, file: file.clone(), bytes, read: 0 })
    }

    /// The bytes of the image.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the bytes out of the image.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Reads ranges of the file, clipped to it. Many ranges are gathered on the device and read together.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn read(&mut self, ranges: &[Range<usize>]) -> Result<(), DecompressError> {
        let length = self.bytes.len();
        let clip = |range: &Range<usize>| range.start.min(length)..range.end.min(length);
        let ranges: Vec<Range<usize>> = ranges.iter().map(clip).filter(|range| !range.is_empty()).collect();
        self.read += ranges.iter().map(|range| range.len() as u64).sum::<u64>();
        if ranges.len() <= MAX_SINGLE_READS {
            for range in ranges {
                let offset = self.file.offset + range.start as u64;
                self.device.read_at(&self.file.buffer, offset, &mut self.bytes[range])?;
            }
            return Ok(());
        }
        let gathered = gather(
            self.device,
            self.run_options,
            ranges.iter().map(|range| (&self.file.buffer, self.file.offset + range.start as u64, range.len() as u64)),
        )?;
        let mut at = 0;
        for range in ranges {
            let size = range.len();
            self.bytes[range].copy_from_slice(&gathered[at..at + size]);
            at += size.next_multiple_of(4);
        }
        Ok(())
    }

    /// Reads a range of the file, clipped to it.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn read_range(&mut self, range: Range<usize>) -> Result<(), DecompressError> {
        self.read(std::slice::from_ref(&range))
    }

    /// Reads the whole file.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn read_all(&mut self) -> Result<(), DecompressError> {
        self.read_range(0..self.bytes.len())
    }
}

/// Copies ranges of buffers to one buffer, each aligned to 4 bytes, and reads that.
///
/// # Errors
///
/// The device fails.
pub(crate) fn gather<'b>(
    device: &dyn Device,
    run_options: &RunOptions,
    ranges: impl Iterator<Item = (&'b Buffer, u64, u64)> + Clone,
) -> Result<Vec<u8>, DecompressError> {
    let total: u64 = ranges.clone().map(|(_, _, length)| length.next_multiple_of(4)).sum();
    let target = match device.create_buffer(total) {
        Err(error) if is_refusal(&error) => return read_each(device, ranges, total),
        target => target?,
    };
    let mut commands = CommandList::new();
    let mut at = 0;
    for (source, source_offset, length) in ranges {
        let (source, target) = (source.clone(), target.clone());
        commands.push(Command::Copy { source, source_offset, target, target_offset: at, length });
        at += length.next_multiple_of(4);
    }
    device.run(&commands, run_options)?;
    Ok(device.read(&target)?)
}

/// Reads ranges of buffers one after the other, each aligned to 4 bytes. The device has no memory to gather them.
fn read_each<'b>(
    device: &dyn Device,
    ranges: impl Iterator<Item = (&'b Buffer, u64, u64)>,
    total: u64,
) -> Result<Vec<u8>, DecompressError> {
    let size = usize::try_from(total).map_err(|_| DecompressError::OutOfMemory)?;
    let mut bytes = try_zeroed_bytes(size).ok_or(DecompressError::OutOfMemory)?;
    let mut at = 0;
    for (source, offset, length) in ranges {
        let length = length as usize;
        device.read_at(source, offset, &mut bytes[at..at + length])?;
        at += length.next_multiple_of(4);
    }
    Ok(bytes)
}
