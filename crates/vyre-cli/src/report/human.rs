//! The report for people: a block for each finding, with the lines in question.

use std::io::{self, Write};

use anyhow::Context as _;
use vyre::ir::source::{Frame, LineIndex, Location};

use super::{Finding, Place, Report};
use crate::exit::Outcome;
use crate::input::Form;
use crate::output::{ERROR, GUTTER, STDOUT, STRONG, counted, styled_stdout, visible};

/// Prints all findings, of which there is at least one.
pub(crate) fn show_findings(report: &Report) -> anyhow::Result<Outcome> {
    let mut out = styled_stdout();
    write_human(&mut out, report, usize::MAX).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Findings)
}

/// Writes at most `limit` blocks, and how many findings that leaves out.
pub(crate) fn write_human(out: &mut impl Write, report: &Report, limit: usize) -> io::Result<()> {
    let index = report.index();
    let shown = report.findings.len().min(limit);
    for finding in &report.findings[..shown] {
        Block::new(report, finding, index.as_ref()).write(out)?;
    }
    let hidden = report.findings.len() - shown;
    if hidden > 0 {
        let name = visible(&report.name);
        writeln!(out, "{name}: {} not shown; see them with `--all`\n", counted(hidden, "more error"))?;
    }
    Ok(())
}

/// A finding with everything that its block shows.
struct Block<'r> {
    finding: &'r Finding,
    place: Shown,
    related: Option<(&'static str, Shown)>,
    /// The width of the largest line number.
    digits: usize,
}

/// A place as it is shown.
struct Shown {
    /// The file with the location or path.
    name: String,
    frame: Option<Frame>,
}

impl Shown {
    fn new(report: &Report, place: &Place, index: Option<&LineIndex<'_>>) -> Shown {
        let located = index.zip(place.span);
        let location: Option<Location> =
            located.filter(|_| report.form == Form::Text).map(|(index, span)| index.location(span.start));
        let file = visible(&report.name);
        let name = match location {
            Some(location) => format!("{file}:{location}"),
            None if place.path.is_empty() => file.into_owned(),
            None => format!("{file}: {}", visible(&place.path)),
        };
        Shown { name, frame: located.map(|(index, span)| index.frame(span)) }
    }

    fn line(&self) -> Option<u32> {
        self.frame.as_ref().map(|frame| frame.line)
    }
}

impl<'r> Block<'r> {
    fn new(report: &'r Report, finding: &'r Finding, index: Option<&LineIndex<'_>>) -> Block<'r> {
        let place = Shown::new(report, &finding.place, index);
        let related = finding.related.as_ref().map(|(label, place)| (*label, Shown::new(report, place, index)));
        let second_line = related.as_ref().and_then(|(_, shown)| shown.line());
        let last_line = place.line().max(second_line).unwrap_or(0);
        Block { finding, place, related, digits: last_line.to_string().len() }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Block { finding, place, related, digits } = self;
        let rule = finding.rule;
        writeln!(out, "{ERROR}error[{rule}]{ERROR:#}{STRONG}: {}{STRONG:#}", visible(&finding.problem))?;
        writeln!(out, " {:digits$}{GUTTER}-->{GUTTER:#} {}", "", place.name)?;
        if let Some(frame) = &place.frame {
            self.frame(out, frame)?;
        }
        if let Some(fix) = &finding.fix {
            self.note(out, "fix", fix)?;
        }
        if let Some(help) = &finding.help {
            self.note(out, "help", help)?;
        }
        if let Some((label, shown)) = related {
            self.note(out, "note", &format!("{label}: {}", shown.name))?;
            if let Some(frame) = shown.frame.as_ref().filter(|_| shown.line() != place.line()) {
                self.frame(out, frame)?;
            }
        }
        if finding.is_rule() {
            self.note(out, "rule", &format!("`vyre explain {rule}`"))?;
        }
        writeln!(out)
    }

    /// A line of source with its mark.
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
