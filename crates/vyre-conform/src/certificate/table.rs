//! Several certificates side by side.

use vyre_ir::units::number;

use super::Certificate;
use super::text::{head, push_table};

/// A table with a column for each certificate: the head, sections and ops.
#[must_use]
pub fn table(certificates: &[Certificate]) -> String {
    let mut out = String::new();
    let titles = titles(certificates);
    let titles: Vec<&str> = std::iter::once("").chain(titles.iter().map(String::as_str)).collect();
    push_table(&mut out, &titles, rows(certificates));
    out
}

/// Titles of the columns: the backend, with what tells it from other columns of the same one.
pub(super) fn titles(certificates: &[Certificate]) -> Vec<String> {
    let title = |one: &Certificate| {
        let of_backend: Vec<_> = certificates.iter().filter(|other| other.backend == one.backend).collect();
        let of_device = of_backend.iter().filter(|other| other.device == one.device).count();
        let mut title = one.backend.clone();
        if of_backend.len() > of_device {
            title = format!("{title}, {}", one.device);
        }
        if of_device > 1 {
            title = format!("{title}, {}, {} programs", one.level, number(one.programs));
        }
        title
    };
    let titles: Vec<String> = certificates.iter().map(title).collect();
    let is_unique = |title: &String| titles.iter().filter(|other| *other == title).count() == 1;
    let with_time = |(title, one): (&String, &Certificate)| match is_unique(title) {
        true => title.clone(),
        false => format!("{title}, {}", one.time),
    };
    titles.iter().zip(certificates).map(with_time).collect()
}

/// Rows of the table: a name, and a cell for each certificate.
pub(super) fn rows(certificates: &[Certificate]) -> Vec<Vec<String>> {
    let heads: Vec<Vec<(&str, String)>> = certificates.iter().map(head).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let of_head = heads.first().map(Vec::len).unwrap_or(0);
    // The backend is the title of its column, and the notice is the same in all.
    for position in (0..of_head).filter(|&position| !matches!(heads[0][position].0, "backend" | "notice")) {
        let cells = heads.iter().map(|head| head[position].1.clone());
        rows.push(std::iter::once(heads[0][position].0.to_owned()).chain(cells).collect());
    }
    for name in names(certificates, |one| one.sections.iter().map(|section| section.name.clone()).collect()) {
        let cell = |one: &Certificate| {
            let section = one.sections.iter().find(|section| section.name == name);
            section.map_or("left out".to_owned(), |section| {
                let counts = counted(section.verdict(), section.checked, section.failed, section.skipped);
                section.ended_early.map_or(counts.clone(), |reason| format!("{counts}; ended early: {reason}"))
            })
        };
        rows.push(std::iter::once(format!("section {name}")).chain(certificates.iter().map(cell)).collect());
    }
    for id in names(certificates, |one| one.ops.iter().map(|op| op.id.clone()).collect()) {
        let cell = |one: &Certificate| {
            let op = one.ops.iter().find(|op| op.id == id);
            op.map_or("unknown".to_owned(), |op| {
                counted(op.verdict.name(), op.counts.checked, op.counts.failed, op.counts.skipped)
            })
        };
        rows.push(std::iter::once(format!("op {id}")).chain(certificates.iter().map(cell)).collect());
    }
    rows
}

/// A verdict with its counts; those that are 0 are left out.
fn counted(verdict: &str, checked: u64, failed: u64, skipped: u64) -> String {
    let mut text = verdict.to_owned();
    for (count, word) in [(checked, "checks"), (failed, "failed"), (skipped, "skipped")] {
        if count > 0 {
            text.push_str(&format!(", {} {word}", number(count)));
        }
    }
    text
}

/// Names of all certificates, each once, in the order of their first occurrence.
fn names(certificates: &[Certificate], of: impl Fn(&Certificate) -> Vec<String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in certificates.iter().flat_map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
