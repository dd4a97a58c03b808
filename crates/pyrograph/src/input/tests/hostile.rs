//! Hostile input: bounded time and memory, a record or problem for each, no abort.

use super::*;
use crate::coverage::SkipReason;

#[test]
fn files_that_are_not_what_they_claim_fail() {
    let elf = [&b"\x7fELF\x02\x01\x01"[..], &[0; 100]].concat();
    let input = read_files(&[
        ("elf.js", &elf),
        ("nul.js", &[0; 1000]),
        ("random.js", &[0xff; 1000]),
        ("zip.js", &zip(&[("in.js", b"1")])),
        ("._a.js", b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X"),
        ("latin.js", b"// Andr\xe9 wrote this file a long time ago\nalert(1)"),
        ("utf16.js", b"\xff\xfea\0l\0e\0r\0t\0"),
        ("bom.js", b"\xef\xbb\xbf#!/usr/bin/env node\nx"),
        ("video.ts", &[&b"G\0"[..], &[1; 186], b"G\0", &[1; 186], b"G\0"].concat()),
    ]);
    for path in ["elf.js", "nul.js", "random.js"] {
        assert!(matches!(outcome(&input, path), FileOutcome::Failed(_)), "{path}");
    }
    assert_eq!(sources(&input), ["bom.js", "latin.js", "utf16.js", "zip.js!/in.js"]);
    assert!(input.sources[0].text.starts_with("#!"));
    assert_eq!(&*input.sources[2].text, "alert");
    assert_eq!(*outcome(&input, "._a.js"), FileOutcome::Skipped(SkipReason::NotCode));
    assert_eq!(*outcome(&input, "video.ts"), FileOutcome::Skipped(SkipReason::NotCode));
    assert_eq!(input.coverage.problems.len(), 1, "the replaced character: {:?}", input.coverage.problems);
}

#[test]
fn a_hundred_thousand_entries_are_read() {
    let names: Vec<String> = (0..100_000).map(|number| format!("package/{}/{number}.js", number % 100)).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"1"[..])).collect();
    let input = read_archive("x.tgz", &tgz(&files));
    assert_eq!(input.sources.len(), 100_000);
    let resolver = Resolver::new(&input);
    for source in &input.sources {
        let name = source.path.rsplit('/').next().expect("name");
        assert_eq!(resolver.resolve(&source.path, &format!("./{name}")), Resolution::File(source.file));
    }
}

#[test]
fn deep_folders_are_read_or_reported() {
    let folder = tempfile::tempdir().expect("folder");
    let deep = "d/".repeat(1500);
    // Paths beyond the limit of the system cannot be created in one step, and are not needed: this one has 3,000 bytes.
    fs::create_dir_all(folder.path().join(&deep)).expect("folder");
    fs::write(folder.path().join(&deep).join("a.js"), "1").expect("file");
    write(folder.path(), "b.js", b"1");
    let input = read_path(folder.path());
    assert_eq!(sources(&input), ["b.js"]);
    assert!(input.coverage.is_incomplete(), "the nesting is reported");
    let name = "d/".repeat(2000) + "a.js";
    let input = read_archive("x.zip", &zip(&[(&name, b"1"), ("package.json", b"{\"name\": \"x\"}")]));
    assert_eq!(input.sources.len(), 1);
    assert_eq!(resolve(&input, &name, "../b"), "none");
    assert_eq!(resolve(&input, &name, &"../".repeat(3000)), "none");
}

