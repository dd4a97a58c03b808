//! Diagnostics: what is wrong with a program, where, and what to do about it.

use std::cmp::Reverse;
use std::fmt;

use crate::source::{SourceMap, Span};
use crate::{Event, Program, Rule, Traversal};

/// A broken rule of validation.
///
/// `Display` gives the permanent text, `vyre IR validation: <problem>. Fix: <action>.`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule.
    pub rule: Rule,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub fix: String,
    /// The part of the program that is to blame.
    pub location: ProgramLocation,
    /// The location as a path such as `entry[3].then[0].value`.
    pub path: String,
    /// The location in the text, where the program came from one.
    pub span: Option<Span>,
    /// A second location that explains the first.
    pub related: Option<Related>,
    /// A guess at what was meant.
    pub help: Option<String>,
}

/// A second location of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Related {
    /// What the location has to do with the problem.
    pub label: &'static str,
    /// The location.
    pub location: ProgramLocation,
    /// The location as a path.
    pub path: String,
    /// The location in the text, where the program came from one.
    pub span: Option<Span>,
}

/// A part of a program.
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

    /// Fills in the locations in the text that the program was parsed from.
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

/// A piece of a program as a message shows it: between backticks, doubled where it has backticks of its own.
pub(crate) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Collects diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Adds a diagnostic; the result lets the caller say more about it.
    pub(crate) fn push(
        &mut self,
        rule: Rule,
        location: ProgramLocation,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Added<'_> {
        self.diagnostics.push(Diagnostic {
            rule,
            problem: problem.into(),
            fix: fix.into(),
            location,
            path: String::new(),
            span: None,
            related: None,
            help: None,
        });
        Added { diagnostic: self.diagnostics.last_mut() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The diagnostics with their paths, sorted by location, then by code.
    pub(crate) fn finish(mut self, program: &Program) -> Vec<Diagnostic> {
        let mut wanted: Vec<u32> = Vec::new();
        for diagnostic in &self.diagnostics {
            let locations = [Some(diagnostic.location), diagnostic.related.as_ref().map(|related| related.location)];
            wanted.extend(locations.into_iter().flatten().filter_map(|location| match location {
                ProgramLocation::Node(ordinal) => Some(ordinal),
                ProgramLocation::WorkgroupSize(_) | ProgramLocation::Buffer(_) => None,
            }));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let nodes = locate_nodes(program, &wanted);
        let find = |ordinal: u32| wanted.binary_search(&ordinal).ok().and_then(|position| nodes.get(position));
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
        self.diagnostics
    }
}

/// A diagnostic that has just been added.
pub(crate) struct Added<'r> {
    diagnostic: Option<&'r mut Diagnostic>,
}

impl Added<'_> {
    /// Names a second location.
    pub(crate) fn related(self, label: &'static str, location: ProgramLocation) -> Self {
        if let Added { diagnostic: Some(diagnostic) } = self {
            diagnostic.related = Some(Related { label, location, path: String::new(), span: None });
            return Added { diagnostic: Some(diagnostic) };
        }
        self
    }

    /// Adds a guess at what was meant.
    pub(crate) fn help(self, help: Option<String>) {
        if let Some(diagnostic) = self.diagnostic {
            diagnostic.help = help;
        }
    }
}

struct LocatedNode {
    start: u32,
    path: String,
}

/// Finds paths and starts of ordinals, which are sorted.
fn locate_nodes(program: &Program, ordinals: &[u32]) -> Vec<LocatedNode> {
    let mut found = Vec::with_capacity(ordinals.len());
    let mut walk = Traversal::new(program);
    while let (Some(&next), Some(event)) = (ordinals.get(found.len()), walk.next()) {
        match event {
            Event::Expr(_) | Event::Statement(_) if walk.ordinal() == next => {
                found.push(LocatedNode { start: walk.start(), path: walk.path() });
            }
            Event::Expr(_) | Event::Statement(_) | Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    found
}
