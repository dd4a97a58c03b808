//! Limits of programs. Validation checks them before everything else.

/// Maximum length of a chain of calls, the first call included.
pub const DEFAULT_MAX_CALL_DEPTH: u32 = 32;

/// Maximum nesting depth of bodies, called ops expanded. The entry has depth 0.
pub const DEFAULT_MAX_NESTING_DEPTH: u64 = 64;

/// Maximum number of statements and expressions of a program, called ops expanded.
pub const DEFAULT_MAX_NODE_COUNT: u64 = 100_000;

/// Maximum length of the name of a buffer, variable or op.
pub const MAX_NAME_BYTES: usize = 256;
