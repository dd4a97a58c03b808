//! Loader of programs, text or wire. An input that is not a program yields a report.

use vyre::ir::render::Snippets;
use vyre::ir::source::Span;
use vyre::ir::text::{self, ParseError, Parsed};
use vyre::ir::wire::{self, WireError};
use vyre::ir::{Diagnostics, OpTable, Program, ValidProgram, validate};

use crate::input::Form;
use crate::report::{Finding, FindingLocation, Report};

/// A program with its source.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A program from text.
    Text(Parsed),
    /// A program from bytes.
    Wire(Program),
}

impl Loaded {
    /// The program.
    pub(crate) fn program(&self) -> &Program {
        match self {
            Loaded::Text(parsed) => &parsed.program,
            Loaded::Wire(program) => program,
        }
    }

    /// Checks the program against every rule.
    ///
    /// # Errors
    ///
    /// Its diagnostics, with spans if the program is from text.
    pub(crate) fn validate<'p>(&'p self, ops: &'p OpTable) -> Result<ValidProgram<'p>, Diagnostics> {
        match self {
            Loaded::Text(parsed) => parsed.validate(ops),
            Loaded::Wire(program) => validate(program, ops),
        }
    }
}

/// Report of a program that breaks rules.
pub(crate) fn invalid(name: &str, diagnostics: Diagnostics) -> Report {
    let snippets = diagnostics.snippets().clone();
    Report::new(name, snippets, diagnostics.into_iter().map(Finding::from).collect())
}

/// Reads a program in either form.
///
/// # Errors
///
/// A report of the first error.
pub(crate) fn load(name: &str, bytes: Vec<u8>) -> Result<Loaded, Report> {
    match Form::of(&bytes) {
        Form::Text => load_text(name, bytes).map(Loaded::Text),
        Form::Wire => {
            let report = |error: WireError| Report::new(name, Snippets::default(), vec![malformed(&error)]);
            wire::from_wire(&bytes).map(Loaded::Wire).map_err(report)
        }
    }
}

/// Reads a program in text form.
///
/// # Errors
///
/// As [`load`].
pub(crate) fn load_text(name: &str, bytes: Vec<u8>) -> Result<Parsed, Report> {
    let text = decode(name, bytes)?;
    text::parse(&text).map_err(|error| Report::new(name, Snippets::of_text(text), vec![syntax(error)]))
}

/// Decodes UTF-8.
///
/// # Errors
///
/// A report of the first byte that is not UTF-8.
fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Report> {
    /// Bytes kept after the error, for the rest of its line.
    const KEPT_AFTER_ERROR: usize = 512;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let bad = bytes.get(offset).copied().unwrap_or_default();
        let kept = bytes.get(..bytes.len().min(offset + KEPT_AFTER_ERROR)).unwrap_or_default();
        let problem = format!("byte {bad:#04x} at offset {offset} is not UTF-8");
        let start = u32::try_from(offset).unwrap_or(u32::MAX);
        let finding = Finding {
            rule: "syntax",
            message: problem.clone(),
            problem,
            fix: Some("save the file as UTF-8".to_owned()),
            help: None,
            location: FindingLocation::of_span(Span { start, end: start }),
            related: None,
        };
        Report::new(name, Snippets::of_text(String::from_utf8_lossy(kept)), vec![finding])
    })
}

fn syntax(error: ParseError) -> Finding {
    let problem = error.kind.to_string();
    Finding {
        rule: "syntax",
        message: problem.clone(),
        problem,
        fix: error.suggestion,
        help: None,
        location: FindingLocation::of_span(error.span),
        related: None,
    }
}

fn malformed(error: &WireError) -> Finding {
    Finding {
        rule: "wire",
        problem: error.kind.to_string(),
        message: error.to_string(),
        fix: Some("write the file again, from its text with `vyre convert` if you have it".to_owned()),
        help: None,
        location: FindingLocation { path: format!("byte {}", error.offset), location: None, span: None },
        related: None,
    }
}
