//! Baselines: findings that a scan could not find again, copies of files, and files that are no baselines.

use serde_json::Value;

use super::{scan, schema};
use crate::harness::{Run, Sandbox};

const SINK: &str = "const { exec } = require('child_process');\nexec(process.argv[2]);\n";

/// A folder with a finding in each of two files, and its baseline.
fn with_baseline() -> Sandbox {
    let sandbox = Sandbox::new(&[("app/a.js", SINK), ("app/b.js", "eval(process.argv[2]);\n")]);
    assert_eq!(scan(&sandbox, &["app", "--format", "sarif", "-o", "old.sarif"]).code, Some(1));
    sandbox
}

/// Scans the folder with the baseline.
fn compared(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["scan", "app", "--baseline", "old.sarif", "--sources", "application"][..], args].concat())
}

#[test]
fn findings_of_code_that_was_not_scanned_are_not_fixed() {
    let sandbox = with_baseline();
    for (args, reason) in [
        (&["--exclude", "b.js"][..], "the file was skipped: excluded by --include and --exclude"),
        (&["--include", "a.js"], "the file was skipped: excluded by --include and --exclude"),
        (&["--rule", "command-injection"], "the rule was not used"),
        (&["--max-file", "30", "--allow-incomplete", "--exclude", "a.js"], "excluded"),
    ] {
        let run = compared(&sandbox, args);
        assert!(run.text().contains("0 fixed, "), "{args:?}: {}", run.text());
        assert!(run.text().contains(" not checked: ") && run.text().contains(reason), "{args:?}: {}", run.text());
    }
    let run = sandbox.run(&["scan", "app", "--baseline", "old.sarif", "--sources", "library"]);
    assert!(run.text().contains("0 new, 0 unchanged, 0 fixed, 2 not checked\n"), "{}", run.text());
    assert!(run.text().contains("command-injection: the threat model `application` was not used\n"), "{}", run.text());
    let run = scan(&sandbox, &["app/a.js", "--baseline", "old.sarif"]);
    assert!(
        run.text().contains("app/b.js:1: code-injection: the file is not in the scanned paths\n"),
        "{}",
        run.text()
    );
    // A file that is gone has no findings.
    std::fs::remove_file(sandbox.path("app/b.js")).expect("the file exists");
    let run = compared(&sandbox, &[]);
    assert!(
        run.text().contains("0 new, 1 unchanged, 1 fixed\n  fixed: app/b.js:1: code-injection\n"),
        "{}",
        run.text()
    );
}

#[test]
fn every_format_tells_fixed_findings_from_those_that_were_not_checked() {
    let sandbox = with_baseline();
    sandbox.write("app/a.js", b"f('1');\n");
    std::fs::remove_file(sandbox.path("app/b.js")).expect("the file exists");
    std::os::unix::fs::symlink("a.js", sandbox.path("app/b.js")).expect("a link can be made");
    let reason = "the file was skipped: links";
    let run = compared(&sandbox, &["--format", "json"]);
    let baseline = &schema::check_json(run.text())["baseline"];
    assert_eq!(
        (&baseline["fixed"][0]["uri"], baseline["fixed"].as_array().map(Vec::len)),
        (&"app/a.js".into(), Some(1))
    );
    assert_eq!(baseline["not_checked"][0]["uri"], "app/b.js");
    assert!(baseline["not_checked"][0]["reason"].as_str().is_some_and(|text| text.contains(reason)), "{baseline}");
    assert!(run.stderr.contains("since the baseline: 0 new, 0 unchanged, 1 fixed, 1 not checked\n"), "{}", run.stderr);
    let run = compared(&sandbox, &["--format", "sarif"]);
    let log = schema::check_sarif(run.text());
    let properties = &log["runs"][0]["properties"]["baseline"];
    assert_eq!(properties["fixed"][0]["uri"], "app/a.js");
    assert_eq!(properties["notChecked"][0]["uri"], "app/b.js");
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications");
    assert!(notes.iter().any(|note| note["descriptor"]["id"] == "not-checked"), "{notes:?}");
    assert!(!run.text().contains("\"absent\""), "{}", run.text());
    for (format, parts) in [
        (
            "text",
            &["  fixed: app/a.js:2: command-injection\n", "  not checked: app/b.js:1: code-injection: the file was "][..],
        ),
        (
            "markdown",
            &[
                "### Fixed since the baseline: 1\n",
                "### Not checked, but in the baseline: 1\n",
                "`app/b.js:1`: the file",
            ],
        ),
        (
            "github",
            &[
                "::warning title=vyre scan::1 finding of the baseline not checked; the log says why\n",
                "  not checked: app/b.js",
            ],
        ),
        (
            "junit",
            &["name=\"code-injection at 1 in the baseline\"", "<skipped message=\"not checked: the file was skipped"],
        ),
        ("html", &["\"unchecked\":[[\"code-injection\",\"app/b.js:1\","]),
    ] {
        let run = compared(&sandbox, &["--format", format]);
        for part in parts {
            assert!(run.text().contains(part), "{format}: {part} is missing:\n{}", run.text());
        }
    }
}

