//! Difference of two scans: as text, JSON and SARIF.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};
use vyre_ir::source::visible;
use vyre_ir::spelling::counted;

use crate::capability::Capability;
use crate::compare::Comparison;
use crate::finding::Finding;
use crate::scan::ScanReport;

use super::json::{FindingFields, field, finding, list, problem_fields};
use super::options::{ReportFormat, ReportOptions};
use super::places::Places;
use super::sarif;
use super::styles::Styles;
use super::summary::{CoverageTotals, rule_id};
use super::text::{end, write_findings};

/// Version of the schema. Fields are permanent: append, never rename.
const SCHEMA: &str = "pyrograph-compare-1";

/// A scan with the name of its input.
pub type NamedReport<'r> = (&'r str, &'r ScanReport);

/// Writes the difference of a new and an old scan.
///
/// Formats are text, JSON and SARIF; others are written as text. SARIF has the new findings only.
///
/// # Errors
///
/// Those of `out`.
pub fn write_comparison(
    new: NamedReport<'_>,
    old: NamedReport<'_>,
    comparison: &Comparison,
    format: ReportFormat,
    options: ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if format == ReportFormat::Json {
        write_json(new, old, comparison, out)
    } else if format == ReportFormat::Sarif {
        write_sarif(new, old, comparison, options, out)
    } else {
        write_text(new, old, comparison, Styles::new(options.colors), out)
    }
}

fn write_text(
    (new_name, new): NamedReport<'_>,
    (old_name, old): NamedReport<'_>,
    comparison: &Comparison,
    styles: Styles,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_findings(new, chosen(&new.findings, &comparison.new_findings), styles, out)?;
    let places = Places::new(&old.coverage);
    let line = |finding: &Finding| {
        let place = places.name(finding.sink());
        let (rule, severity) = (visible(rule_id(old, finding.rule)), finding.severity.name());
        format!("{severity}[{rule}] {}: {}", visible(&place), visible(&finding.message))
    };
    if !comparison.vanished_findings.is_empty() {
        writeln!(out, "vanished findings:")?;
        for finding in chosen(&old.findings, &comparison.vanished_findings) {
            writeln!(out, "  - {}", line(finding))?;
        }
    }
    if !comparison.unchecked_findings.is_empty() {
        writeln!(out, "findings that were not checked:")?;
        for (finding, reason) in unchecked(old, comparison) {
            writeln!(out, "  ? {}\n    {}", line(finding), visible(reason))?;
        }
    }
    let capabilities = chosen(&new.capabilities, &comparison.new_capabilities);
    write_capabilities(capabilities, comparison, new, ("new", '+'), styles, out)?;
    let capabilities = chosen(&old.capabilities, &comparison.vanished_capabilities);
    write_capabilities(capabilities, comparison, old, ("vanished", '-'), styles, out)?;
    for (name, report) in [(new_name, new), (old_name, old)] {
        write!(out, "{}: ", visible(name))?;
        end::write_coverage(&report.coverage, &styles, out)?;
    }
    if let Some(configuration) = &new.configuration {
        writeln!(out, "configuration {}", visible(configuration))?;
    }
    let Comparison { unchanged_findings, unchanged_capabilities, .. } = comparison;
    let style = if comparison.has_news() { styles.strong } else { styles.good };
    for (new, vanished, unchanged, noun) in [
        (&comparison.new_findings, &comparison.vanished_findings, unchanged_findings, "finding"),
        (&comparison.new_capabilities, &comparison.vanished_capabilities, unchanged_capabilities, "capability"),
    ] {
        let new = counted(new.len(), &format!("new {noun}"));
        write!(out, "{style}{new}{style:#}, {} vanished, {unchanged} unchanged", vanished.len())?;
        match comparison.unchecked_findings.len() {
            count if count > 0 && noun == "finding" => writeln!(out, ", {count} not checked")?,
            _ => writeln!(out)?,
        }
    }
    Ok(())
}

fn write_capabilities<'c>(
    capabilities: impl Iterator<Item = &'c Capability>,
    comparison: &Comparison,
    report: &ScanReport,
    (what, sign): (&str, char),
    styles: Styles,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places = Places::new(&report.coverage);
    let mut is_first = true;
    for capability in capabilities {
        if std::mem::take(&mut is_first) {
            writeln!(out, "{what} capabilities:")?;
        }
        let style = if sign == '+' { styles.severity(capability.kind.severity()) } else { styles.strong };
        let kind = capability.kind.name();
        let name = visible(&capability.name);
        let place = places.name(capability.location);
        let install = if is_code_at_install(capability) { ", run by the installation" } else { "" };
        let first = if sign == '+' && comparison.new_kinds.contains(&capability.kind) { ", new kind" } else { "" };
        writeln!(out, "  {sign} {style}{kind:14}{style:#}  {name}  ({}{install}{first})", visible(&place))?;
    }
    Ok(())
}

/// True for code that the installation runs. A script of the installation says it by its kind.
fn is_code_at_install(capability: &Capability) -> bool {
    capability.is_at_install && capability.kind != crate::capability::CapabilityKind::InstallScript
}

#[derive(Serialize)]
struct CapabilityFields<'r> {
    kind: &'static str,
    name: &'r str,
    is_at_install: bool,
    is_new_kind: bool,
    path: &'r str,
    line: Option<u32>,
    column: Option<u32>,
}

