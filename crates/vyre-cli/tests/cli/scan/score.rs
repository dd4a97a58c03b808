//! `vyre scan-score`.

use serde_json::Value;

use super::sandbox;

#[test]
fn scores_are_tables_and_json() {
    let sandbox = sandbox();
    let args = ["scan-score", ".", "--unit", "folder", "--sources", "application"];
    let run = sandbox.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let total = run.text().lines().find(|line| line.starts_with("total")).expect("a line of totals");
    let counts: Vec<&str> = total.split_whitespace().skip(1).take(4).collect();
    assert_eq!(counts, ["1", "0", "0", "1"], "{}", run.text());
    let run = sandbox.run(&[&args[..], &["--json", "--list"]].concat());
    let value: Value = serde_json::from_str(run.text()).expect("it is JSON");
    assert_eq!(value["total"]["recall"], 1.0);
    assert_eq!(value["wrong_sources"], 0);
    assert_eq!(value["lines"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_folder_without_annotations_is_a_failure() {
    let sandbox = sandbox();
    let run = sandbox.run(&["scan-score", "clean"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("has an annotation"), "{}", run.stderr);
    assert_eq!(sandbox.run(&["scan-score", "missing"]).code, Some(2));
}

#[test]
fn maps_are_checked() {
    let sandbox = sandbox();
    sandbox.write("map.json", b"{\"rule\": {}}");
    let run = sandbox.run(&["scan-score", "app", "--map", "map.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: map.json: the map of rules is not valid: "), "{}", run.stderr);
}
