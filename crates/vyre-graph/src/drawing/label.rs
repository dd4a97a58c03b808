//! Labels of nodes: visible characters, lines, and their size.

use crate::role::Role;

/// Width of a column of the label in tenths of a pixel. Fonts of fixed width have at most this.
const COLUMN_TENTHS: i64 = 74;
/// Height of a line.
pub(super) const LINE_HEIGHT: i64 = 16;
/// Space between the sides of a box and its label.
const PADDING: i64 = 12;
/// Maximum number of columns of a line.
const LINE_COLUMNS: usize = 32;
/// Maximum number of columns of a label. The middle of a longer name is replaced by an ellipsis, and the title of the box has all of it.
const MAX_COLUMNS: usize = 128;

/// Label of a node.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// Lines of the name. Characters that would not be visible are escaped.
    pub(super) lines: Vec<String>,
    /// Word that marks the role.
    pub(super) mark: Option<&'static str>,
}

impl Label {
    pub(super) fn new(name: &str, role: Role) -> Label {
        let mark = match role {
            Role::Normal => None,
            Role::Source => Some("source"),
            Role::Sink => Some("sink"),
            Role::SourceAndSink => Some("source and sink"),
            Role::Sanitizer => Some("sanitizer"),
        };
        Label { lines: wrapped(&shortened(&visible(name))), mark }
    }

    /// Width of the box, an even number.
    pub(super) fn width(&self) -> i64 {
        let texts = self.lines.iter().map(String::as_str).chain(self.mark);
        let columns = texts.map(columns).max().unwrap_or(0) as i64;
        let pixels = (columns * COLUMN_TENTHS).div_euclid(10) + 2 * PADDING;
        (pixels.max(48) + 1) / 2 * 2
    }

    /// Height of the box, an even number.
    pub(super) fn height(&self) -> i64 {
        (self.lines.len() + usize::from(self.mark.is_some())) as i64 * LINE_HEIGHT + 14
    }
}

/// Replaces control characters, those that change the direction of text, and those that XML forbids by their numbers.
pub(super) fn visible(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        let is_hidden = character.is_control()
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
        match is_hidden {
            true => result.extend(character.escape_unicode()),
            false => result.push(character),
        }
    }
    result
}

/// Number of columns of a text. Characters beyond the first scripts may have two.
fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(character: char) -> usize {
    if character < '\u{1100}' { 1 } else { 2 }
}

/// Replaces the middle of a long text by an ellipsis.
fn shortened(text: &str) -> String {
    if columns(text) <= MAX_COLUMNS {
        return text.to_owned();
    }
    let taken = |characters: &mut dyn Iterator<Item = char>| {
        let mut left = MAX_COLUMNS / 2 - 1;
        let fits = |character: &char| {
            let is_within = width(*character) <= left;
            left = left.saturating_sub(width(*character));
            is_within
        };
        characters.take_while(fits).collect::<Vec<char>>()
    };
    let (first, last) = (taken(&mut text.chars()), taken(&mut text.chars().rev()));
    first.into_iter().chain(['\u{2026}']).chain(last.into_iter().rev()).collect()
}

/// Lines of a text, which end behind a separator where the second half of a line has one.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line: Vec<char> = Vec::new();
    let mut used = 0;
    for character in text.chars() {
        if used + width(character) > LINE_COLUMNS {
            let is_separator = |character: &char| !character.is_alphanumeric() && *character != '_';
            let end =
                line.iter().rposition(is_separator).filter(|&at| at >= line.len() / 2).map_or(line.len(), |at| at + 1);
            let rest = line.split_off(end);
            lines.push(line.into_iter().collect());
            used = rest.iter().copied().map(width).sum();
            line = rest;
        }
        used += width(character);
        line.push(character);
    }
    lines.push(line.into_iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_have_several_lines() {
        assert_eq!(wrapped("short"), ["short"]);
        let name = "org.example.application.server.handlers.RequestHandler";
        assert_eq!(wrapped(name), ["org.example.application.server.", "handlers.RequestHandler"]);
        let lines = wrapped(&"x".repeat(70));
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [32, 32, 6]);
    }

    #[test]
    fn the_middle_of_a_very_long_name_is_replaced() {
        let name = format!("{}{}", "a".repeat(500), "z".repeat(500));
        let short = shortened(&name);
        assert_eq!((short.matches('a').count(), short.matches('z').count()), (63, 63));
        assert!(short.contains('\u{2026}') && columns(&shortened(&"\u{4e00}".repeat(999))) <= MAX_COLUMNS);
    }

    #[test]
    fn hidden_characters_are_numbers() {
        assert_eq!(visible("a\0b\u{202e}c\nd\u{fffe}"), "a\\u{0}b\\u{202e}c\\u{a}d\\u{fffe}");
    }
}
