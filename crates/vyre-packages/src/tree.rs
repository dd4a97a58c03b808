//! JSON, TOML and YAML as one tree of values.

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::error::PackageError;

/// Deepest nesting of YAML. The parsers of JSON and TOML have limits of their own.
const MAX_DEPTH: usize = 64;

pub(crate) fn json(text: &str) -> Result<Value, PackageError> {
    serde_json::from_str(text).map_err(|error| PackageError::new(format!("it is not valid JSON: {error}")))
}

pub(crate) fn toml(text: &str) -> Result<Value, PackageError> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        PackageError::new(format!("line {line}: it is not valid TOML: {}", error.message()))
    })?;
    Ok(from_table(table.get_ref()))
}

fn from_table(table: &DeTable<'_>) -> Value {
    Value::Object(table.iter().map(|(key, value)| (key.get_ref().to_string(), from_toml(value.get_ref()))).collect())
}

/// Numbers and dates keep their text: versions are compared as texts. The parser limits the nesting.
fn from_toml(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| from_toml(item.get_ref())).collect()),
        DeValue::Table(table) => from_table(table),
        DeValue::Integer(number) => Value::String(number.to_string()),
        DeValue::Float(number) => Value::String(number.to_string()),
        DeValue::Datetime(date) => Value::String(date.to_string()),
    }
}

/// A value of YAML that is not finished.
enum Open {
    Sequence(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

/// Parses YAML. All scalars are texts. Aliases are refused: a few lines of them can mean gigabytes, and no lock file has any.
pub(crate) fn yaml(text: &str) -> Result<Value, PackageError> {
    let mut stack: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| PackageError::new(format!("it is not valid YAML: {error}")))?;
        let fail = |what: &str| Err(PackageError::new(format!("line {}: {what}", span.start.line())));
        let finished = match event {
            Event::Alias(_) => return fail("it has a YAML alias; lock files have none"),
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if stack.len() >= MAX_DEPTH {
                    return fail("its values are nested too deeply");
                }
                let is_sequence = matches!(event, Event::SequenceStart(..));
                stack.push(if is_sequence { Open::Sequence(Vec::new()) } else { Open::Mapping(Map::new(), None) });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                Some(Open::Sequence(items)) => Value::Array(items),
                Some(Open::Mapping(map, _)) => Value::Object(map),
                None => return fail("it is not valid YAML"),
            },
            _ => continue,
        };
        match stack.last_mut() {
            None if root.is_some() => return fail("it has more than one YAML document"),
            None => root = Some(finished),
            Some(Open::Sequence(items)) => items.push(finished),
            Some(Open::Mapping(map, key)) => match key.take() {
                Some(key) => {
                    map.insert(key, finished);
                }
                None => match finished {
                    Value::String(text) => *key = Some(text),
                    _ => return fail("a key of a YAML mapping is no text"),
                },
            },
        }
    }
    root.ok_or_else(|| PackageError::new("it is empty"))
}

/// Entries of an object. Anything else has none.
pub(crate) fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// Items of an array. Anything else has none.
pub(crate) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text, or an empty one.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_a_tree() {
        let value = yaml("a:\n  b: 1.10\n  'c d': [x, y]\ne: {}\n").expect("YAML");
        assert_eq!(value, serde_json::json!({"a": {"b": "1.10", "c d": ["x", "y"]}, "e": {}}));
    }

    #[test]
    fn bad_yaml_is_refused() {
        for (text, message) in [
            ("a: &x [1]\nb: *x\n", "line 2: it has a YAML alias; lock files have none"),
            ("", "it is empty"),
            ("--- a\n--- b\n", "line 2: it has more than one YAML document"),
        ] {
            assert_eq!(yaml(text).expect_err(text).to_string(), message);
        }
        let deep = "[".repeat(100_000);
        assert!(yaml(&deep).is_err());
        assert!(toml(&format!("a = {deep}")).is_err());
        assert!(json(&deep).is_err());
    }
}
