//! JavaScript and TypeScript front end.
//!
//! The stages are: a count of the nesting, which protects the recursive parser; the parser of oxc; a binder that resolves
//! names; and the lowering, which builds SSA form while it walks the tree.

mod bind;
mod depth;
mod lower;
mod parse;
#[cfg(test)]
mod tests;

use oxc_allocator::Allocator;

use super::clock::ThreadClock;
use super::{LowerError, LowerOptions, with_large_stack};
use crate::flow::FlowModule;

/// Nesting up to which the stack of the calling thread suffices.
const SHALLOW: u32 = 40;

/// Length of a text up to which the stack of the calling thread suffices, if the nesting is shallow. Chains of operators nest too,
/// but the parser does not recurse for them, so that the nesting does not count them.
const SHORT: usize = 2048;

/// Most instructions for each byte of a long file. Real files have fewer than one.
const MOST_PER_BYTE: usize = 8;

/// Flow module of a JavaScript or TypeScript file. The extension of `path` selects the dialect.
///
/// # Errors
///
/// The text is not JavaScript, or beyond a limit, or the work was cancelled.
pub fn lower(path: &str, text: &str, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    if text.len() > options.max_bytes.min(u32::MAX as usize / 4) {
        return Err(LowerError::TooLong);
    }
    let depth = depth::nesting(text);
    if depth > options.max_depth.saturating_mul(4) {
        return Err(LowerError::TooDeep);
    }
    let most = 1_000_000 + text.len().saturating_mul(MOST_PER_BYTE);
    let options = LowerOptions { max_instructions: options.max_instructions.min(most), ..*options };
    if options.has_large_stack || depth <= SHALLOW && text.len() <= SHORT {
        return lower_here(path, text, &options);
    }
    with_large_stack(|| lower_here(path, text, &options)).unwrap_or(Err(LowerError::TooDeep))
}

/// Lowers on the stack of this thread.
fn lower_here(path: &str, text: &str, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    // The clock is that of the thread that works.
    let clock = ThreadClock::start();
    let cancelled = || {
        options.cancelled.is_some_and(|cancelled| cancelled())
            || options.time_limit.is_some_and(|limit| clock.elapsed() >= limit)
    };
    let options = &LowerOptions { cancelled: Some(&cancelled), ..*options };
    let allocator = Allocator::default();
    let program = parse::parse(&allocator, path, text)?;
    let bindings = bind::bind(&program, options)?;
    lower::lower(&program, bindings, options)
}
