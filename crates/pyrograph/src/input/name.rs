//! Names of files as text, also of names that are not UTF-8.

use std::ffi::OsStr;

/// Name of a file of the system. See [`text_of_bytes`].
pub(crate) fn text_of(name: &OsStr) -> String {
    text_of_bytes(name.as_encoded_bytes())
}

/// Bytes of a name as text. Different names have different texts: bytes that are not UTF-8 become escapes such as `\xff`, and so does
/// the backslash of a name that looks like such an escape.
pub(crate) fn text_of_bytes(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find("\\x") {
            let (before, escape) = rest.split_at(at);
            text.push_str(before);
            let is_escape = escape.as_bytes().get(2..4).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit));
            text.push_str(if is_escape { "\\x5cx" } else { "\\x" });
            rest = &escape[2..];
        }
        text.push_str(rest);
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_have_different_texts() {
        let names: [&[u8]; 7] =
            [b"a.js", b"a\xff.js", b"a\xfe.js", b"a\\xff.js", b"a\\x5cxff.js", "a\u{fffd}.js".as_bytes(), b"a\\x.js"];
        let texts: Vec<String> = names.into_iter().map(text_of_bytes).collect();
        let expected = ["a.js", "a\\xff.js", "a\\xfe.js", "a\\x5cxff.js", "a\\x5cx5cxff.js", "a\u{fffd}.js", "a\\x.js"];
        assert_eq!(texts, expected);
    }
}
