//! The workflow around findings: severities that fail, baselines, ignore comments, strict scans.

use serde_json::Value;

use super::{sandbox, scan, schema};
use crate::harness::{Run, Sandbox};

const SINK: &str = "const { exec } = require('child_process');\nexec(process.argv[2]);\n";

fn results(run: &Run) -> Vec<Value> {
    let log = schema::check_sarif(run.text());
    log["runs"][0]["results"].as_array().expect("results").clone()
}

#[test]
fn severities_decide_the_exit_code() {
    let sandbox = sandbox();
    for (severity, code) in [("critical", 1), ("high", 1), ("note", 1), ("none", 0)] {
        assert_eq!(scan(&sandbox, &["app", "--fail-on", severity]).code, Some(code), "{severity}");
    }
    // A parameter of an export is of a lower severity.
    sandbox.write("lib/index.js", b"const { exec } = require('child_process');\nexports.run = name => exec(name);\n");
    for (severity, code) in [("critical", 0), ("high", 1)] {
        let run = sandbox.run(&["scan", "lib", "--sources", "library", "--fail-on", severity]);
        assert_eq!(run.code, Some(code), "{severity}: {}", run.text());
        assert!(run.text().contains("high[command-injection]"), "{}", run.text());
    }
    let run = scan(&sandbox, &["app", "--fail-on", "hihg"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("'high'"), "{}", run.stderr);
}

#[test]
fn fingerprints_survive_moved_lines() {
    let sandbox = Sandbox::new(&[("app/a.js", SINK)]);
    let prints = |sandbox: &Sandbox| -> Vec<(Value, Value)> {
        let run = scan(sandbox, &["app", "--format", "sarif"]);
        let of = |result: &Value| {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            (result["partialFingerprints"].clone(), region["startLine"].clone())
        };
        results(&run).iter().map(of).collect()
    };
    let before = prints(&sandbox);
    sandbox.write("app/a.js", format!("// one\n\n/* two\n */\n{SINK}").as_bytes());
    let after = prints(&sandbox);
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_eq!(before[0].0, after[0].0);
    assert_eq!((before[0].1.as_u64(), after[0].1.as_u64()), (Some(2), Some(6)));
}

#[test]
fn new_findings_fail_and_known_ones_do_not() {
    let sandbox = Sandbox::new(&[("app/a.js", SINK), ("app/b.js", "eval(process.argv[2]);\n")]);
    assert_eq!(scan(&sandbox, &["app", "--format", "sarif", "-o", "old.sarif"]).code, Some(1));
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.text().contains("[command-injection] (unchanged): "), "{}", run.text());
    assert!(run.text().contains("since the baseline: 0 new, 2 unchanged, 0 fixed"), "{}", run.text());
    sandbox.write("app/a.js", format!("// moved\n{SINK}exec('tar ' + process.env.DIR);\n").as_bytes());
    sandbox.write("app/b.js", b"eval('1');\n");
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    for part in [
        "[command-injection] (new): ",
        "since the baseline: 1 new, 1 unchanged, 1 fixed",
        "  fixed: app/b.js:1: code-injection",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif", "--format", "sarif"]);
    let mut states: Vec<Value> = results(&run).iter().map(|result| result["baselineState"].clone()).collect();
    states.sort_by_key(Value::to_string);
    assert_eq!(states, ["new", "unchanged"]);
    assert!(run.stderr.contains("since the baseline: 1 new, 1 unchanged, 1 fixed\n"), "{}", run.stderr);
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif", "--format", "json"]);
    let report = schema::check_json(run.text());
    assert_eq!(report["baseline"]["fixed"][0]["rule"], "code-injection");
    assert_eq!(scan(&sandbox, &["app", "--baseline", "old.sarif", "--fail-on", "none"]).code, Some(0));
}

#[test]
fn other_files_are_no_baselines() {
    let sandbox = sandbox();
    sandbox.write("text.sarif", b"hello\n");
    sandbox.write("other.sarif", br#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"CodeQL"}},"results":[]}]}"#);
    for (file, message) in [
        ("text.sarif", "text.sarif is no baseline: it is not a SARIF log: "),
        ("other.sarif", "other.sarif is no baseline: CodeQL wrote the log, and a baseline is from vyre scan"),
        ("none.sarif", "none.sarif"),
    ] {
        let run = scan(&sandbox, &["app", "--baseline", file]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{file}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(message), "{}", run.stderr);
    }
    scan(&sandbox, &["app", "--format", "sarif", "-o", "old.sarif"]);
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif", "--format", "sarif", "-o", "old.sarif"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("old.sarif is the input itself"), "{}", run.stderr);
}

#[test]
fn comments_with_a_reason_silence_findings() {
    let python = "import os, sys\nos.system(sys.argv[1])  # vyre-ignore command-injection: operators only\n";
    let above = SINK.replace("exec(p", "// vyre-ignore command-injection: argument of the operator\nexec(p");
    let page = "<p>\n<script>\n// vyre-ignore xss, code-injection: a demo\neval(location.hash.slice(1));\n</script>\n";
    let sandbox = Sandbox::new(&[("app/a.js", &above), ("app/b.py", python), ("app/c.html", page)]);
    let run = scan(&sandbox, &["app", "--rule", "command-injection", "--rule", "code-injection"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    for part in [
        "no findings\nsilenced by comments: 3 findings\n",
        "  a.js:3:1: command-injection: argument of the operator\n",
        "  b.py:2:1: command-injection: operators only\n",
        "  c.html:4:1: code-injection: a demo\n",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    let log = scan(&sandbox, &["app", "--rule", "command-injection", "--format", "sarif"]);
    let results = results(&log);
    assert_eq!((results.len(), log.code), (2, Some(0)));
    let suppression = &results[0]["suppressions"][0];
    assert_eq!((&suppression["kind"], &suppression["status"]), (&"inSource".into(), &"accepted".into()));
    assert_eq!(suppression["justification"], "argument of the operator");
    assert_eq!(suppression["location"]["physicalLocation"]["region"]["startLine"], 2);
    let run = scan(&sandbox, &["app", "--rule", "command-injection", "--no-ignore-comments"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert!(run.text().contains("2 findings: "), "{}", run.text());
}

#[test]
fn comments_that_silence_nothing_are_warnings() {
    let text = "const { exec } = require('child_process');\n\
                exec(process.argv[2]); // vyre-ignore command-injection\n\
                exec(process.argv[3]); // vyre-ignore comand-injection: typo\n\
                exec(process.argv[4]); // vyre-ignore: no rule\n\
                exec('ls'); // vyre-ignore command-injection: constant\n\
                exec(process.argv[5], '// vyre-ignore command-injection: a text');\n";
    let sandbox = Sandbox::new(&[("app/a.js", text)]);
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    for part in [
        "4 findings: ",
        "warning: a.js:2: the ignore comment for `command-injection` has no reason and is not honoured; \
         write `vyre-ignore command-injection: reason`\n",
        "warning: a.js:3: the ignore comment names the rule `comand-injection`, which does not exist; \
         did you mean `command-injection`?\n",
        "warning: a.js:4: the ignore comment names no rule; write `vyre-ignore RULE: reason`\n",
        "warning: a.js:5: the ignore comment for `command-injection` silences nothing: this line has no such finding\n",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert_eq!(scan(&sandbox, &["app", "--fail-on", "none"]).code, Some(0));
    let strict = scan(&sandbox, &["app", "--fail-on", "none", "--strict"]);
    assert_eq!(strict.code, Some(2));
    assert!(strict.stderr.contains("error: --strict: the scan has 4 warnings; see the report\n"), "{}", strict.stderr);
}

#[test]
fn comments_of_packages_and_dependencies_are_not_honoured() {
    let text = SINK.replace("exec(p", "// vyre-ignore command-injection: trust me\nexec(p");
    let sandbox = Sandbox::new(&[("app/node_modules/x/index.js", &text), ("app/index.js", "f();\n")]);
    let archive = crate::unpack::zip(&[("package/index.js", text.as_bytes())]);
    sandbox.write("package.zip", &archive);
    sandbox.write("app/vendor/package.zip", &archive);
    for args in [&["package.zip"][..], &["app"], &["app", "--dependencies", "--exclude", "vendor"]] {
        let run = scan(&sandbox, args);
        assert_eq!(run.code, Some(1), "{args:?}: {}", run.text());
        assert!(!run.text().contains("silenced") && !run.text().contains("ignore comment"), "{}", run.text());
    }
    let log = scan(&sandbox, &["package.zip", "--format", "sarif"]);
    let results = results(&log);
    let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "package/index.js");
    // Code scanners cannot compute it from a file in an archive.
    assert!(results[0]["partialFingerprints"]["primaryLocationLineHash"].is_string(), "{}", results[0]);
}

#[test]
fn rules_that_cannot_match_are_warnings() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app", "--rule", "sql-injection"]);
    assert_eq!(run.code, Some(0));
    let warning = "the rule `sql-injection` has no findings, because the code has no sink of it";
    assert!(run.text().contains(&format!("warning: {warning}\n")), "{}", run.text());
    let run = scan(&sandbox, &["app", "--rule", "sql-injection", "--strict"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: --strict: the scan has "), "{}", run.stderr);
    let run = scan(&sandbox, &["clean"]);
    assert!(run.text().contains("note: the code has no sources: "), "{}", run.text());
    assert_eq!((run.code, scan(&sandbox, &["clean", "--strict"]).code), (Some(0), Some(2)));
    assert_eq!(scan(&sandbox, &["app", "--strict"]).code, Some(1));
}

#[test]
fn a_rule_with_a_typo_is_an_error_with_a_suggestion() {
    let run = scan(&sandbox(), &["app", "--rule", "comand-injection"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert!(
        run.stderr.starts_with("error: there is no rule `comand-injection`; the nearest are `command-injection`, "),
        "{}",
        run.stderr
    );
}

#[test]
fn comments_of_others_silence_nothing() {
    let silenced = "const { exec } = require('child_process');\n// vyre-ignore command-injection: trusted\nexec(process.argv[2]);\n";
    let sandbox = Sandbox::new(&[("app/node_modules/dep/index.js", silenced), ("own/a.js", silenced)]);
    for path in ["app/node_modules/dep", "app/node_modules", "app/node_modules/dep/index.js"] {
        let run = scan(&sandbox, &[path, "--dependencies"]);
        assert_eq!(run.code, Some(1), "{path}: {}", run.text());
    }
    assert_eq!(scan(&sandbox, &["own"]).code, Some(0));
    // The same code in an archive stays a finding.
    sandbox.write("own/vendor.zip", &crate::unpack::zip(&[("a.js", silenced.as_bytes())]));
    assert_eq!(scan(&sandbox, &["own"]).code, Some(1));
}

#[test]
fn a_forged_baseline_is_no_reason_to_panic() {
    let sandbox = Sandbox::new(&[("app/a.js", SINK)]);
    let run = scan(&sandbox, &["app", "--format", "sarif"]);
    let mut log: Value = serde_json::from_str(run.text()).expect("it is JSON");
    log["runs"][0]["properties"]["omittedResults"] = u64::MAX.into();
    let again = log["runs"][0].clone();
    log["runs"].as_array_mut().expect("runs").push(again);
    sandbox.write("old.sarif", log.to_string().as_bytes());
    let run = scan(&sandbox, &["app", "--baseline", "old.sarif"]);
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
}
