//! Errors that end a scan without a report.

use std::fmt;
use std::path::PathBuf;

use vyre_dataflow::DataflowError;

/// Reason why a scan has no report.
///
/// Files that cannot be read or parsed are no errors: the [coverage](crate::coverage::Coverage) of the report lists them.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScanError {
    /// A path does not exist.
    NoSuchPath(PathBuf),
    /// Rules or models are not valid. The text names file and line.
    Rules(String),
    /// A pattern of `include` or `exclude` is not valid.
    Pattern {
        /// The pattern.
        pattern: String,
        /// Description of the mistake.
        message: String,
    },
    /// A path cannot be scanned at all.
    Input {
        /// The path.
        path: PathBuf,
        /// Description of the problem.
        message: String,
    },
    /// A position of `--explain-missing` does not exist. The text says why.
    Position(String),
    /// The dataflow engine failed.
    Dataflow(DataflowError),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::NoSuchPath(path) => write!(f, "there is no file or folder {path:?}"),
            ScanError::Rules(message) | ScanError::Position(message) => f.write_str(message),
            ScanError::Pattern { pattern, message } => write!(f, "the pattern {pattern:?} is not valid: {message}"),
            ScanError::Input { path, message } => write!(f, "cannot scan {path:?}: {message}"),
            ScanError::Dataflow(error) => write!(f, "the dataflow engine failed: {error}"),
        }
    }
}

impl std::error::Error for ScanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ScanError::Dataflow(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DataflowError> for ScanError {
    fn from(error: DataflowError) -> ScanError {
        ScanError::Dataflow(error)
    }
}
