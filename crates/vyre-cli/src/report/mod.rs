//! Reports: the errors of one input. The renderer of each format has its own file.

mod human;
mod json;
mod race;

pub(crate) use human::{show_findings, write_human};
pub(crate) use json::JsonArray;
pub(crate) use race::race_report;

use vyre::ir::render::Snippets;
use vyre::ir::source::Span;
use vyre::ir::{Diagnostic, ProgramLocation, Related};

/// All errors of one input.
#[derive(Debug)]
pub(crate) struct Report {
    /// The name of the input.
    pub(crate) name: String,
    /// Source lines. For wire input they are those of the text form of the program, and locations are node paths.
    pub(crate) snippets: Snippets,
    /// Errors in order of location.
    pub(crate) findings: Vec<Finding>,
    /// Number of further errors that were found and are not kept.
    pub(crate) omitted: usize,
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
    /// Location in the program.
    pub(crate) location: Option<ProgramLocation>,
    /// Span in the text of the input.
    pub(crate) span: Option<Span>,
}

impl FindingLocation {
    /// Location in a text that is no program.
    pub(crate) fn of_span(span: Span) -> FindingLocation {
        FindingLocation { path: String::new(), location: None, span: Some(span) }
    }
}

impl Report {
    /// Report of these findings.
    pub(crate) fn new(name: &str, snippets: Snippets, findings: Vec<Finding>) -> Report {
        Report { name: name.to_owned(), snippets, findings, omitted: 0 }
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
        let Diagnostic { rule, problem, fix, location, path, span, related, help, .. } = diagnostic;
        // Some permanent texts begin with the code, which the headline already contains.
        let prefix = format!("{rule}: ");
        let problem = problem.strip_prefix(&prefix).map(str::to_owned).unwrap_or(problem);
        let located = |path, location, span| FindingLocation { path, location: Some(location), span };
        let related = related.map(|Related { label, location, path, span, .. }| (label, located(path, location, span)));
        Finding {
            rule: rule.code(),
            problem,
            message,
            fix: Some(fix),
            help,
            location: located(path, location, span),
            related,
        }
    }
}
