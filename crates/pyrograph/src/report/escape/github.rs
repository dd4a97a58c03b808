//! Workflow commands of GitHub Actions: `::error file=a.js,line=3::message`.

use std::borrow::Cow;

use vyre_ir::source::visible;

/// Message of a command, line by line. Percent signs and line ends are encoded; characters that a terminal does not show are escaped.
pub(in crate::report) fn data(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| encoded(&visible(line), &['%']).into_owned()).collect();
    lines.join("%0A")
}

/// Value of a property of a command. Colons and commas are encoded too, and a line end is escaped as other control characters are.
pub(in crate::report) fn property(text: &str) -> String {
    encoded(&visible(text), &['%', ':', ',']).into_owned()
}

fn encoded<'t>(text: &'t str, characters: &[char]) -> Cow<'t, str> {
    if !text.contains(characters) {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if characters.contains(&character) {
            output.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            output.push(character);
        }
    }
    Cow::Owned(output)
}

/// Line of a log that is no command: commands are at the start of a line (`::`), or anywhere in it in an older form (`##[`).
pub(in crate::report) fn plain(line: &str) -> Cow<'_, str> {
    let is_command = line.trim_start().starts_with("::");
    if !is_command && !line.contains("##[") {
        return Cow::Borrowed(line);
    }
    let line = line.replace("##[", "## [");
    Cow::Owned(if is_command { format!("- {line}") } else { line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_neither_messages_nor_properties() {
        assert_eq!(data("a: 50 %\r\n::error::b,c"), "a: 50 %25\\r%0A::error::b,c");
        assert_eq!(property("a,line=1::b%0A\nc"), "a%2Cline=1%3A%3Ab%250A\\nc");
        assert_eq!(property("a\u{1b}[31m.js"), "a\\u{1b}[31m.js");
        assert_eq!(data("plain \u{e4}"), "plain \u{e4}");
    }

    #[test]
    fn lines_are_no_commands() {
        assert_eq!(plain("  ::error::x"), "-   ::error::x");
        assert_eq!(plain("a ##[group]b"), "a ## [group]b");
        assert_eq!(plain("a::b"), "a::b");
    }
}
