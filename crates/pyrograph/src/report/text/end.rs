//! Summary after the findings: totals, coverage, limits, and whether the scan is complete.

use std::io::{self, Write};

use vyre_ir::source::visible;
use vyre_ir::spelling::{agreeing, counted};
use vyre_ir::units::{number, quantity, size};

use crate::baseline::comparison::UncheckedFinding;
use crate::coverage::{Coverage, FileOutcome, FileRecord, SkipReason};
use crate::finding::Statistics;
use crate::limits::{LimitScope, limit_scope};
use crate::report::options::ReportOptions;
use crate::report::places::Places;
use crate::report::styles::Styles;
use crate::report::summary::{Amount, CoverageTotals, by_rule, by_severity, rule_id};
use crate::scan::ScanReport;

/// Maximum number of files, folders or problems that are named.
const MAX_NAMES: usize = 20;

pub(super) fn write(
    report: &ScanReport,
    options: ReportOptions,
    styles: &Styles,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_findings(report, styles, out)?;
    write_suppressed(report, out)?;
    write_baseline(report, out)?;
    let totals = CoverageTotals::new(&report.coverage);
    let models: Vec<&str> = report.models.iter().map(|&model| model.name()).collect();
    let against = if models.is_empty() { String::new() } else { format!(", threat model {}", models.join(" and ")) };
    writeln!(out, "scanned {}{against}", amount(&totals.scanned, true))?;
    write_skipped(&report.coverage, &totals, out)?;
    write_failed(&report.coverage, &totals, out)?;
    write_statistics(&report.statistics, styles, out)?;
    write_libraries(report, out)?;
    if let Some(configuration) = &report.configuration {
        writeln!(out, "configuration {}", visible(configuration))?;
    }
    for warning in &report.warnings {
        let style = styles.medium;
        writeln!(out, "{style}warning{style:#}: {}", visible(warning))?;
    }
    for note in &report.notes {
        writeln!(out, "note: {}", visible(note))?;
    }
    if options.statistics {
        write_details(&report.statistics, out)?;
    }
    write_completeness(&report.coverage, styles, out)
}

/// Writes what was scanned, what failed, and whether code is missing.
pub(in crate::report) fn write_coverage(coverage: &Coverage, styles: &Styles, out: &mut dyn Write) -> io::Result<()> {
    let totals = CoverageTotals::new(coverage);
    writeln!(out, "scanned {}", amount(&totals.scanned, true))?;
    write_failed(coverage, &totals, out)?;
    write_completeness(coverage, styles, out)
}

fn write_findings(report: &ScanReport, styles: &Styles, out: &mut dyn Write) -> io::Result<()> {
    if report.findings.is_empty() {
        let style = if report.coverage.is_incomplete() { styles.strong } else { styles.good };
        return writeln!(out, "{style}no findings{style:#}");
    }
    let severities: Vec<String> = by_severity(report)
        .into_iter()
        .map(|(severity, count)| {
            let style = styles.severity(severity);
            format!("{style}{} {}{style:#}", number(count), severity.name())
        })
        .collect();
    let strong = styles.strong;
    let findings = quantity(report.findings.len(), "finding");
    writeln!(out, "{strong}{findings}{strong:#}: {}", severities.join(", "))?;
    let rules = by_rule(report);
    let width = rules.keys().map(|id| id.len()).max().unwrap_or(0);
    for (id, count) in rules {
        writeln!(out, "  {:width$}  {}", visible(id), number(count))?;
    }
    Ok(())
}

/// Writes the findings that comments silence.
fn write_suppressed(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    if report.suppressed.is_empty() {
        return Ok(());
    }
    let places = Places::new(&report.coverage);
    writeln!(out, "silenced by comments: {}", counted(report.suppressed.len(), "finding"))?;
    for suppressed in report.suppressed.iter().take(MAX_NAMES) {
        let rule = rule_id(report, suppressed.finding.rule);
        let place = places.name(suppressed.finding.sink());
        writeln!(out, "  {}: {}: {}", visible(&place), visible(rule), visible(&suppressed.reason))?;
    }
    write_rest(report.suppressed.len(), out, "finding")
}

/// Writes the comparison with the baseline.
fn write_baseline(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(baseline) = &report.baseline else { return Ok(()) };
    writeln!(out, "since the baseline: {}", baseline.counts(report.findings.len()))?;
    for finding in baseline.fixed.iter().take(MAX_NAMES) {
        writeln!(out, "  fixed: {}: {}", visible(&finding.place()), visible(&finding.rule))?;
    }
    write_rest(baseline.fixed.len(), out, "fixed finding")?;
    for UncheckedFinding { finding, reason } in baseline.unchecked.iter().take(MAX_NAMES) {
        let (place, rule) = (finding.place(), visible(&finding.rule));
        writeln!(out, "  not checked: {}: {rule}: {}", visible(&place), visible(reason))?;
    }
    write_rest(baseline.unchecked.len(), out, "unchecked finding")
}

fn write_skipped(coverage: &Coverage, totals: &CoverageTotals, out: &mut dyn Write) -> io::Result<()> {
    if totals.skipped.files == 0 {
        return Ok(());
    }
    writeln!(out, "skipped {}", amount(&totals.skipped, false))?;
    for (reason, skipped) in &totals.reasons {
        writeln!(out, "  {}: {}", amount(skipped, false), reason.text())?;
        if *reason == SkipReason::Dependency {
            let folders = totals.dependency_folders.iter().map(|(folder, files)| (folder.as_str(), *files));
            for (folder, files) in folders.take(MAX_NAMES) {
                writeln!(out, "    {}: {}", visible(folder), counted(files, "file"))?;
            }
            write_rest(totals.dependency_folders.len(), out, "folder")?;
        }
        if *reason == SkipReason::Link {
            let link = |file: &FileRecord| match &file.outcome {
                FileOutcome::Skipped(SkipReason::Link) => {
                    let target = file.link.as_deref().unwrap_or_default();
                    Some(format!("  {} -> {}", visible(&file.path), visible(target)))
                }
                _ => None,
            };
            write_files(coverage, out, link)?;
        }
    }
    Ok(())
}

