//! Project configuration: `vyre.toml`.

use serde_json::Value;

use super::{FILES, scan};
use crate::harness::Sandbox;

/// A sandbox with a configuration in the scanned folder.
fn sandbox(configuration: &str) -> Sandbox {
    let sandbox = Sandbox::new(&FILES);
    sandbox.write("app/vyre.toml", configuration.as_bytes());
    sandbox
}

#[test]
fn a_configuration_is_used_and_named() {
    let sandbox = sandbox("format = 1\n[scan]\nexclude = [\"run.js\"]\n");
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.text().contains("configuration app/vyre.toml: exclude run.js\n"), "{}", run.text());
    let run = scan(&sandbox, &["app", "--format", "json"]);
    let report = super::schema::check_json(run.text());
    assert_eq!(report["configuration"], "app/vyre.toml: exclude run.js");
    assert!(run.stderr.contains("configuration app/vyre.toml: exclude run.js"), "{}", run.stderr);
    let run = scan(&sandbox, &["app", "--format", "sarif"]);
    let log = super::schema::check_sarif(run.text());
    assert_eq!(log["runs"][0]["properties"]["configuration"], "app/vyre.toml: exclude run.js");
    for format in ["github", "junit", "markdown", "html"] {
        let run = scan(&sandbox, &["app", "--format", format]);
        assert!(run.text().contains("app/vyre.toml: exclude run.js"), "{format}: {}", run.text());
    }
    for arguments in [&["app", "--no-config"][..], &["app/index.js", "app/run.js"]] {
        let run = scan(&sandbox, arguments);
        assert_eq!(run.code, Some(1), "{}", run.text());
        assert!(!run.text().contains("configuration"), "{}", run.text());
    }
    assert_eq!(scan(&sandbox, &["clean", "--config", "app/vyre.toml"]).code, Some(0));
}

