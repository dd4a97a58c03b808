//! Human-readable report: a block for each finding, with its source lines.

use std::io::{self, Write};

use anyhow::Context as _;
use vyre::ir::render::{Block, Frames, Place, Styles};

use super::{Finding, FindingLocation, Report};
use crate::exit::Outcome;
use crate::output::{ERROR, GUTTER, STDOUT, STRONG, counted, styled_stdout, visible};

/// Prints all findings, of which there must be at least one.
pub(crate) fn show_findings(report: &Report) -> anyhow::Result<Outcome> {
    let mut out = styled_stdout();
    write_human(&mut out, report, usize::MAX).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Findings)
}

/// Writes at most `limit` blocks, then the number of omitted findings.
pub(crate) fn write_human(out: &mut impl Write, report: &Report, limit: usize) -> io::Result<()> {
    let mut frames = report.snippets.frames();
    let written = report.findings.len().min(limit);
    let styles = Styles::new(&ERROR, &GUTTER, &STRONG);
    let mut text = String::new();
    for finding in &report.findings[..written] {
        text.clear();
        let rendered = block(report, finding, &mut frames).write(&mut text, &styles);
        rendered.map_err(io::Error::other)?;
        writeln!(out, "{text}\n")?;
    }
    let hidden = report.findings.len() - written;
    let name = visible(&report.name);
    if hidden > 0 {
        let more = counted(hidden + report.omitted, "more error");
        writeln!(out, "{name}: {more} not shown; see them with `--all`\n")?;
    } else if report.omitted > 0 {
        writeln!(out, "{name}: {} not shown\n", counted(report.omitted, "more error"))?;
    }
    Ok(())
}

/// The block of a finding.
fn block(report: &Report, finding: &Finding, frames: &mut Frames<'_>) -> Block {
    let rule = finding.rule;
    let mut block = Block::new(rule, finding.problem.as_str(), place(report, &finding.location, frames));
    if let Some(fix) = &finding.fix {
        block = block.with_note("fix", fix.as_str());
    }
    if let Some(help) = &finding.help {
        block = block.with_note("help", help.as_str());
    }
    if let Some((label, location)) = &finding.related {
        block = block.with_related(label, place(report, location, frames));
    }
    if finding.is_rule() {
        block = block.with_note("rule", format!("`vyre explain {rule}`"));
    }
    block
}

/// A location with the name of the file, and line and column or the path of the node.
fn place(report: &Report, location: &FindingLocation, frames: &mut Frames<'_>) -> Place {
    let file = &report.name;
    let name = match frames.position(location.span) {
        Some(position) => format!("{file}:{position}"),
        None if location.path.is_empty() => file.clone(),
        None => format!("{file}: {}", location.path),
    };
    Place::new(name, frames.frame(location.location, location.span))
}
