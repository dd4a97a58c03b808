//! Corpus files: expected diagnostics, and definitions of ops.
//!
//! A program states its expected errors in comments on the lines that they concern:
//!
//! ```text
//! input[0] = true; // error: V005 V029
//! ```
//!
//! A file of ops has several programs, each after a line with the id of the op:
//!
//! ```text
//! // op: test.add
//! workgroup_size 1;
//! entry {
//! }
//! // op: test.sort not-inlinable
//! ```

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A comment with its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'s> {
    /// Line number, from 1.
    pub line: u32,
    /// Text after `//`, trimmed.
    pub text: &'s str,
}

/// The program of an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpText {
    /// Id of the op.
    pub id: String,
    /// True if calls may be inlined.
    pub inlinable: bool,
    /// Text of its program, from the line with the id.
    pub text: String,
}

/// Error of a corpus file.
#[derive(Debug)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file or directory that cannot be read.
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// `// error:` without a code.
    MissingCode {
        /// The line.
        line: u32,
    },
    /// A word after `// error:` that is no rule code.
    BadCode {
        /// The line.
        line: u32,
        /// The word.
        code: String,
    },
    /// `// op:` without an id.
    MissingOpId {
        /// The line.
        line: u32,
    },
    /// A word after the id of an op other than `not-inlinable`.
    UnknownWord {
        /// The line.
        line: u32,
        /// The word.
        word: String,
    },
    /// Text of a program before the first `// op:`.
    TextBeforeOp {
        /// The line.
        line: u32,
    },
    /// A malformed file of ops.
    Ops {
        /// Path of the file.
        path: String,
        /// What is wrong with it.
        error: Box<CorpusError>,
    },
}

impl CorpusError {
    /// This error of a file.
    pub(crate) fn of_file(self, path: impl fmt::Display) -> CorpusError {
        CorpusError::Ops { path: path.to_string(), error: Box::new(self) }
    }
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorpusError::Unreadable { path, error } => write!(f, "{}: {error}", path.display()),
            CorpusError::MissingCode { line } => write!(f, "line {line}: `error:` without a code"),
            CorpusError::BadCode { line, code } => write!(f, "line {line}: `{code}` is no code of a rule"),
            CorpusError::MissingOpId { line } => write!(f, "line {line}: `op:` without an id"),
            CorpusError::UnknownWord { line, word } => write!(f, "line {line}: unknown word `{word}` after an op id"),
            CorpusError::TextBeforeOp { line } => write!(f, "line {line}: text before the first `// op:`"),
            CorpusError::Ops { path, error } => write!(f, "{path}: {error}"),
        }
    }
}

impl std::error::Error for CorpusError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CorpusError::Unreadable { error, .. } => Some(error),
            CorpusError::Ops { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Comments of a text, in order. `//` between backticks starts no comment.
#[must_use]
pub fn comments(text: &str) -> Vec<Comment<'_>> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some(start) = comment_start(line) {
            found.push(Comment { line: number, text: line[start + 2..].trim() });
        }
    }
    found
}

/// Position of the comment in a line. A name between backticks ends on its line.
fn comment_start(line: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut bytes = line.bytes().enumerate().peekable();
    while let Some((position, byte)) = bytes.next() {
        match byte {
            b'\\' if is_quoted => {
                bytes.next();
            }
            b'`' => is_quoted = !is_quoted,
            b'/' if !is_quoted && bytes.peek().is_some_and(|&(_, next)| next == b'/') => return Some(position),
            _ => {}
        }
    }
    None
}

/// Expected diagnostics of a program: lines and codes, sorted.
///
/// # Errors
///
/// Fails on a comment that starts with `error:` and has no valid codes.
pub fn expectations(text: &str) -> Result<Vec<(u32, String)>, CorpusError> {
    let mut expected = Vec::new();
    for Comment { line, text } in comments(text) {
        let Some(codes) = text.strip_prefix("error:") else { continue };
        let before = expected.len();
        for code in codes.split_whitespace() {
            if !is_code(code) {
                return Err(CorpusError::BadCode { line, code: code.to_owned() });
            }
            expected.push((line, code.to_owned()));
        }
        if expected.len() == before {
            return Err(CorpusError::MissingCode { line });
        }
    }
    expected.sort();
    Ok(expected)
}

fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix('V').unwrap_or("");
    digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Ops that a file defines, in order.
