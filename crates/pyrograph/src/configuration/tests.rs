//! The schema, the example and mistakes.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};
use vyre_dataflow::rules::{RuleKind, Table};

use super::{Configuration, SOURCES};
use crate::knowledge::Knowledge;

const FORMATS: [&str; 3] = ["text", "json", "sarif"];
const EXAMPLE: &str = include_str!("../../../../docs/vyre.example.toml");
const SCHEMA: &str = include_str!("../../../../docs/vyre.schema.json");

/// Keys that only graphs use.
const GRAPH_KEYS: [&str; 4] = ["names", "attributes", "facts", "word"];

fn problems(text: &str) -> Vec<String> {
    let parsed = Configuration::parse("vyre.toml", text, &FORMATS);
    parsed.expect_err("problems").iter().map(ToString::to_string).collect()
}

/// A TOML value as JSON.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => Value::from(number.as_str().parse::<i64>().expect("a number")),
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => object(table),
        other => panic!("the example has no {other:?}"),
    }
}

fn object(table: &DeTable<'_>) -> Value {
    let fields = table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
    Value::Object(fields.collect::<Map<String, Value>>())
}

/// Checks a value against the part of JSON Schema that the file uses.
fn check(root: &Value, schema: &Value, value: &Value, path: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").expect("a local reference");
        return check(root, &root["$defs"][name], value, path);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let kind = |option: &&Value| option["type"] == if value.is_string() { "string" } else { "array" };
        return check(root, options.iter().find(kind).expect(path), value, path);
    }
    if let Some(values) = schema["enum"].as_array() {
        assert!(values.contains(value), "{path}: {value}");
    }
    if !schema["const"].is_null() {
        assert_eq!(&schema["const"], value, "{path}");
    }
    match (schema["type"].as_str(), value) {
        (Some("object"), Value::Object(fields)) => {
            for (key, field) in fields {
                let inner = &schema["properties"][key];
                assert!(!inner.is_null(), "{path} has no key {key}");
                check(root, inner, field, &format!("{path}.{key}"));
            }
            for key in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(key.as_str().expect("a key")), "{path} needs {key}");
            }
            assert_eq!(schema["additionalProperties"], false, "{path}");
        }
        (Some("array"), Value::Array(values)) => {
            for value in values {
                check(root, &schema["items"], value, path);
            }
        }
        (Some("string"), Value::String(_))
        | (Some("integer"), Value::Number(_))
        | (Some("boolean"), Value::Bool(_)) => {}
        (None, _) => {}
        (kind, value) => panic!("{path} is no {kind:?}: {value}"),
    }
}

#[test]
fn the_example_is_valid() {
    let configuration = Configuration::parse("vyre.toml", EXAMPLE, &FORMATS).expect("a configuration");
    assert!(configuration.has_rules() && !configuration.exclude.is_empty());
    Knowledge::load(&[("vyre.toml", EXAMPLE)], true).expect("rules");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let (table, errors) = DeTable::parse_recoverable(EXAMPLE);
    assert!(errors.is_empty());
    check(&schema, &schema, &object(table.get_ref()), "file");
}

#[test]
fn the_schema_has_the_keys_of_the_reader() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let keys = |schema: &Value| -> Vec<String> {
        let mut keys: Vec<String> = schema["properties"].as_object().expect("properties").keys().cloned().collect();
        keys.sort();
        keys
    };
    let rules = RuleKind::ALL.into_iter().map(Table::Rule).filter(|table| table.key() != "parameter");
    let mut tables: Vec<Table> = rules.chain(Table::SCAN).collect();
    for table in &tables {
        let mut expected: Vec<&str> = table.keys().to_vec();
        expected.retain(|key| !GRAPH_KEYS.contains(key));
        expected.sort_unstable();
        let items = &schema["properties"][table.key()]["items"];
        assert_eq!(keys(items), expected, "{table}");
        assert_eq!(items["additionalProperties"], false, "{table}");
    }
    tables.push(Table::Scan);
    let mut expected: Vec<&str> = tables.iter().map(|table| table.key()).chain(["format", "$schema"]).collect();
    expected.retain(|key| *key != "$schema");
    expected.sort_unstable();
    assert_eq!(keys(&schema), expected);
    let scan = &schema["properties"]["scan"];
    let mut expected = Table::Scan.keys().to_vec();
    expected.sort_unstable();
    assert_eq!(keys(scan), expected);
    assert_eq!(scan["properties"]["sources"]["enum"], Value::from(SOURCES.to_vec()));
}

#[test]
fn mistakes_have_lines_and_suggestions() {
    let cases = [
        (
            "format = 1\n[scan]\nexlude = [\"a\"]\n",
            "vyre.toml:3:1: `exlude` is no key of [scan]; did you mean `exclude`?",
        ),
        ("format = 1\n[scann]\n", "vyre.toml:2:2: `scann` is no key of a configuration; did you mean `scan`?"),
        (
            "format = 1\n[scan]\nsources = \"libary\"\n",
            "vyre.toml:3:11: `libary` is no value of `sources`; did you mean `library`?",
        ),
        (
            "format = 1\n[scan]\nformat = \"xml\"\n",
            "vyre.toml:3:10: `xml` is no value of `format`; known are `text`, `json`, `sarif`",
        ),
        ("format = 1\n[scan]\nrules = [\"../x.toml\"]\n", "vyre.toml:3:10: `../x.toml` is outside of the folder"),
        ("format = 1\n[scan]\ndependencies = \"yes\"\n", "vyre.toml:3:16: "),
        ("[scan]\n", "vyre.toml:1:1: `format` is missing"),
        ("format = 1\nscan = 3\n", "vyre.toml:2:8: "),
        ("format = 1\n[parameter]\n", "vyre.toml:2:2: `parameter` is no key of a configuration"),
    ];
    let is_wrong = |(text, start): &(&str, &str)| {
        let problems = problems(text);
        (problems.len() != 1 || !problems[0].starts_with(start)).then(|| format!("{start}\n{}", problems.join("\n")))
    };
    let wrong: Vec<String> = cases.iter().filter_map(is_wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_description_names_all_settings() {
    let text = "format = 1\n[scan]\nexclude = [\"a\", \"b\"]\nsources = \"library\"\n[[sanitizer]]\nrule = [\"xss\"]\ncall = [\"a.b\"]\n";
    let configuration = Configuration::parse("vyre.toml", text, &FORMATS).expect("a configuration");
    assert_eq!(configuration.describe(), "exclude a, b; sources library; 1 sanitizer");
    assert!(Configuration::has_settings(text) && !Configuration::has_settings("format = 1\n"));
}