#[test]
fn flags_take_precedence() {
    let sandbox = sandbox("format = 1\n[scan]\nformat = \"json\"\nsources = \"library\"\nrule = [\"xss\"]\n");
    let run = sandbox.run(&["scan", "app"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["models"][0], "library");
    assert_eq!(report["rules"].as_array().map(Vec::len), Some(1));
    let run =
        sandbox.run(&["scan", "app", "--format", "text", "--sources", "application", "--rule", "command-injection"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert!(run.text().starts_with("critical[command-injection]"), "{}", run.text());
}

#[test]
fn own_sources_sinks_and_sanitizers_count() {
    let rules = include_str!("../../../../../docs/vyre.example.toml");
    let bad = "const { read } = require('@acme/forms');\nconst { run, quote } = require('@acme/shell');\nrun('ls ' + read('folder'));\nrun('ls ' + quote(read('folder')));\n";
    let sandbox = Sandbox::new(&[("app/index.js", bad), ("app/vyre.toml", rules)]);
    let run = sandbox.run(&["scan", "app"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stderr, run.text());
    assert!(run.text().contains("--> index.js:3:1") && run.text().contains("1 finding: "), "{}", run.text());
    let expected = "configuration app/vyre.toml: exclude test, **/*.generated.js; sources application; fail on medium; 1 source; 1 sink; 1 sanitizer; 1 guard; 2 examples\n";
    assert!(run.text().contains(expected), "{}", run.text());
    let run = sandbox.run(&["rules", "test", "app/vyre.toml"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stderr, run.text());
}

#[test]
fn modules_of_scoped_packages_are_their_members() {
    let rules = "format = 1\n[scan]\nsources = \"application\"\n[[sink]]\nrule = [\"sql-injection\"]\ncall = [\"@corp/db.query\"]\nat = [\"argument0\"]\n\
                 [[sanitizer]]\nrule = [\"sql-injection\"]\ncall = [\"@corp/db.escape\"]\n";
    let code = "const query = require('@corp/db/query');\nconst escape = require('@corp/db/escape');\nconst db = require('@corp/db');\n\
                query(process.argv[2]);\nquery(escape(process.argv[2]));\ndb.query(db.escape(process.argv[2]));\n";
    let sandbox = Sandbox::new(&[("app/index.js", code), ("app/vyre.toml", rules)]);
    let run = sandbox.run(&["scan", "app"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stderr, run.text());
    assert!(run.text().contains("--> index.js:4:1") && run.text().contains("1 finding: "), "{}", run.text());
}

#[test]
fn functions_of_the_project_have_no_names_in_rules() {
    let sandbox = sandbox("format = 1\n[[sanitizer]]\nrule = [\"xss\"]\ncall = [\"./src/html.escape\"]\n");
    let run = scan(&sandbox, &["app"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert!(run.stderr.contains("app/vyre.toml:4:9: "), "{}", run.stderr);
    assert!(run.stderr.contains("functions of the scanned files have no names in rules"), "{}", run.stderr);
}

#[test]
fn mistakes_have_lines_and_suggestions() {
    let sandbox = sandbox("format = 1\n[scan]\nexlude = [\"run.js\"]\n");
    let run = scan(&sandbox, &["app"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    for part in ["app/vyre.toml:3:1: ", "did you mean `exclude`?", "--no-config"] {
        assert!(run.stderr.contains(part), "{part} is missing:\n{}", run.stderr);
    }
    sandbox.write(
        "app/vyre.toml",
        b"format = 1\n[[sink]]\nrule = [\"comand-injection\"]\ncall = [\"a.b\"]\nat = [\"argument0\"]\n",
    );
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("app/vyre.toml:3:9: ") && run.stderr.contains("`command-injection`?"),
        "{}",
        run.stderr
    );
    let run = scan(&sandbox, &["app", "--config", "none.toml"]);
    assert!(run.code == Some(2) && run.stderr.contains("none.toml"), "{}", run.stderr);
}

#[test]
fn a_configuration_reads_nothing_outside_of_its_folder() {
    let sandbox = sandbox("format = 1\n[scan]\nrules = [\"/dev/zero\"]\n");
    assert!(scan(&sandbox, &["app"]).stderr.contains("is outside of the folder of the configuration"));
    sandbox.write("app/vyre.toml", b"format = 1\n[scan]\nrules = [\"none.toml\"]\n");
    assert!(scan(&sandbox, &["app"]).stderr.contains("names rules that are no file of its folder: app/none.toml"));
    #[cfg(unix)]
    {
        sandbox.write("outside/rules.toml", b"format = 1\n");
        std::os::unix::fs::symlink("../outside", sandbox.path("app/folder")).expect("a link");
        sandbox.write("app/vyre.toml", b"format = 1\n[scan]\nrules = [\"folder/rules.toml\"]\n");
        assert!(scan(&sandbox, &["app"]).stderr.contains("no file of its folder: app/folder/rules.toml"));
        sandbox.write("app/vyre.toml", b"format = 1\n[scan]\nrules = [\"none.toml\"]\n");
        std::os::unix::fs::symlink("/dev/zero", sandbox.path("app/none.toml")).expect("a link");
        assert!(scan(&sandbox, &["app"]).stderr.contains("names rules that are no file of its folder: app/none.toml"));
    }
}

#[test]
fn settings_among_rules_are_refused() {
    let sandbox = sandbox("format = 1\n[scan]\nexclude = [\"run.js\"]\n");
    let run = scan(&sandbox, &["clean", "--rules", "app/vyre.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("use `--config app/vyre.toml`"), "{}", run.stderr);
    sandbox.write("clean/vyre.toml", b"format = 1\n");
    let run = scan(&sandbox, &["clean", "app"]);
    assert!(
        run.stderr.contains("several folders have a configuration: app/vyre.toml, clean/vyre.toml"),
        "{}",
        run.stderr
    );
}
