//! The parts of the SARIF 2.1.0 schema that reports use: properties of objects, their types, and which are required.

use serde_json::Value;

/// Properties of an object: name and type. `!` marks required ones.
type Properties = &'static [(&'static str, &'static str)];

/// Types of objects. `[T]` is an array of `T`, `a|b` an enumeration, `uint` an integer from 0, `positive` one from 1, `index` one
/// from -1, `bag` any object.
const TYPES: &[(&str, Properties)] = &[
    ("log", &[("$schema", "uri"), ("version!", "2.1.0"), ("runs!", "[run]")]),
    (
        "run",
        &[
            ("tool!", "tool"),
            ("columnKind", "utf16CodeUnits|unicodeCodePoints"),
            ("newlineSequences", "[string]"),
            ("invocations", "[invocation]"),
            ("artifacts", "[artifact]"),
            ("results", "[result]"),
            ("properties", "bag"),
        ],
    ),
    ("tool", &[("driver!", "component")]),
    (
        "component",
        &[
            ("name!", "string"),
            ("organization", "string"),
            ("version", "string"),
            ("semanticVersion", "string"),
            ("rules", "[descriptor]"),
            ("notifications", "[descriptor]"),
        ],
    ),
    (
        "descriptor",
        &[
            ("id!", "string"),
            ("name", "string"),
            ("shortDescription", "multiformat"),
            ("fullDescription", "multiformat"),
            ("help", "multiformat"),
            ("defaultConfiguration", "configuration"),
            ("properties", "bag"),
        ],
    ),
    ("multiformat", &[("text!", "string"), ("markdown", "string")]),
    ("configuration", &[("level", "none|note|warning|error")]),
    ("invocation", &[("executionSuccessful!", "boolean"), ("toolExecutionNotifications", "[notification]")]),
    (
        "notification",
        &[
            ("descriptor", "reference"),
            ("level", "none|note|warning|error"),
            ("message!", "message"),
            ("locations", "[location]"),
        ],
    ),
    ("reference", &[("id", "string"), ("index", "index")]),
    ("message", &[("text!", "string")]),
    (
        "artifact",
        &[("location", "artifactLocation"), ("length", "index"), ("roles", "[string]"), ("sourceLanguage", "string")],
    ),
    ("artifactLocation", &[("uri", "uri"), ("index", "index")]),
    (
        "result",
        &[
            ("ruleId", "string"),
            ("ruleIndex", "index"),
            ("level", "none|note|warning|error"),
            ("message!", "message"),
            ("locations", "[location]"),
            ("relatedLocations", "[location]"),
            ("partialFingerprints", "bag"),
            ("codeFlows", "[codeFlow]"),
            ("properties", "bag"),
        ],
    ),
    ("codeFlow", &[("threadFlows!", "[threadFlow]")]),
    ("threadFlow", &[("locations!", "[flowLocation]")]),
    ("flowLocation", &[("location", "location"), ("importance", "important|essential|unimportant")]),
    ("location", &[("id", "index"), ("physicalLocation", "physical"), ("message", "message")]),
    ("physical", &[("artifactLocation!", "artifactLocation"), ("region", "region")]),
    (
        "region",
        &[
            ("startLine!", "positive"),
            ("startColumn", "positive"),
            ("endLine", "positive"),
            ("endColumn", "positive"),
            ("snippet", "message"),
        ],
    ),
];

/// Checks a log against the schema, and that its indices and regions fit together.
pub(super) fn check(log: &Value) {
    check_type(log, "log", "log");
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
            if let (Some(start), Some(end)) = (fields.get("startLine"), fields.get("endLine")) {
                let place = |line: &Value, column: &str| (line.as_u64(), fields.get(column).and_then(Value::as_u64));
                assert!(place(start, "startColumn") <= place(end, "endColumn"), "{value}");
            }
            fields.values().for_each(|field| check_indices(field, artifacts));
        }
        _ => {}
    }
}

fn check_type(value: &Value, kind: &str, place: &str) {
    if let Some(element) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        let elements = value.as_array().unwrap_or_else(|| panic!("{place} is no array: {value}"));
        elements.iter().for_each(|it| check_type(it, element, place));
        return;
    }
    if let Some((_, properties)) = TYPES.iter().find(|(name, _)| *name == kind) {
        let fields = value.as_object().unwrap_or_else(|| panic!("{place} is no object: {value}"));
        for (name, field) in fields {
            let known = properties.iter().find(|(known, _)| known.trim_end_matches('!') == name);
            let (_, kind) = known.unwrap_or_else(|| panic!("{place} has no property {name}"));
            check_type(field, kind, &format!("{place}.{name}"));
        }
        for (name, _) in properties.iter().filter(|(name, _)| name.ends_with('!')) {
            assert!(fields.contains_key(name.trim_end_matches('!')), "{place} lacks {name}");
        }
        return;
    }
    let is_valid = match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "bag" => value.is_object(),
        "index" => value.as_i64().is_some_and(|number| number >= -1),
        "positive" => value.as_i64().is_some_and(|number| number >= 1),
        "uri" => value.as_str().is_some_and(is_uri),
        names => value.as_str().is_some_and(|text| names.split('|').any(|name| name == text)),
    };
    assert!(is_valid, "{place} is no {kind}: {value}");
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
