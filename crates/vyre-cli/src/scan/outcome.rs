//! Outcome of a scan that may not be complete.

use anyhow::anyhow;
use vyre::pyrograph::coverage::{Coverage, FileOutcome};
use vyre::pyrograph::scan::ScanControl;

use crate::args::scan::ScanArgs;
use crate::exit::Outcome;
use crate::output::{print_error, print_note, visible};

/// Maximum number of files that a message names.
const MAX_NAMES: usize = 5;

/// Outcome of a scan. Code that was not analysed is a failure unless the arguments allow it.
pub(crate) fn worsened_by_coverage(
    mut outcome: Outcome,
    coverage: &Coverage,
    args: &ScanArgs,
    control: &ScanControl,
) -> Outcome {
    // A time limit interrupts a scan too.
    if coverage.is_interrupted && control.is_cancelled() {
        print_error(&anyhow!("the scan was interrupted: the findings are not complete"));
        return Outcome::Interrupted;
    }
    if coverage.is_incomplete() && !(args.allow_incomplete && args.quiet) {
        if args.allow_incomplete {
            print_note("some code was not analysed, so findings may be missing");
        } else {
            print_error(&anyhow!(
                "some code was not analysed, so findings may be missing; --allow-incomplete accepts it"
            ));
            outcome.worsen(Outcome::Failure);
        }
        print_some(not_analysed(coverage));
    }
    outcome
}

/// Files and parts of the input that were not analysed, each with the reason.
fn not_analysed(coverage: &Coverage) -> impl Iterator<Item = String> {
    let files = coverage.files.iter().filter_map(|file| match &file.outcome {
        FileOutcome::Failed(reason) => Some((&file.path, reason.as_str())),
        FileOutcome::TimedOut => Some((&file.path, "the time limit has passed")),
        FileOutcome::Scanned | FileOutcome::Skipped(_) => None,
    });
    let problems = coverage.problems.iter().filter(|problem| problem.is_incomplete);
    let problems = problems.map(|problem| (&problem.path, problem.message.as_str()));
    files.chain(problems).map(|(path, reason)| format!("{}: {}", visible(path), visible(reason)))
}

/// Prints the first lines of a list on standard error, and the number of the others.
pub(crate) fn print_some(mut lines: impl Iterator<Item = String>) {
    for line in lines.by_ref().take(MAX_NAMES) {
        print_note(&format!("  {line}"));
    }
    match lines.count() {
        0 => {}
        rest => print_note(&format!("  and {rest} more; the report lists all")),
    }
}
