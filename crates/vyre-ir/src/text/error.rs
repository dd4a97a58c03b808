//! Syntax errors.

use std::fmt;

use crate::source::{Frame, LineIndex, Location, Span};

/// A syntax error: its kind, its location and a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Bytes that cause the error.
    pub span: Span,
    /// Line and column of the start of the span.
    pub location: Location,
    /// The line with the span marked.
    pub frame: Box<Frame>,
    /// Suggested spelling, if one is known.
    pub suggestion: Option<String>,
}

/// Kind of a [`ParseError`]. The cause is always the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A character that no token begins with.
    UnexpectedCharacter(char),
    /// A name between backticks that does not end on its line.
    UnterminatedName,
    /// A backslash in a name that begins no known escape.
    BadEscape,
    /// A number with digits that its base does not have, or with an unknown suffix.
    BadLiteral,
    /// A number that its type cannot hold.
    LiteralOutOfRange {
        /// The type, as the text format names it.
        ty: &'static str,
    },
    /// A token that the grammar does not allow here.
    Expected {
        /// Tokens that are allowed.
        wanted: &'static str,
        /// Token that was found.
        found: String,
    },
    /// A reserved word where a name belongs.
    ReservedWord(String),
    /// Two comparisons in a row.
    ChainedComparison,
    /// A function with too many or too few arguments.
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// Number of arguments that it takes.
        wanted: usize,
        /// Number of arguments that were found.
        found: usize,
    },
    /// A construct of other languages that this one does not have.
    NotInLanguage(String),
    /// A second declaration of a kind that must occur once.
    Repeated(&'static str),
    /// A missing declaration of a kind that must occur once.
    Missing(&'static str),
    /// A body whose closing brace is missing.
    Unclosed,
    /// A text of 4 GiB or more.
    TooLarge,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::UnexpectedCharacter(c) => write!(f, "unexpected character {c:?}"),
            ErrorKind::UnterminatedName => write!(f, "name without its closing backtick"),
            ErrorKind::BadEscape => write!(f, "unknown escape in a name"),
            ErrorKind::BadLiteral => write!(f, "malformed number"),
            ErrorKind::LiteralOutOfRange { ty } => write!(f, "number does not fit `{ty}`"),
            ErrorKind::Expected { wanted, found } => write!(f, "expected {wanted}, found {found}"),
            ErrorKind::ReservedWord(word) => write!(f, "`{word}` is a reserved word"),
            ErrorKind::ChainedComparison => write!(f, "comparisons do not chain"),
            ErrorKind::ArgumentCount { function, wanted, found } => {
                let plural = if *wanted == 1 { "" } else { "s" };
                write!(f, "`{function}` takes {wanted} argument{plural}, found {found}")
            }
            ErrorKind::NotInLanguage(construct) => write!(f, "there is no `{construct}` in this language"),
            ErrorKind::Repeated(what) => write!(f, "`{what}` stands twice"),
            ErrorKind::Missing(what) => write!(f, "`{what}` is missing"),
            ErrorKind::Unclosed => write!(f, "this body is not closed"),
            ErrorKind::TooLarge => write!(f, "text of 4 GiB or more"),
        }
    }
}

impl ParseError {
    pub(super) fn new(source: &str, kind: ErrorKind, span: Span, suggestion: Option<String>) -> ParseError {
        let index = LineIndex::new(source);
        ParseError { kind, span, location: index.location(span.start), frame: Box::new(index.frame(span)), suggestion }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.location, self.kind)?;
        write!(f, "{}", self.frame)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "\nhelp: {suggestion}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}
