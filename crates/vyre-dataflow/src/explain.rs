//! What the engine chose, and why.

use std::fmt;

/// What the engine chose for an analysis, and why: one line for each decision, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    lines: Vec<String>,
}

impl Explanation {
    /// Adds a line.
    pub(crate) fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// The lines.
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
