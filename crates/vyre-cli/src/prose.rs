//! Layout of prose on standard output: wrapped paragraphs, sections, indented programs.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::{STRONG, columns};

/// Maximum width of prose in characters.
const PROSE_WIDTH: usize = 100;

/// Minimum width of prose in characters.
const MIN_WIDTH: usize = 20;

/// Width of prose on standard output: that of the terminal, within the bounds.
pub(crate) fn prose_width() -> usize {
    columns().map_or(PROSE_WIDTH, |columns| columns.clamp(MIN_WIDTH, PROSE_WIDTH))
}

/// Wraps a paragraph at `width` columns. Lines after the first begin with `indent`. A longer word has its own line.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    wrap_from(text, 0, width, indent)
}

/// Wraps a paragraph, as [`wrap`] does, whose first line begins at the column `start`.
pub(crate) fn wrap_from(text: &str, start: usize, width: usize, indent: &str) -> String {
    let mut wrapped = String::new();
    let mut column = start;
    let mut is_line_start = true;
    for word in text.split_whitespace() {
        let length = word.width();
        if !is_line_start && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(indent);
            column = indent.width();
        } else if !is_line_start {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
        is_line_start = false;
    }
    wrapped
}

/// Wraps the lines of a Markdown text that are not code.
pub(crate) fn wrap_markdown(text: &str, width: usize) -> String {
    let mut is_code = false;
    let mut wrapped = String::new();
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        if is_code || is_fence {
            wrapped.push_str(line);
        } else {
            wrapped.push_str(&wrap(line, width, if line.starts_with("- ") { "  " } else { "" }));
        }
        wrapped.push('\n');
        is_code ^= is_fence;
    }
    wrapped
}

/// Lines of a name of at most `room` columns. A line ends behind the last blank or separator that
/// fits, if its second half has one.
pub(crate) fn wrap_name(name: &str, room: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = name;
    while is_wider(rest, room) {
        let (mut columns, mut cut) = (0, 0);
        for (position, c) in rest.char_indices() {
            columns += c.width().unwrap_or(0);
            if columns > room {
                break;
            }
            cut = position + c.len_utf8();
        }
        // A character that is wider than the room has a line of its own.
        let cut = cut.max(rest.chars().next().map_or(rest.len(), char::len_utf8));
        let last = |separators: &[char]| rest[..cut].rfind(separators).map(|position| position + 1);
        let good = |position: &usize| position * 2 > cut;
        let separator = last(&[' ']).filter(good).or_else(|| last(&['/', '.', ':']).filter(good));
        let (line, after) = rest.split_at(separator.unwrap_or(cut));
        lines.push(line);
        rest = after;
    }
    lines.push(rest);
    lines
}

/// Reports whether a text takes more than `room` columns. The cost does not depend on the length of what is beyond them.
fn is_wider(text: &str, room: usize) -> bool {
    /// Maximum number of bytes whose width is computed with sequences of characters that share columns.
    const EXACT_BYTES: usize = 4096;
    let mut columns = 0;
    let exceeds = text.chars().any(|c| {
        columns += c.width().unwrap_or(0);
        columns > room
    });
    exceeds && (text.len() > EXACT_BYTES || text.width() > room)
}

/// Writes a heading and the text below it.
pub(crate) fn section(out: &mut impl Write, heading: &str, text: &str) -> io::Result<()> {
    writeln!(out, "\n{STRONG}{heading}{STRONG:#}\n\n{text}")
}

/// Indents a program by four spaces.
pub(crate) fn indent(program: &str) -> String {
    let indented = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    program.lines().map(indented).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped() {
        assert_eq!(wrap("one two three four", 9, ""), "one two\nthree\nfour");
        assert_eq!(wrap("one two three", 9, "  "), "one two\n  three");
        assert_eq!(wrap("incomprehensibilities are long", 9, ""), "incomprehensibilities\nare long");
        assert_eq!(wrap("", 9, ""), "");
        assert_eq!(wrap_from("one two three", 4, 9, "    "), "one\n    two\n    three");
        assert_eq!(wrap_from("one two three", 4, 11, "    "), "one two\n    three");
    }

    #[test]
    fn code_in_markdown_is_not_wrapped() {
        let text = "one two three\n- one two\n```\none two three\n```\none two\n";
        let wrapped = "one\ntwo\nthree\n- one\n  two\n```\none two three\n```\none\ntwo\n";
        assert_eq!(wrap_markdown(text, 6), wrapped);
    }

    #[test]
    fn names_are_wrapped_without_loss() {
        let path = "node_modules/a-long-name/lib/index.js";
        assert_eq!(wrap_name(path, 40), [path]);
        assert_eq!(wrap_name(path, 20), ["node_modules/", "a-long-name/lib/", "index.js"]);
        let wide = "\u{65e5}\u{672c}\u{8a9e}";
        assert_eq!(wrap_name(wide, 4), ["\u{65e5}\u{672c}", "\u{8a9e}"]);
        assert_eq!(wrap_name(wide, 1).concat(), wide);
        assert_eq!(wrap_name("", 20), [""]);
    }
}
