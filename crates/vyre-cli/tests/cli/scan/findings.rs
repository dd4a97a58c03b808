//! Findings of scans: formats, exit codes, determinism.

use serde_json::Value;

use super::{sandbox, scan};

#[test]
fn a_flow_across_files_is_a_finding() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let text = run.text();
    for part in [
        "[command-injection]",
        "run.js:3:",
        "CWE-78",
        "process.argv",
        "(application)",
        "1 finding: ",
        "scanned 2 files",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(scan(&sandbox, &["app", "--color", "always"]).text().contains('\u{1b}'));
}

#[test]
fn a_clean_package_has_exit_code_0() {
    let run = scan(&sandbox(), &["clean"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert!(run.text().starts_with("no findings\nscanned 1 file "), "{}", run.text());
}

#[test]
fn json_and_sarif_are_complete_and_stable() {
    let sandbox = sandbox();
    for format in ["json", "sarif"] {
        let one = scan(&sandbox, &["app", "clean", "--format", format, "--jobs", "1"]);
        let other = scan(&sandbox, &["clean", "app", "--format", format, "--jobs", "3"]);
        assert_eq!(one.code, Some(1), "{}", one.stderr);
        assert!(one.text() == other.text(), "{format} differs");
        let value: Value = serde_json::from_str(one.text()).expect("it is JSON");
        let rule = match format {
            "json" => &value["findings"][0]["rule"],
            _ => &value["runs"][0]["results"][0]["ruleId"],
        };
        assert_eq!(rule, "command-injection");
    }
}

#[test]
fn reports_go_to_files() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app", "-o", "report.txt", "--color", "always"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), "", "1 finding\n"));
    let report = sandbox.read_text("report.txt");
    assert!(report.contains("[command-injection]") && !report.contains('\u{1b}'), "{report}");
}

#[test]
fn code_that_is_not_analysed_is_a_failure() {
    let sandbox = sandbox();
    sandbox.write("broken/a.js", b"let = = ;\n");
    let run = scan(&sandbox, &["broken"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.text().contains("failed 1 file") && run.text().contains("incomplete: "), "{}", run.text());
    assert!(run.stderr.contains("--allow-incomplete"), "{}", run.stderr);
    assert_eq!(scan(&sandbox, &["broken", "--allow-incomplete"]).code, Some(0));
    assert_eq!(scan(&sandbox, &["broken", "app", "--allow-incomplete"]).code, Some(1));
}

#[test]
fn rules_are_selected_listed_and_tested() {
    let sandbox = sandbox();
    assert_eq!(scan(&sandbox, &["app", "--rule", "xpath-injection"]).code, Some(0));
    assert_eq!(scan(&sandbox, &["app", "--rule", "command-injection"]).code, Some(1));
    assert!(sandbox.run(&["rules", "list"]).text().contains("command-injection"));
    assert!(sandbox.run(&["rules", "explain", "command-injection"]).text().contains("CWE-78"));
    let run = sandbox.run(&["rules", "test"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.stderr.ends_with("0 failures\n"), "{}", run.stderr);
}
