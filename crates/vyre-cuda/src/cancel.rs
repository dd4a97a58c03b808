//! Words of the device that tell kernels to end.

use std::sync::Mutex;

use vyre_runtime::Error;

use crate::context::{Context, Current, locked};
use crate::driver::{Driver, Failure};
use crate::staging::Pinned;

/// How many runs that can be cancelled there can be at a time.
const COUNT: usize = 1024;

/// The bytes from one word to the next, so that no two share a line of a cache.
const STRIDE: usize = 128;

/// The words of a context. All that are free are 0.
pub(crate) struct Words {
    /// A 0 and a 1, where the device can copy them from while all of it is busy.
    values: Pinned,
    free: Mutex<Vec<u64>>,
}

impl Words {
    /// Words that are 0. A context is that of this thread.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn create(driver: &Driver) -> Result<Words, Failure> {
        let values = Pinned::new(driver, 8)?;
        // SAFETY: the memory has this size, is aligned to pages and belongs to nobody else yet.
        unsafe { values.address().cast::<[u32; 2]>().write([0, 1]) };
        let mut first = 0;
        // SAFETY: a context is that of this thread; the address is written to a number, and the words are filled on the
        // stream that is waited for then, before anybody knows them.
        unsafe {
            Failure::check((driver.cuMemAlloc_v2)(&raw mut first, COUNT * STRIDE))?;
            Failure::check((driver.cuMemsetD8_v2)(first, 0, COUNT * STRIDE))?;
            Failure::check((driver.cuStreamSynchronize)(std::ptr::null_mut()))?;
        }
        let free = (0..COUNT).rev().map(|at| first + (at * STRIDE) as u64).collect();
        Ok(Words { values, free: Mutex::new(free) })
    }

    /// Writes a word beside everything else that the device does.
    fn write(&self, current: &Current<'_>, address: u64, value: bool) -> Result<(), Error> {
        let source = self.values.address().wrapping_add(if value { 4 } else { 0 });
        current.upload(current.context.side, source.cast_const().cast(), address, 4)
    }
}

/// A word that tells the kernels of a run to end when it is not 0.
pub(crate) struct CancelWord<'c> {
    context: &'c Context,
    pub(crate) address: u64,
    is_set: bool,
}

impl<'c> CancelWord<'c> {
    /// A word that is 0.
    pub(crate) fn take(context: &'c Context) -> Result<CancelWord<'c>, Error> {
        let too_many = || Error::Backend { message: format!("more than {COUNT} runs can be cancelled at a time") };
        let address = locked(&context.words.free).pop().ok_or_else(too_many)?;
        Ok(CancelWord { context, address, is_set: false })
    }

    /// Tells the kernels of the run to end.
    pub(crate) fn set(&mut self, current: &Current<'_>) -> Result<(), Error> {
        self.is_set = true;
        self.context.words.write(current, self.address, true)
    }

    /// Makes the word 0 again, and waits for that.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn clear(&self) -> Result<(), Error> {
        let current = self.context.enter()?;
        self.context.words.write(&current, self.address, false)?;
        // SAFETY: the stream belongs to the context, which is that of this thread.
        let status = unsafe { (current.driver().cuStreamSynchronize)(self.context.side.0) };
        Failure::check(status).map_err(|failure| self.context.broken(failure))
    }
}

impl Drop for CancelWord<'_> {
    fn drop(&mut self) {
        // The run has ended, or the context is lost. A word that may not be 0 is never used again.
        if !self.is_set || self.clear().is_ok() {
            locked(&self.context.words.free).push(self.address);
        }
    }
}
