//! Colours of the text.

use anstyle::{AnsiColor, Style};

use crate::knowledge::Severity;

/// Styles of the parts of a report. All are plain without colours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Styles {
    pub(super) critical: Style,
    pub(super) high: Style,
    pub(super) medium: Style,
    pub(super) low: Style,
    pub(super) gutter: Style,
    pub(super) strong: Style,
    pub(super) good: Style,
}

impl Styles {
    pub(super) fn new(colors: bool) -> Styles {
        if !colors {
            return Styles::default();
        }
        Styles {
            critical: AnsiColor::Magenta.on_default().bold(),
            high: AnsiColor::Red.on_default().bold(),
            medium: AnsiColor::Yellow.on_default().bold(),
            low: AnsiColor::Cyan.on_default().bold(),
            gutter: AnsiColor::Blue.on_default().bold(),
            strong: Style::new().bold(),
            good: AnsiColor::Green.on_default().bold(),
        }
    }

    pub(super) fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Medium => self.medium,
            Severity::Low | Severity::Note => self.low,
        }
    }
}
