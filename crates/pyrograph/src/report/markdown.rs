//! Markdown for a comment on a pull request or the summary of a job, as GitHub renders it.
//!
//! The text stays below the limit of a comment. The most severe findings come first, and the text says how many are left out.

use std::fmt::Write as _;
use std::io::{self, Write};

use vyre_ir::spelling::counted;

use crate::baseline::comparison::{BaselineFinding, UncheckedFinding};
use crate::coverage::{FileOutcome, FileRecord};
use crate::finding::{Finding, WitnessStep};
use crate::scan::ScanReport;

use super::escape::markdown::{code, code_block, text};
use super::options::ReportOptions;
use super::places::Places;
use super::summary::{Amount, CoverageTotals, by_severity, rule_cwe, rule_id, urgency};

/// Maximum number of characters of findings. Comments of GitHub have at most 65,536 characters.
const MAX_FINDINGS: usize = 50_000;

/// Maximum number of steps of a finding: half from the beginning, half from the end.
const MAX_STEPS: usize = 20;

/// Maximum number of items of a list.
const MAX_ITEMS: usize = 20;

/// Writes the report. Returns what the limit leaves out.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<Vec<String>> {
    let places = Places::new(&report.coverage);
    writeln!(out, "## vyre scan: {}", headline(report))?;
    write_counts(report, out)?;
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| urgency(report, finding, options.fail_on));
    let (mut length, mut left_out) = (0, 0);
    for finding in findings {
        let entry = finding_text(report, &places, finding);
        length += entry.chars().count();
        if length > MAX_FINDINGS {
            left_out += 1;
        } else {
            write!(out, "\n{entry}")?;
        }
    }
    let mut cuts = Vec::new();
    if left_out > 0 {
        let cut = format!("{} left out of the Markdown, the least severe ones", counted(left_out, "finding"));
        writeln!(out, "\n**{cut}. The format `json` has all.**")?;
        cuts.push(format!("{cut}; the format json has all"));
    }
    write_suppressed(report, &places, out)?;
    write_fixed(report, out)?;
    write_coverage(report, out)?;
    Ok(cuts)
}

fn headline(report: &ScanReport) -> String {
    let mut parts = match (report.findings.len(), &report.baseline) {
        (0, _) => vec!["no findings".to_owned()],
        (count, None) => vec![counted(count, "finding")],
        (count, Some(baseline)) => vec![format!("{}, {} of them new", counted(count, "finding"), baseline.new)],
    };
    if report.coverage.is_incomplete() {
        parts.push("the scan is **incomplete**".to_owned());
    }
    parts.join("; ")
}

fn write_counts(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let severities = by_severity(report);
    if severities.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| Severity | Findings |\n|---|---:|")?;
    for (severity, count) in severities {
        writeln!(out, "| {} | {count} |", severity.name())?;
    }
    Ok(())
}

fn finding_text(report: &ScanReport, places: &Places<'_>, finding: &Finding) -> String {
    let rule = rule_id(report, finding.rule);
    let state = report.state(finding).map_or_else(String::new, |state| format!(" ({})", state.name()));
    let mut entry = format!("### {}: {}{state}\n\n", finding.severity.name(), code(rule));
    let cwe: Vec<String> = rule_cwe(report, finding.rule).iter().map(|cwe| format!("CWE-{cwe}")).collect();
    let cwe = if cwe.is_empty() { String::new() } else { format!(", {}", cwe.join(", ")) };
    let _ = writeln!(
        entry,
        "{}{cwe}\n\n{}\n",
        code(&places.name_from(&report.folder, finding.sink())),
        text(&finding.message)
    );
    let count = finding.witness.len();
    let _ = writeln!(entry, "<details><summary>{}</summary>\n", counted(count, "step"));
    let left_out = count.saturating_sub(MAX_STEPS);
    let gap = if left_out > 0 { MAX_STEPS / 2..MAX_STEPS / 2 + left_out } else { 0..0 };
    for (position, step) in finding.witness.iter().enumerate() {
        if gap.contains(&position) {
            if position == gap.start {
                let _ = writeln!(entry, "... {} left out\n", counted(left_out, "step"));
            }
            continue;
        }
        entry.push_str(&step_text(report, places, position + 1, step));
    }
    entry.push_str("</details>\n");
    entry
}

