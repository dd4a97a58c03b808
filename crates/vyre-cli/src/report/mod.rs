//! Reports: what is wrong with one input. Each format has its renderer in a file of its own.

mod human;
mod json;
mod race;

pub(crate) use human::{show_findings, write_human};
pub(crate) use json::JsonArray;
pub(crate) use race::race_report;

use vyre::ir::source::{LineIndex, Span};
use vyre::ir::{Diagnostic, Related};

use crate::input::Form;

/// Everything that is wrong with one input.
#[derive(Debug)]
pub(crate) struct Report {
    /// The name of the input.
    pub(crate) name: String,
    /// True if the input is text. Otherwise reports show node paths instead of lines.
    pub(crate) form: Form,
    /// The text that spans refer to. For wire input it is the text form of the program, if it has one.
    pub(crate) text: Option<String>,
    /// Errors in order of location.
    pub(crate) findings: Vec<Finding>,
}

/// One thing that is wrong.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The code of the rule, or `syntax`, `wire` or `race`.
    pub(crate) rule: &'static str,
    /// The message.
    pub(crate) problem: String,
    /// The permanent text.
    pub(crate) message: String,
    /// The fix.
    pub(crate) fix: Option<String>,
    /// A guess at what was meant.
    pub(crate) help: Option<String>,
    /// Its location.
    pub(crate) place: Place,
    /// A second place with its label.
    pub(crate) related: Option<(&'static str, Place)>,
}

/// A place in an input.
#[derive(Debug)]
pub(crate) struct Place {
    /// The path in the program, or whatever else tells the place; may be empty.
    pub(crate) path: String,
    /// The place in the text of the report.
    pub(crate) span: Option<Span>,
}

impl Report {
    /// A report of some findings.
    pub(crate) fn new(name: &str, form: Form, text: Option<String>, findings: Vec<Finding>) -> Report {
        Report { name: name.to_owned(), form, text, findings }
    }

    /// Finds the lines that spans lie on.
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
        // Some permanent texts begin with the code, which the headline gives anyway.
        let prefix = format!("{rule}: ");
        let problem = problem.strip_prefix(&prefix).map(str::to_owned).unwrap_or(problem);
        let related = related.map(|Related { label, location: _, path, span, .. }| (label, Place { path, span }));
        Finding { rule: rule.code(), problem, message, fix: Some(fix), help, place: Place { path, span }, related }
    }
}
