//! Ignore comments: `// vyre-ignore RULE: reason` silences the findings of a rule on a line.
//!
//! A comment concerns the line that it stands on. A comment that is alone on its line concerns the next line; comments may be
//! stacked. The parsers find the comments, so that a text that looks like one is none. A comment of an archive or of a folder of
//! dependencies is not honoured: the author of a package does not decide what a scan of it reports.

mod directive;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use memchr::memmem;
use rayon::prelude::*;
use vyre_ir::spelling::nearest;

use super::ScanOptions;
use crate::coverage::{Coverage, FileOutcome};
use crate::finding::{FileIndex, Finding, Location, SuppressedFinding};
use crate::flow::Span;
use crate::input::{Input, Language, SourceFile, display, is_in_dependencies};
use crate::knowledge::Knowledge;
use crate::lang::{self, LowerOptions, MAX_STACK};
use crate::lines::LineIndex;

use directive::{Directive, MARK};

/// An ignore comment of a file.
#[derive(Clone, Debug)]
pub(super) struct IgnoreComment {
    location: Location,
    /// Line of the comment, from 1.
    line: usize,
    /// Line whose findings are silenced, from 1.
    target: usize,
    directive: Directive,
}

/// Findings after the ignore comments.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    pub(super) findings: Vec<Finding>,
    pub(super) suppressed: Vec<SuppressedFinding>,
    /// Comments without a reason, for unknown rules, and comments that silence nothing.
    pub(super) warnings: Vec<String>,
}

/// True if ignore comments of these paths may be honoured: none is inside of a folder of dependencies.
pub(super) fn are_own(paths: &[PathBuf]) -> bool {
    let is_foreign = |path: &PathBuf| {
        let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
        is_in_dependencies(&(display(&whole) + "/"))
    };
    !paths.iter().any(is_foreign)
}

/// Ignore comments of all files that may have some, in order of files and lines.
pub(super) fn comments(input: &Input, options: &ScanOptions) -> Vec<IgnoreComment> {
    let is_honoured = |source: &&SourceFile| {
        let is_archived = input.coverage.files.get(source.file as usize).is_none_or(|record| record.is_archived);
        !is_archived && !is_in_dependencies(&source.path) && memmem::find(source.text.as_bytes(), MARK).is_some()
    };
    let sources: Vec<&SourceFile> = input.sources.iter().filter(is_honoured).collect();
    let of_source = |source: &&SourceFile| {
        let original = input.coverage.files[source.file as usize].text.as_deref().unwrap_or(&source.text);
        of_file(source.file, original, &spans(source, options))
    };
    let mut comments: Vec<IgnoreComment> = sources.par_iter().flat_map_iter(of_source).collect();
    comments.sort_by_key(|comment| comment.location);
    comments
}

/// Ranges of the comments of a file. A file that cannot be parsed has none, and its record says so.
fn spans(source: &SourceFile, options: &ScanOptions) -> Vec<Span> {
    let options = LowerOptions {
        max_bytes: usize::try_from(options.max_file_bytes).unwrap_or(usize::MAX),
        max_stack: options.memory.min(MAX_STACK),
        ..LowerOptions::default()
    };
    if source.language == Language::Python {
        return lang::python::comments(&source.text, &options).unwrap_or_default();
    }
    let of_script = |range: Range<usize>| {
        let script = source.text.get(range.clone()).unwrap_or_default();
        let spans = lang::javascript::comments(&source.path, script, &options).unwrap_or_default();
        let start = u32::try_from(range.start).unwrap_or(u32::MAX);
        spans.into_iter().map(move |span| Span::new(start + span.start, start + span.end))
    };
    match lang::javascript::comments(&source.path, &source.text, &options) {
        Ok(spans) => spans,
        Err(_) => source.scripts.iter().cloned().flat_map(of_script).collect(),
    }
}

/// Ignore comments among the comments of a file.
fn of_file(file: FileIndex, text: &str, spans: &[Span]) -> Vec<IgnoreComment> {
    let lines = LineIndex::new(text);
    let mut comments = Vec::new();
    // Last lines of comments that are alone, by their first lines.
    let mut alone: BTreeMap<usize, usize> = BTreeMap::new();
    for &span in spans {
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(directive) = text.get(start..end).and_then(directive::parse) else { continue };
        let (line, last) = (lines.line(start), lines.line(end.saturating_sub(1).max(start)));
        let before = text.get(lines.range(line).start..start).unwrap_or_default().trim();
        let after = text.get(end..lines.range(last).end.max(end)).unwrap_or_default().trim();
        // A comment of JSX is in braces.
        if matches!((before, after), ("", "") | ("{", "}")) {
            alone.insert(line, last);
        }
        comments.push(IgnoreComment { location: Location { file, span }, line, target: line, directive });
    }
    for comment in &mut comments {
        while let Some(last) = alone.get(&comment.target) {
            comment.target = last + 1;
        }
    }
    comments
}

