//! Positions in files, as people write them: `src/server.js:12` and `src/server.js:12:5`.

use std::fmt;
use std::str::FromStr;

/// A line of a file, or a place on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePosition {
    /// Path, as reports show it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1. None: the whole line.
    pub column: Option<u32>,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FilePosition { path, line, column } = self;
        write!(f, "{path}:{line}")?;
        column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// A text that is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionError;

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position is `path:line` or `path:line:column`, with numbers from 1")
    }
}

impl std::error::Error for PositionError {}

impl FromStr for FilePosition {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<FilePosition, PositionError> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let (rest, last) = text.rsplit_once(':').ok_or(PositionError)?;
        let last = number(last).ok_or(PositionError)?;
        let (path, line, column) = match rest.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))) {
            Some((path, line)) => (path, line, Some(last)),
            None => (rest, last, None),
        };
        if path.is_empty() {
            return Err(PositionError);
        }
        Ok(FilePosition { path: path.to_owned(), line, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_a_line_and_perhaps_a_column() {
        for text in ["a.js:3", "a/b c.js:3:14", "C:/a.js:7", "p.tgz!/x.js:1:1"] {
            let position: FilePosition = text.parse().expect("it is a position");
            assert_eq!(position.to_string(), text);
        }
        for text in ["", "a.js", "a.js:0", "a.js:x", ":3", ":3:4"] {
            assert_eq!(text.parse::<FilePosition>(), Err(PositionError), "{text}");
        }
    }
}
