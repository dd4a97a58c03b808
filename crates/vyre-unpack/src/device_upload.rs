//! Upload of entries that the host decoded, to a device.

use bytes::Bytes;
use vyre_runtime::Device;

use crate::block_decoder::is_refusal;
use crate::device_entry::{DeviceEntry, DeviceSlice};
use crate::entry::Entry;
use crate::error::DecompressError;
use crate::receiver::Receiver;

/// Size up to which entries of the host are uploaded together.
const MAX_GATHERED_BYTES: usize = 4 << 20;

/// Receiver that uploads entries.
pub(crate) struct Upload<'u> {
    device: &'u dyn Device,
    pub(crate) entries: Vec<DeviceEntry>,
    /// Number of bytes written to the device.
    pub(crate) uploaded: u64,
}

impl<'u> Upload<'u> {
    /// A receiver without entries.
    pub(crate) fn new(device: &'u dyn Device) -> Upload<'u> {
        Upload { device, entries: Vec::new(), uploaded: 0 }
    }

    /// Uploads small contents together. Each begins at a multiple of 4.
    ///
    /// # Errors
    ///
    /// The device fails, or has no memory for one content alone.
    fn upload(&mut self, contents: &[(usize, Bytes)]) -> Result<(), DecompressError> {
        let total: usize = contents.iter().map(|(_, bytes)| bytes.len().next_multiple_of(4)).sum();
        let buffer = match (self.device.create_buffer(total as u64), contents) {
            (Err(source), [(entry, bytes)]) if is_refusal(&source) => {
                let path = self.entries[*entry].entry.path.clone();
                return Err(DecompressError::Upload { path, bytes: bytes.len() as u64, source });
            }
            (Err(error), _) if is_refusal(&error) => {
                return contents.iter().try_for_each(|content| self.upload(std::slice::from_ref(content)));
            }
            (buffer, _) => buffer?,
        };
        self.uploaded += total as u64;
        let mut offset = 0;
        let mut gathered = Vec::new();
        for (entry, bytes) in contents {
            let length = bytes.len() as u64;
            self.entries[*entry].content = Some(DeviceSlice { buffer: buffer.clone(), offset, length });
            offset += length.next_multiple_of(4);
            if let [_] = contents {
                self.device.write(&buffer, 0, bytes)?;
            } else {
                gathered.extend_from_slice(bytes);
                gathered.resize(gathered.len().next_multiple_of(4), 0);
            }
        }
        Ok(self.device.write(&buffer, 0, &gathered)?)
    }
}

impl Receiver for Upload<'_> {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        let mut waiting = Vec::new();
        let mut size = 0;
        for mut entry in entries {
            let bytes = std::mem::take(&mut entry.bytes);
            self.entries.push(DeviceEntry { entry, content: None, is_by_host: true });
            if bytes.is_empty() {
                continue;
            }
            size += bytes.len();
            waiting.push((self.entries.len() - 1, bytes));
            if size >= MAX_GATHERED_BYTES {
                self.upload(&std::mem::take(&mut waiting))?;
                size = 0;
            }
        }
        if waiting.is_empty() { Ok(()) } else { self.upload(&waiting) }
    }
}
