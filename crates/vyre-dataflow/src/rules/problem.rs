//! Problems of rules, with their locations and messages.

use std::fmt;

use vyre_ir::source::{Frame, LineIndex, Location, Span, is_deceptive};

use super::glob::GlobProblem;
use super::schema::Table;

/// Error of a rules file: all its problems, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    problems: Vec<Problem>,
}

/// A problem at a location of a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Location of the problem.
    pub location: Location,
    /// Line of the problem, with a mark.
    pub frame: Frame,
    /// The problem.
    pub problem: RulesProblem,
}

/// Kind of a problem. Quoted texts are shortened and have no unprintable characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesProblem {
    /// The file exceeds the size limit.
    TooLong {
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The file is not valid TOML.
    Syntax {
        /// Message of the parser.
        message: String,
    },
    /// The format of the file is not supported.
    Format {
        /// The format.
        found: String,
    },
    /// A key that its table does not have.
    UnknownKey {
        /// The key.
        key: String,
        /// The table.
        table: Table,
        /// Similar key of the table.
        nearest: Option<&'static str>,
    },
    /// A required key is missing.
    MissingKey {
        /// The key.
        key: &'static str,
        /// The table.
        table: Table,
    },
    /// A value of another type.
    WrongType {
        /// The key of the value.
        key: String,
        /// Expected type.
        expected: &'static str,
        /// Type of the value.
        found: &'static str,
    },
    /// Rules of a kind are not a list of tables.
    NoRule {
        /// The kind.
        table: Table,
        /// Type of the value.
        found: &'static str,
    },
    /// An element of a list of texts is not a text.
    WrongElement {
        /// The key of the list.
        key: String,
        /// Type of the element.
        found: &'static str,
    },
    /// A number that is out of range.
    OutOfRange {
        /// The key of the number.
        key: &'static str,
        /// The number.
        found: String,
        /// Minimum of the range.
        min: u32,
    },
    /// An empty text, list or table.
    Empty {
        /// Its key.
        key: String,
    },
    /// A label has an invisible character.
    LabelCharacter {
        /// The character.
        found: char,
    },
    /// Two rules of a kind have the same label.
    RepeatedLabel {
        /// The label.
        label: String,
        /// The kind of the rules.
        table: Table,
        /// Line of the first rule.
        first_line: u32,
    },
    /// A rule has neither names nor attributes.
    NoPattern {
        /// The kind of the rule.
        table: Table,
    },
    /// A pattern is not valid.
    Glob {
        /// The pattern.
        pattern: String,
        /// Problem of the pattern.
        problem: GlobProblem,
    },
    /// A rule matches names, but nodes have none.
    NoNames,
    /// A rule matches attributes, but nodes have none.
    NoAttributes,
    /// No column has the name of an attribute.
    UnknownAttribute {
        /// The attribute.
        attribute: String,
        /// Similar attribute.
        nearest: Option<String>,
    },
    /// The file has rules of scans only, so no node of a graph would match.
    OnlyScanRules,
    /// Another problem of an entry.
    Entry {
        /// Description.
        message: String,
    },
}

impl RulesProblem {
    /// Reports whether the problem is a missing key, which can follow from another problem.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, RulesProblem::MissingKey { .. } | RulesProblem::NoPattern { .. })
    }
}

impl RulesError {
    /// Locates problems. There must be at least one.
    pub(crate) fn new(index: &LineIndex<'_>, mut problems: Vec<(Span, RulesProblem)>) -> RulesError {
        problems.sort_by_key(|(span, _)| *span);
        let located = |(span, problem): (Span, RulesProblem)| Problem {
            location: index.location(span.start),
            frame: index.frame(span),
            problem,
        };
        RulesError { problems: problems.into_iter().map(located).collect() }
    }

