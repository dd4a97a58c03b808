//! Conditions under which algorithms run on the host.

use vyre_runtime::RunOptions;

use super::checkpoint::Checkpoint;
use super::device::{Observer, Progress};

/// Deadline, cancellation token and observer of algorithms.
#[derive(Clone, Default)]
pub(crate) struct HostRun {
    pub(crate) options: RunOptions,
    pub(crate) observer: Option<Observer>,
}

impl HostRun {
    pub(crate) fn report(&self, progress: Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }

    /// A new counter of steps.
    pub(crate) fn checkpoint(&self) -> Checkpoint<'_> {
        Checkpoint::new(&self.options)
    }
}
