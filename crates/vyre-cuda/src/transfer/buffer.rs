//! Device memory of a buffer.

use std::sync::Arc;

use vyre_runtime::Error;
use vyre_runtime::shell::padded_bytes;

use crate::driver::context::Context;
use crate::driver::liveness::Liveness;
use crate::driver::memory::DeviceMemory;

/// Contents of a buffer of this backend.
pub(crate) struct Storage {
    memory: DeviceMemory,
    liveness: Arc<Liveness>,
}

impl Storage {
    /// Allocates a buffer of zeros.
    pub(crate) fn new(context: &Arc<Context>, bytes: u64) -> Result<Storage, Error> {
        let (current, stream) = (context.enter()?, context.streams.upload);
        let padded = padded_bytes(bytes);
        let memory = current.allocate(context, stream, padded)?;
        current.fill(stream, memory.address, padded, 0)?;
        current.mark_upload()?;
        Ok(Storage { memory, liveness: Arc::clone(context.liveness()) })
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
