//! Host memory for transfers.

use std::fmt;
use std::ops::{Deref, DerefMut};

use vyre_memory::Pages;

use crate::elements::Element;
use crate::error::Error;

/// Host memory that a device transfers from and to without an intermediate copy, where it can.
///
/// [`Device::host_memory`](crate::Device::host_memory) allocates it. It is a slice of bytes, aligned to 16 bytes at least. Any
/// device accepts it; the device that allocated it is the fastest.
///
/// ```
/// use vyre_runtime::{Device, ReferenceDevice};
///
/// let device: &dyn Device = &ReferenceDevice::new();
/// let buffer = device.buffer_from(&[1u32, 2, 3])?;
/// let mut memory = device.host_memory(buffer.size())?;
/// device.read_at(&buffer, 0, &mut memory)?;
/// assert_eq!(memory.elements::<u32>(), [1, 2, 3]);
/// # Ok::<(), vyre_runtime::Error>(())
/// ```
pub struct HostMemory {
    bytes: Box<dyn DerefMut<Target = [u8]> + Send + Sync>,
}

impl HostMemory {
    /// Wraps memory of a backend. Its address must be a multiple of 16 and must not change.
    #[must_use]
    pub fn new(bytes: impl DerefMut<Target = [u8]> + Send + Sync + 'static) -> HostMemory {
        HostMemory { bytes: Box::new(bytes) }
    }

    /// Allocates ordinary memory, filled with zeros.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn pageable(bytes: u64) -> Result<HostMemory, Error> {
        let no_memory = || Error::out_of_host_memory(bytes);
        let size = usize::try_from(bytes).map_err(|_| no_memory())?;
        Ok(HostMemory::new(Pages::new(size).map_err(|_| no_memory())?))
    }

    /// The memory as whole elements. Bytes after the last one are left out.
    #[must_use]
    pub fn elements<T: Element>(&self) -> &[T] {
        let size = self.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice(&self[..size])
    }

    /// The memory as whole elements that can be changed. Bytes after the last one are left out.
    #[must_use]
    pub fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        let size = self.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self[..size])
    }
}

impl Deref for HostMemory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for HostMemory {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostMemory({} bytes)", self.len())
    }
}
