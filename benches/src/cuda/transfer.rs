//! What copies cost: on the device, and between it and the host.

use std::time::{Duration, Instant};

use vyre_runtime::{Buffer, Command, CommandList, RunOptions};

use super::bare::{BareBuffer, PinnedMemory};
use super::error::Error;
use super::machine::Machine;
use super::scale::Scale;

/// A copy of 2 GiB on the device by the driver, which bandwidths are compared with.
pub struct DeviceCopy<'m> {
    machine: &'m Machine,
    source: BareBuffer<'m>,
    target: BareBuffer<'m>,
    bytes: u64,
}

impl<'m> DeviceCopy<'m> {
    /// Makes the buffers.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub fn new(machine: &'m Machine, scale: Scale) -> Result<DeviceCopy<'m>, Error> {
        let bytes = scale.of(1 << 29) as u64 * 4;
        let [source, target] = [BareBuffer::new(&machine.bare, bytes)?, BareBuffer::new(&machine.bare, bytes)?];
        machine.bare.run(|| source.enqueue_clear())?;
        Ok(DeviceCopy { machine, source, target, bytes })
    }

    /// The bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What one copy reads and writes in a second.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn bytes_per_second(&self) -> Result<f64, Error> {
        let time = self.machine.bare.time(|| self.source.enqueue_copy_to(&self.target))?;
        Ok(self.bytes as f64 * 2.0 / time.as_secs_f64())
    }
}

/// Buffers for copies on both sides.
pub struct Transfers<'m> {
    machine: &'m Machine,
    bytes: u64,
    buffer: Buffer,
    other: Buffer,
    bare: BareBuffer<'m>,
    bare_other: BareBuffer<'m>,
    pinned: PinnedMemory<'m>,
    host: Vec<u8>,
}

/// What copies of the same bytes take, in one round.
#[derive(Clone, Copy, Debug)]
pub struct TransferTimes {
    /// [`Device::write`](vyre_runtime::Device::write), from the call to its return.
    pub write: Duration,
    /// A copy from memory of the host that is not pinned, by the driver.
    pub bare_write: Duration,
    /// A copy from pinned memory.
    pub pinned_write: Duration,
    /// [`Device::read`](vyre_runtime::Device::read), which makes the memory that it reads to.
    pub read: Duration,
    /// A copy to new memory of the host that is not pinned, by the driver.
    pub bare_read: Duration,
    /// A copy to pinned memory that is there.
    pub pinned_read: Duration,
    /// A copy on the device as a command, on the clock of the device.
    pub copy: Duration,
    /// The same by the driver.
    pub bare_copy: Duration,
}

impl<'m> Transfers<'m> {
    /// Makes buffers of 1 GiB, or less at a smaller scale.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub fn new(machine: &'m Machine, scale: Scale) -> Result<Transfers<'m>, Error> {
        let bytes = scale.of(1 << 28) as u64 * 4;
        let host = vec![1; usize::try_from(bytes).unwrap_or_default()];
        Ok(Transfers {
            machine,
            bytes,
            buffer: machine.device.create_buffer(bytes)?,
            other: machine.device.create_buffer(bytes)?,
            bare: BareBuffer::new(&machine.bare, bytes)?,
            bare_other: BareBuffer::new(&machine.bare, bytes)?,
            pinned: PinnedMemory::new(&machine.bare, host.len())?,
            host,
        })
    }

    /// The bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All copies in one round.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn time(&mut self) -> Result<TransferTimes, Error> {
        let Transfers { machine, buffer, other, bare, bare_other, pinned, host, bytes } = self;
        let (device, driver) = (&machine.device, &machine.bare);
        let mut copy = CommandList::new();
        copy.push(Command::Timestamp);
        copy.push(Command::Copy {
            source: buffer.clone(),
            source_offset: 0,
            target: other.clone(),
            target_offset: 0,
            length: *bytes,
        });
        copy.push(Command::Timestamp);
        Ok(TransferTimes {
            write: wall(|| Ok(device.write(buffer, 0, host)?))?,
            bare_write: wall(|| bare.write(0, host))?,
            pinned_write: wall(|| driver.run(|| bare.enqueue_upload(pinned)))?,
            read: wall(|| device.read(buffer).map(drop).map_err(Error::from))?,
            bare_read: wall(|| bare.read(&mut vec![0; host.len()]))?,
            pinned_read: wall(|| driver.run(|| bare.enqueue_download(pinned)))?,
            copy: {
                let report = device.run(&copy, &RunOptions::default())?;
                Duration::from_nanos(report.timestamps.last().copied().unwrap_or_default())
            },
            bare_copy: driver.time(|| bare.enqueue_copy_to(bare_other))?,
        })
    }
}

/// How long `work` takes, on the clock of the host.
pub(super) fn wall(work: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}
