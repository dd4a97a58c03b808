//! Rules.

use vyre_ir::source::Span;

use super::glob::Glob;
use super::schema::RuleKind;

/// What a rules file says of transfer functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// How many edges facts flow along at most.
    pub max_depth: Option<u32>,
    /// The file of the transfer function, as it is written: a path from the folder of the rules file.
    pub function: Option<String>,
}

/// What is done with nodes that match.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    /// The line where it begins.
    pub(crate) line: u32,
    /// All but parameters have one.
    pub(crate) label: Option<String>,
    /// Any of them must match; if there are none, names do not matter.
    pub(crate) names: Vec<Glob>,
    /// Where the names are.
    pub(crate) names_span: Span,
    /// All of them must match.
    pub(crate) conditions: Vec<Condition>,
    /// The facts of a source, or the word of a parameter.
    pub(crate) word: u32,
}

/// What an attribute must be.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) attribute: String,
    /// Where the attribute is named.
    pub(crate) span: Span,
    /// Any of them must match.
    pub(crate) globs: Vec<Glob>,
}

impl Rule {
    pub(crate) fn new(kind: RuleKind, line: u32) -> Rule {
        let (names, conditions) = (Vec::new(), Vec::new());
        Rule { kind, line, label: None, names, names_span: Span::default(), conditions, word: 1 }
    }
}
