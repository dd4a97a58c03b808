//! JSON report: one array, with one object on each line.

use std::io::{self, Write};

use serde::Serialize;
use vyre::ir::source::Location;

use super::{Finding, Report};

/// A finding as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct Entry<'r> {
    file: &'r str,
    rule: &'static str,
    message: &'r str,
    fix: &'r str,
    line: Option<u32>,
    column: Option<u32>,
    path: &'r str,
}

impl<'r> Entry<'r> {
    fn new(file: &'r str, finding: &'r Finding, location: Option<Location>) -> Entry<'r> {
        Entry {
            file,
            rule: finding.rule,
            message: &finding.message,
            fix: finding.fix.as_deref().unwrap_or_default(),
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            path: if finding.is_rule() { &finding.location.path } else { "" },
        }
    }
}

/// Streaming writer of a JSON array.
pub(crate) struct JsonArray<W> {
    out: W,
    is_empty: bool,
}

impl<W: Write> JsonArray<W> {
    /// Opens the array.
    pub(crate) fn new(mut out: W) -> io::Result<JsonArray<W>> {
        out.write_all(b"[")?;
        Ok(JsonArray { out, is_empty: true })
    }

    /// Writes the findings of a report.
    pub(crate) fn write(&mut self, report: &Report) -> io::Result<()> {
        let frames = report.snippets.frames();
        for finding in &report.findings {
            let location = frames.position(finding.location.span);
            self.push(&Entry::new(&report.name, finding, location))?;
        }
        Ok(())
    }

    /// Writes an element.
    pub(crate) fn push(&mut self, element: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"\n  " } else { b",\n  " })?;
        self.is_empty = false;
        Ok(serde_json::to_writer(&mut self.out, element)?)
    }

    /// Closes the array.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"]\n" } else { b"\n]\n" })?;
        self.out.flush()
    }
}
