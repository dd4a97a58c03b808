//! Rules in memory.

use vyre_ir::source::Span;

use super::glob::Glob;
use super::schema::RuleKind;

/// Table `[transfer]` of a rules file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferSettings {
    /// Maximum number of edges of a path.
    pub max_depth: Option<u32>,
    /// File of the transfer function as written: a path relative to the folder of the rules file.
    pub function: Option<String>,
}

/// A rule: a role, label or metadata word for the nodes that match.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    /// Line on which the rule begins.
    pub(crate) line: u32,
    /// Label of the rule. Parameter rules have none.
    pub(crate) label: Option<String>,
    /// Name patterns, one of which must match. Empty: any name matches.
    pub(crate) names: Vec<Glob>,
    /// Span of the key `names`.
    pub(crate) names_span: Span,
    /// Attribute conditions, all of which must hold.
    pub(crate) conditions: Vec<Condition>,
    /// Rules whose findings the node can begin or end. None: all for a source, none for a sink.
    pub(crate) selection: Option<RuleSelection>,
    /// Facts of a source rule, or metadata word of a parameter rule.
    pub(crate) word: u32,
}

/// Key `rule` of an entry: identifiers, `*` for all, and `!` before an identifier that is excluded.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSelection {
    /// Texts with their spans.
    pub(crate) texts: Vec<(String, Span)>,
    /// True if only graphs use the entry, so that it cannot mean a rule that is built into scans.
    pub(crate) is_for_graphs_only: bool,
}

impl RuleSelection {
    /// Reports whether a rule is selected. The last text that concerns it decides.
    pub(crate) fn selects(&self, id: &str) -> bool {
        let decision = |text: &str| match text.strip_prefix('!') {
            Some(excluded) => (excluded == id || excluded == "*").then_some(false),
            None => (text == id || text == "*").then_some(true),
        };
        self.texts.iter().rev().find_map(|(text, _)| decision(text)).unwrap_or(false)
    }
}

/// Condition on an attribute.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) attribute: String,
    /// Span of the attribute name.
    pub(crate) span: Span,
    /// Value patterns, one of which must match.
    pub(crate) globs: Vec<Glob>,
}

impl Rule {
    pub(crate) fn new(kind: RuleKind, line: u32) -> Rule {
        let (names, conditions) = (Vec::new(), Vec::new());
        Rule { kind, line, label: None, names, names_span: Span::default(), conditions, selection: None, word: 1 }
    }
}
