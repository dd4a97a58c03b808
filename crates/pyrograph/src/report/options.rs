//! Format and options of a report.

use crate::finding::FailOn;

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
    /// One page without network access, for people.
    Html,
    /// Workflow commands of GitHub Actions, for annotations.
    Github,
    /// JUnit XML, for CI servers.
    Junit,
    /// Markdown, for comments and summaries.
    Markdown,
}

impl ReportFormat {
    /// All formats.
    pub const ALL: [ReportFormat; 7] = [
        ReportFormat::Text,
        ReportFormat::Json,
        ReportFormat::Sarif,
        ReportFormat::Html,
        ReportFormat::Github,
        ReportFormat::Junit,
        ReportFormat::Markdown,
    ];
}

/// Options of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// Writes colours as ANSI escapes. Only the text has them.
    pub colors: bool,
    /// Writes the statistics with the times of the stages, which differ from run to run.
    pub statistics: bool,
    /// Severities of the findings that fail a check. Others are skipped test cases in JUnit XML.
    pub fail_on: FailOn,
}

impl ReportOptions {
    /// Sets whether the text has colours.
    #[must_use]
    pub fn with_colors(mut self, colors: bool) -> ReportOptions {
        self.colors = colors;
        self
    }

    /// Sets the severities of the findings that fail a check.
    #[must_use]
    pub fn with_fail_on(mut self, fail_on: FailOn) -> ReportOptions {
        self.fail_on = fail_on;
        self
    }

    /// Sets whether statistics and times are written.
    #[must_use]
    pub fn with_statistics(mut self, statistics: bool) -> ReportOptions {
        self.statistics = statistics;
        self
    }
}