#[cfg(unix)]
#[test]
fn files_with_two_names_are_scanned_once() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("src/a.js", b"1"), ("src/sub/b.js", b"1")]);
    let root = folder.path();
    symlink("..", root.join("src/sub/up")).expect("link");
    symlink("src/sub", root.join("link")).expect("link");
    for (paths, count) in [(&["src", "src/sub/up"][..], 2), (&["link", "src"], 2), (&["link", "src/sub"], 1)] {
        let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
        let input = try_read(&paths, &ScanOptions::default()).expect("input");
        assert_eq!(input.sources.len(), count, "{paths:?}: {:?}", sources(&input));
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("secret.js", b"1"), ("dir/x.js", b"1")]);
    let folder = folder(&[("src/a.js", b"1"), ("b.js", b"1")]);
    let root = folder.path();
    symlink(".", root.join("loop")).expect("link");
    symlink("src", root.join("lib")).expect("link");
    symlink("loop2", root.join("loop2")).expect("link");
    symlink(outside.path().join("secret.js"), root.join("secret.js")).expect("link");
    symlink(outside.path().join("dir"), root.join("dir")).expect("link");
    symlink("missing.js", root.join("dangling.js")).expect("link");
    let input = read_path(root);
    assert_eq!(sources(&input), ["b.js", "src/a.js"]);
    let problems: Vec<&str> = input.coverage.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["dangling.js", "dir", "loop2", "secret.js"]);
    for path in ["dangling.js", "dir", "lib", "loop", "loop2", "secret.js"] {
        assert_eq!(*outcome(&input, path), FileOutcome::Skipped(SkipReason::Link), "{path}");
    }
    assert!(!input.coverage.is_incomplete());
    assert_eq!(resolve(&input, "b.js", "./lib/a"), "src/a.js");
    assert_eq!(resolve(&input, "b.js", "./loop/loop/loop/src/a"), "src/a.js");
    assert_eq!(resolve(&input, "b.js", "./loop2/a"), "none");
    // A scanned path that is a link itself is followed.
    let link = outside.path().join("link");
    symlink(root, &link).expect("link");
    assert_eq!(sources(&read_path(&link)), ["b.js", "src/a.js"]);
}

#[cfg(unix)]
#[test]
fn folders_that_cannot_be_read_are_problems() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("closed/a.js", b"1"), ("closed.js", b"1"), ("b.js", b"1")]);
    let set = |name: &str, mode| {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).expect("mode")
    };
    set("closed", 0);
    set("closed.js", 0);
    let input = read_path(folder.path());
    let is_root = fs::read_dir(folder.path().join("closed")).is_ok();
    set("closed", 0o755);
    if is_root {
        // The superuser can read everything.
        assert_eq!(input.sources.len(), 3);
        return;
    }
    assert_eq!(sources(&input), ["b.js"]);
    assert!(matches!(outcome(&input, "closed.js"), FileOutcome::Failed(_)));
    assert_eq!(input.coverage.problems.len(), 1);
    assert!(input.coverage.is_incomplete());
}

#[test]
fn hostile_manifests_are_reported() {
    let deep = format!("{}1{}", "{\"exports\":".repeat(100_000), "}".repeat(100_000));
    let brackets = "[".repeat(100_000);
    for manifest in [deep.as_str(), &brackets, "not JSON", "", "3", "null", "\u{feff}{", "{\"name\": \"\\ud800\"}"] {
        let input = read_texts(&[("package.json", manifest), ("index.js", ""), ("tsconfig.json", manifest)]);
        assert!(input.packages.is_empty());
        assert_eq!(input.coverage.problems.len(), 1, "{:?}", input.coverage.problems);
        assert!(!input.coverage.is_incomplete());
        assert_eq!(resolve(&input, "a.js", "."), "index.js");
        assert_eq!(resolve(&input, "a.js", "#x"), "none");
    }
    let wrong = r#"{"name": {}, "main": 3, "exports": [[[7]]], "bin": [1], "scripts": "x", "dependencies": ["a"], "imports": 1}"#;
    let input = read_texts(&[("package.json", wrong), ("index.js", "")]);
    assert_eq!(input.packages.len(), 1);
    assert!(input.coverage.problems.is_empty());
    // Many keys, all of which resolve to nothing.
    let keys: String = (0..100_000).map(|number| format!("\"./{number}*\": \"./x*y*\",")).collect();
    let many = format!("{{\"name\": \"m\", \"exports\": {{{keys} \".\": \"./index.js\"}}}}");
    let input = read_texts(&[("package.json", &many), ("index.js", "")]);
    assert_eq!(resolve(&input, "a.js", "m"), "index.js");
    assert_eq!(resolve(&input, "a.js", "m/7"), "package m/7");
}

