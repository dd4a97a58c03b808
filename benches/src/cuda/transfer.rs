//! Bandwidth of copies: on the device, and between device and host.

use std::time::{Duration, Instant};

use vyre_runtime::{Buffer, Command, CommandList, RunOptions};

use super::bare::{BareBuffer, PinnedMemory};
use super::scale::Scale;
use super::session::Session;
use crate::error::Error;
use crate::harness::Timed;

/// Copy of 2 GiB on the device by the driver, the reference of bandwidths.
pub struct DeviceCopy<'s> {
    session: &'s Session,
    source: BareBuffer<'s>,
    target: BareBuffer<'s>,
    bytes: u64,
}

impl<'s> DeviceCopy<'s> {
    /// Creates the buffers.
    ///
    /// # Errors
    ///
    /// There is too little memory.
    pub fn new(session: &'s Session, scale: Scale) -> Result<DeviceCopy<'s>, Error> {
        let bytes = scale.of(1 << 29) as u64 * 4;
        let [source, target] = [BareBuffer::new(&session.bare, bytes)?, BareBuffer::new(&session.bare, bytes)?];
        session.bare.run(|| source.enqueue_clear())?;
        Ok(DeviceCopy { session, source, target, bytes })
    }

    /// Bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Time of one copy, by events of the driver.
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn time(&self) -> Result<Duration, Error> {
        self.session.bare.time(|| self.source.enqueue_copy_to(&self.target))
    }
}

/// Buffers for copies on both sides.
pub struct Transfers<'s> {
    session: &'s Session,
    bytes: u64,
    buffer: Buffer,
    other: Buffer,
    bare: BareBuffer<'s>,
    bare_other: BareBuffer<'s>,
    pinned: PinnedMemory<'s>,
    host: Vec<u8>,
}

/// Times of copies of the same size, in one iteration.
#[derive(Clone, Copy, Debug)]
pub struct TransferTimes {
    /// [`Device::write`](vyre_runtime::Device::write), from the call to its return.
    pub write: Duration,
    /// Copy from pageable memory of the host, by the driver.
    pub bare_write: Duration,
    /// Copy from pinned memory, by the driver.
    pub pinned_write: Duration,
    /// [`Device::read`](vyre_runtime::Device::read), which allocates its result.
    pub read: Duration,
    /// Copy to newly allocated pageable memory of the host, by the driver.
    pub bare_read: Duration,
    /// Copy to existing pinned memory, by the driver.
    pub pinned_read: Duration,
    /// Copy command on the device, by its clock.
    pub copy: Duration,
    /// Copy on the device by the driver.
    pub bare_copy: Duration,
}

impl Timed for TransferTimes {
    fn time(&self) -> Duration {
        self.write
    }
}

impl<'s> Transfers<'s> {
    /// Creates buffers of 1 GiB, or less at a smaller scale.
    ///
    /// # Errors
    ///
    /// There is too little memory.
    pub fn new(session: &'s Session, scale: Scale) -> Result<Transfers<'s>, Error> {
        let bytes = scale.of(1 << 28) as u64 * 4;
        let host = vec![1; usize::try_from(bytes).unwrap_or_default()];
        Ok(Transfers {
            session,
            bytes,
            buffer: session.device.create_buffer(bytes)?,
            other: session.device.create_buffer(bytes)?,
            bare: BareBuffer::new(&session.bare, bytes)?,
            bare_other: BareBuffer::new(&session.bare, bytes)?,
            pinned: PinnedMemory::new(&session.bare, host.len())?,
            host,
        })
    }

    /// Bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Measures all copies once.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn time(&mut self) -> Result<TransferTimes, Error> {
        let Transfers { session, buffer, other, bare, bare_other, pinned, host, bytes } = self;
        let (device, driver) = (&session.device, &session.bare);
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

/// Time of `work`, by the clock of the host.
pub(super) fn wall(work: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}
