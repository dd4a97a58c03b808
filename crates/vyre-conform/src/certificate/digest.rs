//! Digests of JSON values.

use serde_json::Value;

use crate::hash::of_parts;

/// Name of the field of the digest, which it does not cover.
const DIGEST: &str = "digest";

/// SHA-256 of all fields of an object but the digest, in canonical form: fields by name, without spaces.
pub(super) fn of_fields(value: &Value) -> String {
    let mut fields = value.clone();
    if let Value::Object(fields) = &mut fields {
        fields.remove(DIGEST);
    }
    let mut text = String::new();
    write_canonical(&fields, &mut text);
    of_parts([text.as_bytes()])
}

/// The digest that an object states.
pub(super) fn stated(value: &Value) -> Option<&str> {
    value.get(DIGEST).and_then(Value::as_str)
}

/// The nesting of a certificate is bounded by the JSON reader.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (position, (name, value)) in fields.into_iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for (position, value) in values.iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                write_canonical(value, text);
            }
            text.push(']');
        }
        simple => text.push_str(&simple.to_string()),
    }
}
