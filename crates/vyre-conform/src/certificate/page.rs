//! Certificates as a page: one, or several side by side.

use std::fmt::Write as _;

use super::Certificate;
use super::junit::escaped;
use super::table::{rows, titles};

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #1c2024; background: #fff }
.wide { overflow: auto; max-height: 90vh; margin: 1rem 0; border: 1px solid #d0d7de }
table { border-collapse: separate; border-spacing: 0; width: 100% }
caption { text-align: left; padding: .35rem .6rem }
th, td { border: 0 solid #d0d7de; border-width: 0 1px 1px 0; padding: .35rem .6rem; text-align: left; vertical-align: top }
th, td { overflow-wrap: break-word; min-width: 7rem }
th { background: #f3f5f7 }
thead > tr > * { position: sticky; top: 0; z-index: 1 }
tbody th { position: sticky; left: 0 }
.good { background: #e6f6ea } .bad { background: #fde8e8 } .open { background: #fff6dd }
pre { background: #f3f5f7; padding: .8rem; overflow: auto }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8ea; background: #16191c } th, pre { background: #22272c } th, td, .wide { border-color: #3a4149 }
  .good { background: #16351f } .bad { background: #451d1d } .open { background: #3d3413 }
}";

/// A page of certificates, without scripts and other files.
#[must_use]
pub fn page(certificates: &[Certificate]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Conformance certificates</title>\n<style>{STYLE}</style>\n<main>\n<h1>Conformance certificates</h1>\n"
    );
    if let Some(first) = certificates.first() {
        let _ = writeln!(out, "<p>{}</p>", escaped(&first.notice));
    }
    // Narrow screens scroll the table, not the page; the keyboard reaches it.
    out.push_str(
        "<div class=\"wide\" role=\"region\" aria-label=\"Certificates side by side\" tabindex=\"0\">\n<table>\n",
    );
    out.push_str("<caption>Verdicts and numbers of checks, by certificate</caption>\n");
    let _ = writeln!(out, "<thead><tr><td></td>");
    let titles = titles(certificates);
    for title in &titles {
        let _ = writeln!(out, "<th scope=\"col\">{}</th>", escaped(title));
    }
    let _ = writeln!(out, "</tr></thead>\n<tbody>");
    for row in rows(certificates) {
        let Some((name, cells)) = row.split_first() else { continue };
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escaped(name));
        for cell in cells {
            let _ = write!(out, "<td{}>{}</td>", class(cell), escaped(cell));
        }
        let _ = writeln!(out, "</tr>");
    }
    let _ = writeln!(out, "</tbody>\n</table>\n</div>");
    for (title, certificate) in titles.iter().zip(certificates) {
        push_failures(&mut out, title, certificate);
    }
    for (title, certificate) in titles.iter().zip(certificates) {
        push_reasons(&mut out, title, certificate);
    }
    out.push_str("</main>\n</html>\n");
    out
}

/// Reasons why checks were not made.
fn push_reasons(out: &mut String, title: &str, certificate: &Certificate) {
    if certificate.sections.iter().all(|section| section.skipped == 0) {
        return;
    }
    let _ = writeln!(out, "<h2>Skipped by {}</h2>\n<ul>", escaped(title));
    for section in certificate.sections.iter().filter(|section| section.skipped > 0) {
        for reason in section.reasons() {
            let _ = writeln!(out, "<li>{}: {}</li>", escaped(&section.name), escaped(reason));
        }
    }
    out.push_str("</ul>\n");
}

/// Colour of a cell by the verdict with which it begins.
fn class(cell: &str) -> &'static str {
    let begins = |words: &[&str]| words.iter().any(|word| cell.starts_with(word));
    if begins(&["failed", "damaged"]) {
        " class=\"bad\""
    } else if begins(&["partial", "interrupted", "unchecked", "skipped", "left out", "empty", "unknown"]) {
        " class=\"open\""
    } else if begins(&["conformant", "passed"]) {
        " class=\"good\""
    } else {
        ""
    }
}

fn push_failures(out: &mut String, title: &str, certificate: &Certificate) {
    for section in certificate.sections.iter().filter(|section| section.failed > 0) {
        let _ = writeln!(out, "<h2>Failures of {}: {}</h2>", escaped(title), escaped(&section.name));
        for failure in &section.failures {
            let _ = writeln!(out, "<p>{}: {}</p>", escaped(&failure.item), escaped(&failure.message));
            if let Some(example) = &failure.example {
                // A run that failed has no bytes.
                let expected = if example.expected.is_empty() { "the end of the run" } else { &example.expected };
                let _ = writeln!(
                    out,
                    "<pre>expected {}\nobserved {}\n\n{}{}</pre>",
                    escaped(expected),
                    escaped(&example.observed),
                    escaped(&example.program),
                    escaped(example.ops.as_deref().unwrap_or_default())
                );
            }
        }
        if section.failures_left_out > 0 {
            let _ = writeln!(out, "<p>{} further failures</p>", section.failures_left_out);
        }
    }
}
