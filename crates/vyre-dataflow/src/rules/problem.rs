//! What can be wrong with rules.

use std::fmt;

use vyre_ir::source::{Frame, LineIndex, Location, Span, is_deceptive};

use super::glob::GlobProblem;
use super::schema::{RuleKind, Table};

/// Why rules were refused: everything that is wrong with them, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    problems: Vec<Problem>,
}

/// Something that is wrong at a place of a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub location: Location,
    /// The line in question, with a mark.
    pub frame: Frame,
    /// What is wrong.
    pub problem: RulesProblem,
}

/// What is wrong with rules. Texts that were found there are shortened and have no unprintable characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesProblem {
    /// The file is larger than rules are.
    TooLong {
        /// The most bytes that it may have.
        limit: usize,
    },
    /// It is no TOML.
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// The file is in a format that is not known here.
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
        /// A key that may be meant.
        nearest: Option<&'static str>,
    },
    /// A key that its table must have is not there.
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
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// Rules of a kind are not a list of tables.
    NoRule {
        /// The kind.
        kind: RuleKind,
        /// What stands there.
        found: &'static str,
    },
    /// An element of a list of texts is no text.
    WrongElement {
        /// The key of the list.
        key: String,
        /// What the element is.
        found: &'static str,
    },
    /// A number that does not fit.
    OutOfRange {
        /// The key of the number.
        key: &'static str,
        /// The number.
        found: String,
        /// The least that it may be.
        least: u32,
    },
    /// A text, list or table that must have something in it.
    Empty {
        /// Its key.
        key: String,
    },
    /// A label has a character that nobody could see.
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
        /// The line of the first one.
        first_line: u32,
    },
    /// A rule says nothing about the nodes that it is for.
    NoPattern {
        /// The kind of the rule.
        table: Table,
    },
    /// A pattern is wrong.
    Glob {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: GlobProblem,
    },
    /// A rule is about names, and the nodes have none.
    NoNames,
    /// A rule is about attributes, and the nodes have none.
    NoAttributes,
    /// No node can have such an attribute.
    UnknownAttribute {
        /// The attribute.
        attribute: String,
        /// An attribute that may be meant.
        nearest: Option<String>,
    },
}

impl RulesProblem {
    /// Whether something is said to be missing, which it may be because of another mistake.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, RulesProblem::MissingKey { .. } | RulesProblem::NoPattern { .. })
    }
}

impl RulesError {
    /// Problems, of which there is at least one, at their places.
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

    /// The error for people, with the name of the file before every place.
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
            RulesProblem::NoRule { kind, found } => {
                let key = kind.key();
                write!(f, "`{key}` is {found}, but must be a list of rules, each of which begins with `[[{key}]]`")
            }
            RulesProblem::WrongElement { key, found } => {
                write!(f, "`{key}` is a list of texts, but this is {found}")
            }
            RulesProblem::OutOfRange { key, found, least } => {
                write!(f, "`{key}` is {found}, but must be a number from {least} to {}", u32::MAX)
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
        }
    }
}

/// Words between backticks, with commas.
fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A part of a text for a message: at most so many characters, all of which can be seen.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        match character {
            _ if position == most => {
                shown.push('…');
                break;
            }
            _ if is_deceptive(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}
