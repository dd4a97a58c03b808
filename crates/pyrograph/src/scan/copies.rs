//! Copies of code in one package: a finding in a bundle or in a duplicate of a file is one finding with several places.

use std::collections::BTreeMap;

use super::copy_key::CopyKey;
use super::findings::{Described, number_fingerprints};
use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::flow::Span;

/// Merges findings about copies of the same code. The finding in the file that is most likely written by hand stays; the others
/// become its copies. The result is in order of sink, rule and source.
pub(super) fn collapse(coverage: &Coverage, mut findings: Vec<Described>) -> Vec<Finding> {
    // Copies count too: the fingerprint of a finding must not depend on the other files.
    findings.sort_by_key(|Described { finding, .. }| (finding.sink(), finding.rule, finding.source()));
    number_fingerprints(findings.iter_mut().map(|described| &mut described.finding));
    findings.sort_by_cached_key(|Described { finding, .. }| {
        (origin(coverage, finding), depth(coverage, finding), finding.sink(), finding.rule, finding.source())
    });
    let mut kept = collapse_files(collapse_functions(findings));
    for finding in &mut kept {
        finding.copies.sort_unstable();
        finding.copies.dedup();
        finding.copy_fingerprints.sort_unstable();
        finding.copy_fingerprints.dedup();
    }
    kept.sort_by_key(|finding| (finding.sink(), finding.rule, finding.source()));
    kept
}

/// Merges findings about the same code in functions of different files.
fn collapse_functions(findings: Vec<Described>) -> Vec<Described> {
    let mut kept: Vec<Described> = Vec::with_capacity(findings.len());
    let mut known: BTreeMap<CopyKey, usize> = BTreeMap::new();
    for described in findings {
        let first = described.code.and_then(|key| known.get(&key).copied());
        match first.filter(|&first| kept[first].finding.sink().file != described.finding.sink().file) {
            Some(first) => add_copy(&mut kept[first].finding, described.finding),
            None => {
                if let Some(key) = described.code {
                    known.entry(key).or_insert(kept.len());
                }
                kept.push(described);
            }
        }
    }
    kept
}

/// Merges findings of identical files: the same rule at the same place of files with the same bytes.
fn collapse_files(findings: Vec<Described>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut known: BTreeMap<(usize, u64, Span, u64, Span), usize> = BTreeMap::new();
    for Described { finding, digests, .. } in findings {
        let (source, sink) = (finding.source(), finding.sink());
        let Some((from, to)) = digests else {
            kept.push(finding);
            continue;
        };
        match known.entry((finding.rule, to, sink.span, from, source.span)) {
            std::collections::btree_map::Entry::Occupied(entry) => add_copy(&mut kept[*entry.get()], finding),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push(finding);
            }
        }
    }
    kept
}

/// Adds a finding, with its copies, to the copies of another one.
fn add_copy(kept: &mut Finding, copy: Finding) {
    kept.copies.push(copy.sink());
    kept.copies.extend(copy.copies);
    kept.copy_fingerprints.push(copy.fingerprint);
    kept.copy_fingerprints.extend(copy.copy_fingerprints);
}

/// Origin of a file, by its path. The first of several copies is the one that a reader wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// Code of the package.
    Written,
    /// Tests, examples and fixtures.
    Test,
    /// Bundles, minified files and code from elsewhere.
    Generated,
}

/// Origin of the file of a finding's sink.
fn origin(coverage: &Coverage, finding: &Finding) -> Origin {
    let path = &coverage.files[finding.sink().file as usize].path;
    if is_generated(path) {
        Origin::Generated
    } else if is_test(path) {
        Origin::Test
    } else {
        Origin::Written
    }
}

/// Number of folders around the file of a finding's sink.
fn depth(coverage: &Coverage, finding: &Finding) -> usize {
    coverage.files[finding.sink().file as usize].path.matches('/').count()
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

/// True for paths of code that tools write or that comes from elsewhere: bundles, minified files, compiled forms.
fn is_generated(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let folders = ["dist", "build", "umd", "cjs", "esm", "bundle", "bundles", "min", "vendor"];
    name.contains(".min.") || name.contains(".bundle.") || parts.any(|part| folders.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_told_by_their_paths() {
        for path in ["package/dist/a.js", "a.min.js", "package/build/x/a.js", "a.bundle.js", "esm/a.js", "vendor/a.js"]
        {
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
