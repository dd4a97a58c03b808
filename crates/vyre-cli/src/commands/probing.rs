//! Text and JSON formats of the probe of a device.

use std::io::{self, Write};

use serde::Serialize;
use vyre::runtime::{Device, ProbeOutcome, ProbeResult, ProbeStep, probe_watched};

use crate::exit::Outcome;
use crate::output::{ADDED, ERROR, REMOVED, counted, visible};

/// Result of a check of the probe as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
pub(super) struct CheckEntry {
    check: &'static str,
    about: &'static str,
    outcome: &'static str,
    explanation: Option<String>,
}

impl CheckEntry {
    pub(super) fn new(result: &ProbeResult) -> CheckEntry {
        let (outcome, explanation) = described(&result.outcome);
        CheckEntry { check: result.check, about: result.about, outcome, explanation }
    }
}

/// Name of an outcome and its explanation.
fn described(outcome: &ProbeOutcome) -> (&'static str, Option<String>) {
    match outcome {
        ProbeOutcome::Right => ("right", None),
        ProbeOutcome::Wrong { explanation } => ("wrong", Some(explanation.clone())),
        ProbeOutcome::Failed(error) => ("failed", Some(error.to_string())),
        ProbeOutcome::Skipped { reason } => ("skipped", Some(reason.clone())),
    }
}

/// Probes a device. Writes each check before it runs, so that the last line names a check that hangs.
pub(super) fn write_probe(out: &mut impl Write, device: &dyn Device) -> io::Result<Outcome> {
    let mut written = writeln!(out, "    checks");
    let results = probe_watched(device, |step| {
        if written.is_ok() {
            written = write_step(out, step);
        }
    });
    written?;
    let tally = Tally::of(&results);
    writeln!(out, "    {}", tally.summary())?;
    Ok(tally.outcome())
}

fn write_step(out: &mut impl Write, step: ProbeStep<'_>) -> io::Result<()> {
    match step {
        ProbeStep::Begins(check) => {
            write!(out, "      {:24} ", check.name())?;
            out.flush()
        }
        ProbeStep::Ends(result) => {
            let (name, explanation) = described(&result.outcome);
            let style = match result.outcome {
                ProbeOutcome::Right => ADDED,
                ProbeOutcome::Wrong { .. } | ProbeOutcome::Failed(_) => ERROR,
                ProbeOutcome::Skipped { .. } => REMOVED,
            };
            let explanation = explanation.map_or(String::new(), |text| format!(": {}", visible(&text)));
            writeln!(out, "{style}{name}{style:#}{explanation}")
        }
    }
}

/// Number of checks by outcome.
#[derive(Default)]
pub(super) struct Tally {
    all: usize,
    wrong: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    pub(super) fn of(results: &[ProbeResult]) -> Tally {
        let mut tally = Tally { all: results.len(), ..Tally::default() };
        for result in results {
            match result.outcome {
                ProbeOutcome::Right => {}
                ProbeOutcome::Wrong { .. } => tally.wrong += 1,
                ProbeOutcome::Failed(_) => tally.failed += 1,
                ProbeOutcome::Skipped { .. } => tally.skipped += 1,
            }
        }
        tally
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.wrong + self.failed > 0 { Outcome::Findings } else { Outcome::Clean }
    }

    fn summary(&self) -> String {
        let mut summary = counted(self.all, "check");
        for (count, word) in [(self.wrong, "wrong"), (self.failed, "failed"), (self.skipped, "skipped")] {
            if count > 0 {
                summary += &format!(", {count} {word}");
            }
        }
        match (self.outcome(), self.skipped) {
            (Outcome::Clean, 0) => summary + ", all right",
            (Outcome::Clean, _) => summary + ", the others right",
            _ => summary,
        }
    }
}

#[cfg(test)]
mod tests {
    use vyre::runtime::Error;

    use super::*;

    fn plain(out: Vec<u8>) -> String {
        anstream::adapter::strip_str(&String::from_utf8(out).expect("text")).to_string()
    }

    #[test]
    fn checks_are_written_with_outcome_and_explanation() {
        let result = |outcome| ProbeResult { check: "loops", about: "Loops end.", outcome };
        let right = result(ProbeOutcome::Right);
        let wrong = result(ProbeOutcome::Wrong { explanation: "a loop\u{1b} ended".to_owned() });
        let failed = result(ProbeOutcome::Failed(Error::Cancelled));
        let skipped = result(ProbeOutcome::Skipped { reason: "too small".to_owned() });
        let written = |result: &ProbeResult| {
            let mut out = Vec::new();
            write_step(&mut out, ProbeStep::Ends(result)).expect("writes to a vector do not fail");
            plain(out)
        };
        assert_eq!(written(&right), "right\n");
        assert_eq!(written(&wrong), "wrong: a loop\\u{1b} ended\n");
        assert_eq!(written(&failed), "failed: the run was cancelled\n");
        assert_eq!(written(&skipped), "skipped: too small\n");

        let tally = |results: &[&ProbeResult]| {
            let tally = Tally::of(&results.iter().copied().cloned().collect::<Vec<_>>());
            (tally.summary(), tally.outcome())
        };
        assert_eq!(tally(&[&right, &right]), ("2 checks, all right".to_owned(), Outcome::Clean));
        assert_eq!(tally(&[&right, &skipped]), ("2 checks, 1 skipped, the others right".to_owned(), Outcome::Clean));
        let expected = "4 checks, 1 wrong, 1 failed, 1 skipped".to_owned();
        assert_eq!(tally(&[&right, &wrong, &failed, &skipped]), (expected, Outcome::Findings));
        assert_eq!(tally(&[&failed]), ("1 check, 1 failed".to_owned(), Outcome::Findings));

        let json = serde_json::to_string(&CheckEntry::new(&wrong)).expect("JSON");
        let expected = r#"{"check":"loops","about":"Loops end.","outcome":"wrong","explanation":"a loop\u001b ended"}"#;
        assert_eq!(json, expected);
    }
}
