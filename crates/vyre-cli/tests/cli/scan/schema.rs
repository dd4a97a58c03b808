//! Validation with the schemas of formats.

use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// Schema of a file of the repository.
fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    serde_json::from_slice(&std::fs::read(path).expect("the schema exists")).expect("the schema is JSON")
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).expect("the schema is valid")
}

fn check(validator: &Validator, instance: &Value) {
    let errors = validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path()));
    let errors: Vec<String> = errors.take(20).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The schema of SARIF logs by OASIS.
static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = read("tests/schemas/sarif-schema-2.1.0.json");
    // The pattern of languages has a bracket too many, which makes it no regular expression. Logs have no such property.
    for component in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][component]["properties"]["language"];
        language.as_object_mut().expect("a property").remove("pattern").expect("a pattern");
    }
    validator(&schema)
});

/// Checks a SARIF log with its schema.
pub(crate) fn check_sarif(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).expect("it is JSON");
    check(&SARIF, &log);
    log
}

/// Checks JSON with the schema of the documentation. Fields that it does not describe are errors.
pub(super) fn check_json(text: &str) -> Value {
    let report: Value = serde_json::from_str(text).expect("it is JSON");
    let mut schema = read("docs/scan.schema.json");
    check(&validator(&schema), &report);
    close(&mut schema);
    check(&validator(&schema), &report);
    report
}

/// Forbids fields that a schema does not describe.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(elements) => elements.iter_mut().for_each(close),
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.contains_key("properties") && fields.contains_key("type") {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        _ => {}
    }
}
