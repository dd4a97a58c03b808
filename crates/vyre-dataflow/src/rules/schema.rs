//! Schema of a rules file: tables and their keys.

use std::fmt;

/// A table of a rules file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// The file itself.
    File,
    /// `[transfer]`.
    Transfer,
    /// A rule.
    Rule(RuleKind),
}

/// Kind of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKind {
    /// `[[source]]`: facts begin at nodes that match.
    Source,
    /// `[[sink]]`: facts that arrive at nodes that match are findings.
    Sink,
    /// `[[sanitizer]]`: facts do not leave nodes that match.
    Sanitizer,
    /// `[[parameter]]`: transfer functions receive its word for nodes that match.
    Parameter,
}

impl RuleKind {
    /// All kinds.
    pub const ALL: [RuleKind; 4] = [RuleKind::Source, RuleKind::Sink, RuleKind::Sanitizer, RuleKind::Parameter];

    /// Key of its rules in a file.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            RuleKind::Source => "source",
            RuleKind::Sink => "sink",
            RuleKind::Sanitizer => "sanitizer",
            RuleKind::Parameter => "parameter",
        }
    }
}

impl Table {
    /// Keys of the table.
    #[must_use]
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Table::File => &["format", "transfer", "source", "sink", "sanitizer", "parameter"],
            Table::Transfer => &["max_depth", "function"],
            Table::Rule(RuleKind::Source) => &["label", "names", "attributes", "facts"],
            Table::Rule(RuleKind::Sink | RuleKind::Sanitizer) => &["label", "names", "attributes"],
            Table::Rule(RuleKind::Parameter) => &["names", "attributes", "word"],
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Table::File => f.write_str("the file"),
            Table::Transfer => f.write_str("[transfer]"),
            Table::Rule(kind) => write!(f, "[[{}]]", kind.key()),
        }
    }
}
