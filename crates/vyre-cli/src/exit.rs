//! Exit codes.

use std::process::ExitCode;

/// How a run ended, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Nothing to report: exit code 0.
    Clean,
    /// The programs have mistakes, or are not formatted; a graph has a cycle, or no path: exit code 1.
    Findings,
    /// The command could not do its work: exit code 2.
    Failure,
}

impl Outcome {
    /// Keeps the worse of the two.
    pub(crate) fn worsen(&mut self, other: Outcome) {
        *self = (*self).max(other);
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Failure => 2,
        })
    }
}
