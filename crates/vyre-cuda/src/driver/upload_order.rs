//! Order between the upload stream and the streams that use buffers.
//!
//! Buffers are created and written on the upload stream. A stream that uses them must first wait for the uploads that
//! calls have submitted. One event, recorded after each upload, stands for all of them: the upload stream runs in order.

use std::sync::Mutex;

use super::library::EventHandle;

/// Position of the upload stream up to which other streams must wait.
pub(crate) struct UploadOrder {
    /// Completes when the marked uploads are complete.
    pub(crate) event: EventHandle,
    /// True if the event may not be complete.
    pub(crate) is_pending: Mutex<bool>,
}

impl UploadOrder {
    pub(crate) fn new(event: EventHandle) -> UploadOrder {
        UploadOrder { event, is_pending: Mutex::new(false) }
    }
}
