//! Small transfers, by the calling thread alone, through a pinned block of the context.
//!
//! | Part of the block | Use |
//! |---|---|
//! | first and second [`HALF_BYTES`] | uploads, which are appended to one half while the device copies from the other |
//! | [`SMALL_BYTES`] after them | one download |

use std::sync::Mutex;

use vyre_runtime::Error;

use super::pinned::Pinned;
use crate::driver::context::{Context, Current};
use crate::driver::library::{EventHandle, Failure};
use crate::driver::streams::create_event;
use crate::sync::lock;

/// Maximum bytes of a small transfer.
pub(super) const SMALL_BYTES: usize = 256 << 10;

/// Bytes of each half of the upload part.
const HALF_BYTES: usize = 384 << 10;

/// Alignment of uploads in bytes.
const ALIGNMENT: usize = 64;

/// Staging memory of small transfers.
pub(super) struct SmallStaging {
    block: Pinned,
    /// `None` after a failure: the device may still access the memory, so it is not used again.
    uploads: Mutex<Option<Uploads>>,
    /// Event of the download. `None` after a failure.
    download: Mutex<Option<EventHandle>>,
}

/// State of the upload part.
struct Uploads {
    /// Events that complete when the device has finished with a half.
    free: [EventHandle; 2],
    /// Half that is being filled.
    half: usize,
    /// Bytes of that half in use.
    used: usize,
}

impl SmallStaging {
    /// Allocates the block in the context that is current on this thread.
    pub(super) fn open(context: &Context) -> Result<SmallStaging, Failure> {
        context.with_current(|driver| {
            let event = || create_event(driver, false);
            Ok(SmallStaging {
                block: Pinned::new(driver, 2 * HALF_BYTES + SMALL_BYTES)?,
                uploads: Mutex::new(Some(Uploads { free: [event()?, event()?], half: 0, used: 0 })),
                download: Mutex::new(Some(event()?)),
            })
        })
    }

    /// Uploads at most [`SMALL_BYTES`]. The device may still copy them when this returns. Returns false if the staging memory
    /// is unusable after a failure.
    #[expect(unsafe_code, reason = "bytes are copied to memory of a C library")]
    pub(super) fn upload(&self, current: &Current<'_>, bytes: &[u8], target: u64) -> Result<bool, Error> {
        let stream = current.context.streams.upload;
        let mut slot = lock(&self.uploads);
        let Some(mut uploads) = slot.take() else { return Ok(false) };
        if uploads.used + bytes.len() > HALF_BYTES {
            uploads.half = 1 - uploads.half;
            uploads.used = 0;
            current.wait(uploads.free[uploads.half])?;
        }
        let start = self.block.address().wrapping_add(uploads.half * HALF_BYTES + uploads.used);
        // SAFETY: the bytes fit the rest of the half, as checked above. The device does not read that part: the host waited
        // for the device before it started the half, and has submitted only earlier parts since.
        unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        current.upload(stream, start.cast_const().cast(), target, bytes.len())?;
        current.record(uploads.free[uploads.half], stream)?;
        uploads.used = (uploads.used + bytes.len()).next_multiple_of(ALIGNMENT);
        *slot = Some(uploads);
        Ok(true)
    }

    /// Downloads at most [`SMALL_BYTES`]. Returns false if the staging memory is unusable after a failure.
    #[expect(unsafe_code, reason = "bytes are copied from memory of a C library")]
    pub(super) fn download(&self, current: &Current<'_>, source: u64, target: &mut [u8]) -> Result<bool, Error> {
        let stream = current.context.streams.download;
        let mut slot = lock(&self.download);
        let Some(event) = slot.take() else { return Ok(false) };
        let start = self.block.address().wrapping_add(2 * HALF_BYTES);
        current.download(stream, source, start.cast(), target.len())?;
        current.record(event, stream)?;
        current.wait(event)?;
        // SAFETY: the device has written this many bytes, and does not access them before the next download, which the lock
        // excludes.
        target.copy_from_slice(unsafe { std::slice::from_raw_parts(start, target.len()) });
        *slot = Some(event);
        Ok(true)
    }
}
