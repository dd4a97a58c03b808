//! Deadline and cancellation of a scan.

use std::time::Instant;

use super::{ScanControl, ScanOptions};

/// Deadline and cancellation of a scan.
pub(super) struct Watch<'c> {
    control: &'c ScanControl,
    deadline: Option<Instant>,
}

impl<'c> Watch<'c> {
    /// Watch over a scan that begins now.
    pub(super) fn new(control: &'c ScanControl, options: &ScanOptions) -> Watch<'c> {
        Watch { control, deadline: options.time_limit.map(|limit| Instant::now() + limit) }
    }

    /// True if the scan is to end.
    pub(super) fn is_over(&self) -> bool {
        self.control.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
