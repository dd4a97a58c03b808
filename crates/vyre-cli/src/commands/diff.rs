//! Patience diff (Cohen): recursive splitting at lines that are unique in both texts. Writes the first change, or all changes
//! as a unified diff.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use crate::output::{ADDED, GUTTER, REMOVED, STRONG, visible, visible_prefix};

/// Maximum number of lines of each text in the first change.
const MAX_CHANGE_LINES: usize = 5;

/// Maximum number of characters of a line in the first change.
const MAX_LINE_CHARS: usize = 120;

/// Maximum common indentation that the first change shows.
const MAX_INDENTATION: usize = 60;

/// Number of context lines around a change in a unified diff.
const CONTEXT_LINES: usize = 3;

/// Writes the name of a file that is not formatted, and its first change.
pub(super) fn write_diff(out: &mut impl Write, name: &str, old: &str, new: &str) -> io::Result<()> {
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    let first = changes.first().cloned().unwrap_or_default();
    let (removed, added) = (&old[first.old.clone()], &new[first.new.clone()]);

    writeln!(out, "{STRONG}{}{STRONG:#} is not formatted, from line {}:", visible(name), first.old.start + 1)?;
    let removed_lines = &removed[..removed.len().min(MAX_CHANGE_LINES)];
    let added_lines = &added[..added.len().min(MAX_CHANGE_LINES)];
    let hidden = hidden_indentation(removed_lines.iter().chain(added_lines));
    for (lines, sign, style) in [(removed_lines, '-', REMOVED), (added_lines, '+', ADDED)] {
        for line in lines {
            let (text, end) = line.strip_suffix('\n').map_or((*line, " (no newline)"), |text| (text, ""));
            let (mark, text) = text.get(hidden..).filter(|_| hidden > 0).map_or(("", text), |rest| ("...", rest));
            writeln!(out, "{style}{sign} {mark}{}{style:#}{end}", visible_prefix(text, MAX_LINE_CHARS))?;
        }
    }
    if removed.len() > MAX_CHANGE_LINES || added.len() > MAX_CHANGE_LINES || changes.len() > 1 {
        writeln!(out, "{GUTTER}  and more below{GUTTER:#}")?;
    }
    writeln!(out)
}

/// Writes a unified diff. Both texts must end with a newline.
pub(super) fn write_unified(out: &mut impl Write, old: (&str, &str), new: (&str, &str)) -> io::Result<()> {
    let ((old_name, old), (new_name, new)) = (old, new);
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    writeln!(out, "{STRONG}--- {old_name}{STRONG:#}\n{STRONG}+++ {new_name}{STRONG:#}")?;
    for hunk in changes.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT_LINES) {
        write_hunk(out, &old, &new, hunk)?;
    }
    Ok(())
}

/// Writes a hunk: changes with overlapping context.
fn write_hunk(out: &mut impl Write, old: &[&str], new: &[&str], hunk: &[Change]) -> io::Result<()> {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return Ok(()) };
    let before = first.old.start.min(CONTEXT_LINES);
    let after = (old.len() - last.old.end).min(CONTEXT_LINES);
    let old_range = hunk_range(first.old.start - before..last.old.end + after);
    let new_range = hunk_range(first.new.start - before..last.new.end + after);
    writeln!(out, "{GUTTER}@@ -{old_range} +{new_range} @@{GUTTER:#}")?;
    // Context lines are equal in both texts; the old one supplies them.
    let mut at = first.old.start - before;
    for Change { old: removed, new: added } in hunk {
        old[at..removed.start].iter().try_for_each(|line| write!(out, " {line}"))?;
        for (lines, sign, style) in [(&old[removed.clone()], '-', REMOVED), (&new[added.clone()], '+', ADDED)] {
            for line in lines {
                writeln!(out, "{style}{sign}{}{style:#}", line.trim_end_matches('\n'))?;
            }
        }
        at = removed.end;
    }
    old[at..at + after].iter().try_for_each(|line| write!(out, " {line}"))
}

/// Range in the header of a hunk: first line, counted from 1, and length. An empty range has the number of the line before it.
fn hunk_range(lines: Range<usize>) -> String {
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}

/// The lines of a text, each with its newline.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Number of leading spaces that all lines share, if it exceeds [`MAX_INDENTATION`]; otherwise 0.
fn hidden_indentation<'l>(lines: impl Iterator<Item = &'l &'l str>) -> usize {
    let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    lines
        .filter(|line| !line.trim().is_empty())
        .map(indentation)
        .min()
        .filter(|&common| common > MAX_INDENTATION)
        .unwrap_or(0)
}

/// A range of lines of the old text and the range of the new text that replaces it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Changes in order. Two changes have at least one common line between them.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_line, new_line) in common(old, new).into_iter().chain([(old.len(), new.len())]) {
        if old_at < old_line || new_at < new_line {
            changes.push(Change { old: old_at..old_line, new: new_at..new_line });
        }
        (old_at, new_at) = (old_line + 1, new_line + 1);
    }
    changes
}

/// Pairs of equal lines, in ascending order.
///
/// Splits the texts at their anchors, up to a fixed depth. The time is O(n log n) for all inputs.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    /// Maximum recursion depth of splitting.
    const MAX_DEPTH: usize = 8;
    let mut pairs = Vec::new();
    let mut pending = vec![(0..old.len(), 0..new.len(), MAX_DEPTH)];
    while let Some((mut olds, mut news, depth)) = pending.pop() {
        while !olds.is_empty() && !news.is_empty() && old[olds.start] == new[news.start] {
            pairs.push((olds.start, news.start));
            (olds.start, news.start) = (olds.start + 1, news.start + 1);
        }
        while !olds.is_empty() && !news.is_empty() && old[olds.end - 1] == new[news.end - 1] {
            (olds.end, news.end) = (olds.end - 1, news.end - 1);
            pairs.push((olds.end, news.end));
        }
        if depth == 0 || olds.is_empty() || news.is_empty() {
            continue;
        }
        let anchors = anchors(old, new, &olds, &news);
        if anchors.is_empty() {
            continue;
        }
        for (old_line, new_line) in anchors {
            pairs.push((old_line, new_line));
            pending.push((olds.start..old_line, news.start..new_line, depth - 1));
            (olds.start, news.start) = (old_line + 1, new_line + 1);
        }
        pending.push((olds, news, depth - 1));
    }
    pairs.sort_unstable();
    pairs
}