fn write_failed(coverage: &Coverage, totals: &CoverageTotals, out: &mut dyn Write) -> io::Result<()> {
    if totals.failed.files > 0 {
        writeln!(out, "failed {}", amount(&totals.failed, false))?;
        let reason = |file: &FileRecord| match &file.outcome {
            FileOutcome::Failed(reason) => Some(format!("{}: {}", visible(&file.path), visible(reason))),
            _ => None,
        };
        write_files(coverage, out, reason)?;
    }
    if totals.timed_out.files > 0 {
        let advice = if coverage.is_interrupted { "" } else { "; see --file-time-limit" };
        writeln!(out, "timed out {}{advice}", amount(&totals.timed_out, false))?;
        let name =
            |file: &FileRecord| (file.outcome == FileOutcome::TimedOut).then(|| visible(&file.path).into_owned());
        write_files(coverage, out, name)?;
    }
    if !coverage.problems.is_empty() {
        writeln!(out, "problems of the input: {}", coverage.problems.len())?;
        for problem in coverage.problems.iter().take(MAX_NAMES) {
            writeln!(out, "  {}: {}", visible(&problem.path), visible(&problem.message))?;
        }
        write_rest(coverage.problems.len(), out, "problem")?;
    }
    Ok(())
}

/// Writes the lines of the first files that have one.
fn write_files(
    coverage: &Coverage,
    out: &mut dyn Write,
    line: impl Fn(&FileRecord) -> Option<String>,
) -> io::Result<()> {
    let mut count = 0;
    for line in coverage.files.iter().filter_map(line) {
        if count < MAX_NAMES {
            writeln!(out, "  {line}")?;
        }
        count += 1;
    }
    write_rest(count, out, "file")
}

fn write_rest(count: usize, out: &mut dyn Write, noun: &str) -> io::Result<()> {
    if count <= MAX_NAMES {
        return Ok(());
    }
    let noun = quantity(count - MAX_NAMES, &format!("more {noun}"));
    writeln!(out, "  {noun}; --format json lists all")
}

fn write_statistics(statistics: &Statistics, styles: &Styles, out: &mut dyn Write) -> io::Result<()> {
    let Statistics { calls, unresolved_calls, limits, .. } = statistics;
    if *calls > 0 {
        let share = *unresolved_calls as f64 * 100.0 / *calls as f64;
        writeln!(out, "unresolved {} of {} ({share:.1} %)", number(unresolved_calls), quantity(calls, "call"))?;
    }
    if !limits.is_empty() {
        let style = styles.medium;
        writeln!(out, "{style}approximate{style:#}: the analysis reached limits, so that flows may be missing")?;
        for (limit, count) in limits {
            let scope = match limit_scope(limit) {
                LimitScope::Program => "the whole program is concerned".to_owned(),
                LimitScope::Value => counted(count, "time"),
            };
            writeln!(out, "  {}: {scope}", visible(limit))?;
        }
    }
    Ok(())
}

/// Writes how much of the packages that the input does not contain is known.
fn write_libraries(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    if report.libraries.is_empty() {
        return Ok(());
    }
    let packages = counted(report.libraries.len(), "package");
    let members = || report.libraries.iter().flat_map(|library| &library.members);
    match (members().filter(|member| member.is_modelled).count(), members().count()) {
        (_, 0) => writeln!(out, "not in the input: {packages}"),
        (known, all) => {
            let members = counted(all, "member");
            let them = agreeing(report.libraries.len(), "it", "them");
            writeln!(
                out,
                "not in the input: {packages}; the code uses {members} of {them}, and models describe {known}"
            )
        }
    }
}

/// Writes the statistics that `--stats` asks for.
fn write_details(statistics: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    let Statistics { functions, instructions, nodes, edges, sources, sinks, seconds, .. } = statistics;
    writeln!(out, "program: {}, {}", quantity(functions, "function"), quantity(instructions, "instruction"))?;
    writeln!(out, "value-flow graph: {}, {}", quantity(nodes, "node"), quantity(edges, "edge"))?;
    writeln!(out, "ends of flows: {}, {}", quantity(sources, "source"), quantity(sinks, "sink"))?;
    let width = seconds.iter().map(|(stage, _)| stage.len()).max().unwrap_or(0);
    for (stage, seconds) in seconds {
        writeln!(out, "  {:width$}  {seconds:8.3} s", visible(stage))?;
    }
    Ok(())
}

fn write_completeness(coverage: &Coverage, styles: &Styles, out: &mut dyn Write) -> io::Result<()> {
    if !coverage.is_incomplete() {
        return Ok(());
    }
    let style = styles.high;
    let reason = if coverage.is_interrupted {
        "the scan was interrupted, and flows that it had not reached are missing"
    } else {
        "some code was not analysed, and flows through it are missing"
    };
    writeln!(out, "{style}incomplete{style:#}: {reason}")
}

/// Number of files with their size.
fn amount(amount: &Amount, with_lines: bool) -> String {
    let Amount { files, bytes, lines } = amount;
    let lines = if with_lines { format!(", {}", quantity(lines, "line")) } else { String::new() };
    format!("{} ({}{lines})", quantity(files, "file"), size(*bytes))
}