    /// All problems, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Formats the error with the file name before every location.
    ///
    /// ```
    /// use vyre_dataflow::rules::Rules;
    ///
    /// let error = Rules::parse("format = 1\n[transfer]\nmaxdepth = 3\n").expect_err("there is no such key");
    /// let expected = "\
    /// rules.toml:3:1: `maxdepth` is no key of [transfer]; did you mean `max_depth`?
    ///   |
    /// 3 | maxdepth = 3
    ///   | ^^^^^^^^";
    /// assert_eq!(error.in_file("rules.toml").to_string(), expected);
    /// ```
    pub fn in_file<'e>(&'e self, name: &'e str) -> impl fmt::Display + 'e {
        InFile { error: self, name: Some(name) }
    }
}

struct InFile<'e> {
    error: &'e RulesError,
    name: Option<&'e str>,
}

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, Problem { location, frame, problem }) in self.error.problems.iter().enumerate() {
            if position > 0 {
                f.write_str("\n\n")?;
            }
            if let Some(name) = self.name {
                write!(f, "{name}:")?;
            }
            write!(f, "{location}: {problem}\n{frame}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        InFile { error: self, name: None }.fmt(f)
    }
}

impl std::error::Error for RulesError {}

impl fmt::Display for RulesProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesProblem::TooLong { limit } => {
                write!(f, "the file is longer than {limit} bytes, the most that is read")
            }
            RulesProblem::Syntax { message } => f.write_str(message),
            RulesProblem::Format { found } => write!(f, "the format is {found}, but only format 1 is known here"),
            RulesProblem::UnknownKey { key, table, nearest: Some(nearest) } => {
                write!(f, "`{key}` is no key of {table}; did you mean `{nearest}`?")
            }
            RulesProblem::UnknownKey { key, table, nearest: None } => {
                write!(f, "`{key}` is no key of {table}; its keys are {}", quoted(table.keys()))
            }
            RulesProblem::MissingKey { key: "format", .. } => {
                write!(f, "`format` is missing; a rules file begins with `format = 1`")
            }
            RulesProblem::MissingKey { key, table } => write!(f, "{table} has no `{key}`"),
            RulesProblem::WrongType { key, expected, found } => {
                write!(f, "`{key}` is {found}, but must be {expected}")
            }
            RulesProblem::NoRule { table, found } => {
                let key = table.key();
                write!(f, "`{key}` is {found}, but must be a list of rules, each of which begins with `[[{key}]]`")
            }
            RulesProblem::WrongElement { key, found } => {
                write!(f, "`{key}` is a list of texts, but this is {found}")
            }
            RulesProblem::OutOfRange { key, found, min } => {
                write!(f, "`{key}` is {found}, but must be a number from {min} to {}", u32::MAX)
            }
            RulesProblem::Empty { key } => write!(f, "`{key}` is empty"),
            RulesProblem::LabelCharacter { found } => {
                write!(f, "the label has the character `{}`, which cannot be seen", found.escape_unicode())
            }
            RulesProblem::RepeatedLabel { label, table, first_line } => {
                write!(f, "the label `{label}` is already that of the {table} of line {first_line}")
            }
            RulesProblem::NoPattern { table } => {
                write!(f, "{table} has neither `names` nor `attributes`, so that no node would match")
            }
            RulesProblem::Glob { pattern, problem: problem @ GlobProblem::Empty } if pattern.is_empty() => {
                problem.fmt(f)
            }
            RulesProblem::Glob { pattern, problem } => write!(f, "in the pattern `{pattern}`, {problem}"),
            RulesProblem::NoNames => write!(f, "the rule is about names, but the nodes of the graph have none"),
            RulesProblem::NoAttributes => {
                write!(f, "the rule is about attributes, but there are none for the nodes of the graph")
            }
            RulesProblem::UnknownAttribute { attribute, nearest } => {
                write!(f, "nodes have no attribute `{attribute}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            RulesProblem::OnlyScanRules => write!(
                f,
                "the tables of this file are for scans of source code (`vyre scan --rules`); none has `names` or `attributes`, \
                 so that no node of a graph would match"
            ),
            RulesProblem::Entry { message } => f.write_str(message),
        }
    }
}

/// Words in backticks, separated by commas.
fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Shortens a text for a message to `max_chars` characters and escapes invisible ones.
pub fn shown(text: &str, max_chars: usize) -> String {
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        match character {
            _ if position == max_chars => {
                shown.push('…');
                break;
            }
            _ if is_deceptive(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}
