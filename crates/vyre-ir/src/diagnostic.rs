//! Diagnostics of validation: a problem, its location, and a fix.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use crate::source::{SourceMap, Span};
use crate::{Event, Program, Rule, Traversal};

/// A violation of a validation rule.
///
/// `Display` prints the permanent text, `vyre IR validation: <problem>. Fix: <action>.`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule.
    pub rule: Rule,
    /// Description of the problem.
    pub problem: String,
    /// Action that fixes it.
    pub fix: String,
    /// Location of the problem.
    pub location: ProgramLocation,
    /// The location as a path such as `entry[3].then[0].value`.
    pub path: String,
    /// Span of the location, if the program was parsed from a text.
    pub span: Option<Span>,
    /// A second location that explains the first.
    pub related: Option<Related>,
    /// Suggestion, such as a similar name.
    pub help: Option<String>,
}

/// A second location of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Related {
    /// Relation of the location to the problem.
    pub label: &'static str,
    /// The location.
    pub location: ProgramLocation,
    /// The location as a path.
    pub path: String,
    /// Span of the location, if the program was parsed from a text.
    pub span: Option<Span>,
}

/// Location of a part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramLocation {
    /// A component of the workgroup size.
    WorkgroupSize(usize),
    /// A buffer declaration, by position.
    Buffer(usize),
    /// A statement or expression, by its ordinal in a [`Traversal`].
    Node(u32),
}

impl ProgramLocation {
    fn span(self, source_map: &SourceMap) -> Option<Span> {
        match self {
            ProgramLocation::WorkgroupSize(axis) => source_map.workgroup_size.get(axis).copied(),
            ProgramLocation::Buffer(position) => source_map.buffer(position),
            ProgramLocation::Node(ordinal) => source_map.span(ordinal),
        }
    }
}

impl Diagnostic {
    /// The permanent text.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// Sets the spans from the source map of the text that the program was parsed from.
    pub fn locate(&mut self, source_map: &SourceMap) {
        self.span = self.location.span(source_map);
        if let Some(related) = &mut self.related {
            related.span = related.location.span(source_map);
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vyre IR validation: {}. Fix: {}.", self.problem, self.fix)
    }
}

impl std::error::Error for Diagnostic {}

/// Quotes a piece of a program for a message, in backticks, doubled if the piece contains backticks.
pub(crate) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Maximum number of diagnostics that are kept. Further ones are counted: buffers are no nodes, so that no limit on
/// programs bounds their diagnostics.
const MAX_DIAGNOSTICS: usize = 10_000;

/// Collector of diagnostics. It keeps the first ones that are found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics that are not kept. Their positions are those after the kept ones.
    omitted: usize,
    /// Positions of diagnostics that another one makes superfluous.
    retracted: Vec<Range<usize>>,
}

impl Report {
    /// Returns a view of the report that adds diagnostics of one rule.
    pub(crate) fn for_rule(&mut self, rule: Rule) -> RuleReport<'_> {
        RuleReport { report: self, rule }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Number of diagnostics, retracted and omitted ones included.
    pub(crate) fn len(&self) -> usize {
        self.diagnostics.len() + self.omitted
    }

    /// Retracts diagnostics that another one makes superfluous, by their positions.
    pub(crate) fn retract(&mut self, positions: Range<usize>) {
        self.retracted.push(positions);
    }

    /// Removes the retracted diagnostics.
    fn remove_retracted(&mut self) {
        if self.retracted.is_empty() {
            return;
        }
        let mut kept = vec![true; self.diagnostics.len()];
        for Range { start, end } in self.retracted.drain(..) {
            let first_omitted = kept.len();
            kept[start.min(first_omitted)..end.min(first_omitted)].fill(false);
            let omitted = end.max(first_omitted) - start.max(first_omitted);
            self.omitted = self.omitted.saturating_sub(omitted);
        }
        let mut kept = kept.into_iter();
        self.diagnostics.retain(|_| kept.next().unwrap_or(true));
    }

