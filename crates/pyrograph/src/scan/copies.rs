//! Copies of code in one package: a finding in a bundle or in a duplicate of a file is one finding with several places.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3Default;

use super::pipeline::Analysed;
use crate::finding::{FileIndex, Finding};
use crate::flow::FunctionKind;
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
    let is_generated = |file: FileIndex| is_generated(&analysed.input.coverage.files[file as usize].path);
    findings.sort_by_cached_key(|(finding, _)| {
        (is_generated(finding.sink().file), finding.sink(), finding.rule, finding.source())
    });
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
}
