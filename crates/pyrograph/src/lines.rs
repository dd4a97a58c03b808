//! Lines and columns of byte offsets.

use std::ops::Range;

/// Number of bytes between two checkpoints.
const STEP: usize = 1024;

/// Lines of a text. The line ends are those of JavaScript: `\n`, `\r`, both together, U+2028 and U+2029.
///
/// Look-up is fast in texts of one long line too.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// Offset of each line.
    starts: Vec<usize>,
    /// Characters before each multiple of [`STEP`]. Empty: all characters are ASCII.
    checkpoints: Vec<Count>,
}

/// Position in a text. Both numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// Number of characters.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    characters: usize,
    /// Characters that take two units in UTF-16.
    pairs: usize,
}

impl Count {
    /// Adds the characters that begin in these bytes.
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.characters += usize::from(byte & 0xc0 != 0x80);
            self.pairs += usize::from(byte >= 0xf0);
        }
    }
}

impl<'t> LineIndex<'t> {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &'t str) -> LineIndex<'t> {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        starts.extend(line_ends(text));
        let mut checkpoints = Vec::new();
        if !bytes.is_ascii() {
            let mut count = Count::default();
            for chunk in bytes.chunks(STEP) {
                checkpoints.push(count);
                count.add(chunk);
            }
        }
        LineIndex { text, starts, checkpoints }
    }

    /// Number of lines. The text after the last line end counts, even if it is empty.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Always false: a text without characters has one empty line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Line of an offset, from 1 on. Offsets beyond the end are in the last line.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Position of an offset, with the column in characters (code points).
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        self.with_column(offset, |count| count.characters)
    }

    /// Position of an offset, with the column in units of UTF-16, as SARIF and editors count.
    #[must_use]
    pub fn utf16_position(&self, offset: usize) -> Position {
        self.with_column(offset, |count| count.characters + count.pairs)
    }

    /// Text of a line without its line end. Lines that do not exist are empty.
    #[must_use]
    pub fn text(&self, line: usize) -> &'t str {
        let line = self.text.get(self.range(line)).unwrap_or_default();
        match line.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').unwrap_or(line),
            None => line.strip_suffix(['\r', '\u{2028}', '\u{2029}']).unwrap_or(line),
        }
    }

    /// Bytes of a line with its line end. Lines that do not exist are empty.
    #[must_use]
    pub fn range(&self, line: usize) -> Range<usize> {
        let end = self.text.len();
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(end);
        line.checked_sub(1).map_or(0..0, |index| start(index)..start(line))
    }

    /// Position with a column that is a function of the characters before it.
    fn with_column(&self, offset: usize, units: impl Fn(Count) -> usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line(offset);
        let start = self.range(line).start;
        Position { line, column: units(self.count(offset)) - units(self.count(start)) + 1 }
    }

    /// Characters that begin before an offset.
    fn count(&self, offset: usize) -> Count {
        if self.checkpoints.is_empty() {
            return Count { characters: offset, pairs: 0 };
        }
        let checkpoint = (offset / STEP).min(self.checkpoints.len() - 1);
        let mut count = self.checkpoints[checkpoint];
        count.add(&self.text.as_bytes()[checkpoint * STEP..offset]);
        count
    }
}

/// Number of lines. A text without a line end at its end has one more.
#[must_use]
pub fn count_lines(text: &str) -> u64 {
    let mut count = 0;
    let mut last = 0;
    for end in line_ends(text) {
        count += 1;
        last = end;
    }
    count + u64::from(last < text.len())
}

/// Offsets after the line ends of a text, in order.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    // 0xe2 begins the separators U+2028 and U+2029, and other characters.
    memchr::memchr3_iter(b'\n', b'\r', 0xe2, bytes).filter_map(|at| match &bytes[at..] {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => None,
        [b'\r', ..] => Some(at + 1),
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some(at + 3),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn offsets_have_lines_and_columns() {
        let text = "ab\r\n\nä😀c\nlast";
        let index = LineIndex::new(text);
        assert_eq!(index.len(), 4);
        assert_eq!(index.position(0), at(1, 1));
        assert_eq!(index.position(2), at(1, 3));
        assert_eq!(index.position(4), at(2, 1));
        let c = text.find('c').expect("c");
        assert_eq!(index.position(c), at(3, 3));
        assert_eq!(index.utf16_position(c), at(3, 4));
        assert_eq!(index.position(text.len()), at(4, 5));
        assert_eq!(index.position(usize::MAX), at(4, 5));
        assert_eq!(index.text(1), "ab");
        assert_eq!(index.text(2), "");
        assert_eq!(index.text(3), "ä😀c");
        assert_eq!(index.text(4), "last");
        assert_eq!((index.text(0), index.text(5)), ("", ""));
        assert_eq!(index.range(1), 0..4);
    }

    #[test]
    fn lines_end_as_in_javascript() {
        let text = "a\rb\r\nc\u{2028}d\u{2029}e\n\rf…";
        let index = LineIndex::new(text);
        let lines: Vec<&str> = (1..=index.len()).map(|line| index.text(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "d", "e", "", "f…"]);
        assert_eq!(index.position(text.find('d').expect("d")), at(4, 1));
        assert_eq!(count_lines(text), 7);
        for (text, count) in [("", 0), ("a", 1), ("a\r", 1), ("a\r\n", 1), ("a\n\nb", 3), ("\u{2028}", 1)] {
            assert_eq!(count_lines(text), count, "{text:?}");
        }
    }

    #[test]
    fn empty_texts_have_one_line() {
        let index = LineIndex::new("");
        assert_eq!((index.len(), index.position(0), index.position(7)), (1, at(1, 1), at(1, 1)));
        assert!(!index.is_empty());
        assert_eq!(LineIndex::new("a\n").position(2), at(2, 1));
    }

    #[test]
    fn long_lines_have_checkpoints() {
        let text: String = (0..5000)
            .map(|number| {
                if number % 7 == 0 {
                    '😀'
                } else if number % 3 == 0 {
                    'ä'
                } else {
                    'x'
                }
            })
            .collect();
        let text = format!("é\n{text}");
        let index = LineIndex::new(&text);
        let (mut column, mut utf16) = (1, 1);
        for (offset, character) in text.char_indices().skip(2) {
            assert_eq!(index.position(offset), at(2, column));
            assert_eq!(index.utf16_position(offset), at(2, utf16));
            column += 1;
            utf16 += character.len_utf16();
        }
        assert_eq!(index.position(text.len()), at(2, column));
        // Offsets within a character do no harm.
        for offset in 0..text.len() + 3 {
            let _ = (index.position(offset), index.utf16_position(offset));
        }
    }
}
