//! Rules of findings, and findings that are suppressed.

use serde_json::{Value, json};

use super::super::on_examples;
use super::sarif::log;

const COMMAND: &str = "taint calls.csv --names --rules calls-findings.toml --backend reference";

#[test]
fn suppressed_findings_are_counted_apart() {
    let run = on_examples(COMMAND);
    let text = "load_config [config] -> exec_sql [sql] (depth 2)\n    high [sql-injection]: Data of load_config reaches exec_sql \
                unchecked.\n";
    assert_eq!((run.code, run.text()), (Some(1), text));
    let last = run.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("1 finding of 2 sources in ") && last.ends_with(", 1 suppressed"), "{}", run.stderr);
    let run = on_examples(&format!("{COMMAND} -q --format json"));
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&object["total"], &object["suppressed"]), (&json!(1), &json!(1)));
    let finding = &object["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&json!("sql-injection"), &json!("high")));
    assert_eq!(finding["message"], "Data of load_config reaches exec_sql unchecked.");
    assert_eq!(on_examples(&format!("{COMMAND} -q --count --max-findings 1")).text(), "1\n");
}

/// The exit code does not count suppressed findings.
#[test]
fn only_suppressed_findings_are_a_success() {
    let run = on_examples(&format!("{COMMAND} --sources read_request"));
    assert_eq!((run.code, run.text()), (Some(0), ""));
    assert!(run.stderr.contains("0 findings of 1 source in "), "{}", run.stderr);
    let run = on_examples(&format!("{COMMAND} --sources load_config"));
    let note = "calls-findings.toml:43: the suppression concerns no finding\n";
    assert!(run.code == Some(1) && run.stderr.contains(note), "{}", run.stderr);
}

#[test]
fn a_log_has_severities_and_suppressions_with_reasons() {
    let run = on_examples(&format!("{COMMAND} -q --format sarif"));
    let log = log(&run);
    let results = &log["runs"][0]["results"];
    let field = |at: usize, name: &str| results[at][name].clone();
    assert_eq!((field(0, "ruleId"), field(0, "level")), (json!("file-write"), json!("note")));
    assert_eq!((field(1, "ruleId"), field(1, "level")), (json!("sql-injection"), json!("error")));
    assert_eq!(field(1, "message")["text"], "Data of load_config reaches exec_sql unchecked.");
    let reason = "The log is meant to contain requests.";
    let suppression = json!([{"kind": "external", "status": "accepted", "justification": reason}]);
    assert_eq!((field(0, "suppressions"), field(1, "suppressions")), (suppression, json!([])));
    let rule = &log["runs"][0]["tool"]["driver"]["rules"][1];
    assert_eq!(rule["shortDescription"]["text"], "Unchecked data in a query");
    assert_eq!(rule["properties"]["tags"], json!(["security", "external/cwe/cwe-089"]));
}
