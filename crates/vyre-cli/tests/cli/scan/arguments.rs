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
