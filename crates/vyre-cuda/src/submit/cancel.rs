//! Cancel words: words of device memory that cancellable kernels poll. A kernel ends early when its word is not 0.

use std::sync::Mutex;

use vyre_runtime::{Error, Resource};

use crate::driver::context::{Context, Current};
use crate::driver::library::{Driver, Failure};
use crate::sync::lock;
use crate::transfer::pinned::Pinned;

/// Maximum number of cancellable runs at a time.
const MAX_WORDS: usize = 1024;

/// Distance between two words in bytes, so that no two share a cache line.
const STRIDE_BYTES: usize = 128;

/// Cancel words of a context. All free words are 0.
pub(crate) struct CancelWords {
    /// The words 0 and 1 in pinned memory, from which the device copies even while its cores are busy.
    values: Pinned,
    /// Addresses of the free words.
    free: Mutex<Vec<u64>>,
}

impl CancelWords {
    /// Allocates the words in the context that is current on this thread.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn create(driver: &Driver) -> Result<CancelWords, Failure> {
        let values = Pinned::new(driver, 8)?;
        // SAFETY: the memory has this size, is aligned to pages, and is not shared yet.
        unsafe { values.address().cast::<[u32; 2]>().write([0, 1]) };
        let mut first = 0;
        // SAFETY: a context is current on this thread; the pointer is valid for a write of an address. The fill runs on the
        // default stream, which is synchronized before any other stream can use the words.
        unsafe {
            Failure::check((driver.cuMemAlloc_v2)(&raw mut first, MAX_WORDS * STRIDE_BYTES))?;
            Failure::check((driver.cuMemsetD8_v2)(first, 0, MAX_WORDS * STRIDE_BYTES))?;
            Failure::check((driver.cuStreamSynchronize)(std::ptr::null_mut()))?;
        }
        let free = (0..MAX_WORDS).rev().map(|at| first + (at * STRIDE_BYTES) as u64).collect();
        Ok(CancelWords { values, free: Mutex::new(free) })
    }

    /// Writes a word on the side stream, concurrently with the main stream.
    fn write(&self, current: &Current<'_>, address: u64, value: bool) -> Result<(), Error> {
        let source = self.values.address().wrapping_add(if value { 4 } else { 0 });
        current.upload(current.context.streams.side, source.cast_const().cast(), address, 4)
    }
}

/// Cancel word of a run. Dropping it clears it and returns it to the free ones.
pub(crate) struct CancelWord<'c> {
    context: &'c Context,
    words: &'c CancelWords,
    pub(crate) address: u64,
    is_set: bool,
}

impl<'c> CancelWord<'c> {
    /// Takes a free word, which is 0.
    pub(crate) fn take(context: &'c Context, words: &'c CancelWords) -> Result<CancelWord<'c>, Error> {
        let too_many = || {
            let (resource, limit) = (Resource::CancellableRuns, MAX_WORDS as u64);
            Error::ResourceExceeded { resource, wanted: limit + 1, limit }
        };
        let address = lock(&words.free).pop().ok_or_else(too_many)?;
        Ok(CancelWord { context, words, address, is_set: false })
    }

    /// Sets the word, so that the kernels of the run end early.
    pub(crate) fn set(&mut self, current: &Current<'_>) -> Result<(), Error> {
        self.is_set = true;
        self.words.write(current, self.address, true)
    }

    /// Sets the word to 0 and waits for the write.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn clear(&self) -> Result<(), Error> {
        let current = self.context.enter()?;
        self.words.write(&current, self.address, false)?;
        // SAFETY: the stream belongs to the context, which is current on this thread.
        let status = unsafe { (current.driver().cuStreamSynchronize)(self.context.streams.side.0) };
        Failure::check(status).map_err(|failure| self.context.lost_by(failure))
    }
}

impl Drop for CancelWord<'_> {
    fn drop(&mut self) {
        // The run has ended, or the context is lost. A word that may not be 0 is never used again.
        if !self.is_set || self.clear().is_ok() {
            lock(&self.words.free).push(self.address);
        }
    }
}
