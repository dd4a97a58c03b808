//! Loader of programs, text or wire. An input that is not a program yields a report.

use vyre::ir::source::{SourceMap, Span};
use vyre::ir::text::{self, ParseError, Parsed};
use vyre::ir::wire::{self, WireError};
use vyre::ir::{Diagnostic, Program};

use crate::input::Form;
use crate::report::{Finding, FindingLocation, Report};
use crate::text_size::text_is_too_large;

/// A program with its source.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A program from text.
    Text {
        /// The text.
        text: String,
        /// The program and its source map.
        parsed: Parsed,
    },
    /// A program from bytes.
    Wire(Program),
}

/// The text of a program and its source map.
#[derive(Debug)]
pub(crate) struct Source {
    /// The text.
    pub(crate) text: String,
    /// Spans of the parts of the program.
    pub(crate) map: SourceMap,
}

impl Loaded {
    /// The program.
    pub(crate) fn program(&self) -> &Program {
        match self {
            Loaded::Text { parsed, .. } => &parsed.program,
            Loaded::Wire(program) => program,
        }
    }

    /// Form of the input.
    pub(crate) fn form(&self) -> Form {
        match self {
            Loaded::Text { .. } => Form::Text,
            Loaded::Wire(_) => Form::Wire,
        }
    }

    /// Text for reports. For wire it is the text form of the program, unless that is too large.
    pub(crate) fn into_source(self) -> Option<Source> {
        match self {
            Loaded::Text { text, parsed } => Some(Source { text, map: parsed.source_map }),
            Loaded::Wire(program) => {
                let text = Some(&program).filter(|program| !text_is_too_large(program)).map(text::print)?;
                let map = text::parse(&text).ok()?.source_map;
                Some(Source { text, map })
            }
        }
    }
}

/// Report of a program that breaks rules.
pub(crate) fn invalid(name: &str, loaded: Loaded, mut diagnostics: Vec<Diagnostic>) -> Report {
    let form = loaded.form();
    let source = loaded.into_source();
    if let Some(source) = &source {
        for diagnostic in &mut diagnostics {
            diagnostic.locate(&source.map);
        }
    }
    let findings = diagnostics.into_iter().map(Finding::from).collect();
    Report::new(name, form, source.map(|source| source.text), findings)
}

/// Reads a program in either form.
///
/// # Errors
///
/// A report of the first error.
pub(crate) fn load(name: &str, bytes: Vec<u8>) -> Result<Loaded, Report> {
    match Form::of(&bytes) {
        Form::Text => load_text(name, bytes).map(|(text, parsed)| Loaded::Text { text, parsed }),
        Form::Wire => {
            let report = |error: WireError| Report::new(name, Form::Wire, None, vec![malformed(&error)]);
            wire::from_wire(&bytes).map(Loaded::Wire).map_err(report)
        }
    }
}

/// Reads a program in text form.
///
/// # Errors
///
/// As [`load`].
pub(crate) fn load_text(name: &str, bytes: Vec<u8>) -> Result<(String, Parsed), Report> {
    let text = decode(name, bytes)?;
    match text::parse(&text) {
        Ok(parsed) => Ok((text, parsed)),
        Err(error) => Err(Report::new(name, Form::Text, Some(text), vec![syntax(error)])),
    }
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
            location: FindingLocation { path: String::new(), span: Some(Span { start, end: start }) },
            related: None,
        };
        Report::new(name, Form::Text, Some(String::from_utf8_lossy(kept).into_owned()), vec![finding])
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
        location: FindingLocation { path: String::new(), span: Some(error.span) },
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
        location: FindingLocation { path: format!("byte {}", error.offset), span: None },
        related: None,
    }
}
