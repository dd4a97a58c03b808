//! Paragraphs, sections and programs on standard output.

use std::io::{self, Write};

use crate::output::STRONG;

/// The width at which prose is wrapped, where the terminal is not narrower.
const PROSE_WIDTH: usize = 100;

/// The width below which wrapping does more harm than good.
const MIN_WIDTH: usize = 20;

/// The width for prose on standard output.
pub(super) fn prose_width() -> usize {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).clamp(MIN_WIDTH, PROSE_WIDTH),
        None => PROSE_WIDTH,
    }
}

/// Breaks a paragraph into lines of at most `width` characters, each after the first behind `indent`. A longer word
/// has a line of its own.
pub(super) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(indent);
            column = indent.chars().count();
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}

/// Writes a heading and the text below it.
pub(super) fn section(out: &mut impl Write, heading: &str, text: &str) -> io::Result<()> {
    writeln!(out, "\n{STRONG}{heading}{STRONG:#}\n\n{text}")
}

/// Sets a program off from the prose.
pub(super) fn indent(program: &str) -> String {
    let indented = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    program.lines().map(indented).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled() {
        assert_eq!(wrap("one two three four", 9, ""), "one two\nthree\nfour");
        assert_eq!(wrap("one two three", 9, "  "), "one two\n  three");
        assert_eq!(wrap("incomprehensibilities are long", 9, ""), "incomprehensibilities\nare long");
        assert_eq!(wrap("", 9, ""), "");
    }
}
