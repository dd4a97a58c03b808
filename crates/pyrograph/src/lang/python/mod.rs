//! Python front end.
//!
//! The stages are: a bound of the nesting, which protects code that recurses over the tree; the parser of ruff; a binder that
//! resolves names; and the lowering, which builds SSA form while it walks the tree.

mod bind;
mod depth;
mod lower;
pub mod notebook;
mod stubs;
#[cfg(test)]
mod tests;

use ruff_python_ast::ModModule;
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use super::clock::ThreadClock;
use super::{LARGE_STACK, LowerError, LowerOptions, with_stack};
use crate::flow::{FlowModule, Span};
use crate::lines::LineIndex;

/// Nesting of a tree that a large stack can drop. A level takes fewer than 1,000 bytes.
const MAX_NESTING: u32 = 200_000;

/// Length of a text up to which any thread suffices.
const SHORT: usize = 2048;

/// Most instructions for each byte of a long file. Real files have fewer than one.
const MAX_PER_BYTE: usize = 8;

/// Flow module of a Python file.
///
/// # Errors
///
/// The text is not Python 3, or beyond a limit, or the work was cancelled.
pub fn lower(text: &str, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    on_stack(text, options, |options| lower_here(text, options))
}

/// Comments of a Python file with their delimiters, in order.
///
/// # Errors
///
/// The text is not Python 3, or beyond a limit.
pub fn comments(text: &str, options: &LowerOptions<'_>) -> Result<Vec<Span>, LowerError> {
    on_stack(text, options, |_| {
        let parsed = parse(text)?;
        let comments = parsed.tokens().iter().filter(|token| token.kind().is_comment());
        Ok(comments.map(|token| Span::new(token.range().start().into(), token.range().end().into())).collect())
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
    let nesting = depth::nesting(text);
    if nesting > MAX_NESTING {
        return Err(LowerError::TooDeep);
    }
    let most = 1_000_000 + text.len().saturating_mul(MAX_PER_BYTE);
    let options = LowerOptions { max_instructions: options.max_instructions.min(most), ..*options };
    if options.has_large_stack || text.len() <= SHORT {
        return work(&options);
    }
    with_stack(LARGE_STACK as u64, || work(&options)).unwrap_or(Err(LowerError::NoStack))
}

/// Flow module of a Python file, with the annotations of its stub as hints. A stub that cannot be read gives none.
///
/// # Errors
///
/// As [`lower`].
pub fn lower_with_stub(text: &str, stub: Option<&str>, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    let mut module = lower(text, options)?;
    if let Some(stub) = stub
        && let Ok(stub) = lower(stub, options)
    {
        stubs::apply(&mut module, &stub);
    }
    Ok(module)
}

/// Syntax tree of a text with its tokens.
fn parse(text: &str) -> Result<Parsed<ModModule>, LowerError> {
    ruff_python_parser::parse_module(text).map_err(|error| {
        let offset = usize::from(error.range().start()).min(text.len());
        let line = u32::try_from(LineIndex::new(text).line(offset)).unwrap_or(u32::MAX);
        LowerError::Syntax { line, message: error.error.to_string() }
    })
}

/// Lowers on the stack of this thread.
fn lower_here(text: &str, options: &LowerOptions<'_>) -> Result<FlowModule, LowerError> {
    // The clock is that of the thread that works.
    let clock = ThreadClock::start();
    let cancelled = || {
        options.cancelled.is_some_and(|cancelled| cancelled())
            || options.time_limit.is_some_and(|limit| clock.elapsed() >= limit)
    };
    let options = &LowerOptions { cancelled: Some(&cancelled), ..*options };
    let module = parse(text)?.into_syntax();
    let bindings = bind::bind(&module, text, options)?;
    lower::lower(&module, bindings, text, options)
}
