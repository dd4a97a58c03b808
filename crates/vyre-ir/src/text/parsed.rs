//! Result of parsing.

use crate::Program;
use crate::source::SourceMap;

/// A program and the spans of its parts.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// Spans of its parts.
    pub source_map: SourceMap,
}