/// A step as an item of a list, with its source line.
fn step_text(report: &ScanReport, places: &Places<'_>, number: usize, step: &WitnessStep) -> String {
    let mut item =
        format!("{number}. {}: {}\n", text(&step.reason), code(&places.name_from(&report.folder, step.location)));
    if let Some(frame) = places.frame(step.location) {
        let name = places.path(step.location);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        // The block is part of the item if it is indented as its text is.
        let indent = " ".repeat(number.to_string().len() + 2);
        for line in code_block(frame.text.trim(), extension).lines() {
            let _ = writeln!(item, "{indent}{line}");
        }
    }
    item.push('\n');
    item
}

/// Writes a heading and a list. Long lists are cut, and say so.
fn write_list(out: &mut dyn Write, title: &str, items: &[String]) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n### {title}\n")?;
    for item in items.iter().take(MAX_ITEMS) {
        writeln!(out, "- {item}")?;
    }
    match items.len().checked_sub(MAX_ITEMS) {
        Some(rest) if rest > 0 => writeln!(out, "- {rest} more"),
        _ => Ok(()),
    }
}

fn write_suppressed(report: &ScanReport, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let items: Vec<String> = (report.suppressed.iter())
        .map(|suppressed| {
            let rule = rule_id(report, suppressed.finding.rule);
            let place = places.name_from(&report.folder, suppressed.finding.sink());
            format!("{} at {}: {}", code(rule), code(&place), text(&suppressed.reason))
        })
        .collect();
    write_list(out, &format!("Silenced by comments: {}", items.len()), &items)
}

fn write_fixed(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(baseline) = &report.baseline else { return Ok(()) };
    let item = |finding: &BaselineFinding| format!("{} at {}", code(&finding.rule), code(&finding.place()));
    let items: Vec<String> = baseline.fixed.iter().map(item).collect();
    write_list(out, &format!("Fixed since the baseline: {}", items.len()), &items)?;
    let items: Vec<String> = (baseline.unchecked.iter())
        .map(|UncheckedFinding { finding, reason }| format!("{}: {}", item(finding), text(reason)))
        .collect();
    write_list(out, &format!("Not checked, but in the baseline: {}", items.len()), &items)
}

fn write_coverage(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &report.coverage;
    let totals = CoverageTotals::new(coverage);
    writeln!(out, "\n### Coverage\n\n| | Files | Bytes |\n|---|---:|---:|")?;
    let mut row = |name: &str, amount: &Amount| writeln!(out, "| {name} | {} | {} |", amount.files, amount.bytes);
    row("scanned", &totals.scanned)?;
    row("skipped", &totals.skipped)?;
    for (reason, amount) in &totals.reasons {
        row(&format!("skipped: {}", reason.text()), amount)?;
    }
    row("failed", &totals.failed)?;
    row("timed out", &totals.timed_out)?;
    if let Some(configuration) = &report.configuration {
        writeln!(out, "\nConfiguration {}", text(configuration))?;
    }
    let path = |path: &str| format!("{}{path}", report.folder);
    let failed = |file: &FileRecord| match &file.outcome {
        FileOutcome::Failed(reason) => Some(format!("{}: {}", code(&path(&file.path)), text(reason))),
        FileOutcome::TimedOut => Some(format!("{}: the analysis exceeded the time limit", code(&path(&file.path)))),
        FileOutcome::Scanned | FileOutcome::Skipped(_) => None,
    };
    let mut items: Vec<String> = coverage.files.iter().filter_map(failed).collect();
    let problems = coverage.problems.iter();
    items.extend(problems.map(|problem| format!("{}: {}", code(&path(&problem.path)), text(&problem.message))));
    let limits = report.statistics.limits.iter();
    items.extend(limits.map(|(limit, count)| format!("limit of the analysis: {} ({count})", text(limit))));
    write_list(out, "Not analysed, and problems", &items)?;
    let warnings: Vec<String> = report.warnings.iter().chain(&report.notes).map(|warning| text(warning)).collect();
    write_list(out, "Warnings", &warnings)
}
