//! Entries whose content is on a device.

use vyre_runtime::Buffer;

use crate::entry::Entry;
use crate::summary::Summary;

/// Bytes of a buffer of a device.
#[derive(Clone, Debug)]
pub struct DeviceSlice {
    /// The buffer. Other entries may share it.
    pub buffer: Buffer,
    /// Offset of the first byte; any number, not only a multiple of 4.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

/// An entry whose content is on a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceEntry {
    /// Path, metadata and problems. [`Entry::bytes`] is empty.
    pub entry: Entry,
    /// The content: all of it, or the bytes before the first problem. None if it has no bytes.
    pub content: Option<DeviceSlice>,
    /// True if the host decoded the content, which was uploaded then.
    pub is_by_host: bool,
}

/// Entries of an archive, and statistics.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceEntries {
    /// The entries, in no particular order. Paths and offsets are those of the host route.
    pub entries: Vec<DeviceEntry>,
    /// Statistics and problems of archives. Contents that the host decoded are counted with the reason.
    pub summary: Summary,
    /// Bytes that were read back from the device: headers of nested archives, and contents that the host needs.
    pub read_back: u64,
    /// Bytes that were written to the device.
    pub uploaded: u64,
}
