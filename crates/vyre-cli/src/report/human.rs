//! Human-readable report: a block for each finding, with its source lines.

use std::io::{self, Write};

use anyhow::Context as _;
use vyre::ir::source::{Frame, LineIndex, Location};

use super::{Finding, FindingLocation, Report};
use crate::exit::Outcome;
use crate::input::Form;
use crate::output::{ERROR, GUTTER, STDOUT, STRONG, counted, styled_stdout, visible};

/// Prints all findings, of which there must be at least one.
pub(crate) fn show_findings(report: &Report) -> anyhow::Result<Outcome> {
    let mut out = styled_stdout();
    write_human(&mut out, report, usize::MAX).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Findings)
}

/// Writes at most `limit` blocks, then the number of omitted findings.
pub(crate) fn write_human(out: &mut impl Write, report: &Report, limit: usize) -> io::Result<()> {
    let index = report.index();
    let written = report.findings.len().min(limit);
    for finding in &report.findings[..written] {
        Block::new(report, finding, index.as_ref()).write(out)?;
    }
    let omitted = report.findings.len() - written;
    if omitted > 0 {
        let name = visible(&report.name);
        writeln!(out, "{name}: {} not shown; see them with `--all`\n", counted(omitted, "more error"))?;
    }
    Ok(())
}

/// A finding with its rendered locations.
struct Block<'r> {
    finding: &'r Finding,
    location: Rendered,
    related: Option<(&'static str, Rendered)>,
    /// The width of the largest line number.
    digits: usize,
}

/// A location as text, with its source line.
struct Rendered {
    /// The file with line and column, or with the node path.
    name: String,
    frame: Option<Frame>,
}

impl Rendered {
    fn new(report: &Report, location: &FindingLocation, index: Option<&LineIndex<'_>>) -> Rendered {
        let located = index.zip(location.span);
        let position: Option<Location> =
            located.filter(|_| report.form == Form::Text).map(|(index, span)| index.location(span.start));
        let file = visible(&report.name);
        let name = match position {
            Some(position) => format!("{file}:{position}"),
            None if location.path.is_empty() => file.into_owned(),
            None => format!("{file}: {}", visible(&location.path)),
        };
        Rendered { name, frame: located.map(|(index, span)| index.frame(span)) }
    }

    fn line(&self) -> Option<u32> {
        self.frame.as_ref().map(|frame| frame.line)
    }
}

impl<'r> Block<'r> {
    fn new(report: &'r Report, finding: &'r Finding, index: Option<&LineIndex<'_>>) -> Block<'r> {
        let location = Rendered::new(report, &finding.location, index);
        let related =
            finding.related.as_ref().map(|(label, location)| (*label, Rendered::new(report, location, index)));
        let second_line = related.as_ref().and_then(|(_, location)| location.line());
        let last_line = location.line().max(second_line).unwrap_or(0);
        Block { finding, location, related, digits: last_line.to_string().len() }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Block { finding, location, related, digits } = self;
        let rule = finding.rule;
        writeln!(out, "{ERROR}error[{rule}]{ERROR:#}{STRONG}: {}{STRONG:#}", visible(&finding.problem))?;
        writeln!(out, " {:digits$}{GUTTER}-->{GUTTER:#} {}", "", location.name)?;
        if let Some(frame) = &location.frame {
            self.frame(out, frame)?;
        }
        if let Some(fix) = &finding.fix {
            self.note(out, "fix", fix)?;
        }
        if let Some(help) = &finding.help {
            self.note(out, "help", help)?;
        }
        if let Some((label, second)) = related {
            self.note(out, "note", &format!("{label}: {}", second.name))?;
            if let Some(frame) = second.frame.as_ref().filter(|_| second.line() != location.line()) {
                self.frame(out, frame)?;
            }
        }
        if finding.is_rule() {
            self.note(out, "rule", &format!("`vyre explain {rule}`"))?;
        }
        writeln!(out)
    }

    /// Writes a source line with its underline.
    fn frame(&self, out: &mut impl Write, frame: &Frame) -> io::Result<()> {
        let digits = self.digits;
        let Frame { line, text, padding, width } = frame;
        writeln!(out, " {:digits$} {GUTTER}|{GUTTER:#}", "")?;
        writeln!(out, " {GUTTER}{line:digits$} |{GUTTER:#} {}", text.trim_end())?;
        writeln!(out, " {:digits$} {GUTTER}|{GUTTER:#} {:padding$}{ERROR}{}{ERROR:#}", "", "", "^".repeat(*width))
    }

    fn note(&self, out: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
        let digits = self.digits;
        writeln!(out, " {:digits$} {GUTTER}={GUTTER:#} {STRONG}{label}{STRONG:#}: {}", "", visible(text))
    }
}
