//! Entry points of the parser.

use super::error::{ErrorKind, Failure, ParseErrors};
use super::layout::{Places, Record};
use super::parsed::Parsed;
use super::parser::Parser;
use crate::postfix::PostfixCode;
use crate::size_limits::SizeLimits;
use crate::source::{SourceMap, Span};
use crate::{Diagnostic, ProgramLocation};

/// Options of [`parse_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseOptions {
    /// Limits on the size of the program; none by default.
    pub limits: SizeLimits,
    /// Maximum number of syntax errors that are kept, at least 1; 20 by default. Further ones are counted.
    pub max_errors: usize,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { limits: SizeLimits::default(), max_errors: 20 }
    }
}

impl ParseOptions {
    /// Sets the limits on the size of the program.
    #[must_use]
    pub const fn with_limits(mut self, limits: SizeLimits) -> ParseOptions {
        self.limits = limits;
        self
    }

    /// Sets the maximum number of syntax errors that are kept.
    #[must_use]
    pub const fn with_max_errors(mut self, max_errors: usize) -> ParseOptions {
        self.max_errors = max_errors;
        self
    }
}

/// Parses a program of any size.
///
/// ```
/// let text = "workgroup_size 1; buffer out: read_write u32 @0; entry { out[0] = 6 * 7; }";
/// let program = vyre_ir::text::parse(text)?.program;
/// assert_eq!(program.buffers.len(), 1);
/// # Ok::<(), vyre_ir::text::ParseErrors>(())
/// ```
///
/// # Errors
///
/// The syntax errors, one for each mistake.
pub fn parse(source: &str) -> Result<Parsed, ParseErrors> {
    parse_with(source, &ParseOptions::default())
}

/// Parses a program.
///
/// With a limit of nodes, parsing ends where the program exceeds it: memory is bounded by the limit, and the text behind
/// is not examined. If there is a syntax error before, only syntax errors are reported.
///
/// # Errors
///
/// The syntax errors, one for each mistake. [`ErrorKind::LimitExceeded`] if there are none and the program exceeds a
/// limit; this is the only error then.
pub fn parse_with(source: &str, options: &ParseOptions) -> Result<Parsed, ParseErrors> {
    let ParsedCode { code, mut source_map, places } = parse_code(source, Record::Spans, options)?;
    source_map.spans = places.spans;
    source_map.text = source.into();
    Ok(Parsed { program: code.to_program(), source_map })
}

/// Parses a program to postfix code without places.
pub(crate) fn parse_to_code(source: &str) -> Result<PostfixCode<'_>, ParseErrors> {
    parse_code(source, Record::Nothing, &ParseOptions::default()).map(|parsed| parsed.code)
}

/// A program in postfix code, with the places of its parts.
pub(super) struct ParsedCode<'s> {
    pub(super) code: PostfixCode<'s>,
    pub(super) source_map: SourceMap,
    pub(super) places: Places,
}

/// Parses a program to postfix code.
pub(super) fn parse_code<'s>(
    source: &'s str,
    record: Record,
    options: &ParseOptions,
) -> Result<ParsedCode<'s>, ParseErrors> {
    if u32::try_from(source.len()).is_err() {
        let failure = Failure::new(ErrorKind::TooLarge, Span::default(), None);
        return Err(ParseErrors::new("", vec![*failure], 0));
    }
    let mut parser = Parser::new(source, record, options.limits, options.max_errors);
    parser.program();
    if !parser.failures.is_empty() {
        return Err(ParseErrors::new(source, parser.failures, parser.omitted));
    }
    if let Some(excess) = parser.excess {
        let open = parser.open.iter().rev().map(|body| body.kind);
        let diagnostic = parser.guard.node_excess(&mut parser.code, open, excess);
        let span = match diagnostic.location {
            ProgramLocation::Node(ordinal) => parser.places.spans.get(ordinal as usize).copied(),
            ProgramLocation::WorkgroupSize(_) | ProgramLocation::Buffer(_) => None,
        };
        return Err(limit_exceeded(source, diagnostic, span.unwrap_or_default()));
    }
    if let Some(diagnostic) = parser.guard.nesting_excess() {
        return Err(limit_exceeded(source, diagnostic, parser.too_deep));
    }
    Ok(ParsedCode { code: parser.code, source_map: parser.source_map, places: parser.places })
}

fn limit_exceeded(source: &str, mut diagnostic: Diagnostic, span: Span) -> ParseErrors {
    diagnostic.span = Some(span);
    let failure = Failure::new(ErrorKind::LimitExceeded(Box::new(diagnostic)), span, None);
    ParseErrors::new(source, vec![*failure], 0)
}
