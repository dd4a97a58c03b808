//! Reports: a scan, or the difference of two scans, as text for people, as JSON and as SARIF.
//!
//! The writers take any [`io::Write`] and print nothing by themselves. The bytes depend on the report alone, so equal scans
//! give equal bytes; times are written only if [`ReportOptions::statistics`] asks for them.

mod comparison;
mod json;
mod names;
mod options;
mod places;
mod sarif;
mod styles;
mod summary;
mod text;

use std::io;

use crate::scan::ScanReport;

pub use comparison::{NamedReport, write_comparison};
pub use names::skip_reason_name;
pub use options::{ReportFormat, ReportOptions};

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
