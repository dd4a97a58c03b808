//! Reports: a scan as text for people, as JSON and as SARIF.
//!
//! The writers take any [`io::Write`] and print nothing by themselves. The bytes depend on the report alone, so equal scans
//! give equal bytes; times are written only if [`ReportOptions::statistics`] asks for them.

mod json;
mod names;
mod places;
mod sarif;
mod summary;
mod text;

use std::io;

use crate::scan::ScanReport;

pub use names::{model_name, severity_name, skip_reason_name};

/// Format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    /// Code frames and a summary, for people.
    #[default]
    Text,
    /// One object with everything.
    Json,
    /// SARIF 2.1.0, for code scanners and editors.
    Sarif,
}

/// Options of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// Writes colours as ANSI escapes. Only the text has them.
    pub colors: bool,
    /// Writes the statistics with the times of the stages, which differ from run to run.
    pub statistics: bool,
}

impl ReportOptions {
    /// Sets whether the text has colours.
    #[must_use]
    pub fn with_colors(mut self, colors: bool) -> ReportOptions {
        self.colors = colors;
        self
    }

    /// Sets whether statistics and times are written.
    #[must_use]
    pub fn with_statistics(mut self, statistics: bool) -> ReportOptions {
        self.statistics = statistics;
        self
    }
}

/// Writes a report in a format.
///
/// # Errors
///
/// Those of `out`.
pub fn write(
    report: &ScanReport,
    format: ReportFormat,
    options: ReportOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        ReportFormat::Text => text::write(report, options, out),
        ReportFormat::Json => json::write(report, options, out),
        ReportFormat::Sarif => sarif::write(report, options, out),
    }
}

#[cfg(test)]
mod tests;
