//! Front ends: from source text to flow modules.

mod clock;
pub mod javascript;
pub mod python;
mod ssa;
mod stack;

pub use stack::{LARGE_STACK, MAX_STACK, with_stack};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use crate::flow::Span;

/// Limits of the lowering of one file.
#[derive(Clone, Copy)]
pub struct LowerOptions<'a> {
    /// Longest file, in bytes.
    pub max_bytes: usize,
    /// Deepest nesting of syntax.
    pub max_depth: u32,
    /// Largest stack that the parser may need for a file, in bytes. The stack takes memory only where it is used.
    pub max_stack: u64,
    /// Most instructions of a file.
    pub max_instructions: usize,
    /// Says whether the work shall stop. It is called now and then.
    pub cancelled: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// The calling thread has a stack of [`LARGE_STACK`] bytes.
    pub has_large_stack: bool,
    /// Most time that the thread may compute. The load of the machine does not matter.
    pub time_limit: Option<Duration>,
    /// Facts about other modules that the file imports, and about calls in it.
    pub constants: Option<&'a ImportedConstants>,
}

/// Facts that a file does not show by itself: constants of the modules that it imports, and calls that never return.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedConstants {
    /// Constants: by the specifier of the module, and the names of the members with dots between them.
    pub members: BTreeMap<(String, String), ImportedConstant>,
    /// Calls of functions that never return.
    pub ending_calls: BTreeSet<Span>,
}

/// A constant of another module.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportedConstant {
    /// Text.
    String(String),
    /// Number.
    Number(f64),
    /// Bool.
    Bool(bool),
}

impl Default for LowerOptions<'_> {
    fn default() -> Self {
        LowerOptions {
            max_bytes: 64 << 20,
            max_depth: 5_000,
            max_stack: MAX_STACK,
            max_instructions: 50_000_000,
            cancelled: None,
            has_large_stack: false,
            constants: None,
            time_limit: None,
        }
    }
}

impl fmt::Debug for LowerOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LowerOptions")
            .field("max_bytes", &self.max_bytes)
            .field("max_depth", &self.max_depth)
            .field("max_stack", &self.max_stack)
            .field("max_instructions", &self.max_instructions)
            .field("cancelled", &self.cancelled.is_some())
            .field("has_large_stack", &self.has_large_stack)
            .field("time_limit", &self.time_limit)
            .finish()
    }
}

/// Reason why a file has no flow module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LowerError {
    /// The text is not of the language.
    Syntax {
        /// Line of the error, from 1.
        line: u32,
        /// What the parser expected.
        message: String,
    },
    /// The nesting is beyond the limit.
    TooDeep,
    /// The parser may need a larger stack than the limit, or than the system grants.
    NoStack,
    /// The text, or what it expands to, is beyond the limit.
    TooLong,
    /// The work was cancelled.
    TimedOut,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::Syntax { line, message } => write!(f, "syntax error on line {line}: {message}"),
            LowerError::TooDeep => f.write_str("the nesting is too deep"),
            LowerError::NoStack => f.write_str("the parser may need a larger stack than the limit"),
            LowerError::TooLong => f.write_str("the file is too long"),
            LowerError::TimedOut => f.write_str("the time limit has passed"),
        }
    }
}

impl std::error::Error for LowerError {}
