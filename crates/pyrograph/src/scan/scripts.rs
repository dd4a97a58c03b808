//! Scripts of markup: one that cannot be analysed does not take the others with it.

use std::ops::Range;

use crate::flow::FlowModule;
use crate::input::SourceFile;
use crate::lang::{self, LowerError, LowerOptions};
use crate::lines::LineIndex;

/// Flow module of a file, and the errors of the scripts that are missing from it. `original` is the text of the file.
pub(super) fn lower(
    source: &SourceFile,
    original: &str,
    options: &LowerOptions<'_>,
) -> (Result<FlowModule, LowerError>, Vec<LowerError>) {
    let text: &str = &source.text;
    let error = match lang::javascript::lower(&source.path, text, options) {
        Err(error) if !source.scripts.is_empty() && error != LowerError::TimedOut => error,
        result => return (result, Vec::new()),
    };
    let (mut good, mut errors) = (Vec::new(), Vec::new());
    for range in &source.scripts {
        let Some(script) = text.get(range.clone()) else { continue };
        match lang::javascript::lower(&source.path, script, options) {
            Ok(_) => good.push(range.clone()),
            Err(LowerError::TimedOut) => return (Err(LowerError::TimedOut), Vec::new()),
            Err(error) => errors.push(in_file(error, script, range.start, original)),
        }
    }
    if errors.is_empty() {
        return (Err(in_file(error, text, 0, original)), Vec::new());
    }
    if good.is_empty() {
        return (Err(errors.swap_remove(0)), Vec::new());
    }
    let text = only(text, &good);
    match lang::javascript::lower(&source.path, &text, options) {
        Ok(module) => (Ok(module), errors),
        Err(error) => (Err(in_file(error, &text, 0, original)), Vec::new()),
    }
}

/// The same error with the line of the file. `text` is a part of the scripts, which begins at an offset of the file.
fn in_file(error: LowerError, text: &str, start: usize, original: &str) -> LowerError {
    match error {
        LowerError::Syntax { line, message } => {
            // The marks between scripts may be line ends that the file does not have.
            let offset = start + LineIndex::new(text).range(line as usize).start;
            let line = LineIndex::new(original).line(offset.min(original.len()));
            LowerError::Syntax { line: u32::try_from(line).unwrap_or(u32::MAX), message }
        }
        error => error,
    }
}

/// Text with some scripts only. The rest is blank.
fn only(text: &str, scripts: &[Range<usize>]) -> String {
    let mut output = String::with_capacity(text.len());
    let blank = |output: &mut String, part: &str| {
        for byte in part.bytes() {
            output.push(if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' });
        }
    };
    for range in scripts {
        let start = output.len();
        blank(&mut output, text.get(start..range.start).unwrap_or_default());
        output.push_str(text.get(range.clone()).unwrap_or_default());
    }
    let start = output.len();
    blank(&mut output, text.get(start..).unwrap_or_default());
    output
}
