//! Markdown as GitHub renders it (GFM).

use vyre_ir::source::visible;

/// Text in which no character has a meaning, also at the start of a line. A mention (`@name`) notifies nobody.
pub(in crate::report) fn text(text: &str) -> String {
    let line = one_line(text);
    let mut output = String::with_capacity(line.len() + 16);
    let mut before = "";
    for (at, character) in line.char_indices() {
        let rest = &line[at..];
        match character {
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '&' => output.push_str("&amp;"),
            // A mention is found in the rendered text, and ends where an element does.
            '@' => output.push_str("<span>@</span>"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                output.push('\\');
                output.push(character);
            }
            // Marks of headings and lists are at the start, and addresses become links anywhere.
            '#' | '+' | '-' | '=' if before.is_empty() => {
                output.push('\\');
                output.push(character);
            }
            '.' | ')' if is_number(before) || ends_in_www(before) => {
                output.push('\\');
                output.push(character);
            }
            ':' if rest.starts_with("://") => output.push_str("\\:"),
            _ => output.push(character),
        }
        before = &line[..at + character.len_utf8()];
    }
    output
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn ends_in_www(text: &str) -> bool {
    text.len().checked_sub(3).and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

/// Text as a code span, outside of tables. The marks are longer than any run of backticks inside.
pub(in crate::report) fn code(text: &str) -> String {
    let line = one_line(text);
    let marks = "`".repeat(longest_run(&line) + 1);
    let is_padded = line.starts_with('`') || line.ends_with('`') || line.trim().is_empty();
    let pad = if is_padded { " " } else { "" };
    format!("{marks}{pad}{line}{pad}{marks}")
}

/// Text as a block of code. The fence is longer than any run of backticks inside.
pub(in crate::report) fn code_block(text: &str, language: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| visible(&line.replace('\t', "    ")).into_owned()).collect();
    let text = lines.join("\n");
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{fence}{language}\n{text}\n{fence}")
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&words.join(" ")).into_owned()
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_no_markup() {
        assert_eq!(text("a*b* ![x](y) <img> @me\n# c"), "a\\*b\\* !\\[x\\](y) &lt;img&gt; <span>@</span>me # c");
        assert_eq!(text("https://a www.b f(x)."), "https\\://a www\\.b f(x).");
        assert_eq!(
            (&*text("- a"), &*text("12. b"), &*text("1) c"), &*text("# d")),
            ("\\- a", "12\\. b", "1\\) c", "\\# d")
        );
    }

    #[test]
    fn code_ends_at_its_marks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a``b\nd"), "```a``b d```");
        assert_eq!(code_block("a\n```\nb", "js;x"), "````jsx\na\n```\nb\n````");
    }
}