    /// Locations of all diagnostics, related ones included.
    pub(crate) fn locations(&self) -> impl Iterator<Item = ProgramLocation> + '_ {
        self.diagnostics.iter().flat_map(|diagnostic| {
            let related = diagnostic.related.as_ref().map(|related| related.location);
            std::iter::once(diagnostic.location).chain(related)
        })
    }

    /// The kept diagnostics with their paths, sorted by location, then by code, and the number of omitted ones.
    pub(crate) fn finish(mut self, program: &Program) -> (Vec<Diagnostic>, usize) {
        self.remove_retracted();
        let ordinal = |location| match location {
            ProgramLocation::Node(ordinal) => Some(ordinal),
            ProgramLocation::WorkgroupSize(_) | ProgramLocation::Buffer(_) => None,
        };
        let mut ordinals: Vec<u32> = self.locations().filter_map(ordinal).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        let nodes = locate_nodes(program, &ordinals);
        let find = |ordinal: u32| ordinals.binary_search(&ordinal).ok().and_then(|position| nodes.get(position));
        let path = |location: ProgramLocation| match location {
            ProgramLocation::WorkgroupSize(axis) => format!("workgroup_size[{axis}]"),
            ProgramLocation::Buffer(position) => format!("buffers[{position}]"),
            ProgramLocation::Node(ordinal) => find(ordinal).map(|node| node.path.clone()).unwrap_or_default(),
        };
        // A statement or expression sorts before its parts, as it begins where the first of them does.
        let order = |location: ProgramLocation| match location {
            ProgramLocation::WorkgroupSize(axis) => (0, axis as u32, Reverse(0)),
            ProgramLocation::Buffer(position) => (1, position as u32, Reverse(0)),
            ProgramLocation::Node(ordinal) => (2, find(ordinal).map_or(ordinal, |node| node.start), Reverse(ordinal)),
        };
        for diagnostic in &mut self.diagnostics {
            diagnostic.path = path(diagnostic.location);
            if let Some(related) = &mut diagnostic.related {
                related.path = path(related.location);
            }
        }
        self.diagnostics.sort_by_key(|diagnostic| (order(diagnostic.location), diagnostic.rule));
        (self.diagnostics, self.omitted)
    }
}

/// Collector of the diagnostics of one rule.
pub(crate) struct RuleReport<'r> {
    report: &'r mut Report,
    rule: Rule,
}

impl RuleReport<'_> {
    /// Adds a diagnostic and returns a builder for its optional parts. One beyond the maximum is counted.
    pub(crate) fn push(
        &mut self,
        location: ProgramLocation,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> DiagnosticBuilder<'_> {
        if self.report.diagnostics.len() >= MAX_DIAGNOSTICS {
            self.report.omitted += 1;
            return DiagnosticBuilder { diagnostic: None };
        }
        self.report.diagnostics.push(Diagnostic {
            rule: self.rule,
            problem: problem.into(),
            fix: fix.into(),
            location,
            path: String::new(),
            span: None,
            related: None,
            help: None,
        });
        DiagnosticBuilder { diagnostic: self.report.diagnostics.last_mut() }
    }
}

/// Builder of the optional parts of a diagnostic.
pub(crate) struct DiagnosticBuilder<'r> {
    diagnostic: Option<&'r mut Diagnostic>,
}

impl DiagnosticBuilder<'_> {
    /// Sets a second location.
    pub(crate) fn related(mut self, label: &'static str, location: ProgramLocation) -> Self {
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.related = Some(Related { label, location, path: String::new(), span: None });
        }
        self
    }

    /// Sets a suggestion.
    pub(crate) fn help(self, help: Option<String>) {
        if let Some(diagnostic) = self.diagnostic {
            diagnostic.help = help;
        }
    }
}

/// Path of a node and the ordinal at which its subtree begins.
struct LocatedNode {
    start: u32,
    path: String,
}

/// Locates the nodes with these ordinals, which must be sorted.
fn locate_nodes(program: &Program, ordinals: &[u32]) -> Vec<LocatedNode> {
    let mut found = Vec::with_capacity(ordinals.len());
    let mut traversal = Traversal::new(program);
    while let (Some(&next), Some(event)) = (ordinals.get(found.len()), traversal.next()) {
        match event {
            Event::Expr(_) | Event::Statement(_) if traversal.ordinal() == next => {
                found.push(LocatedNode { start: traversal.start(), path: traversal.path() });
            }
            Event::Expr(_) | Event::Statement(_) | Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    found
}
