//! The summary of the book, and links between pages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::root;

/// Pages below `docs`, relative to it.
fn pages() -> BTreeSet<PathBuf> {
    let docs = root().join("docs");
    let mut folders = vec![docs.clone()];
    let mut pages = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.insert(path.strip_prefix(&docs).expect("it is below").to_owned());
            }
        }
    }
    pages
}

/// Targets of links outside code: `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut targets = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // Code of a line is between backquotes.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        let parts = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.extend(parts.map(str::to_owned));
    }
    targets
}

/// Anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
        for part in line.split("id=\"").skip(1) {
            anchors.extend(part.split('"').next().map(str::to_owned));
        }
    }
    anchors
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
    let listed: Vec<PathBuf> = links(&summary).into_iter().map(PathBuf::from).collect();
    let mut expected = pages();
    expected.remove(Path::new("SUMMARY.md"));
    let missing: Vec<&PathBuf> = expected.iter().filter(|page| !listed.contains(page)).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
    let unknown: Vec<&PathBuf> = listed.iter().filter(|page| !expected.contains(*page)).collect();
    assert!(unknown.is_empty(), "docs/SUMMARY.md lists {unknown:?}, which are no pages");
    assert_eq!(listed.len(), expected.len(), "docs/SUMMARY.md lists a page twice");
}

#[test]
fn links_lead_to_files_and_headings() {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from);
    let docs = pages().into_iter().map(|page| Path::new("docs").join(page));
    let mut broken = Vec::new();
    let mut count = 0;
    for page in top.into_iter().chain(docs) {
        let text = std::fs::read_to_string(root().join(&page)).expect("a page");
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.with_file_name("").join(path) };
            let target = root().join(target);
            let is_found = match anchor {
                "" => target.exists(),
                anchor => std::fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor)),
            };
            if !is_found {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(count > 50, "only {count} links were found");
}
