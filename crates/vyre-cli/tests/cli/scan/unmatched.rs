//! Warnings about what does not match: imports without a file, own entries without code.

use super::{scan, schema};
use crate::harness::Sandbox;

#[test]
fn relative_imports_without_a_file_are_a_warning() {
    let sandbox = Sandbox::new(&[
        ("js/index.js", "const x = require('./nope');\nrequire('./style.css');\nrequire('./there');\nx.f();\n"),
        ("js/there.js", "exports.a = 1;\n"),
        ("py/pkg/__init__.py", "from .nope import x\nfrom . import name\nfrom ._fast import y\nfrom .b import c\n"),
        ("py/pkg/_fast.so", ""),
        ("py/pkg/b.py", "c = 1\n"),
    ]);
    for (path, names) in [("js", "./nope of index.js"), ("py", ".nope of pkg/__init__.py")] {
        let warning = "1 relative import leads to no file of the input, so that flows through it are missing: ";
        let run = scan(&sandbox, &[path]);
        assert!(run.text().contains(&format!("warning: {warning}{names}\n")), "{}", run.text());
        let run = scan(&sandbox, &[path, "--format", "json"]);
        let report = schema::check_json(run.text());
        let missing = &report["coverage"]["missing_imports"];
        assert_eq!(missing.as_array().map(Vec::len), Some(1), "{missing}");
        assert_eq!(scan(&sandbox, &[path, "--strict"]).code, Some(2));
    }
    // A file that a pattern leaves out is not missing.
    let run = scan(&sandbox, &["js", "--exclude", "there.js", "--format", "json"]);
    assert_eq!(schema::check_json(run.text())["coverage"]["missing_imports"].as_array().map(Vec::len), Some(1));
}

#[test]
fn own_entries_that_match_nothing_are_a_warning() {
    let rules = "format = 1\n[[sink]]\nrule = [\"command-injection\"]\ncall = [\"@acme/shell.run\"]\nat = [\"argument0\"]\n\
                 [[source]]\nlabel = \"form\"\ncall = [\"@acme/forms.read\"]\n\
                 [[sanitizer]]\nrule = [\"command-injection\"]\ncall = [\"@acme/shell.quote\"]\n\
                 [[guard]]\nrule = [\"command-injection\"]\ncall = [\"@acme/shell.isSafe\"]\n";
    let code = "const { run } = require('@acme/shell');\nrun(process.argv[2]);\n";
    let sandbox = Sandbox::new(&[("app/index.js", code), ("app/vyre.toml", rules)]);
    let warning = "warning: app/vyre.toml: 3 entries match nothing in the code: line 6 (source `@acme/forms.read`), \
                   line 9 (sanitizer `@acme/shell.quote`), line 12 (guard `@acme/shell.isSafe`)\n";
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert!(run.text().contains(warning), "{}", run.text());
    assert_eq!(scan(&sandbox, &["app", "--strict", "--fail-on", "none"]).code, Some(2));
    let all = "const { run, quote, isSafe } = require('@acme/shell');\nconst { read } = require('@acme/forms');\n\
               const x = read();\nif (isSafe(x)) run(x);\nrun(quote(x));\nrun(x);\n";
    sandbox.write("app/index.js", all.as_bytes());
    let run = scan(&sandbox, &["app", "--strict"]);
    assert_eq!(run.code, Some(1), "{}{}", run.text(), run.stderr);
    // Entries of rules that are not used are not looked for.
    let run = scan(&sandbox, &["app", "--rule", "sql-injection"]);
    assert!(!run.text().contains("match nothing"), "{}", run.text());
    // Methods by name, members by pattern, parameters.
    let rules = "format = 1\n[[source]]\nlabel = \"x\"\nparameter = [\"untrusted\"]\n[[sink]]\nrule = [\"xss\"]\ncall = [\"*.danger\"]\n\
                 at = [\"argument0\"]\n[[sink]]\nrule = [\"xss\"]\ncall = [\"@acme/*.none\"]\nat = [\"argument0\"]\n";
    sandbox.write("more.toml", rules.as_bytes());
    sandbox.write("app/index.js", b"function f(untrusted, x) { x.danger(untrusted); }\nf();\n");
    let run = scan(&sandbox, &["app", "--no-config", "--rules", "more.toml"]);
    let warning = "warning: more.toml: 1 entry matches nothing in the code: line 9 (sink `@acme/*.none`)\n";
    assert!(run.text().contains(warning), "{}", run.text());
}

#[test]
fn reasons_of_missing_findings_name_what_the_scan_leaves_out() {
    let sandbox = super::sandbox();
    let explain = |args: &[&str]| {
        let positions = ["--explain-missing", "index.js:3", "run.js:3"];
        sandbox.run(&[&["scan", "app"][..], args, &positions].concat())
    };
    let run = explain(&["--sources", "application", "--rule", "xss"]);
    let text = "The flow exists, but this scan leaves out the rule `command-injection`, which is not one of those that are \
                selected (`--rule`).\n";
    assert_eq!((run.code, run.text()), (Some(0), text), "{}", run.stderr);
    let run = explain(&["--sources", "library"]);
    let text = "The flow exists, but this scan leaves out sources of the `application` model, which `--sources application` or \
                `--sources both` includes.\n";
    assert_eq!((run.code, run.text()), (Some(0), text), "{}", run.stderr);
    assert_eq!(explain(&[]).text(), "The scan reports this flow: command-injection.\n");
    // A value that no rule knows as a source.
    sandbox.write("app/index.js", b"const { run } = require('./run');\n\nrun(unknown());\n");
    let run = explain(&["--sources", "application"]);
    for part in ["No rule knows a source at index.js:3.", "the rules have no source here"] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert!(!run.text().contains("guard or sanitizer"), "{}", run.text());
}

#[test]
fn tests_of_rules_name_the_place_of_the_example() {
    let rules = "format = 1\n\n[[example]]\nrule = \"command-injection\"\nbad = \"f();\"\n\n\
                 [[example]]\nrule = \"command-injection\"\ngood = \"require('child_process').exec(process.argv[2]);\"\n";
    let sandbox = Sandbox::new(&[("own.toml", rules)]);
    let run = sandbox.run(&["rules", "test", "own.toml"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let text = "error: own.toml:3: example 1 of the rule `command-injection` is bad, but has no finding\n\
                error: own.toml:7: example 2 of the rule `command-injection` is good, but has a finding\n";
    assert_eq!(run.text(), text);
}
