//! Syntax errors.

use std::fmt;
use std::ops::Deref;

use crate::Diagnostic;
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
    /// A name without backticks that has letters beyond ASCII.
    UnquotedName(String),
    /// A program that exceeds a limit of [`SizeLimits`](crate::SizeLimits).
    LimitExceeded(Box<Diagnostic>),
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
            ErrorKind::UnquotedName(name) => {
                write!(f, "`{name}` has letters beyond ASCII, so it stands between backticks")
            }
            ErrorKind::LimitExceeded(diagnostic) => write!(f, "{diagnostic}"),
            ErrorKind::Unclosed => write!(f, "this body is not closed"),
            ErrorKind::TooLarge => write!(f, "text of 4 GiB or more"),
        }
    }
}

impl ParseError {
    fn new(index: &LineIndex<'_>, failure: Failure) -> ParseError {
        let Failure { kind, span, suggestion, .. } = failure;
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

/// The syntax errors of a text, in its order. There is at least one.
///
/// `Display` renders each error with its line, and counts the errors beyond the limit of
/// [`ParseOptions`](super::ParseOptions).
///
/// ```
/// let errors = vyre_ir::text::parse("workgroup_size 1; entry { x += 1; let 2 = y; }").unwrap_err();
/// assert_eq!(errors.len(), 2);
/// assert_eq!(errors[0].kind.to_string(), "there is no `+=` in this language");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseErrors {
    errors: Vec<ParseError>,
    omitted: usize,
}

impl ParseErrors {
    pub(super) fn new(source: &str, failures: Vec<Failure>, omitted: usize) -> ParseErrors {
        let index = LineIndex::new(source);
        let errors = failures.into_iter().map(|failure| ParseError::new(&index, failure)).collect();
        ParseErrors { errors, omitted }
    }

    /// The errors as text, with the name of a file before each location.
    #[must_use]
    pub fn in_file<'e>(&'e self, name: &'e str) -> impl fmt::Display + 'e {
        InFile { errors: self, prefix: Some(name) }
    }

    /// Number of further errors that were found and are not kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }
}

impl Deref for ParseErrors {
    type Target = [ParseError];

    fn deref(&self) -> &[ParseError] {
        &self.errors
    }
}

impl IntoIterator for ParseErrors {
    type Item = ParseError;
    type IntoIter = std::vec::IntoIter<ParseError>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.into_iter()
    }
}

impl<'e> IntoIterator for &'e ParseErrors {
    type Item = &'e ParseError;
    type IntoIter = std::slice::Iter<'e, ParseError>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.iter()
    }
}

impl fmt::Display for ParseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        InFile { errors: self, prefix: None }.fmt(f)
    }
}

/// Errors with the name of their file.
struct InFile<'e> {
    errors: &'e ParseErrors,
    prefix: Option<&'e str>,
}

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.errors.iter().enumerate() {
            f.write_str(if position > 0 { "\n\n" } else { "" })?;
            if let Some(prefix) = self.prefix {
                write!(f, "{prefix}:")?;
            }
            write!(f, "{error}")?;
        }
        match self.errors.omitted {
            0 => Ok(()),
            1 => write!(f, "\n\n1 more syntax error"),
            omitted => write!(f, "\n\n{omitted} more syntax errors"),
        }
    }
}

impl std::error::Error for ParseErrors {}

/// A syntax error without line and column.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) span: Span,
    pub(super) suggestion: Option<String>,
    /// True if the next statement begins at the current token.
    pub(super) resumes_here: bool,
}

impl Failure {
    pub(super) fn new(kind: ErrorKind, span: Span, suggestion: Option<String>) -> Box<Failure> {
        Box::new(Failure { kind, span, suggestion, resumes_here: false })
    }
}
