//! Outputs: files that are not replaced, names of files that fail, names that are not UTF-8.

use super::{sandbox, scan};
use crate::harness::Sandbox;

#[test]
fn an_output_replaces_no_file_that_is_scanned() {
    let sandbox = sandbox();
    let page = "<script>eval(location.hash)</script>\n";
    let script = "#!/usr/bin/env node\nf();\n";
    for (name, text) in [("page.html", page), ("tool", script), ("package.json", "{}\n"), ("vyre.toml", "format = 1\n")]
    {
        sandbox.write(&format!("app/{name}"), text.as_bytes());
    }
    for name in ["index.js", "page.html", "tool", "package.json", "vyre.toml"] {
        let output = format!("app/{name}");
        let before = sandbox.read(&output);
        let run = scan(&sandbox, &["app", "--format", "html", "-o", &output]);
        assert_eq!(run.code, Some(2), "{name}");
        let error = format!("error: {output} is one of the files that are scanned; name another file with `-o`\n");
        assert_eq!(run.stderr, error, "{name}");
        assert_eq!(sandbox.read(&output), before, "{name}");
    }
    // Reports of earlier scans are replaced, also inside of the folder.
    for (format, name) in [("html", "app/report.html"), ("sarif", "app/report.sarif"), ("text", "app/report.txt")] {
        for _ in 0..2 {
            let run = scan(&sandbox, &["app", "--format", format, "-o", name]);
            assert_eq!(run.code, Some(1), "{name}: {}", run.stderr);
        }
    }
    sandbox.write("other.toml", b"format = 1\n");
    let run = scan(&sandbox, &["app", "--config", "other.toml", "-o", "other.toml"]);
    assert!(run.stderr.contains("other.toml is the input itself"), "{}", run.stderr);
}

#[test]
fn an_incomplete_scan_names_the_files_on_standard_error() {
    let files: Vec<(String, &str)> = (0..8).map(|number| (format!("app/bad{number}.js"), "f(;\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let sandbox = Sandbox::new(&files);
    for format in ["text", "sarif"] {
        let run = scan(&sandbox, &["app", "--format", format, "--quiet"]);
        assert_eq!(run.code, Some(2));
        let lines: Vec<&str> = run.stderr.lines().collect();
        let error = "error: some code was not analysed, so findings may be missing; --allow-incomplete accepts it";
        assert_eq!((lines.len(), lines[0]), (7, error), "{}", run.stderr);
        assert!(lines[1].starts_with("  bad0.js: syntax error on line 1: "), "{}", run.stderr);
        assert_eq!(lines[6], "  and 3 more; the report lists all");
    }
    assert_eq!(scan(&sandbox, &["app", "--quiet", "--allow-incomplete"]).stderr, "");
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_stay_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new(&[("app/\u{1b}[31m.js", "f(;\n")]);
    for (name, argument) in [(&b"a\xff.js"[..], 2), (b"a\xfe.js", 3), (b"a\\xff.js", 4)] {
        let text = format!("require('child_process').exec(process.argv[{argument}]);\n");
        let path = sandbox.path("app").join(OsStr::from_bytes(name));
        if std::fs::write(path, text).is_err() {
            // Some file systems have names in UTF-8 only.
            return;
        }
    }
    let run = scan(&sandbox, &["app", "--format", "github", "--allow-incomplete"]);
    for part in ["::error file=app/a\\xff.js,", "::error file=app/a\\xfe.js,", "::error file=app/a\\x5cxff.js,"] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert!(
        run.text().contains("::error file=app/\\u{1b}[31m.js,title=Code that was not analysed::"),
        "{}",
        run.text()
    );
    assert!(!run.text().contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{:?}", run.stdout);
}

#[test]
fn lock_files_of_others_are_named() {
    let sandbox = Sandbox::new(&[("yarn.lock", ""), ("pnpm-lock.yaml", ""), ("poetry.lock", "")]);
    for (file, program, advice) in [
        ("yarn.lock", "Yarn", "npm install --package-lock-only"),
        ("pnpm-lock.yaml", "pnpm", "npm install --package-lock-only"),
        ("poetry.lock", "Poetry", "vyre scan pypi:NAME==VERSION"),
    ] {
        let run = sandbox.run(&["scan", "--lockfile", file]);
        assert_eq!(run.code, Some(2));
        let start = format!(
            "error: cannot read the lockfile {file}: it is a file of {program}, and --lockfile reads `package-lock.json` "
        );
        assert!(run.stderr.starts_with(&start) && run.stderr.contains(advice), "{}", run.stderr);
    }
}

#[test]
fn a_configuration_decides_which_findings_fail() {
    let sandbox = sandbox();
    sandbox.write("app/vyre.toml", b"format = 1\n[scan]\nfail-on = \"none\"\n");
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.text().contains("configuration app/vyre.toml: fail on none\n"), "{}", run.text());
    assert_eq!(scan(&sandbox, &["app", "--fail-on", "high"]).code, Some(1));
    assert_eq!(scan(&sandbox, &["app", "--fail-on", "note"]).code, Some(1));
    // A comparison does not use it.
    assert_eq!(scan(&sandbox, &["app", "--compare", "clean"]).code, Some(1));
    sandbox.write("app/vyre.toml", b"format = 1\n[scan]\nfail-on = \"hihg\"\n");
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("app/vyre.toml:3:") && run.stderr.contains("`high`"), "{}", run.stderr);
}
