//! Format and options of a report.

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
