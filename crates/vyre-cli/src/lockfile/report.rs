//! Report of the dependencies of a lockfile: one line for each package, or JSON.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value, json};
use vyre::pyrograph::knowledge::Severity;

use super::packages::{Package, PackageResult};
use super::reach::Reach;
use crate::output::{STRONG, counted, visible};

/// Version of the schema. Fields are permanent: append, never rename.
const SCHEMA: &str = "pyrograph-lockfile-1";

/// Severities from the worst to the mildest.
const SEVERITIES: [Severity; 5] = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low, Severity::Note];

/// A package with its reachability and result.
pub(crate) type Row<'r> = (&'r Package, Reach, &'r PackageResult);

/// Totals of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) packages: usize,
    pub(crate) scanned: usize,
    /// Packages with findings.
    pub(crate) with_findings: usize,
    /// Packages with findings to which imports lead.
    pub(crate) reachable_with_findings: usize,
    /// Packages that were not scanned, or not as a whole.
    pub(crate) incomplete: usize,
    /// Packages without a checksum in the lockfile.
    pub(crate) unverified: usize,
}

impl Summary {
    pub(crate) fn new(rows: &[Row<'_>]) -> Summary {
        let mut summary = Summary { packages: rows.len(), ..Summary::default() };
        for (package, reach, result) in rows {
            let PackageResult::Scanned(report) = result else {
                summary.incomplete += 1;
                continue;
            };
            summary.scanned += 1;
            summary.unverified += usize::from(!package.is_verified);
            summary.incomplete += usize::from(report.is_incomplete);
            if report.findings() > 0 {
                summary.with_findings += 1;
                summary.reachable_with_findings += usize::from(*reach == Reach::Reachable);
            }
        }
        summary
    }
}

/// Writes one line for each package and a summary.
pub(crate) fn write_text(rows: &[Row<'_>], summary: &Summary, bundled: usize, out: &mut dyn Write) -> io::Result<()> {
    let name = |package: &Package| format!("{} {}", visible(&package.name), visible(&package.version));
    let width = rows.iter().map(|(package, ..)| name(package).chars().count()).max().unwrap_or(0).min(50);
    for (package, reach, result) in rows {
        write!(out, "{:width$}  {:13}  ", name(package), reach.name())?;
        match result {
            PackageResult::Scanned(report) => {
                let counts: Vec<String> = report
                    .severities
                    .iter()
                    .map(|&(severity, count)| {
                        let style = style(severity);
                        format!("{style}{count} {}{style:#}", severity.name())
                    })
                    .collect();
                let findings = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
                let incomplete = if report.is_incomplete { "; some code was not analysed" } else { "" };
                let verified = if package.is_verified { "" } else { "; the lockfile has no checksum" };
                let development = if package.is_development { "; for development" } else { "" };
                writeln!(out, "{findings}{incomplete}{verified}{development}")?;
            }
            PackageResult::NotScanned(reason) => writeln!(out, "not scanned: {}", visible(reason))?,
        }
    }
    let Summary { packages, scanned, with_findings, reachable_with_findings, incomplete, unverified } = *summary;
    let all = counted(packages, "package");
    writeln!(out, "{STRONG}{all}{STRONG:#}, {scanned} scanned, {with_findings} with findings")?;
    writeln!(out, "imports of the project lead to {reachable_with_findings} of those with findings")?;
    if bundled > 0 {
        writeln!(out, "{} part of other packages and scanned with them", are(bundled))?;
    }
    if unverified > 0 {
        writeln!(out, "the lockfile has no checksum of {}", counted(unverified, "package"))?;
    }
    if incomplete > 0 {
        writeln!(out, "incomplete: {} not scanned, or not as a whole", are(incomplete))?;
    }
    if with_findings > 0 {
        writeln!(out, "`vyre scan npm:NAME@VERSION` shows the findings of a package")?;
    }
    Ok(())
}

fn are(count: usize) -> String {
    format!("{} {}", counted(count, "package"), if count == 1 { "is" } else { "are" })
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Critical => AnsiColor::Magenta.on_default().bold(),
        Severity::High => AnsiColor::Red.on_default().bold(),
        Severity::Medium => AnsiColor::Yellow.on_default().bold(),
        Severity::Low | Severity::Note => AnsiColor::Cyan.on_default().bold(),
    }
}

/// Writes one object.
pub(crate) fn write_json(
    rows: &[Row<'_>],
    summary: &Summary,
    bundled: usize,
    configuration: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let package = |(package, reach, result): &Row<'_>| {
        let mut fields = json!({
            "name": package.name,
            "version": package.version,
            "folders": package.folders,
            "is_development": package.is_development,
            "is_verified": package.is_verified,
            "reach": reach.name(),
        });
        match result {
            PackageResult::Scanned(report) => {
                let mut counts: Map<String, Value> =
                    SEVERITIES.into_iter().map(|severity| (severity.name().to_owned(), 0.into())).collect();
                for (severity, count) in &report.severities {
                    counts.insert(severity.name().to_owned(), (*count).into());
                }
                fields["findings"] = report.findings().into();
                fields["severities"] = counts.into();
                fields["is_complete"] = (!report.is_incomplete).into();
            }
            PackageResult::NotScanned(reason) => {
                fields["is_complete"] = false.into();
                fields["error"] = reason.as_str().into();
            }
        }
        fields
    };
    let Summary { packages, scanned, with_findings, reachable_with_findings, incomplete, unverified } = *summary;
    let report = json!({
        "schema": SCHEMA,
        "tool": {"name": "pyrograph", "version": env!("CARGO_PKG_VERSION")},
        "is_complete": incomplete == 0,
        "configuration": configuration,
        "summary": {
            "packages": packages,
            "scanned": scanned,
            "with_findings": with_findings,
            "reachable_with_findings": reachable_with_findings,
            "incomplete": incomplete,
            "unverified": unverified,
            "bundled": bundled,
        },
        "packages": rows.iter().map(package).collect::<Vec<Value>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}
