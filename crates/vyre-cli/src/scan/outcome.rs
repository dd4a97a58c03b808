//! Outcome of a scan that may not be complete.

use anyhow::anyhow;
use vyre::pyrograph::coverage::Coverage;
use vyre::pyrograph::scan::ScanControl;

use crate::exit::Outcome;
use crate::output::print_error;

/// Outcome of a scan. Code that was not analysed is a failure unless the arguments allow it.
pub(crate) fn worsened_by_coverage(
    mut outcome: Outcome,
    coverage: &Coverage,
    allow_incomplete: bool,
    control: &ScanControl,
) -> Outcome {
    // A time limit interrupts a scan too.
    if coverage.is_interrupted && control.is_cancelled() {
        print_error(&anyhow!("the scan was interrupted: the findings are not complete"));
        return Outcome::Interrupted;
    }
    if coverage.is_incomplete() && !allow_incomplete {
        print_error(&anyhow!(
            "some code was not analysed, so findings may be missing; see the report, or use --allow-incomplete"
        ));
        outcome.worsen(Outcome::Failure);
    }
    outcome
}