/// The second scan cannot know that the finding is gone.
#[test]
fn a_scan_of_other_code_or_of_a_part_fixes_nothing() {
    let sandbox = with_baseline();
    sandbox.write("app/b.js", b"f('1');\n");
    assert!(compared(&sandbox, &[]).text().contains("0 new, 1 unchanged, 1 fixed\n"));
    let other = "app/b.js:1: code-injection: the scan had other paths, options or rules than that of the baseline\n";
    sandbox.write(
        "own.toml",
        b"format = 1\n\n[[sink]]\nrule = \"code-injection\"\ncall = [\"own.run\"]\nat = [\"argument0\"]\n",
    );
    sandbox.write("more/c.js", b"f('1');\n");
    for args in
        [&["--exclude", "none.js"][..], &["--dependencies"], &["--effort", "2"], &["more"], &["--rules", "own.toml"]]
    {
        let run = compared(&sandbox, args);
        assert!(run.text().contains(" unchanged, 0 fixed, "), "{args:?}: {}{}", run.text(), run.stderr);
        assert!(run.text().contains(other), "{args:?}: {}", run.text());
    }
    sandbox.write("app/c.js", b"f(;\n");
    let run = compared(&sandbox, &["--allow-incomplete"]);
    assert!(run.text().contains("code-injection: other code was not analysed\n"), "{}", run.text());
    assert!(run.stderr.contains("some code was not analysed, so findings may be missing\n"), "{}", run.stderr);
}

#[test]
fn a_flow_through_code_that_was_not_scanned_is_not_fixed() {
    let sandbox = Sandbox::new(&[
        ("app/main.js", "require('./all').run(process.argv[2]);\n"),
        ("app/all.js", "exports.run = require('./run').run;\n"),
        ("app/run.js", "const { exec } = require('child_process');\nexports.run = c => exec(c);\n"),
    ]);
    assert_eq!(scan(&sandbox, &["app", "--format", "sarif", "-o", "old.sarif"]).code, Some(1));
    let run = compared(&sandbox, &["--exclude", "main.js"]);
    let text = "run.js:2: command-injection: app/main.js, a file of its flow: the file was skipped";
    assert!(run.text().contains(text), "{}", run.text());
    // No step of the flow is in the file that is left out.
    let run = compared(&sandbox, &["--exclude", "all.js"]);
    assert!(run.text().contains("0 fixed, 1 not checked\n"), "{}", run.text());
    assert!(run.text().contains("the file imports all.js: the file was skipped"), "{}", run.text());
}

#[test]
fn a_baseline_survives_a_removed_copy() {
    let sandbox = Sandbox::new(&[("app/lib/x.js", SINK), ("app/src/y.js", SINK)]);
    assert_eq!(scan(&sandbox, &["app", "--format", "sarif", "-o", "old.sarif"]).code, Some(1));
    for removed in ["app/lib/x.js", "app/src/y.js"] {
        std::fs::remove_file(sandbox.path(removed)).expect("the file exists");
        let run = compared(&sandbox, &[]);
        assert_eq!(run.code, Some(0), "{removed}: {}", run.text());
        assert!(run.text().contains("0 new, 1 unchanged, 0 fixed\n"), "{removed}: {}", run.text());
        sandbox.write(removed, SINK.as_bytes());
    }
    // A copy in a file that comes first.
    sandbox.write("app/a.js", SINK.as_bytes());
    assert!(compared(&sandbox, &[]).text().contains("0 new, 1 unchanged, 0 fixed\n"));
}

#[test]
fn a_comparison_of_releases_tells_vanished_findings_from_unchecked_ones() {
    let sandbox = Sandbox::new(&[("old/index.js", SINK), ("new/index.js", "exec(;\n")]);
    let run = scan(&sandbox, &["new", "--compare", "old"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    let part = "findings that were not checked:\n  ? critical[command-injection] index.js:2:1: ";
    assert!(run.text().contains(part), "{}", run.text());
    assert!(run.text().contains("0 new findings, 0 vanished, 0 unchanged, 1 not checked\n"), "{}", run.text());
    let run = scan(&sandbox, &["new", "--compare", "old", "--format", "json"]);
    let report: Value = serde_json::from_str(run.text()).expect("JSON");
    assert_eq!(report["vanished_findings"].as_array().map(Vec::len), Some(0));
    assert!(report["unchecked_findings"][0]["reason"].as_str().is_some_and(|text| text.contains("syntax error")));
}

#[test]
fn messages_about_baselines_are_escaped() {
    let sandbox = Sandbox::new(&[("app/a.js", SINK)]);
    for (text, message) in [
        (r#"{"version":"2.1.0","runs":null}"#, "it is a SARIF log without runs: the field `runs` is missing or null"),
        (r#"{"runs":null}"#, "it is not a SARIF log: it has no version"),
        (
            r#"{"version":"3\u001b[31m","runs":[]}"#,
            "it is a log of the version 3\\u{1b}[31m, and a baseline is SARIF 2.1.0",
        ),
    ] {
        sandbox.write("old.sarif", text.as_bytes());
        let run = compared(&sandbox, &[]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{text}");
        assert_eq!(run.stderr, format!("error: old.sarif is no baseline: {message}\n"));
    }
}
