//! Certificates as text.

use std::fmt::Write as _;

use vyre_ir::source::visible;
use vyre_ir::units::{duration, number};

use super::Certificate;
use super::verify::short;

/// The certificate as text: the head, tracks, sections, ops, and failures.
#[must_use]
pub fn text(certificate: &Certificate) -> String {
    let mut out = String::new();
    for (what, value) in head(certificate) {
        let _ = writeln!(out, "{what:14} {}", visible(&value));
    }
    if !certificate.is_intact() {
        let _ = writeln!(out, "\n{DAMAGED}");
    }
    let _ = writeln!(out, "\nSections");
    let rows = certificate.sections.iter().map(|section| {
        let counts = [section.checked, section.failed, section.skipped].map(number);
        let time = duration(std::time::Duration::from_millis(section.milliseconds));
        let [checked, failed, skipped] = counts;
        vec![section.name.clone(), section.verdict().to_owned(), checked, failed, skipped, time]
    });
    push_table(&mut out, &["section", "verdict", "checked", "failed", "skipped", "time"], rows.collect());
    for section in &certificate.sections {
        if let Some(reason) = section.ended_early {
            let checked = number(section.checked);
            let _ = writeln!(out, "  ended early in {}, after {checked} checks: {reason}", visible(&section.name));
        }
        for reason in section.reasons() {
            let _ = writeln!(out, "  skipped in {}: {}", visible(&section.name), visible(reason));
        }
    }
    if !certificate.left_out.is_empty() {
        let _ = writeln!(out, "  left out: {}", visible(&certificate.left_out.join(", ")));
    }
    let _ = writeln!(out, "\nOps");
    let rows = certificate.ops.iter().map(|op| {
        let [checked, failed, skipped] = [op.counts.checked, op.counts.failed, op.counts.skipped].map(number);
        vec![op.id.clone(), op.version.to_string(), op.verdict.to_string(), checked, failed, skipped]
    });
    push_table(&mut out, &["op", "version", "verdict", "checked", "failed", "skipped"], rows.collect());
    push_failures(&mut out, certificate);
    out
}

/// Statement about a certificate with another digest.
const DAMAGED: &str = "DAMAGED: the digest is not that of the other fields. `vyre conform verify` says more.";

/// Names and values of the fields at the top.
pub(super) fn head(certificate: &Certificate) -> Vec<(&'static str, String)> {
    let tracks: Vec<String> =
        certificate.tracks.iter().map(|track| format!("{} {}", track.name, track.verdict)).collect();
    let counts = certificate.counts;
    vec![
        ("verdict", certificate.verdict.to_string()),
        ("backend", certificate.backend.clone()),
        ("device", certificate.device.clone()),
        ("driver", certificate.driver.clone().unwrap_or_else(|| "none".to_owned())),
        ("host", certificate.host.clone()),
        ("vyre", certificate.version.clone()),
        ("time", certificate.time.clone()),
        ("duration", duration(std::time::Duration::from_millis(certificate.milliseconds))),
        ("level", certificate.level.to_string()),
        ("amounts", amounts(certificate).to_owned()),
        ("seed", certificate.seed.to_string()),
        ("programs", number(certificate.programs)),
        (
            "checks",
            format!("{}, {} failed, {} skipped", number(counts.checked), number(counts.failed), number(counts.skipped)),
        ),
        ("tracks", tracks.join(", ")),
        ("op table", short(&certificate.op_table).to_owned()),
        ("suite", short(&certificate.suite).to_owned()),
        ("corpus", certificate.corpus.as_deref().map_or("that of the suite", short).to_owned()),
        ("digest", digest(certificate)),
        ("notice", certificate.notice.clone()),
    ]
}

/// Whose amounts of checks the run had.
fn amounts(certificate: &Certificate) -> &'static str {
    match certificate.amounts {
        None => "unknown",
        Some(amounts) if !amounts.are_of(certificate.level) => "not those of the level",
        Some(amounts) if amounts.graphs < certificate.level.amounts().graphs => "of the level, for interpreters",
        Some(_) => "of the level",
    }
}

fn digest(certificate: &Certificate) -> String {
    let digest = short(&certificate.digest);
    if certificate.is_intact() {
        digest.to_owned()
    } else {
        format!("damaged, {digest} is not that of the other fields")
    }
}

/// Failures, each with its program.
fn push_failures(out: &mut String, certificate: &Certificate) {
    if certificate.sections.iter().all(|section| section.failures.is_empty() && section.failures_left_out == 0) {
        return;
    }
    let _ = writeln!(out, "\nFailures");
    for section in &certificate.sections {
        for failure in &section.failures {
            let seed = failure.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
            let _ = writeln!(
                out,
                "  {}, {}{seed}: {}",
                visible(&section.name),
                visible(&failure.item),
                failure.message.lines().map(visible).collect::<Vec<_>>().join("\n    ")
            );
            if let Some(example) = &failure.example {
                let (expected, observed) = (visible(&example.expected), visible(&example.observed));
                let _ = writeln!(out, "    expected {expected}\n    observed {observed}");
                for line in example.program.lines().chain(example.ops.iter().flat_map(|ops| ops.lines())) {
                    let _ = writeln!(out, "    {}", visible(line));
                }
            }
        }
        if section.failures_left_out > 0 {
            let left_out = number(section.failures_left_out);
            let _ = writeln!(out, "  {}: {left_out} further failures", visible(&section.name));
        }
    }
}

/// Appends a table. The first two columns are text, the others numbers.
pub(super) fn push_table(out: &mut String, titles: &[&str], rows: Vec<Vec<String>>) {
    let titles: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(titles)
        .chain(rows)
        .map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect())
        .collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).map(|column| width(column).unwrap_or(0)).collect();
    let is_number = |cell: &str| cell.starts_with(|first: char| first.is_ascii_digit());
    for row in &rows {
        let mut line = " ".to_owned();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let is_right = column > 0 && (is_number(cell) || (row[0] == rows[0][0] && column > 1));
            let _ = if is_right { write!(line, " {cell:>width$} ") } else { write!(line, " {cell:width$} ") };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
