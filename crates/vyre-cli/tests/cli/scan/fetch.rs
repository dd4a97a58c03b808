//! Packages of registries, fetched with programs that stand for npm and pip.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::harness::{Run, Sandbox, archive_of, finish, vyre};

const VULNERABLE: &str = "require('child_process').exec(process.argv[2]);\n";

/// Writes a program that is found in PATH.
pub(super) fn program(sandbox: &Sandbox, name: &str, script: &str) {
    sandbox.write(&format!("bin/{name}"), format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}").as_bytes());
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path(&format!("bin/{name}")), permissions).expect("permissions");
}

/// An archive of npm with one file.
pub(super) fn archive(code: &str) -> Vec<u8> {
    archive_of([("package/index.js", code.as_bytes())])
}

/// A sandbox whose npm writes its arguments and puts an archive into the folder behind `--pack-destination`.
fn npm() -> Sandbox {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("registry/index.tgz", &archive(VULNERABLE));
    let root = sandbox.root().display().to_string();
    program(
        &sandbox,
        "npm",
        &format!(
            "printf '%s\\n' \"$@\" > '{root}/arguments'\nwhile [ \"$1\" != --pack-destination ]; do shift; done\ncp '{root}/registry/index.tgz' \"$2/small-1.0.0.tgz\"\n"
        ),
    );
    sandbox
}

pub(super) fn scan(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let mut command = vyre(sandbox.root());
    command.env("PATH", sandbox.path("bin")).env("TMPDIR", sandbox.root()).arg("scan").args(arguments);
    finish(&mut command)
}

#[test]
fn npm_fetches_an_archive() {
    let sandbox = npm();
    let run = scan(&sandbox, &["npm:@scope/small@1.0.0"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("--> package/index.js:1:1"), "{}", run.text());
    assert_eq!(run.stderr, "fetched npm:@scope/small@1.0.0: small-1.0.0.tgz\n");
    let arguments = sandbox.read_text("arguments");
    let arguments: Vec<&str> = arguments.lines().collect();
    assert_eq!(arguments[..2], ["pack", "--ignore-scripts"]);
    assert_eq!(arguments[arguments.len() - 2..], ["--", "@scope/small@1.0.0"]);
    // The folder of the archive is removed.
    assert_eq!(sandbox.names(), ["arguments", "bin", "registry"]);
}

#[test]
fn a_package_is_compared_with_an_archive() {
    let sandbox = npm();
    sandbox.write("old.tgz", &archive("console.log(1);\n"));
    let run = scan(&sandbox, &["npm:small", "--compare", "old.tgz"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("+ process         child_process.exec"), "{}", run.text());
    assert!(run.text().contains("npm:small: scanned 1 file"), "{}", run.text());
}

#[test]
fn errors_of_npm_are_passed_on() {
    let sandbox = Sandbox::new(&[]);
    program(&sandbox, "npm", "echo 'npm error code E404' >&2\necho 'npm error 404 no such package' >&2\nexit 1\n");
    let run = scan(&sandbox, &["npm:small@9.9.9"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert_eq!(
        run.stderr,
        "error: cannot fetch npm:small@9.9.9: `npm pack` failed with exit code 1:\n  npm error code E404\n  npm error 404 no such package\n"
    );
    program(&sandbox, "npm", "exit 0\n");
    let run = scan(&sandbox, &["npm:small"]);
    assert_eq!(
        run.stderr,
        "error: cannot fetch npm:small: `npm pack` ended without an error, but fetched no archive\n"
    );
}

#[test]
fn missing_programs_are_named() {
    let sandbox = Sandbox::new(&[("bin/none", "")]);
    for (package, program) in [("npm:small", "npm"), ("pypi:small==1.0", "pip")] {
        let run = scan(&sandbox, &[package]);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        let start = format!("error: cannot fetch {package}: `{program}` is not installed, or not in PATH; ");
        assert!(run.stderr.starts_with(&start), "{}", run.stderr);
    }
}

#[test]
fn pip_fetches_wheels_only() {
    let sandbox = Sandbox::new(&[]);
    let mut wheel = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    wheel.start_file("small.py", zip::write::SimpleFileOptions::default()).expect("an entry");
    std::io::Write::write_all(&mut wheel, b"import os, sys\nos.system(sys.argv[1])\n").expect("bytes");
    sandbox.write("registry/small.whl", &wheel.finish().expect("a zip").into_inner());
    let root = sandbox.root().display().to_string();
    program(
        &sandbox,
        "pip3",
        &format!(
            "printf '%s\\n' \"$@\" > '{root}/arguments'\nwhile [ \"$1\" != --dest ]; do shift; done\ncp '{root}/registry/small.whl' \"$2/small-1.0-py3-none-any.whl\"\n"
        ),
    );
    let run = scan(&sandbox, &["pypi:small==1.0"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("--> small.py:2:1"), "{}", run.text());
    let arguments = sandbox.read_text("arguments");
    assert!(arguments.starts_with("download\n--no-deps\n--only-binary\n:all:\n"), "{arguments}");
    assert!(arguments.ends_with("--\nsmall==1.0\n"), "{arguments}");
}

#[test]
fn source_archives_of_python_are_refused() {
    let sandbox = Sandbox::new(&[]);
    program(&sandbox, "pip", "echo 'ERROR: No matching distribution found for small==1.0' >&2\nexit 1\n");
    let run = scan(&sandbox, &["pypi:small==1.0"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    for part in
        ["no wheel of it", "pip runs its code", "download that of small with a browser", "No matching distribution"]
    {
        assert!(run.stderr.contains(part), "{part} is missing:\n{}", run.stderr);
    }
}

#[test]
fn names_are_checked_before_npm_runs() {
    let sandbox = npm();
    for package in ["npm:--registry=https://example.com", "npm:../small", "npm:a@^1", "pypi:-r", "npm:a;b", "npm:a==1"]
    {
        let run = scan(&sandbox, &[package]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{package}");
        assert!(run.stderr.contains("the form is "), "{}", run.stderr);
    }
    assert_eq!(sandbox.names(), ["bin", "registry"], "npm did not run");
    let run = scan(&sandbox, &["npm:small", "registry"]);
    assert_eq!(run.stderr, "error: npm:small is a package of a registry, which must be the only path of a scan\n");
    // A path is a path.
    sandbox.write("npm:local/index.js", b"f();\n");
    assert_eq!(scan(&sandbox, &["npm:local"]).code, Some(0));
}

/// npm and pip read files of the current folder in place of packages, and Python reads modules of it.
#[test]
fn programs_run_in_an_empty_folder() {
    let sandbox = npm();
    let root = sandbox.root().display().to_string();
    let script = sandbox.read_text("bin/npm").replace("#!/bin/sh\nPATH=/usr/bin:/bin\n", "");
    program(&sandbox, "npm", &format!("ls -A > '{root}/listing'\n{script}"));
    assert_eq!(scan(&sandbox, &["npm:small@1.0.0"]).code, Some(1));
    assert_eq!(sandbox.read_text("listing"), "");
    for path in ["npm:small.tgz", "npm:small@1.tgz", "pypi:small.zip", "pypi:small==1.whl"] {
        let run = scan(&sandbox, &[path]);
        assert_eq!(run.code, Some(2), "{path}: {}", run.text());
    }
}