/// Takes the findings that comments silence out of the findings. `is_whole` is false for a scan that ended early, which cannot say
/// that a comment silences nothing.
pub(super) fn apply(
    coverage: &Coverage,
    knowledge: &Knowledge,
    comments: &[IgnoreComment],
    findings: Vec<Finding>,
    is_whole: bool,
) -> Ignored {
    let mut ignored = Ignored::default();
    if comments.is_empty() {
        ignored.findings = findings;
        return ignored;
    }
    let mut indices: BTreeMap<FileIndex, LineIndex<'_>> = BTreeMap::new();
    // Comments by file and line of their findings.
    let mut by_line: BTreeMap<(FileIndex, usize), Vec<usize>> = BTreeMap::new();
    for (position, comment) in comments.iter().enumerate() {
        let file = comment.location.file;
        by_line.entry((file, comment.target)).or_default().push(position);
        if let Some(text) = coverage.files.get(file as usize).and_then(|record| record.text.as_deref()) {
            indices.entry(file).or_insert_with(|| LineIndex::new(text));
        }
    }
    // Rules of each comment that silence something.
    let mut used: Vec<Vec<bool>> = comments.iter().map(|comment| vec![false; comment.directive.rules.len()]).collect();
    for finding in findings {
        let sink = finding.sink();
        let line = indices.get(&sink.file).map(|lines| lines.line(sink.span.start as usize));
        let rule = knowledge.rules.get(finding.rule).map_or("", |rule| rule.id.as_str());
        let mut silencing = None;
        let here = line.and_then(|line| by_line.get(&(sink.file, line)));
        for &position in here.into_iter().flatten() {
            let comment = &comments[position];
            for (id, used) in comment.directive.rules.iter().zip(&mut used[position]) {
                if id == rule && comment.directive.reason.is_some() {
                    *used = true;
                    silencing = silencing.or(Some(comment));
                }
            }
        }
        // A comment of one's own file must not silence the same code of somebody else.
        let is_foreign = |copy: &Location| {
            let record = coverage.files.get(copy.file as usize);
            record.is_none_or(|record| record.is_archived || is_in_dependencies(&record.path))
        };
        match silencing.filter(|_| !finding.copies.iter().any(is_foreign)) {
            Some(comment) => ignored.suppressed.push(SuppressedFinding {
                finding,
                reason: comment.directive.reason.clone().unwrap_or_default(),
                comment: comment.location,
            }),
            None => ignored.findings.push(finding),
        }
    }
    ignored.warnings = warnings(coverage, knowledge, comments, &used, is_whole);
    ignored
}

/// Warnings about comments that do not do what their author expects.
fn warnings(
    coverage: &Coverage,
    knowledge: &Knowledge,
    comments: &[IgnoreComment],
    used: &[Vec<bool>],
    is_whole: bool,
) -> Vec<String> {
    let all_rules = knowledge.all_rule_ids();
    let is_selected = |id: &str| knowledge.rule(id).is_some();
    let mut warnings = Vec::new();
    for (comment, used) in comments.iter().zip(used) {
        let record = coverage.files.get(comment.location.file as usize);
        let path = record.map_or("", |record| record.path.as_str());
        let mut warn = |text: String| warnings.push(format!("{path}:{}: {text}", comment.line));
        let Directive { rules, reason } = &comment.directive;
        if rules.is_empty() {
            warn("the ignore comment names no rule; write `vyre-ignore RULE: reason`".to_owned());
            continue;
        }
        for (id, used) in rules.iter().zip(used) {
            if !all_rules.iter().any(|known| known == id) {
                let near = nearest(id, all_rules.iter().map(String::as_str));
                let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                warn(format!("the ignore comment names the rule `{id}`, which does not exist{near}"));
            } else if reason.is_none() {
                warn(format!(
                    "the ignore comment for `{id}` has no reason and is not honoured; write `vyre-ignore {id}: reason`"
                ));
            } else if !used && is_whole && is_selected(id) && is_scanned(record.map(|record| &record.outcome)) {
                let place = if comment.target == comment.line { "this line" } else { "the next line" };
                warn(format!("the ignore comment for `{id}` silences nothing: {place} has no such finding"));
            }
        }
    }
    warnings
}

fn is_scanned(outcome: Option<&FileOutcome>) -> bool {
    outcome == Some(&FileOutcome::Scanned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str, parts: &[&str]) -> Vec<(usize, usize)> {
        let span = |part: &&str| {
            let start = text.find(part).expect("the comment is in the text");
            Span::new(u32::try_from(start).expect("small"), u32::try_from(start + part.len()).expect("small"))
        };
        let spans: Vec<Span> = parts.iter().map(span).collect();
        of_file(0, text, &spans).iter().map(|comment| (comment.line, comment.target)).collect()
    }

    #[test]
    fn comments_concern_their_line_or_the_next_one() {
        let trailing = "// vyre-ignore a: x";
        assert_eq!(targets(&format!("f(); {trailing}\ng();\n"), &[trailing]), [(1, 1)]);
        assert_eq!(targets(&format!("\n  {trailing}\ng();\n"), &[trailing]), [(2, 3)]);
        assert_eq!(targets(&format!("\n  {{{trailing}\n}}\n"), &[trailing]), [(2, 2)]);
        let block = "/* vyre-ignore a:\n reason */";
        assert_eq!(targets(&format!("{block}\ng();\n"), &[block]), [(1, 3)]);
        assert_eq!(targets(&format!("{block} g();\n"), &[block]), [(1, 1)]);
        let markup = "/* vyre-ignore a: x */";
        assert_eq!(targets(&format!("<a>\n{{{markup}}}\n<b/>"), &[markup]), [(2, 3)]);
    }

    #[test]
    fn comments_are_stacked() {
        let text = "// vyre-ignore a: x\n# vyre-ignore b: y\nf();\n";
        assert_eq!(targets(text, &["// vyre-ignore a: x", "# vyre-ignore b: y"]), [(1, 3), (2, 3)]);
    }
}
