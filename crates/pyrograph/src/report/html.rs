//! HTML: one file that needs no network, for people.
//!
//! The page is the same for every report. Everything of the scanned package is in one block of JSON, whose texts cannot end the
//! block, and scripts put it on the page as text nodes. A Content-Security-Policy allows nothing but the two blocks of style and
//! script, by their hashes, so that markup in names or sources could neither run nor load anything.

mod data;
mod excerpt;
mod policy;
mod safe_json;
mod texts;

use std::io::{self, Write};

use vyre_ir::spelling::counted;

use crate::scan::ScanReport;

use super::options::ReportOptions;

/// The page, with the names of its parts in double braces.
const PAGE: &str = include_str!("html/page.html");

/// Style sheets in order.
const STYLES: [&str; 4] = [
    include_str!("html/theme.css"),
    include_str!("html/page.css"),
    include_str!("html/finding.css"),
    include_str!("html/narrow.css"),
];

/// Scripts in order. They share one scope; the last one starts the page.
const SCRIPTS: [&str; 10] = [
    include_str!("html/dom.js"),
    include_str!("html/data.js"),
    include_str!("html/filters.js"),
    include_str!("html/list.js"),
    include_str!("html/source.js"),
    include_str!("html/graph.js"),
    include_str!("html/detail.js"),
    include_str!("html/summary.js"),
    include_str!("html/keys.js"),
    include_str!("html/main.js"),
];

/// Part of the beginning of every page, which tells it from pages of others.
pub const PAGE_MARK: &str = "<meta name=\"generator\" content=\"vyre scan\">";

/// Writes the page.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let style = STYLES.concat();
    let script = format!("'use strict';\n{{\n{}}}\n", SCRIPTS.concat());
    let policy = policy::policy(&style, &script);
    let title = title(report);
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "policy" => out.write_all(policy.as_bytes())?,
            "title" => out.write_all(title.as_bytes())?,
            "style" => out.write_all(style.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            "data" => data::write(report, options, out)?,
            _ => {}
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Title of the page. It has numbers only, nothing of the package.
fn title(report: &ScanReport) -> String {
    let findings = counted(report.findings.len(), "finding");
    let state = if report.coverage.is_incomplete() { "Incomplete scan" } else { "Scan report" };
    format!("{state}: {findings}")
}
