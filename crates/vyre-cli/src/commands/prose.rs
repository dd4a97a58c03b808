//! Layout of prose on standard output: wrapped paragraphs, sections, indented programs.

use std::io::{self, Write};

use crate::output::STRONG;

/// Maximum width of prose in characters.
const PROSE_WIDTH: usize = 100;

/// Minimum width of prose in characters.
const MIN_WIDTH: usize = 20;

/// Width of prose on standard output: that of the terminal, within the bounds.
pub(super) fn prose_width() -> usize {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).clamp(MIN_WIDTH, PROSE_WIDTH),
        None => PROSE_WIDTH,
    }
}

/// Wraps a paragraph at `width` characters. Lines after the first begin with `indent`. A longer word has its own line.
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

/// Indents a program by four spaces.
pub(super) fn indent(program: &str) -> String {
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
    }
}
