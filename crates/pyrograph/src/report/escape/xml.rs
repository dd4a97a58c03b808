//! XML 1.0.

/// Value of an attribute. Line ends and tabs would become blanks, and are written as references.
pub(in crate::report) fn attribute(text: &str) -> String {
    escaped(text, &['\t', '\n', '\r'])
}

/// Text of an element.
pub(in crate::report) fn content(text: &str) -> String {
    escaped(text, &['\r'])
}

/// Replaces marks and the given characters by references. Characters that XML does not have become U+FFFD.
fn escaped(text: &str, references: &[char]) -> String {
    let mut output = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '"' => output.push_str("&quot;"),
            '\'' => output.push_str("&apos;"),
            _ if references.contains(&character) => output.push_str(&format!("&#{};", u32::from(character))),
            '\t' | '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => output.push(character),
            _ => output.push('\u{fffd}'),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(attribute("a<b> & \"c\"\n'd'"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;&apos;d&apos;");
        assert_eq!(content("a\r\n\tb"), "a&#13;\n\tb");
        assert_eq!(content("]]>\u{0}\u{1b}[0m\u{ffff}\u{1f600}"), "]]&gt;\u{fffd}\u{fffd}[0m\u{fffd}\u{1f600}");
    }
}
