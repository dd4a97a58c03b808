//! From bytes to a program, text or wire, or to a report of why they are none.

use vyre::ir::Program;
use vyre::ir::source::Span;
use vyre::ir::text::{self, ParseError, Parsed};
use vyre::ir::wire::{self, WireError};

use crate::input::Form;
use crate::report::{Finding, Place, Report};

/// A program, with what is known about where it came from.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A program from text.
    Text {
        /// The text.
        text: String,
        /// The program and the places of its parts.
        parsed: Parsed,
    },
    /// A program from bytes.
    Wire(Program),
}

/// Reads a program in either form.
///
/// # Errors
///
/// A report of the first place at which the bytes stop being a program.
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

/// The bytes as text.
///
/// # Errors
///
/// A report of the first byte that is not UTF-8.
fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Report> {
    /// How much of the text behind the byte is kept, for the rest of its line.
    const BEHIND: usize = 512;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let bad = bytes.get(offset).copied().unwrap_or_default();
        let kept = bytes.get(..bytes.len().min(offset + BEHIND)).unwrap_or_default();
        let problem = format!("byte {bad:#04x} at offset {offset} is not UTF-8");
        let start = u32::try_from(offset).unwrap_or(u32::MAX);
        let finding = Finding {
            rule: "syntax",
            message: problem.clone(),
            problem,
            fix: Some("save the file as UTF-8".to_owned()),
            help: None,
            place: Place { path: String::new(), span: Some(Span { start, end: start }) },
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
        place: Place { path: String::new(), span: Some(error.span) },
        related: None,
    }
}

fn malformed(error: &WireError) -> Finding {
    Finding {
        rule: "wire",
        problem: error.kind.to_string(),
        message: error.to_string(),
        fix: Some("write the file again, from its text with `vyre convert` where there is one".to_owned()),
        help: None,
        place: Place { path: format!("byte {}", error.offset), span: None },
        related: None,
    }
}
