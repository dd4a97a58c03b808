//! JSON inside HTML.
//!
//! A block of data ends at `</script`, wherever it stands, and `<!--` changes how the rest is read. So `<`, `>` and `&` of texts are
//! escapes. U+2028 and U+2029, which older scripts take for line ends, are too.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Writes a value as compact JSON that is safe inside a block of HTML.
pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, SafeFormatter);
    Ok(value.serialize(&mut serializer)?)
}

/// Compact form, with escapes for characters that HTML reads.
struct SafeFormatter;

impl Formatter for SafeFormatter {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut start = 0;
        for (at, character) in fragment.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            writer.write_all(&fragment.as_bytes()[start..at])?;
            for character in character.chars() {
                write!(writer, "\\u{:04x}", u32::from(character))?;
            }
            start = at + character.len();
        }
        writer.write_all(&fragment.as_bytes()[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_the_block() {
        let text = "</script><!--&amp;\u{2028}\u{2029}\"\\\u{0}\u{1f600}";
        let mut bytes = Vec::new();
        write(&text, &mut bytes).expect("memory does not fail");
        let json = String::from_utf8(bytes).expect("it is UTF-8");
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{0}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("it is JSON"), text);
    }
}
