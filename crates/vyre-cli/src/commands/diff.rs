//! The first change between two texts.

use std::io::{self, Write};

use crate::output::{ADDED, GUTTER, REMOVED, STRONG, visible, visible_start};

/// The most lines that are shown of each text.
const SHOWN: usize = 5;

/// The most characters of a line that are shown.
const LINE_WIDTH: usize = 120;

/// The indentation beyond which lines are shown without what they have in common of it.
const DEEP: usize = 60;

/// How far to look for the line at which the texts agree again.
const AHEAD: usize = 40;

/// Names a file that would change and shows the first change.
pub(super) fn write_diff(out: &mut impl Write, name: &str, old: &str, new: &str) -> io::Result<()> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let (removed, added) = first_change(old, new);

    writeln!(out, "{STRONG}{}{STRONG:#} is not formatted, from line {}:", visible(name), same + 1)?;
    let removed_lines = &old[..removed.min(SHOWN)];
    let added_lines = &new[..added.min(SHOWN)];
    let hidden = hidden_indentation(removed_lines.iter().chain(added_lines));
    for (lines, sign, style) in [(removed_lines, '-', REMOVED), (added_lines, '+', ADDED)] {
        for line in lines {
            let (text, end) = line.strip_suffix('\n').map_or((*line, " (no newline)"), |text| (text, ""));
            let (mark, text) = text.get(hidden..).filter(|_| hidden > 0).map_or(("", text), |rest| ("...", rest));
            writeln!(out, "{style}{sign} {mark}{}{style:#}{end}", visible_start(text, LINE_WIDTH))?;
        }
    }
    if removed > SHOWN || added > SHOWN || old[removed..] != new[added..] {
        writeln!(out, "{GUTTER}  and more below{GUTTER:#}")?;
    }
    writeln!(out)
}

/// How many spaces all lines begin with, where that is so much that it would push the rest out of sight.
fn hidden_indentation<'l>(lines: impl Iterator<Item = &'l &'l str>) -> usize {
    let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    lines.filter(|line| !line.trim().is_empty()).map(indentation).min().filter(|&common| common > DEEP).unwrap_or(0)
}

/// How many lines of each text to skip so that they agree again, at the fewest lines possible. Blank lines are too
/// common to count as agreement.
fn first_change(old: &[&str], new: &[&str]) -> (usize, usize) {
    let agree = |(removed, added): &(usize, usize)| match (old.get(*removed), new.get(*added)) {
        (Some(old), Some(new)) => old == new && !old.trim().is_empty(),
        (None, None) => true,
        _ => false,
    };
    let mut nearby = (1..=AHEAD).flat_map(|total| (0..=total).map(move |removed| (removed, total - removed)));
    nearby.find(agree).unwrap_or((old.len(), new.len()))
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
    fn only_what_differs_is_shown() {
        let shown = diff("a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(shown, "a.vyre is not formatted, from line 2:\n- b\n+ B\n\n");
    }

    #[test]
    fn an_inserted_line_stands_alone() {
        let shown = diff("a\nb\nc;\n", "a\n\nb\nc ;\n");
        assert_eq!(shown, "a.vyre is not formatted, from line 2:\n+ \n  and more below\n\n");
    }

    #[test]
    fn a_missing_newline_and_a_carriage_return_are_visible() {
        assert!(diff("a", "a\n").contains("- a (no newline)\n+ a\n"));
        assert!(diff("a\r\n", "a\n").contains("- a\\r\n+ a\n"));
    }

    #[test]
    fn deep_lines_are_shown_without_their_indentation() {
        let (old, new) = (format!("{}x;\n", " ".repeat(256)), format!("{}x;\n", " ".repeat(260)));
        assert!(diff(&old, &new).contains("- ...x;\n+ ...    x;\n"));
    }

    #[test]
    fn long_changes_are_cut() {
        let shown = diff(&"x\n".repeat(9), &"y\n".repeat(7));
        assert_eq!(shown.lines().filter(|line| line.starts_with(['-', '+'])).count(), 2 * SHOWN);
        assert!(shown.contains("and more below"));
    }
}