#[derive(Serialize)]
struct UncheckedFields<'r> {
    #[serde(flatten)]
    finding: FindingFields<'r>,
    reason: &'r str,
}

/// Fields of one of the two scans.
fn side((name, report): NamedReport<'_>) -> Value {
    let totals = CoverageTotals::new(&report.coverage);
    let problems: Vec<_> = report.coverage.problems.iter().map(problem_fields).collect();
    json!({
        "path": name,
        "findings": report.findings.len(),
        "capabilities": report.capabilities.len(),
        "is_complete": !report.coverage.is_incomplete(),
        "is_approximate": report.statistics.is_approximate(),
        "models": report.models.iter().map(|model| model.name()).collect::<Vec<_>>(),
        "files_scanned": totals.scanned.files,
        "bytes_scanned": totals.scanned.bytes,
        "files_failed": totals.failed.files + totals.timed_out.files,
        "problems": problems,
        "warnings": report.warnings,
        "configuration": report.configuration,
    })
}

fn capability_fields<'r>(
    places: &Places<'r>,
    comparison: &Comparison,
    capability: &'r Capability,
) -> CapabilityFields<'r> {
    let region = places.region(capability.location);
    CapabilityFields {
        kind: capability.kind.name(),
        name: &capability.name,
        is_at_install: capability.is_at_install,
        is_new_kind: comparison.new_kinds.contains(&capability.kind),
        path: places.path(capability.location),
        line: region.map(|region| region.line),
        column: region.map(|region| region.column),
    }
}

fn write_json(
    new: NamedReport<'_>,
    old: NamedReport<'_>,
    comparison: &Comparison,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (new_places, old_places) = (Places::new(&new.1.coverage), Places::new(&old.1.coverage));
    write!(out, "{{\n  \"schema\": \"{SCHEMA}\",\n")?;
    writeln!(out, "  \"tool\": {{\"name\":\"pyrograph\",\"version\":\"{}\"}},", env!("CARGO_PKG_VERSION"))?;
    field(out, "has_news", &comparison.has_news())?;
    field(out, "new", &side(new))?;
    field(out, "old", &side(old))?;
    let findings = chosen(&new.1.findings, &comparison.new_findings);
    list(out, "  ", "new_findings", findings.map(|it| finding(new.1, &new_places, it)))?;
    let findings = chosen(&old.1.findings, &comparison.vanished_findings);
    list(out, "  ", "vanished_findings", findings.map(|it| finding(old.1, &old_places, it)))?;
    let findings = unchecked(old.1, comparison)
        .map(|(it, reason)| UncheckedFields { finding: finding(old.1, &old_places, it), reason });
    list(out, "  ", "unchecked_findings", findings)?;
    field(out, "unchanged_findings", &comparison.unchanged_findings)?;
    let capabilities = chosen(&new.1.capabilities, &comparison.new_capabilities);
    let fields = capabilities.map(|it| capability_fields(&new_places, comparison, it));
    list(out, "  ", "new_capabilities", fields)?;
    let capabilities = chosen(&old.1.capabilities, &comparison.vanished_capabilities);
    let fields = capabilities.map(|it| capability_fields(&old_places, comparison, it));
    list(out, "  ", "vanished_capabilities", fields)?;
    writeln!(out, "  \"unchanged_capabilities\": {}\n}}", comparison.unchanged_capabilities)
}

fn write_sarif(
    (_, new): NamedReport<'_>,
    (old_name, _): NamedReport<'_>,
    comparison: &Comparison,
    options: ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = new.clone();
    report.findings = chosen(&new.findings, &comparison.new_findings).cloned().collect();
    let mut text = Vec::new();
    sarif::write(&report, options, &mut text)?;
    let mut log: Value = serde_json::from_slice(&text)?;
    let places = Places::new(&new.coverage);
    let capabilities = chosen(&new.capabilities, &comparison.new_capabilities);
    let capabilities: Vec<_> = capabilities.map(|it| capability_fields(&places, comparison, it)).collect();
    for run in log["runs"].as_array_mut().into_iter().flatten() {
        for result in run["results"].as_array_mut().into_iter().flatten() {
            result["baselineState"] = "new".into();
        }
        run["properties"]["comparedWith"] = old_name.into();
        run["properties"]["newCapabilities"] = serde_json::to_value(&capabilities)?;
        run["properties"]["vanishedFindings"] = comparison.vanished_findings.len().into();
        run["properties"]["uncheckedFindings"] = comparison.unchecked_findings.len().into();
        run["properties"]["unchangedFindings"] = comparison.unchanged_findings.into();
    }
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

/// Findings of the old report that the new scan did not look for, with the reason.
fn unchecked<'c>(old: &'c ScanReport, comparison: &'c Comparison) -> impl Iterator<Item = (&'c Finding, &'c str)> {
    let positions = comparison.unchecked_findings.iter();
    positions.filter_map(|(position, reason)| Some((old.findings.get(*position)?, reason.as_str())))
}

/// Elements at these positions.
fn chosen<'e, T>(elements: &'e [T], positions: &'e [usize]) -> impl Iterator<Item = &'e T> {
    positions.iter().filter_map(|&position| elements.get(position))
}
