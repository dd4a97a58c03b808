//! Reports: a scan, or the difference of two scans, as text and as a page of HTML for people, and as JSON, SARIF, workflow
//! commands of GitHub, JUnit XML and Markdown for tools.
//!
//! The writers take any [`io::Write`] and print nothing by themselves. The bytes depend on the report alone, so equal scans
//! give equal bytes; times are written only if [`ReportOptions::statistics`] asks for them.

mod comparison;
mod escape;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod names;
mod options;
mod places;
pub mod sarif;
mod styles;
mod summary;
mod text;

use std::io;

use crate::scan::ScanReport;

pub use comparison::{NamedReport, write_comparison};
pub use html::PAGE_MARK;
pub use names::skip_reason_name;
pub use options::{ReportFormat, ReportOptions};

/// Writes a report in a format. Returns what the limits of the format leave out, as sentences for people; the report says so too.
///
/// # Errors
///
/// Those of `out`.
pub fn write(
    report: &ScanReport,
    format: ReportFormat,
    options: ReportOptions,
    out: &mut dyn io::Write,
) -> io::Result<Vec<String>> {
    match format {
        ReportFormat::Text => text::write(report, options, out)?,
        ReportFormat::Json => json::write(report, options, out)?,
        ReportFormat::Github => github::write(report, options, out)?,
        ReportFormat::Junit => junit::write(report, options, out)?,
        ReportFormat::Html => html::write(report, options, out)?,
        ReportFormat::Sarif => return sarif::write(report, options, out),
        ReportFormat::Markdown => return markdown::write(report, options, out),
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests;
