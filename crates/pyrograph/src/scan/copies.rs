//! Copies of code in one package: a finding in a bundle or in a duplicate of a file is one finding with several places.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3Default;

use super::pipeline::Analysed;
use crate::finding::{FileIndex, Finding};
use crate::flow::{FunctionKind, Span};
use crate::program::ValueIndex;

/// Shortest function that counts as a copy, in characters without white space. Shorter ones can be equal by chance.
const MIN_FUNCTION: u64 = 120;

/// Code that a finding is about: equal for copies.
pub(super) type CopyKey = (usize, u64, u64);

/// Key of a finding: its rule, the text of the function around the sink without white space, and the place of the sink in it.
/// None: the sink is in no function, or in a short one.
pub(super) fn copy_key(analysed: &Analysed, rule: usize, sink: ValueIndex) -> Option<CopyKey> {
    let module = analysed.program.module_of_value(sink);
    let instruction = module.instruction(sink);
    let function = module.flow.function(instruction.function);
    if function.kind == FunctionKind::Module {
        return None;
    }
    let sources = &analysed.input.sources;
    let position = sources.binary_search_by_key(&module.file, |source| source.file).ok()?;
    let text = sources[position].text.get(function.span.start as usize..function.span.end as usize)?;
    let mut hasher = Xxh3Default::new();
    let (mut length, mut before) = (0, 0);
    for (offset, byte) in text.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()) {
        hasher.update(&[byte]);
        length += 1;
        if (function.span.start as usize + offset) < instruction.span.start as usize {
            before += 1;
        }
    }
    (length >= MIN_FUNCTION).then(|| (rule, hasher.digest(), before))
}

/// Merges findings about copies of the same code in different files. The finding in the file that is most likely written by hand
/// stays; the others become its copies.
pub(super) fn collapse(analysed: &Analysed, mut findings: Vec<(Finding, Option<CopyKey>)>) -> Vec<Finding> {
    findings
        .sort_by_cached_key(|(finding, _)| (origin(analysed, finding), finding.sink(), finding.rule, finding.source()));
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut known: BTreeMap<CopyKey, usize> = BTreeMap::new();
    for (finding, key) in findings {
        let first = key.and_then(|key| known.get(&key).copied());
        match first.filter(|&first| kept[first].sink().file != finding.sink().file) {
            Some(first) => kept[first].copies.push(finding.sink()),
            None => {
                if let Some(key) = key {
                    known.entry(key).or_insert(kept.len());
                }
                kept.push(finding);
            }
        }
    }
    for finding in &mut kept {
        finding.copies.sort_unstable();
        finding.copies.dedup();
    }
    kept.sort_by_key(|finding| (finding.sink(), finding.rule, finding.source()));
    kept
}

/// Merges findings of identical files: the same rule at the same place of files with the same bytes.
pub(super) fn collapse_files(analysed: &Analysed, mut findings: Vec<Finding>) -> Vec<Finding> {
    let digest = |file: FileIndex| {
        let sources = &analysed.input.sources;
        sources.binary_search_by_key(&file, |source| source.file).ok().map(|position| sources[position].digest)
    };
    findings.sort_by_cached_key(|finding| (origin(analysed, finding), finding.sink(), finding.rule, finding.source()));
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut known: BTreeMap<(usize, u64, Span, u64, Span), usize> = BTreeMap::new();
    for finding in findings {
        let (source, sink) = (finding.source(), finding.sink());
        let (Some(from), Some(to)) = (digest(source.file), digest(sink.file)) else {
            kept.push(finding);
            continue;
        };
        match known.entry((finding.rule, to, sink.span, from, source.span)) {
            std::collections::btree_map::Entry::Occupied(entry) => kept[*entry.get()].copies.push(sink),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push(finding);
            }
        }
    }
    kept.sort_by_key(|finding| (finding.sink(), finding.rule, finding.source()));
    kept
}

/// Origin of a file, by its path. The first of several copies is the one that a reader wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// Code of the package.
    Written,
    /// Tests, examples and fixtures.
    Test,
    /// Bundles and minified files.
    Generated,
}

/// Origin of the file of a finding's sink.
fn origin(analysed: &Analysed, finding: &Finding) -> Origin {
    let path = &analysed.input.coverage.files[finding.sink().file as usize].path;
    if is_generated(path) {
        Origin::Generated
    } else if is_test(path) {
        Origin::Test
    } else {
        Origin::Written
    }
}

/// True for paths of tests, examples and fixtures.
fn is_test(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let folders =
        ["test", "tests", "__tests__", "spec", "fixtures", "__fixtures__", "mocks", "__mocks__", "example", "examples"];
    let is_test_name = |stem: &str| matches!(stem, "test" | "spec" | "mock" | "fixture");
    name.split('.').skip(1).any(is_test_name)
        || name.starts_with("test_")
        || name.split_once('.').is_some_and(|(stem, _)| stem.ends_with("_test"))
        || parts.any(|part| folders.contains(&part))
}

/// True for paths that tools write: bundles and minified files.
fn is_generated(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let folders = ["dist", "build", "umd", "bundle", "bundles", "min"];
    name.contains(".min.") || name.contains(".bundle.") || parts.any(|part| folders.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_told_by_their_paths() {
        for path in ["package/dist/a.js", "a.min.js", "package/build/x/a.js", "a.bundle.js"] {
            assert!(is_generated(path), "{path}");
        }
        for path in ["package/lib/a.js", "dist.js", "package/src/distance/a.js", "mini.js"] {
            assert!(!is_generated(path), "{path}");
        }
    }

    #[test]
    fn tests_are_told_by_their_paths() {
        for path in ["a.test.js", "test/a.js", "src/__tests__/a.ts", "test_a.py", "a_test.py", "x/fixtures/a.js"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["a.js", "testing.js", "src/latest.js", "lib/contest/a.js", "attest.py", "mock.js"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
