//! Arguments of scans: mistakes and refusals.

use super::{sandbox, scan};

#[test]
fn a_missing_path_is_a_failure() {
    let run = scan(&sandbox(), &["missing"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert_eq!(run.stderr, "error: there is no file or folder missing\n");
    let run = scan(&sandbox(), &["-"]);
    assert_eq!(run.stderr, "error: a scan needs the name of a file or folder; `-` is none\n");
}

#[test]
fn positions_need_a_line() {
    let run = scan(&sandbox(), &["app", "--explain-missing", "app/index.js", "app/run.js:3"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("a position is `path:line` or `path:line:column`"), "{}", run.stderr);
}

#[test]
fn the_output_is_not_an_input() {
    let run = scan(&sandbox(), &["clean/index.js", "-o", "clean/index.js"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is the input itself"), "{}", run.stderr);
}

#[test]
fn unknown_backends_are_named() {
    let run = scan(&sandbox(), &["clean", "--backend", "gpu"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("there is no backend `gpu`"), "{}", run.stderr);
}

#[test]
fn files_of_rules_must_exist() {
    let sandbox = sandbox();
    for args in [&["scan", "clean", "--rules", "none.toml"][..], &["rules", "list", "--rules", "none.toml"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("none.toml"), "{}", run.stderr);
    }
}

#[test]
fn unknown_rules_are_failures() {
    let sandbox = sandbox();
    let run = sandbox.run(&["rules", "explain", "comand-injection"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: there is no rule `comand-injection`; "), "{}", run.stderr);
    assert_eq!(scan(&sandbox, &["clean", "--rule", "nothing"]).code, Some(2));
}

#[test]
fn positions_must_exist() {
    let sandbox = sandbox();
    let explain = |source: &str, sink: &str| scan(&sandbox, &["app", "--explain-missing", source, sink]);
    for (source, sink, reason) in [
        ("none.js:1", "run.js:3", "the scan has no file none.js"),
        ("ndex.js:3", "run.js:3", "the scan has no file ndex.js"),
        ("index.js:3", "run.js:300", "the file run.js has 4 lines"),
    ] {
        let run = explain(source, sink);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{source} {sink}");
        assert!(run.stderr.contains("does not exist") && run.stderr.contains(reason), "{}", run.stderr);
    }
    let run = explain("app/index.js:3", "app/run.js:3");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().contains("The scan reports this flow: command-injection."), "{}", run.text());
    let run = explain("index.js:3", "index.js:5");
    assert!(run.text().contains("(application model)"), "{}", run.text());
}

#[test]
fn patterns_that_leave_nothing_are_failures() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app", "--include", "*.jsx"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    for part in ["no file is left to scan", "the pattern `*.jsx` of --include matches no path", "incomplete: "] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    let run = scan(&sandbox, &["app", "--exclude", "tests", "--format", "json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("warning: the pattern `tests` of --exclude matches no path"), "{}", run.stderr);
}

#[test]
fn an_output_in_a_missing_folder_is_named() {
    let run = scan(&sandbox(), &["clean", "-o", "none/report.json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stderr, "error: cannot write none/report.json: there is no folder none\n");
}

#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let run = scan(&sandbox(), &["/dev/zero"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert_eq!(run.stderr, "error: cannot scan /dev/zero: it is a device; a scan takes files and folders\n");
}
