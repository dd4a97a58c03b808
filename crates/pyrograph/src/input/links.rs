//! Where the links of the input lead.

use std::collections::BTreeMap;

use super::classify::path_kind;
use super::files::{FileTable, LinkEnd};
use crate::coverage::{FileOutcome, FileRecord, InputProblem, SkipReason};
use crate::finding::FileIndex;

/// Problems of links. `files` are in order of their paths; `links` has targets by path.
///
/// A link to nothing is a problem that makes no scan incomplete. A link with the name of code to a file that is no code by its
/// own name does: a program loads the file by the name of the link.
pub(crate) fn problems(files: &[FileRecord], links: &BTreeMap<String, String>) -> Vec<InputProblem> {
    if links.is_empty() {
        return Vec::new();
    }
    let own = files.iter().zip(0 as FileIndex..).filter(|(file, _)| file.link.is_none());
    let table = FileTable::new(own.map(|(file, index)| (file.path.as_str(), index)), links);
    let has_folder = |path: &str| {
        let inside = format!("{path}/");
        let first = files.partition_point(|file| file.path.as_bytes() < inside.as_bytes());
        path.is_empty() || files.get(first).is_some_and(|file| file.path.starts_with(&inside))
    };
    let mut problems = Vec::new();
    for (path, target) in links {
        let (message, is_incomplete) = match table.link_end(target, &has_folder) {
            LinkEnd::Folder => continue,
            LinkEnd::Nowhere => (format!("the link to {target} leads nowhere"), false),
            LinkEnd::File(file) => {
                let outcome = files.get(file as usize).map(|file| &file.outcome);
                let is_data = outcome == Some(&FileOutcome::Skipped(SkipReason::NotCode));
                if !is_data || !path_kind(path).is_code() {
                    continue;
                }
                (format!("the link has the name of code, but its target {target} is skipped as data"), true)
            }
        };
        problems.push(InputProblem { path: path.clone(), message, is_incomplete, files: Vec::new() });
    }
    problems
}
