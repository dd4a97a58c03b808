//! Observers of a run.

use super::report::{Failure, SectionReport};

/// Progress of a run. Costs are rough: they only make the time left plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The section that runs.
    pub section: &'static str,
    /// Cost of what is done.
    pub done: u64,
    /// Cost of the whole run.
    pub total: u64,
}

/// Sees the progress of a run. All methods have empty defaults. The thread that runs the suite calls them.
pub trait Observer: Send {
    /// Some checks are done.
    fn advanced(&mut self, progress: Progress) {
        let _ = progress;
    }

    /// A check failed. Its program is about to be reduced if it can be.
    fn failing(&mut self, section: &'static str, item: &str, message: &str) {
        let _ = (section, item, message);
    }

    /// A failure is complete.
    fn failed(&mut self, section: &'static str, failure: &Failure) {
        let _ = (section, failure);
    }

    /// A section is complete.
    fn finished(&mut self, report: &SectionReport) {
        let _ = report;
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
