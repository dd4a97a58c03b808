//! Arguments of `vyre scan` about which findings fail.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use vyre::pyrograph::finding::FailOn;
use vyre::pyrograph::knowledge::Severity;

/// Which findings and warnings fail a scan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Findings")]
pub(crate) struct FindingArgs {
    /// Exit with 1 only for findings of this severity or a higher one
    #[arg(long, value_name = "SEVERITY", default_value = "note")]
    pub(crate) fail_on: FailSeverity,

    /// Compare with a SARIF log of an earlier scan: only new findings fail
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Exit with 2 if there are warnings, such as rules without sources or sinks in the code
    #[arg(long, conflicts_with = "allow_incomplete")]
    pub(crate) strict: bool,

    /// Report findings that comments (`vyre-ignore`) silence
    #[arg(long)]
    pub(crate) no_ignore_comments: bool,
}

/// Severity of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailSeverity {
    /// Critical findings
    Critical,
    /// High and critical findings
    High,
    /// Medium findings and above
    Medium,
    /// Low findings and above
    Low,
    /// All findings
    Note,
    /// No findings
    None,
}

impl FailSeverity {
    /// Severities of the findings that fail.
    pub(crate) fn fail_on(self) -> FailOn {
        match self {
            FailSeverity::Critical => FailOn::AtLeast(Severity::Critical),
            FailSeverity::High => FailOn::AtLeast(Severity::High),
            FailSeverity::Medium => FailOn::AtLeast(Severity::Medium),
            FailSeverity::Low => FailOn::AtLeast(Severity::Low),
            FailSeverity::Note => FailOn::Any,
            FailSeverity::None => FailOn::Never,
        }
    }
}
