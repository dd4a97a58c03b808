//! Reports: the errors of one input. The renderer of each format has its own file.

mod human;
mod json;
mod race;

pub(crate) use human::{show_findings, write_human};
pub(crate) use json::JsonArray;
pub(crate) use race::race_report;

use vyre::ir::source::{LineIndex, Span};
use vyre::ir::{Diagnostic, Related};

use crate::input::Form;

/// All errors of one input.
#[derive(Debug)]
pub(crate) struct Report {
    /// The name of the input.
    pub(crate) name: String,
    /// Form of the input. Reports on wire show node paths instead of lines.
    pub(crate) form: Form,
    /// The text that spans refer to. For wire input it is the text form of the program, if it has one.
    pub(crate) text: Option<String>,
    /// Errors in order of location.
    pub(crate) findings: Vec<Finding>,
}

/// One error.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The code of the rule, or `syntax`, `wire` or `race`.
    pub(crate) rule: &'static str,
    /// The message without the code of the rule.
    pub(crate) problem: String,
    /// The full message, whose text is permanent.
    pub(crate) message: String,
    /// The fix.
    pub(crate) fix: Option<String>,
    /// A suggestion.
    pub(crate) help: Option<String>,
    /// Its location.
    pub(crate) location: FindingLocation,
    /// A second location with its label.
    pub(crate) related: Option<(&'static str, FindingLocation)>,
}

/// A location in an input.
#[derive(Debug)]
pub(crate) struct FindingLocation {
    /// Path of the node, or a byte offset in wire; may be empty.
    pub(crate) path: String,
    /// Span in the text of the report.
    pub(crate) span: Option<Span>,
}

impl Report {
    /// Report of these findings.
    pub(crate) fn new(name: &str, form: Form, text: Option<String>, findings: Vec<Finding>) -> Report {
        Report { name: name.to_owned(), form, text, findings }
    }

    /// Line index of the text.
    fn index(&self) -> Option<LineIndex<'_>> {
        self.text.as_deref().map(LineIndex::new)
    }
}

impl Finding {
    /// True if `vyre explain` explains the rule.
    fn is_rule(&self) -> bool {
        !matches!(self.rule, "syntax" | "wire" | "race")
    }
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Finding {
        let message = diagnostic.message();
        let Diagnostic { rule, problem, fix, location: _, path, span, related, help, .. } = diagnostic;
        // Some permanent texts begin with the code, which the headline already contains.
        let prefix = format!("{rule}: ");
        let problem = problem.strip_prefix(&prefix).map(str::to_owned).unwrap_or(problem);
        let related =
            related.map(|Related { label, location: _, path, span, .. }| (label, FindingLocation { path, span }));
        Finding {
            rule: rule.code(),
            problem,
            message,
            fix: Some(fix),
            help,
            location: FindingLocation { path, span },
            related,
        }
    }
}
