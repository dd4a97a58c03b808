//! Ends of sections before all their checks are made: cancelled runs, time limits, and too many failures.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use vyre_runtime::CancelToken;

/// Reason why a section ended before all its checks were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EarlyEnd {
    /// The run was cancelled.
    Cancelled,
    /// The time limit of the section was reached.
    TimeLimit,
    /// So many checks had failed that the others were not made.
    Failures,
    /// The section panicked outside its checks.
    Panic,
    /// A call did not return, so the section was abandoned, and the run ended with it.
    NoReturn,
    /// The process of the section ended.
    Crash,
    /// The host could not store the programs that run.
    Storage,
}

impl fmt::Display for EarlyEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EarlyEnd::Cancelled => "the run was cancelled",
            EarlyEnd::TimeLimit => "the time limit of a section was reached",
            EarlyEnd::Failures => "too many checks had failed",
            EarlyEnd::Panic => "the section panicked",
            EarlyEnd::NoReturn => "a call did not return",
            EarlyEnd::Crash => "the process of the section ended",
            EarlyEnd::Storage => "a running program could not be stored",
        })
    }
}

/// Maximum duration of any run of commands. A miscompiled loop may have no end. Software drivers take minutes to compile a large program
/// at its first run.
const MAX_RUN_TIME: Duration = Duration::from_secs(600);

/// Time at which a section must end, and whether that stopped a call of its device.
pub(super) struct Ending {
    pub(super) cancel: CancelToken,
    deadline: Option<Instant>,
    has_stopped_a_call: AtomicBool,
    has_no_storage: AtomicBool,
}

impl Ending {
    /// The ending of a section that begins now. A limit beyond the range of the clock is none.
    pub(super) fn new(cancel: CancelToken, limit: Option<Duration>) -> Ending {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Ending { cancel, deadline, has_stopped_a_call: AtomicBool::new(false), has_no_storage: AtomicBool::new(false) }
    }

    /// The reason why the section must end now, if it must.
    pub(super) fn reason(&self) -> Option<EarlyEnd> {
        if self.cancel.is_cancelled() {
            Some(EarlyEnd::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(EarlyEnd::TimeLimit)
        } else {
            self.has_no_storage.load(Ordering::Relaxed).then_some(EarlyEnd::Storage)
        }
    }

    /// Records that a program that was to run could not be stored.
    pub(super) fn no_storage(&self) {
        self.has_no_storage.store(true, Ordering::Relaxed);
    }

    /// Time at which the section must end.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Deadline of a run of commands that begins now.
    pub(super) fn run_deadline(&self) -> Option<Instant> {
        let of_run = Instant::now().checked_add(MAX_RUN_TIME);
        self.deadline.into_iter().chain(of_run).min()
    }

    /// Records that the end of the section stopped a compilation or a run. The check that made the call has no result.
    pub(super) fn stopped_a_call(&self) {
        self.has_stopped_a_call.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_stopped_a_call(&self) -> bool {
        self.has_stopped_a_call.load(Ordering::Relaxed)
    }
}
