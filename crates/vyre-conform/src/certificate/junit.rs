//! Reports in the XML form of JUnit, which CI systems read.

use std::fmt::Write as _;

use vyre_ir::source::is_deceptive;

use super::Certificate;
use crate::suite::{Failure, ItemReport, SectionReport};

/// The certificate as a JUnit report: a suite for each section, a case for each item. A section that ended early, made no check, or was chosen
/// and did not run, has an error beside them. `only` are the names of the chosen sections, as for [`Suite::with_only`](crate::suite::Suite::with_only);
/// none means all.
#[must_use]
pub fn junit(certificate: &Certificate, only: &[String]) -> String {
    let cases: usize = certificate.sections.iter().map(|section| section.items.len()).sum();
    let failed = items(certificate).filter(|item| item.failed > 0).count();
    let skipped = items(certificate).filter(|item| is_skipped(item)).count();
    let is_chosen = |name: &&String| only.is_empty() || only.contains(name);
    let without_run: Vec<&String> = certificate.left_out.iter().filter(is_chosen).collect();
    let errors = certificate.sections.iter().filter_map(error).count() + without_run.len();
    let name = escaped(&format!("vyre conform, backend {}, {}", certificate.backend, certificate.device));
    let time = seconds(certificate.milliseconds);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(
        out,
        "<testsuites name=\"{name}\" tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\">",
        cases + errors
    );
    for section in &certificate.sections {
        push_section(&mut out, section);
    }
    for name in without_run {
        let name = escaped(name);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">"
        );
        push_error(&mut out, &name, "the section did not run: the run ended before");
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn items(certificate: &Certificate) -> impl Iterator<Item = &ItemReport> {
    certificate.sections.iter().flat_map(|section| &section.items)
}

/// Items without a check are skipped. Those with some count the others in their text.
fn is_skipped(item: &ItemReport) -> bool {
    item.checked == 0
}

/// The reason why a section proves less than it must, if there is one beside failed checks.
fn error(section: &SectionReport) -> Option<String> {
    match section.ended_early {
        Some(reason) => Some(format!("the section ended after {} checks: {reason}", section.checked)),
        None => section.is_missing().then(|| "the section made no check".to_owned()),
    }
}

/// Adds the case of the end of a section. The name is escaped.
fn push_error(out: &mut String, name: &str, message: &str) {
    let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"end of the section\">");
    let _ = writeln!(out, "      <error message=\"{}\"/>\n    </testcase>", escaped(message));
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
}

fn push_section(out: &mut String, section: &SectionReport) {
    let failed = section.items.iter().filter(|item| item.failed > 0).count();
    let skipped = section.items.iter().filter(|item| is_skipped(item)).count();
    let error = error(section);
    let errors = usize::from(error.is_some());
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{}\">",
        escaped(&section.name),
        section.items.len() + errors,
        seconds(section.milliseconds)
    );
    for item in &section.items {
        let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escaped(&section.name), escaped(&item.name));
        if item.failed > 0 {
            let _ = writeln!(out, ">");
            let message = format!("{} of {} checks failed", item.failed, item.checked);
            let _ = write!(out, "      <failure message=\"{}\">", escaped(&message));
            for failure in section.failures.iter().filter(|failure| failure.item == item.name) {
                out.push_str(&escaped(&described(failure)));
            }
            let _ = writeln!(out, "</failure>\n    </testcase>");
        } else if is_skipped(item) {
            let reason = item.reason.as_deref().unwrap_or("no check was made");
            let _ = writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(reason));
        } else {
            let _ = writeln!(out, "/>");
        }
    }
    if let Some(message) = error {
        push_error(out, &escaped(&section.name), &message);
    }
    out.push_str("  </testsuite>\n");
}

fn described(failure: &Failure) -> String {
    let mut text = format!("{}\n", failure.message);
    if let Some(seed) = failure.seed {
        let _ = writeln!(text, "seed {seed}");
    }
    if let Some(example) = &failure.example {
        let _ = writeln!(text, "expected {}\nobserved {}\n{}", example.expected, example.observed, example.program);
        text.push_str(example.ops.as_deref().unwrap_or_default());
    }
    text
}

/// Text for XML and HTML. Characters that XML excludes, and those that change the direction of text or have no width, are replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            _ if is_deceptive(character) || matches!(character, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}
