//! Buffers.

use std::sync::Arc;

use vyre_runtime::{DeviceId, Error};

use crate::context::{Context, Fate};
use crate::memory::Memory;

/// What a buffer is here.
pub(crate) struct Storage {
    pub(crate) device: DeviceId,
    memory: Memory,
    fate: Arc<Fate>,
}

impl Storage {
    /// Buffers have whole vectors, and at least one: every binding has an element 0, whatever the type of its elements.
    /// What lies behind the end of the program's buffer is never seen.
    pub(crate) const fn padded(bytes: u64) -> u64 {
        let padded = bytes.saturating_add(15) / 16 * 16;
        if padded == 0 { 16 } else { padded }
    }

    /// A buffer of zeros.
    pub(crate) fn new(device: DeviceId, context: &Arc<Context>, bytes: u64) -> Result<Storage, Error> {
        let current = context.enter()?;
        let padded = Storage::padded(bytes);
        let memory = current.allocate(context, padded)?;
        current.fill(context.main, memory.address, padded, 0)?;
        Ok(Storage { device, memory, fate: Arc::clone(context.fate()) })
    }

    /// The context that the buffer is in.
    pub(crate) fn context(&self) -> Result<Arc<Context>, Error> {
        let context = self.memory.home.upgrade().filter(|context| !context.is_lost());
        context.ok_or_else(|| self.fate.lost_contents())
    }

    /// The address, for commands in a context.
    pub(crate) fn address_in(&self, context: &Context) -> Result<u64, Error> {
        // Contexts of a device follow each other, so another one is that of a buffer that is lost.
        let is_home = std::ptr::eq(self.memory.home.as_ptr(), context) && !context.is_lost();
        if is_home { Ok(self.memory.address) } else { Err(self.fate.lost_contents()) }
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
