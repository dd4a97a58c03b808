//! `vyre check --format json`: the fields of the report.

use serde_json::{Value, json};

use crate::harness::{INVALID, NO_PROGRAM, Run, Sandbox, VALID};

pub(crate) fn entries(run: &Run) -> Vec<Value> {
    match serde_json::from_slice(&run.stdout) {
        Ok(Value::Array(entries)) => entries,
        other => panic!("no array but {other:?}"),
    }
}

#[test]
fn no_findings_are_an_empty_array() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    let run = sandbox.run(&["check", "--format", "json", "a.vyre"]);
    assert_eq!((run.code, run.text()), (Some(0), "[]\n"));
}

#[test]
fn every_kind_of_finding_has_every_field() {
    let sandbox = Sandbox::new(&[("rule.vyre", INVALID), ("syntax.vyre", NO_PROGRAM), ("wire.vir", "VIR0")]);
    assert_eq!(sandbox.run(&["convert", "rule.vyre"]).code, Some(0));
    let files = ["rule.vyre", "rule.vir", "syntax.vyre", "wire.vir"];
    let run = sandbox.run(&[&["check", "--format", "json"][..], &files].concat());
    assert_eq!(run.code, Some(1));
    let message = "vyre IR validation: store to non-writable buffer `data`. Fix: declare it with \
                   BufferAccess::ReadWrite or BufferAccess::Workgroup.";
    let fix = "declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup";
    let rule = |file: &str, line: Value, column: Value| {
        json!({
            "file": file, "rule": "V005", "message": message, "fix": fix,
            "line": line, "column": column, "path": "entry[0]",
        })
    };
    let findings = entries(&run);
    assert_eq!(findings[0], rule("rule.vyre", json!(6), json!(5)));
    assert_eq!(findings[1], rule("rule.vir", Value::Null, Value::Null));
    assert_eq!(
        findings[2],
        json!({
            "file": "syntax.vyre", "rule": "syntax", "message": "expected an expression, found `;`", "fix": "",
            "line": 4, "column": 13, "path": "",
        })
    );
    assert_eq!(findings[3]["rule"], "wire");
    assert_eq!(findings[3]["message"], "at byte 4: the file ends inside of the program");
    assert_eq!(
        (&findings[3]["line"], &findings[3]["column"], &findings[3]["path"]),
        (&Value::Null, &Value::Null, &json!(""))
    );
    assert_eq!(findings.len(), 4);
}

#[test]
fn all_findings_are_listed() {
    let statements = "data[0] = 1;\n".repeat(120);
    let source = format!("workgroup_size 1; buffer data: read u32 @0; entry {{\n{statements}}}\n");
    let sandbox = Sandbox::new(&[("a.vyre", &source)]);
    assert_eq!(entries(&sandbox.run(&["check", "--format", "json", "a.vyre"])).len(), 120);
}

#[test]
fn unreadable_files_are_reported_on_standard_error() {
    let sandbox = Sandbox::new(&[("b.vyre", INVALID)]);
    let run = sandbox.run(&["check", "--quiet", "--format", "json", "missing.vyre", "b.vyre"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(entries(&run).len(), 1);
    assert!(run.stderr.starts_with("error: cannot read missing.vyre"), "{}", run.stderr);
}

#[test]
fn json_has_no_colours() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    let run = sandbox.run(&["--color", "always", "check", "--format", "json", "a.vyre"]);
    assert_eq!(entries(&run).len(), 1);
    assert!(!run.text().contains('\u{1b}'));
}
