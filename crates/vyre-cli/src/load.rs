//! Loader of programs, text or wire. An input that is not a program yields a report.

use vyre::ir::render::Snippets;
use vyre::ir::source::Span;
use vyre::ir::text::{ErrorKind, ParseError, ParseErrors, ParseOptions, Parsed, parse_with};
use vyre::ir::wire::{WireError, WireErrorKind, from_wire_within};
use vyre::ir::{DEFAULT_MAX_NODE_COUNT, Diagnostics, OpTable, Program, SizeLimits, ValidProgram, validate};

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
    let (snippets, omitted) = (diagnostics.snippets().clone(), diagnostics.omitted());
    let report = Report::new(name, snippets, diagnostics.into_iter().map(Finding::from).collect());
    Report { omitted, ..report }
}

/// Maximum number of syntax errors of a report. Further ones are counted.
const MAX_SYNTAX_ERRORS: usize = 1000;

/// Limit on the nodes of a program that is to be validated. Reading ends there with V019, so that no tree of a hostile file
/// is built. Within it the nesting of a program costs little memory and is left to validation, whose message counts the
/// bodies of called ops too.
const LIMITS: SizeLimits = SizeLimits::of_validation().with_max_nesting(None);

const _: () = assert!(matches!(LIMITS.max_nodes, Some(DEFAULT_MAX_NODE_COUNT)));

/// Reads a program in either form to validate it.
///
/// # Errors
///
/// A report of the syntax errors, of the first malformed byte, or of a program with too many nodes.
pub(crate) fn load(name: &str, bytes: Vec<u8>) -> Result<Loaded, Report> {
    match Form::of(&bytes) {
        Form::Text => {
            let text = decode(name, bytes)?;
            let options = ParseOptions::default().with_limits(LIMITS).with_max_errors(MAX_SYNTAX_ERRORS);
            parse_with(&text, &options).map(Loaded::Text).map_err(|errors| syntax_report(name, text, errors))
        }
        Form::Wire => from_wire_within(&bytes, &LIMITS).map(Loaded::Wire).map_err(|error| wire_report(name, error)),
    }
}

/// Report of syntax errors.
pub(crate) fn syntax_report(name: &str, text: String, errors: ParseErrors) -> Report {
    let omitted = errors.omitted();
    let report = Report::new(name, Snippets::of_text(text), errors.into_iter().map(syntax).collect());
    Report { omitted, ..report }
}

/// Report of malformed bytes.
pub(crate) fn wire_report(name: &str, error: WireError) -> Report {
    Report::new(name, Snippets::default(), vec![malformed(error)])
}

/// Decodes UTF-8.
///
/// # Errors
///
/// A report of the first byte that is not UTF-8.
pub(crate) fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Report> {
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
    if let ErrorKind::LimitExceeded(diagnostic) = error.kind {
        return Finding::from(*diagnostic);
    }
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

fn malformed(error: WireError) -> Finding {
    let (problem, message) = (error.kind.to_string(), error.to_string());
    if let WireErrorKind::LimitExceeded(diagnostic) = error.kind {
        return Finding::from(*diagnostic);
    }
    Finding {
        rule: "wire",
        problem,
        message,
        fix: Some("write the file again, from its text with `vyre convert` if you have it".to_owned()),
        help: None,
        location: FindingLocation { path: format!("byte {}", error.offset), location: None, span: None },
        related: None,
    }
}
