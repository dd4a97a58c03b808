//! Indices, regions and URIs of SARIF logs. The tests of the command validate logs with the schema.

use serde_json::Value;

/// Checks that the indices and regions of a log fit together.
pub(super) fn check(log: &Value) {
    for run in log["runs"].as_array().into_iter().flatten() {
        let count = |value: &Value| value.as_array().map_or(0, Vec::len) as u64;
        let (rules, artifacts) = (count(&run["tool"]["driver"]["rules"]), count(&run["artifacts"]));
        for result in run["results"].as_array().into_iter().flatten() {
            let index = result["ruleIndex"].as_u64().expect("an index");
            assert!(index < rules);
            assert_eq!(run["tool"]["driver"]["rules"][index as usize]["id"], result["ruleId"]);
        }
        check_indices(run, artifacts);
    }
}

fn check_indices(value: &Value, artifacts: u64) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| check_indices(element, artifacts)),
        Value::Object(fields) => {
            if let (Some(_), Some(index)) = (fields.get("uri"), fields.get("index")) {
                assert!(index.as_u64().is_some_and(|index| index < artifacts), "{value}");
            }
            if let Some(uri) = fields.get("uri").and_then(Value::as_str) {
                assert!(is_uri(uri), "{uri}");
            }
            if let (Some(start), Some(end)) = (fields.get("startLine"), fields.get("endLine")) {
                let place = |line: &Value, column: &str| (line.as_u64(), fields.get(column).and_then(Value::as_u64));
                assert!(place(start, "startColumn") <= place(end, "endColumn"), "{value}");
            }
            fields.values().for_each(|field| check_indices(field, artifacts));
        }
        _ => {}
    }
}

/// True for URI references of RFC 3986: its characters only, percent signs before two digits, no `:` in the first segment
/// of a relative one.
fn is_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_character = |(position, byte): (usize, &u8)| match byte {
        b'%' => bytes.get(position + 1..position + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
    };
    let has_scheme = ["file:", "https:"].iter().any(|scheme| text.starts_with(scheme));
    let first = text.split('/').next().unwrap_or_default();
    !text.is_empty() && bytes.iter().enumerate().all(is_character) && (has_scheme || !first.contains(':'))
}

#[test]
fn uris_are_checked() {
    for uri in ["a/b.js", "a.tgz!/b%20c.js", "file:///a", "."] {
        assert!(is_uri(uri), "{uri}");
    }
    for text in ["", "a b", "a%2", "a:b/c", "ä", "a\\b"] {
        assert!(!is_uri(text), "{text}");
    }
}