#[test]
fn manifests_cannot_form_cycles() {
    let input = read_texts(&[
        (
            "a/package.json",
            r##"{"name": "a", "main": "../b", "imports": {"#x": "#y", "#y": "#x", "#a": "a"}, "exports": {".": "a"}}"##,
        ),
        ("b/package.json", r#"{"name": "b", "main": "../a"}"#),
        ("c/package.json", r#"{"name": "c", "main": "."}"#),
        ("d/package.json", r#"{"name": "d", "main": "./index.js", "exports": "d"}"#),
        ("d/index.js", ""),
    ]);
    assert_eq!(resolve(&input, "x.js", "./a"), "none");
    assert_eq!(resolve(&input, "x.js", "a"), "package a");
    assert_eq!(resolve(&input, "x.js", "./c"), "none");
    assert_eq!(resolve(&input, "a/x.js", "#x"), "none");
    assert_eq!(resolve(&input, "a/x.js", "#a"), "package a");
    assert_eq!(resolve(&input, "x.js", "d"), "d/index.js");
}

#[test]
fn huge_files_fail_without_being_read() {
    let folder = tempfile::tempdir().expect("folder");
    // Sparse files take no disk.
    for name in ["huge.js", "huge", "huge.bin", "package.json"] {
        fs::File::create(folder.path().join(name)).and_then(|file| file.set_len(1 << 36)).expect("file");
    }
    let input = read_path(folder.path());
    assert!(matches!(outcome(&input, "huge.js"), FileOutcome::Failed(_)));
    assert_eq!(*outcome(&input, "huge.bin"), FileOutcome::Skipped(SkipReason::NotCode));
    assert_eq!(*outcome(&input, "huge"), FileOutcome::Skipped(SkipReason::NotCode));
    let problems: Vec<&str> = input.coverage.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["package.json"], "{:?}", input.coverage.problems);
    // The contents of files that are not analysed are compared, but not those of huge ones.
    let options = ScanOptions { capabilities: true, ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    let problems: Vec<&str> = input.coverage.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["huge", "huge.bin", "package.json", "package.json"], "{:?}", input.coverage.problems);
}

#[test]
fn bombs_stop_at_limits() {
    let zeros = vec![b' '; 64 << 20];
    let options = ScanOptions { memory: 32 << 20, ..ScanOptions::default() };
    let folder = folder(&[("x.zip", &zip(&[("a.js", &zeros), ("b.js", b"1")]))]);
    let input = try_read(&[folder.path().join("x.zip")], &options).expect("input");
    assert!(matches!(outcome(&input, "a.js"), FileOutcome::Failed(_)));
    assert_eq!(sources(&input), ["b.js"]);
    assert!(input.coverage.is_incomplete());
    // Archives in archives beyond the depth limit.
    let mut nested = zip(&[("a.js", b"1")]);
    for _ in 0..20 {
        nested = zip(&[("n.zip", &nested)]);
    }
    let input = read_archive("x.zip", &nested);
    assert!(input.coverage.is_incomplete(), "{:?}", outcomes(&input));
}

#[cfg(unix)]
#[test]
fn special_files_are_not_opened() {
    use crate::input::InputError;
    let folder = folder(&[("a.js", b"1")]);
    let socket = folder.path().join("socket.js");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("socket");
    let pipe = folder.path().join("pipe.js");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    let has_pipe = made.is_ok_and(|status| status.success());
    let input = read_path(folder.path());
    assert_eq!(sources(&input), ["a.js"]);
    assert_eq!(*outcome(&input, "socket.js"), FileOutcome::Skipped(SkipReason::Special));
    if has_pipe {
        assert_eq!(*outcome(&input, "pipe.js"), FileOutcome::Skipped(SkipReason::Special));
    }
    let mut paths = vec![("/dev/zero".into(), "a device"), (socket, "a socket")];
    paths.extend(has_pipe.then_some((pipe, "a pipe")));
    for (path, expected) in paths {
        match try_read(std::slice::from_ref(&path), &ScanOptions::default()) {
            Err(InputError::Special { kind, .. }) => assert_eq!(kind, expected),
            other => panic!("{path:?}: {other:?}"),
        }
    }
}
