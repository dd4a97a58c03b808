//! JavaScript and TypeScript front end.
//!
//! The stages are: a bound of the stack that the recursive parser needs; the parser of oxc; a binder that resolves names and counts the
//! nesting; and the lowering, which builds SSA form while it walks the tree.

mod bind;
mod depth;
mod lower;
mod parse;
#[cfg(test)]
mod tests;

use oxc_allocator::Allocator;

use super::clock::ThreadClock;
use super::{LARGE_STACK, LowerError, LowerOptions, with_stack};
use crate::flow::{FlowModule, Span};

/// Stack of the parser up to which any thread suffices, in bytes.
const SMALL_STACK: u64 = 700 << 10;

/// Stack from which on an estimate of the nesting decides whether a file is parsed at all, in bytes. Below it the parser may take what
/// it needs, and the binder counts the nesting.
const ESTIMATED_STACK: u64 = 1 << 30;

/// Factor of the limit for the estimate, which may be too high.
const ESTIMATE_SLACK: u32 = 4;

/// Length of a text up to which any thread suffices. Chains of operators nest too, but the parser does not recurse for them, so that
/// neither the nesting nor the stack of the parser counts them.
const SHORT: usize = 2048;

/// Most instructions for each byte of a long file. Real files have fewer than one.
const MAX_PER_BYTE: usize = 8;

/// Flow module of a JavaScript or TypeScript file. The extension of `path` selects the dialect.
///
/// # Errors
///
/// The text is not JavaScript, or beyond a limit, or the work was cancelled.
pub fn lower(path: &str, text: &str, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    on_stack(text, options, |options| lower_here(path, text, options))
}

/// Comments of a JavaScript or TypeScript file with their delimiters, in order.
///
/// # Errors
///
/// The text is not JavaScript, or beyond a limit.
pub fn comments(path: &str, text: &str, options: &LowerOptions<'_>) -> Result<Vec<Span>, LowerError> {
    on_stack(text, options, |_| {
        let allocator = Allocator::default();
        let program = parse::parse(&allocator, path, text)?;
        Ok(program.comments.iter().map(|comment| Span::new(comment.span.start, comment.span.end)).collect())
    })
}

/// Runs work that parses a text, on a stack that suffices.
fn on_stack<T: Send>(
    text: &str,
    options: &LowerOptions<'_>,
    work: impl Fn(&LowerOptions<'_>) -> Result<T, LowerError> + Sync,
) -> Result<T, LowerError> {
    if text.len() > options.max_bytes.min(u32::MAX as usize / 4) {
        return Err(LowerError::TooLong);
    }
    let stack = depth::stack_bound(text);
    if stack > ESTIMATED_STACK && depth::nesting(text) > options.max_depth.saturating_mul(ESTIMATE_SLACK) {
        return Err(LowerError::TooDeep);
    }
    let most = 1_000_000 + text.len().saturating_mul(MAX_PER_BYTE);
    let options = LowerOptions { max_instructions: options.max_instructions.min(most), ..*options };
    let is_enough = match options.has_large_stack {
        true => stack <= LARGE_STACK as u64,
        false => stack <= SMALL_STACK && text.len() <= SHORT,
    };
    if is_enough {
        return work(&options);
    }
    if stack > options.max_stack {
        return Err(LowerError::NoStack);
    }
    with_stack(stack, || work(&options)).unwrap_or(Err(LowerError::NoStack))
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
