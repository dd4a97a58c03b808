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
    /// `[[rule]]`: what findings of the rule say.
    ScanRule,
    /// `[[suppression]]` of graphs: findings that are accepted.
    Suppression,
    /// `[[guard]]` of scans: a test of a value that makes it harmless on a branch.
    Guard,
    /// `[[propagator]]` of scans: flows through a call.
    Propagator,
    /// `[[example]]` of scans: a program with or without a finding.
    Example,
    /// `[[library]]` of scans: a package that a file models.
    Library,
    /// `[[type]]` of scans: a name for API paths.
    Type,
    /// `[[function]]` of scans: model of a library function.
    Function,
    /// `[[convention]]` of scans: types of parameters with usual names.
    Convention,
    /// `[scan]` of a project configuration: options of scans.
    Scan,
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
    /// Tables of scans. Graphs use `[[rule]]` too.
    pub const SCAN: [Table; 8] = [
        Table::ScanRule,
        Table::Guard,
        Table::Propagator,
        Table::Example,
        Table::Library,
        Table::Type,
        Table::Function,
        Table::Convention,
    ];

    /// Key of the table in a file. The file itself has the empty key.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Table::File => "",
            Table::Transfer => "transfer",
            Table::Rule(kind) => kind.key(),
            Table::ScanRule => "rule",
            Table::Suppression => "suppression",
            Table::Guard => "guard",
            Table::Propagator => "propagator",
            Table::Example => "example",
            Table::Library => "library",
            Table::Type => "type",
            Table::Function => "function",
            Table::Convention => "convention",
            Table::Scan => "scan",
        }
    }

    /// Keys of the table.
    #[must_use]
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Table::File => &[
                "format",
                "transfer",
                "source",
                "sink",
                "sanitizer",
                "parameter",
                "suppression",
                "rule",
                "guard",
                "propagator",
                "example",
                "library",
                "type",
                "function",
                "convention",
            ],
            Table::Transfer => &["max_depth", "function"],
            Table::Rule(RuleKind::Source) => &[
                "label",
                "names",
                "attributes",
                "facts",
                "rule",
                "model",
                "call",
                "at",
                "event",
                "member",
                "export",
                "parameter",
                "decorator",
                "when",
                "unless",
            ],
            Table::Rule(RuleKind::Sink) => {
                &["label", "names", "attributes", "rule", "call", "at", "event", "store", "when", "unless", "versions"]
            }
            Table::Rule(RuleKind::Sanitizer) => {
                &["label", "names", "attributes", "rule", "call", "at", "when", "unless"]
            }
            Table::Rule(RuleKind::Parameter) => &["names", "attributes", "word"],
            Table::ScanRule => {
                &["id", "title", "severity", "library_severity", "cwe", "message", "help", "check", "languages"]
            }
            Table::Suppression => &["rule", "sources", "sinks", "reason"],
            Table::Guard => &[
                "label", "rule", "call", "at", "holds", "test", "types", "texts", "excludes", "methods", "forms",
                "proves", "needs", "of", "except",
            ],
            Table::Propagator => &["label", "call", "event", "flows"],
            Table::Example => &["rule", "bad", "good", "file", "model"],
            Table::Library => &["package", "versions", "kind"],
            Table::Type => &["name", "from", "decorator"],
            Table::Function => &["call", "event", "flows", "returns", "types"],
            Table::Convention => &["parameters", "types"],
            Table::Scan => {
                &["include", "exclude", "sources", "format", "fail-on", "rules", "rule", "dependencies", "with-deps"]
            }
        }
    }

    /// Keys of the table with which a scan matches code. An entry that has one of them and neither `names` nor `attributes`
    /// concerns scans only.
    #[must_use]
    pub fn scan_matchers(self) -> &'static [&'static str] {
        match self {
            Table::Rule(RuleKind::Source) => &["call", "member", "export", "parameter", "decorator"],
            Table::Rule(RuleKind::Sink) => &["call", "store"],
            Table::Rule(RuleKind::Sanitizer) => &["call"],
            Table::Guard => &["call", "test"],
            Table::Propagator | Table::Function => &["call"],
            _ => &[],
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Table::File => f.write_str("the file"),
            Table::Transfer | Table::Scan => write!(f, "[{}]", self.key()),
            table => write!(f, "[[{}]]", table.key()),
        }
    }
}
