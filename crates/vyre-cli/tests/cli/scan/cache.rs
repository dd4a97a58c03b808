//! `vyre scan --cache`.

use std::fs;

use super::{sandbox, scan};
use crate::harness::Sandbox;

const ARGUMENTS: [&str; 5] = ["app", "--format", "json", "--cache", "kept"];

/// Files of the cache.
fn kept(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path("kept")).expect("the folder exists");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_hit_gives_the_same_report() {
    let sandbox = sandbox();
    let first = scan(&sandbox, &ARGUMENTS);
    assert_eq!(first.code, Some(1), "{}", first.stderr);
    assert_eq!(kept(&sandbox).len(), 1);
    let verbose = [&ARGUMENTS[..], &["--verbose"]].concat();
    let second = scan(&sandbox, &verbose);
    assert_eq!((first.code, &first.stdout), (second.code, &second.stdout));
    assert!(second.stderr.contains("cache: the report is from "), "{}", second.stderr);
    // Other formats show the same report.
    let plain = scan(&sandbox, &["app"]);
    let cached = scan(&sandbox, &["app", "--cache", "kept"]);
    assert_eq!((plain.code, plain.text()), (cached.code, cached.text()));
    assert_eq!(kept(&sandbox).len(), 1);
}

#[test]
fn changes_miss() {
    let sandbox = sandbox();
    scan(&sandbox, &ARGUMENTS);
    let code = sandbox.read_text("app/run.js");
    sandbox.write("app/run.js", code.replace("exec(command)", "exec('ls')  ").as_bytes());
    assert_eq!(scan(&sandbox, &ARGUMENTS).code, Some(0), "a changed file");
    assert_eq!(kept(&sandbox).len(), 2);
    sandbox.write("app/run.js", code.as_bytes());
    assert_eq!(scan(&sandbox, &ARGUMENTS).code, Some(1), "the first one again");
    assert_eq!(kept(&sandbox).len(), 2);
    scan(&sandbox, &[&ARGUMENTS[..], &["--effort", "200"]].concat());
    assert_eq!(kept(&sandbox).len(), 3, "another option");
    sandbox.write("rules.toml", b"format = 1\n[[sanitizer]]\nrule = [\"xss\"]\ncall = [\"a.b\"]\n");
    scan(&sandbox, &[&ARGUMENTS[..], &["--rules", "rules.toml"]].concat());
    assert_eq!(kept(&sandbox).len(), 4, "other rules");
    sandbox.write("app/more.txt", b"");
    scan(&sandbox, &ARGUMENTS);
    assert_eq!(kept(&sandbox).len(), 5, "another file");
}

#[test]
fn damaged_files_are_ignored_with_a_note() {
    let sandbox = sandbox();
    let first = scan(&sandbox, &ARGUMENTS);
    let name = format!("kept/{}", kept(&sandbox)[0]);
    let bytes = sandbox.read(&name);
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("bytes") ^= 1;
    for damaged in [&bytes[..bytes.len() / 2], b"", &flipped, b"{}"] {
        sandbox.write(&name, damaged);
        let run = scan(&sandbox, &ARGUMENTS);
        assert_eq!((run.code, &run.stdout), (first.code, &first.stdout));
        assert!(run.stderr.contains("is damaged or of another version, and ignored"), "{}", run.stderr);
        // It is written again; only times differ.
        let run = scan(&sandbox, &ARGUMENTS);
        assert_eq!((&run.stdout, run.stderr.as_str()), (&first.stdout, first.stderr.as_str()));
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_a_failure() {
    let sandbox = sandbox();
    sandbox.write("file", b"");
    let run = scan(&sandbox, &["app", "--cache", "file"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.stderr.starts_with("error: cannot use the cache file: "), "{}", run.stderr);
    let run = scan(&sandbox, &["app", "--cache", "app/kept"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.stderr.contains("is inside of a scanned folder"), "{}", run.stderr);
}
