//! Problems of rules and models.

use std::fmt;

use vyre_dataflow::rules::{Problem as RulesFileProblem, RulesError};

/// A problem of a file of rules or models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// Problem with its location and a code frame.
    pub problem: RulesFileProblem,
}

impl Problem {
    /// Problems of a file.
    pub(crate) fn all(file: &str, error: &RulesError) -> Vec<Problem> {
        error.problems().iter().map(|problem| Problem { file: file.to_owned(), problem: problem.clone() }).collect()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RulesFileProblem { location, frame, problem } = &self.problem;
        write!(f, "{}:{location}: {problem}\n{frame}", self.file)
    }
}

impl std::error::Error for Problem {}
