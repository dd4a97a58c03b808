//! Device memory of a buffer.

use std::sync::Arc;

use vyre_runtime::{DeviceId, Error};

use crate::driver::context::Context;
use crate::driver::liveness::Liveness;
use crate::driver::memory::DeviceMemory;

/// Bytes of a vector. Buffers are padded to a multiple of it.
const VECTOR_BYTES: u64 = 16;

/// Contents of a buffer of this backend.
pub(crate) struct Storage {
    pub(crate) device: DeviceId,
    memory: DeviceMemory,
    liveness: Arc<Liveness>,
}

impl Storage {
    /// Size of a buffer in device memory: whole vectors, and at least one, so that every binding has an element 0 whatever
    /// its element type. Programs never see the padding.
    pub(crate) const fn padded(bytes: u64) -> u64 {
        let padded = bytes.saturating_add(VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
        if padded == 0 { VECTOR_BYTES } else { padded }
    }

    /// Allocates a buffer of zeros.
    pub(crate) fn new(device: DeviceId, context: &Arc<Context>, bytes: u64) -> Result<Storage, Error> {
        let current = context.enter()?;
        let padded = Storage::padded(bytes);
        let memory = current.allocate(context, padded)?;
        current.fill(context.streams.main, memory.address, padded, 0)?;
        Ok(Storage { device, memory, liveness: Arc::clone(context.liveness()) })
    }

    /// Address of the buffer for commands in a context. Fails if the contents are lost.
    pub(crate) fn address_in(&self, context: &Context) -> Result<u64, Error> {
        // A device replaces a context only after its loss, so a buffer of another context is lost.
        let is_same = std::ptr::eq(self.memory.context.as_ptr(), context) && !context.is_lost();
        if is_same { Ok(self.memory.address) } else { Err(self.lost_contents()) }
    }

    /// Error of every use of this buffer after the loss of its contents.
    pub(crate) fn lost_contents(&self) -> Error {
        self.liveness.lost_contents()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_whole_vectors() {
        assert_eq!([0, 1, 15, 16, 17].map(Storage::padded), [16, 16, 16, 16, 32]);
    }
}
