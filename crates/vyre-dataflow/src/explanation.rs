//! Log of the engine's decisions.

use std::fmt;

/// Decisions of the engine for one analysis and their reasons: one line for each decision, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    lines: Vec<String>,
}

impl Explanation {
    /// Appends a line.
    pub(crate) fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Lines of the log.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
