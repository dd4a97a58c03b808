//! Exit codes.

use std::process::ExitCode;

/// Outcome of a command, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Nothing to report: exit code 0.
    Clean,
    /// Programs have errors or races, or are not formatted; a graph has a cycle, no path, or findings; an archive is damaged,
    /// hostile or too large; a package has findings: exit code 1.
    Findings,
    /// The command failed: exit code 2.
    Failure,
    /// Interrupted by Ctrl-C: exit code 130, by the convention of shells (128 + SIGINT).
    Interrupted,
}

impl Outcome {
    /// Replaces the outcome by the worse of the two.
    pub(crate) fn worsen(&mut self, other: Outcome) {
        *self = (*self).max(other);
    }

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Failure => 2,
            Outcome::Interrupted => 130,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}
