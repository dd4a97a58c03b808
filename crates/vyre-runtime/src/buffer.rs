//! Buffers: memory of a device, as a handle for the host.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_ir::DataType;

use crate::error::Error;

/// Identity of a device, unique in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(u64);

impl DeviceId {
    /// Creates an id that no other device has.
    #[must_use]
    pub fn fresh() -> DeviceId {
        DeviceId(fresh_id())
    }
}

/// Creates a number that is unique among the buffers and devices of this process.
fn fresh_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Memory of a device. Clones share the memory.
#[derive(Clone)]
pub struct Buffer {
    device: DeviceId,
    id: u64,
    size: u64,
    contents: Arc<dyn Any + Send + Sync>,
}

impl Buffer {
    /// Creates a handle for the representation that the backend of a device uses.
    #[must_use]
    pub fn new(device: DeviceId, size: u64, contents: Arc<dyn Any + Send + Sync>) -> Buffer {
        Buffer { device, id: fresh_id(), size, contents }
    }

    /// The device that owns the buffer.
    #[must_use]
    pub fn device(&self) -> DeviceId {
        self.device
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Identity of the memory, unique in this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Reports whether both handles share their memory.
    #[must_use]
    pub fn is_same(&self, other: &Buffer) -> bool {
        self.id == other.id
    }

    /// Representation of the buffer in the backend of a device.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`] if another device owns the buffer, or if its representation has another type.
    pub fn contents<T: Any>(&self, device: DeviceId) -> Result<&T, Error> {
        let contents = self.contents.downcast_ref().filter(|_| self.device == device);
        contents.ok_or(Error::ForeignObject)
    }

    /// Checks that a range lies within the buffer.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBuffer`].
    pub fn check_range(&self, offset: u64, length: u64) -> Result<(), Error> {
        let end = offset.saturating_add(length);
        if end > self.size { Err(Error::OutOfBuffer { end, size: self.size }) } else { Ok(()) }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.size)
    }
}

/// Number of elements in so many bytes, as programs see it: at most 2^32 - 1.
#[must_use]
pub fn element_count(bytes: u64, element: DataType) -> u32 {
    u32::try_from(bytes / element.element_bytes() as u64).unwrap_or(u32::MAX)
}

/// Vector of zeros, whose pages the system zeroes on first use, in huge pages where the system has them.
pub(crate) fn zeroed_vec<T: bytemuck::Zeroable>(count: u64) -> Result<Vec<T>, Error> {
    let no_memory = || Error::out_of_host_memory(count.saturating_mul(size_of::<T>() as u64));
    let length = usize::try_from(count).map_err(|_| no_memory())?;
    let mut items: Vec<T> = bytemuck::allocation::try_zeroed_vec(length).map_err(|()| no_memory())?;
    vyre_memory::advise_huge_pages(items.as_mut_ptr().cast(), size_of_val(items.as_slice()));
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_counts_are_limited_to_32_bits() {
        assert_eq!(element_count(17, DataType::U32), 4);
        assert_eq!(element_count(u64::MAX, DataType::Bytes), u32::MAX);
    }
}
