//! Transfers through the `Device` trait.

use std::error::Error;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_memory::MappedBytes;
use vyre_runtime::{Buffer, Device, HostMemory};

/// Names of the measured transfers, in the order of [`DeviceCopies::times`].
pub(crate) const TRANSFERS: [&str; 6] = [
    "upload, pageable memory",
    "upload, mapped file",
    "upload, host memory of the device",
    "download, existing memory",
    "download, new memory",
    "download, host memory of the device",
];

/// Number of the first transfer that is a download.
pub(crate) const FIRST_DOWNLOAD: usize = 3;

/// Buffer of a device, and host memory of each kind.
pub(crate) struct DeviceCopies {
    pub(crate) name: &'static str,
    device: Arc<dyn Device>,
    buffer: Buffer,
    pinned: HostMemory,
    existing: Vec<u8>,
}

impl DeviceCopies {
    pub(crate) fn new(
        name: &'static str,
        device: &Arc<dyn Device>,
        bytes: usize,
    ) -> Result<DeviceCopies, Box<dyn Error>> {
        Ok(DeviceCopies {
            name,
            device: Arc::clone(device),
            buffer: device.create_buffer(bytes as u64)?,
            pinned: device.host_memory(bytes as u64)?,
            existing: vec![1; bytes],
        })
    }

    /// Transfers `contents`, which `file` holds too, in all ways. Compares what is read, outside of the times.
    pub(crate) fn times(&mut self, contents: &[u8], file: &File) -> Result<[Duration; 6], Box<dyn Error>> {
        self.pinned.copy_from_slice(contents);
        let pageable = self.upload(|device, buffer| device.write(buffer, 0, contents))?;
        let mapped = {
            let map = MappedBytes::new(file)?;
            self.upload(|device, buffer| device.write(buffer, 0, map.as_ref()))?
        };
        let pinned = self.upload(|device, buffer| device.write(buffer, 0, &self.pinned))?;
        let start = Instant::now();
        self.device.read_at(&self.buffer, 0, &mut self.existing)?;
        let to_existing = start.elapsed();
        let start = Instant::now();
        let new = self.device.read(&self.buffer)?;
        let to_new = start.elapsed();
        self.pinned.fill(0);
        let start = Instant::now();
        self.device.read_at(&self.buffer, 0, &mut self.pinned)?;
        let to_pinned = start.elapsed();
        if self.existing != contents || new != contents || *self.pinned != *contents {
            return Err(format!("{}: the bytes that were read are not those that were written", self.name).into());
        }
        Ok([pageable, mapped, pinned, to_existing, to_new, to_pinned])
    }

    /// Time from the call to the moment at which the last bytes can be read.
    fn upload(
        &self,
        write: impl FnOnce(&dyn Device, &Buffer) -> Result<(), vyre_runtime::Error>,
    ) -> Result<Duration, Box<dyn Error>> {
        let mut last = [0; 4];
        // Another value than before, so that the upload is observed.
        self.device.write(&self.buffer, self.buffer.size() - 4, &last)?;
        self.device.read_at(&self.buffer, self.buffer.size() - 4, &mut last)?;
        let start = Instant::now();
        write(&*self.device, &self.buffer)?;
        self.device.read_at(&self.buffer, self.buffer.size() - 4, &mut last)?;
        Ok(start.elapsed())
    }
}
