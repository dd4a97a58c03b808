//! Parsing with oxc, with the dialects that a file may be in.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

use crate::lang::LowerError;
use crate::lines::LineIndex;

/// Syntax tree of a file: of the first dialect that fits.
pub(super) fn parse<'a>(allocator: &'a Allocator, path: &str, text: &'a str) -> Result<Program<'a>, LowerError> {
    let mut first: Option<ParserReturn<'a>> = None;
    for dialect in dialects(path) {
        let parsed = attempt(allocator, text, dialect);
        if !parsed.panicked && !parsed.diagnostics.has_errors() {
            return Ok(parsed.program);
        }
        let better = first.as_ref().is_none_or(|first| first.panicked && !parsed.panicked);
        if better {
            first = Some(parsed);
        }
    }
    let Some(parsed) = first else {
        return Err(LowerError::Syntax { line: 1, message: "no dialect".into() });
    };
    let is_useless = parsed.panicked || parsed.program.body.is_empty() && parsed.diagnostics.has_errors();
    if !is_useless {
        return Ok(parsed.program);
    }
    let error = parsed.diagnostics.errors().next();
    let offset =
        error.and_then(|error| error.labels.first()).map_or(0, |label| label.offset() as usize).min(text.len());
    let line = LineIndex::new(text).line(offset);
    Err(LowerError::Syntax {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        message: error.map_or_else(|| "not parsed".into(), |error| error.message.to_string()),
    })
}

/// Dialects of a file by its extension, the likely one first.
fn dialects(path: &str) -> Vec<SourceType> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let script = SourceType::unambiguous().with_jsx(true);
    let typed = SourceType::ts().with_unambiguous(true);
    let typed_jsx = SourceType::tsx().with_unambiguous(true);
    match extension {
        "ts" | "mts" | "cts" if name.contains(".d.") => vec![SourceType::d_ts(), SourceType::ts()],
        "ts" | "mts" | "cts" => vec![typed, typed_jsx, script],
        "tsx" => vec![typed_jsx, typed, script],
        _ => vec![script, SourceType::script(), typed_jsx, typed],
    }
}

fn attempt<'a>(allocator: &'a Allocator, text: &'a str, dialect: SourceType) -> ParserReturn<'a> {
    let options =
        ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, text, dialect).with_options(options).parse()
}
