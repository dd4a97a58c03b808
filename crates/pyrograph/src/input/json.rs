//! JSON values that keep the order of their keys, for manifests of packages.
//!
//! `exports` of `package.json` depends on the order of its keys. Nesting is bounded by serde_json (128 levels), so values can be
//! visited and dropped recursively.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value. Numbers do not matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// Null.
    Null,
    /// The bool `false`.
    False,
    /// The bool `true`, or a number.
    Other,
    /// Text.
    String(String),
    /// Array.
    Array(Vec<Json>),
    /// Object, in order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text, which may have a byte order mark.
    pub(crate) fn parse(text: &str) -> Result<Json, String> {
        serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| error.to_string())
    }

    /// Parses a text with comments and trailing commas, as `tsconfig.json` has them.
    pub(crate) fn parse_with_comments(text: &str) -> Result<Json, String> {
        Json::parse(&strip_comments(text))
    }

    /// Value of a key. Of several, the last one counts.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.entries().iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// True if the value of a key is `false`.
    pub(crate) fn is_false(&self, key: &str) -> bool {
        self.get(key) == Some(&Json::False)
    }

    /// Text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Json::as_str)
    }

    /// The text.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Entries of an object; nothing for other values.
    pub(crate) fn entries(&self) -> &[(String, Json)] {
        match self {
            Json::Object(entries) => entries,
            _ => &[],
        }
    }

    /// Elements of an array; nothing for other values.
    pub(crate) fn elements(&self) -> &[Json] {
        match self {
            Json::Array(elements) => elements,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(if value { Json::Other } else { Json::False })
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Json::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}

/// Replaces comments and trailing commas by blanks.
fn strip_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut output = bytes.to_vec();
    let mut comma = None;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
                output[at..end].fill(b' ');
                at = end;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |length| at + 4 + length);
                output[at..end].fill(b' ');
                at = end;
            }
            byte => {
                match byte {
                    b',' => comma = Some(at),
                    b'}' | b']' => {
                        if let Some(comma) = comma.take() {
                            output[comma] = b' ';
                        }
                    }
                    byte if byte.is_ascii_whitespace() => {}
                    _ => comma = None,
                }
                at += 1;
            }
        }
    }
    // Whole comments and single ASCII characters were replaced, so the text is valid UTF-8 still.
    String::from_utf8(output).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_keys_is_kept() {
        let json = Json::parse("\u{feff}{\"b\": 1, \"a\": {\"x\": null}, \"b\": \"last\"}").expect("JSON");
        let keys: Vec<&str> = json.entries().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(json.text("b"), Some("last"));
        assert_eq!(json.get("a").and_then(|inner| inner.get("x")), Some(&Json::Null));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = "[".repeat(100_000);
        assert!(Json::parse(&deep).is_err());
        assert!(Json::parse(&format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000))).is_err());
    }

    #[test]
    fn comments_are_blanks() {
        let text = "{ // öne\n \"a\": \"//x\\\"/*\", /* ö */ \"b\": [\"c\",], }";
        let json = Json::parse_with_comments(text).expect("JSON");
        assert_eq!(json.text("a"), Some("//x\"/*"));
        assert_eq!(json.get("b").map(|value| value.elements().len()), Some(1));
        for hostile in ["\"", "\"\\", "/*", "/", "//", ",", "{\"a\":1,/*}"] {
            let _ = Json::parse_with_comments(hostile);
        }
    }
}