///
/// # Errors
///
/// Fails on a line `// op:` without an id or with unknown words, and on code before the first one.
pub fn op_texts(text: &str) -> Result<Vec<OpText>, CorpusError> {
    let mut ops: Vec<OpText> = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if let Some(head) = line.trim().strip_prefix("// op:") {
            let mut words = head.split_whitespace();
            let id = words.next().ok_or(CorpusError::MissingOpId { line: number })?;
            let inlinable = match (words.next(), words.next()) {
                (None, _) => true,
                (Some("not-inlinable"), None) => false,
                (Some("not-inlinable"), Some(word)) | (Some(word), _) => {
                    return Err(CorpusError::UnknownWord { line: number, word: word.to_owned() });
                }
            };
            ops.push(OpText { id: id.to_owned(), inlinable, text: line.to_owned() });
            continue;
        }
        match ops.last_mut() {
            Some(op) => op.text.push_str(line),
            None if line.trim().is_empty() || line.trim_start().starts_with("//") => {}
            None => return Err(CorpusError::TextBeforeOp { line: number }),
        }
    }
    Ok(ops)
}

/// Ops of all `.vyre` files of a directory, in the order of file names.
///
/// # Errors
///
/// Fails on an unreadable file, and as [`op_texts`].
pub fn read_ops(directory: &Path) -> Result<Vec<OpText>, CorpusError> {
    let mut ops = Vec::new();
    for path in program_files(directory)? {
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| CorpusError::Unreadable { path: path.clone(), error })?;
        ops.extend(op_texts(&text).map_err(|error| error.of_file(path.display()))?);
    }
    Ok(ops)
}

/// The `.vyre` files of a directory, sorted by name. Subdirectories are not searched.
///
/// # Errors
///
/// Fails on an unreadable directory.
pub fn program_files(directory: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let unreadable = |error| CorpusError::Unreadable { path: directory.to_owned(), error };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "vyre") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_carry_the_line_and_each_code() {
        let text = "workgroup_size 0; // error: V003\n// plain\nentry {\n    a[0] = 1; //error: V021 V005\n}\n";
        let expected = [(1, "V003"), (4, "V005"), (4, "V021")].map(|(line, code)| (line, code.to_owned()));
        assert_eq!(expectations(text).ok(), Some(expected.to_vec()));
        assert_eq!(expectations("").ok(), Some(vec![]));
    }

    #[test]
    fn expectations_must_be_codes() {
        assert!(matches!(expectations("\n// error:\n"), Err(CorpusError::MissingCode { line: 2 })));
        for bad in ["v003", "V03", "V0031", "V003,", "V00\u{662}"] {
            let outcome = expectations(&format!("// error: V001 {bad}"));
            assert!(matches!(outcome, Err(CorpusError::BadCode { line: 1, code }) if code == bad));
        }
    }

    #[test]
    fn names_between_backticks_hold_no_comments() {
        let line = r"let `// error: V001` = `\`// error: V002`; // error: V003";
        assert_eq!(comments(line), [Comment { line: 1, text: "error: V003" }]);
        assert_eq!(comments("a / b // c // d\r\n"), [Comment { line: 1, text: "c // d" }]);
    }

    #[test]
    fn a_file_holds_several_ops() {
        let text =
            "// About these ops.\n\n// op: test.add\nworkgroup_size 1;\n// op: test.sort not-inlinable\nentry {}";
        let expected = [
            OpText {
                id: "test.add".to_owned(),
                inlinable: true,
                text: "// op: test.add\nworkgroup_size 1;\n".to_owned(),
            },
            OpText {
                id: "test.sort".to_owned(),
                inlinable: false,
                text: "// op: test.sort not-inlinable\nentry {}".to_owned(),
            },
        ];
        assert_eq!(op_texts(text).ok(), Some(expected.to_vec()));
    }

    #[test]
    fn malformed_op_lines_are_refused() {
        assert!(matches!(op_texts("// op:\n"), Err(CorpusError::MissingOpId { line: 1 })));
        assert!(matches!(op_texts("\n// op: a b\n"), Err(CorpusError::UnknownWord { line: 2, word }) if word == "b"));
        assert!(
            matches!(op_texts("// op: a not-inlinable c"), Err(CorpusError::UnknownWord { line: 1, word }) if word == "c")
        );
        assert!(matches!(op_texts("//\nentry {}\n// op: a"), Err(CorpusError::TextBeforeOp { line: 2 })));
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        assert!(matches!(read_ops(Path::new("no such directory")), Err(CorpusError::Unreadable { .. })));
    }
}
