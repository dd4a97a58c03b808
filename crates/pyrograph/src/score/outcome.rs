//! Outcomes of lines.

/// How a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Expected and found.
    TruePositive,
    /// Found, not expected.
    FalsePositive,
    /// Expected, not found.
    FalseNegative,
    /// Not expected, not found.
    TrueNegative,
}