/// Anchors: a longest sequence of pairs of lines that are unique in both ranges, in the order of both. Ignores blank lines.
fn anchors(old: &[&str], new: &[&str], olds: &Range<usize>, news: &Range<usize>) -> Vec<(usize, usize)> {
    let mut occurrences: HashMap<&str, (usize, usize, usize)> = HashMap::new();
    for line in &old[olds.clone()] {
        occurrences.entry(line).or_default().0 += 1;
    }
    for line in news.clone() {
        let (_, count, last) = occurrences.entry(new[line]).or_default();
        (*count, *last) = (*count + 1, line);
    }
    let pairs = olds.clone().filter_map(|line| match occurrences.get(old[line]) {
        Some(&(1, 1, new_line)) if !old[line].trim().is_empty() => Some((line, new_line)),
        _ => None,
    });
    longest_ascending(&pairs.collect::<Vec<_>>())
}

/// Longest increasing subsequence of pairs by their second components (patience sorting).
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the last pair of the chain of this length with the smallest end. Predecessors link the chains.
    let mut ends: Vec<usize> = Vec::new();
    let mut predecessors = Vec::with_capacity(pairs.len());
    for (at, &(_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < second);
        predecessors.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |&at| predecessors[at]).map(|at| pairs[at]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        let mut out = Vec::new();
        assert!(write_diff(&mut out, "a.vyre", old, new).is_ok());
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    #[test]
    fn only_changed_lines_are_shown() {
        let shown = diff("a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(shown, "a.vyre is not formatted, from line 2:\n- b\n+ B\n\n");
    }

    #[test]
    fn an_inserted_line_has_no_removed_line() {
        let shown = diff("a\nb\nc;\n", "a\n\nb\nc ;\n");
        assert_eq!(shown, "a.vyre is not formatted, from line 2:\n+ \n  and more below\n\n");
    }

    #[test]
    fn a_missing_newline_and_a_carriage_return_are_visible() {
        assert!(diff("a", "a\n").contains("- a (no newline)\n+ a\n"));
        assert!(diff("a\r\n", "a\n").contains("- a\\r\n+ a\n"));
    }

    #[test]
    fn deep_common_indentation_is_omitted() {
        let (old, new) = (format!("{}x;\n", " ".repeat(256)), format!("{}x;\n", " ".repeat(260)));
        assert!(diff(&old, &new).contains("- ...x;\n+ ...    x;\n"));
    }

    #[test]
    fn long_changes_are_truncated() {
        let shown = diff(&"x\n".repeat(9), &"y\n".repeat(7));
        assert_eq!(shown.lines().filter(|line| line.starts_with(['-', '+'])).count(), 2 * MAX_CHANGE_LINES);
        assert!(shown.contains("and more below"));
    }

    fn unified(old: &str, new: &str) -> String {
        let mut out = Vec::new();
        assert!(write_unified(&mut out, ("old", old), ("new", new)).is_ok());
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    #[test]
    fn a_unified_diff_has_hunks_with_context() {
        let old: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let new = old.replace("\n2\n", "\n").replace("\n8\n", "\neight\n8\n").replace("\n28\n", "\nx\n");
        let expected = "--- old\n+++ new\n@@ -1,10 +1,10 @@\n 1\n-2\n 3\n 4\n 5\n 6\n 7\n+eight\n 8\n 9\n 10\n\
                        @@ -25,6 +25,6 @@\n 25\n 26\n 27\n-28\n+x\n 29\n 30\n";
        assert_eq!(unified(&old, &new), expected);
        assert_eq!(unified("a\n", ""), "--- old\n+++ new\n@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(unified("a\n", "a\n"), "--- old\n+++ new\n");
    }

    /// Applies the changes to the old text.
    fn patched(old: &[&str], new: &[&str]) -> String {
        let mut text = String::new();
        let mut at = 0;
        for change in changes(old, new) {
            text.extend(old[at..change.old.start].iter().copied());
            text.extend(new[change.new].iter().copied());
            at = change.old.end;
        }
        text.extend(old[at..].iter().copied());
        text
    }

    #[test]
    fn changes_transform_the_old_text_into_the_new_one() {
        let text = |seed: u64, words: u64| -> String {
            let mut state = seed;
            let word = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                format!("{}\n", (state >> 33) % words)
            };
            (0..40).map(word).collect()
        };
        for seed in 0..200 {
            let (old, new) = (text(seed, 1 + seed / 2), text(seed + 1000, 1 + seed / 2));
            assert_eq!(patched(&lines(&old), &lines(&new)), new, "{seed}");
        }
    }

    #[test]
    fn unique_common_lines_are_anchors() {
        assert_eq!(longest_ascending(&[(0, 3), (1, 1), (2, 2), (3, 0), (4, 4)]), [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(longest_ascending(&[]), []);
        let changes = changes(&["}", "a", "}", "b", "}"], &["}", "}", "b", "c", "}"]);
        assert_eq!(changes, [Change { old: 1..2, new: 1..1 }, Change { old: 4..4, new: 3..4 }]);
    }
}
