//! Exit codes of `vyre unpack`: limits, failures, invalid arguments, Ctrl-C.

use super::{below, file, gzip, nested, sandbox, stable_json, tar, unpack, zip};

#[test]
fn global_limits_stop_extraction_and_keep_finished_files() {
    let names: Vec<String> = (0..20).map(|number| format!("f{number:02}")).collect();
    let bytes = vec![7; 1000];
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*bytes)).collect();
    let sandbox = sandbox(&zip(&files));
    for (args, message) in [
        (&["--limit", "5000"][..], "bytes of output in all, where at most 5000 are allowed; see --limit"),
        (&["--entries", "7"], "entries, where at most 7 are allowed; see --entries"),
    ] {
        let out = args[0].trim_start_matches('-');
        let run = unpack(&sandbox, &[args, &["-o", out]].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let last = run.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: a: stopped at a limit: ") && last.ends_with(message), "{}", run.stderr);
        for name in below(&sandbox, out) {
            assert_eq!(sandbox.read(&format!("{out}/{name}")).len(), 1000, "{name}");
        }
        let json = stable_json(unpack(&sandbox, &[args, &["--json", "-o", "json"]].concat()).text());
        assert_eq!((&json["error"]["kind"], &json["stats"]), (&"limit".into(), &serde_json::Value::Null));
    }
}

#[test]
fn entry_limits_do_not_affect_other_entries() {
    let sandbox = sandbox(&zip(&[("large", &[7; 5000]), ("small", b"small")]));
    let run = unpack(&sandbox, &["-o", "out", "--entry-limit", "1000"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("5000 bytes of output of one entry, where at most 1000 are allowed"), "{}", run.text());
    assert!(run.text().ends_with("large: not unpacked\n"), "{}", run.text());
    assert_eq!(below(&sandbox, "out"), ["small"]);
}

#[test]
fn the_ratio_limit_stops_a_decompression_bomb() {
    let sandbox = sandbox(&gzip(&vec![0; 40 << 20]));
    let run = unpack(&sandbox, &["-o", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("for each byte of input, where at most 250 are allowed"), "{}", run.text());
    assert!(below(&sandbox, "out").is_empty());
    let run = unpack(&sandbox, &["-o", "out", "--ratio", "2000"]);
    assert_eq!((run.code, below(&sandbox, "out").len()), (Some(0), 1), "{}", run.stderr);
}

#[test]
fn archives_beyond_the_depth_limit_remain_files() {
    let sandbox = sandbox(&nested());
    let run = unpack(&sandbox, &["-o", "out", "--depth", "1"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("lib/package.tgz: at byte "), "{}", run.text());
    assert!(run.text().contains("archives nested 2 deep, where at most 1 are allowed"), "{}", run.text());
    assert_eq!(below(&sandbox, "out"), ["README.md", "empty", "lib/", "lib/package.tgz"]);
}

#[test]
fn an_unknown_format_is_a_failure() {
    let sandbox = sandbox(b"just a text");
    for args in [&["--list"][..], &["-o", "out"]] {
        let run = unpack(&sandbox, args);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert!(run.stderr.starts_with("error: a: this is no zip, tar, "), "{}", run.stderr);
    }
    assert_eq!(sandbox.names(), ["a", "secret"], "no directory is made for nothing");
    let run = sandbox.run(&["unpack", "gone.zip", "-o", "out"]);
    assert!(run.code == Some(2) && run.stderr.starts_with("error: cannot read gone.zip: "), "{}", run.stderr);
    let run = sandbox.run(&["unpack", ".", "-o", "out"]);
    assert!(run.code == Some(2) && run.stderr.contains("it is a directory"), "{}", run.stderr);
    let json = stable_json(unpack(&sandbox, &["--list", "--json"]).text());
    assert_eq!(json["error"]["kind"], "format");
}

#[test]
fn an_unwritable_target_is_a_failure() {
    let sandbox = sandbox(&nested());
    for (target, message) in [
        ("secret", "secret is a file; name a directory with `-o`"),
        ("a", "a is the archive itself; name a directory with `-o`"),
        ("secret/below", "cannot write "),
        ("-", "`-` is none"),
    ] {
        let run = unpack(&sandbox, &["-o", target]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{target}");
        assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
    }
    assert_eq!(
        (sandbox.read_text("secret"), sandbox.names()),
        ("not for archives".into(), vec!["a".into(), "secret".into()])
    );
}

#[test]
fn contradictory_arguments_are_rejected() {
    let sandbox = sandbox(&nested());
    for (args, message) in [
        (&[][..], "--output <DIR>"),
        (&["--list", "-o", "out"], "cannot be used with"),
        (&["--list", "--overwrite"], "cannot be used with"),
        (&["-o", "out", "--limit", "lots"], "write a number of bytes"),
        (&["-o", "out", "--threads", "many"], "write a number from 1 to"),
        (&["-o", "out", "--backend", "abacus"], "there is no backend `abacus`"),
        (&["-o", "out", "--device", "0"], "`--device` selects a device of one backend"),
    ] {
        let run = unpack(&sandbox, args);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
    }
    assert_eq!(sandbox.names(), ["a", "secret"]);
}

#[test]
fn an_expired_deadline_is_a_failure() {
    let sandbox = sandbox(&nested());
    let run = unpack(&sandbox, &["-o", "out", "--timeout", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("deadline exceeded"), "{}", run.stderr);
}

/// Ctrl-C during extraction: all existing files are complete. So they are after the signals of `kill` and of a closed terminal.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_complete_files() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        check_signal(signal);
    }
}

/// Starts to unpack the archive, and waits for the first output.
#[cfg(unix)]
fn unpacking(sandbox: &crate::harness::Sandbox, first: &str) -> std::process::Child {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let mut command = crate::harness::vyre(sandbox.root());
    command.args(["unpack", "a", "-o", "out", "--threads", "1"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    let begin = Instant::now();
    while !sandbox.path(first).exists() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[cfg(unix)]
fn check_signal(signal: &str) {
    use std::process::Command;

    let bytes = vec![7; 100];
    let names: Vec<String> = (0..60_000).map(|number| format!("d{}/f{number}", number % 50)).collect();
    let entries: Vec<_> = names.iter().map(|name| file(name, &bytes)).collect();
    let sandbox = sandbox(&tar(&entries));
    let child = unpacking(&sandbox, "out/d0");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output();
    let output = output.expect("the binary ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let files: Vec<String> = below(&sandbox, "out").into_iter().filter(|name| !name.ends_with('/')).collect();
    for name in &files {
        assert_eq!(sandbox.read(&format!("out/{name}")), bytes, "{name}");
    }
    // A fast machine can finish before the signal arrives.
    match output.status.code() {
        Some(130) => assert!(stderr.ends_with("error: ended by a signal: not everything is unpacked\n"), "{stderr}"),
        code => assert_eq!((code, files.len()), (Some(0), 60_000), "{stderr}"),
    }
}

/// An archive that is truncated while it is mapped ends the command with an exit code, and not with the signal `SIGBUS`.
#[cfg(unix)]
#[test]
fn an_archive_that_is_truncated_while_it_is_read_is_a_failure() {
    let bytes = vec![7; 1 << 16];
    let names: Vec<String> = (0..1_000).map(|number| format!("f{number}")).collect();
    let entries: Vec<_> = names.iter().map(|name| file(name, &bytes)).collect();
    // Large files are mapped.
    let sandbox = sandbox(&tar(&entries));
    let child = unpacking(&sandbox, "out/f0");
    let archive = std::fs::OpenOptions::new().write(true).open(sandbox.path("a")).expect("the archive exists");
    archive.set_len(4096).expect("it is truncated");
    let output = child.wait_with_output().expect("the binary ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        // The access faults, or the system refuses to write from the map.
        Some(2) => {
            let is_known = stderr.contains("truncated while it was read") || stderr.contains("cannot write");
            assert!(is_known, "{stderr}");
        }
        // A fast machine can finish before.
        code => assert_eq!((code, below(&sandbox, "out").len()), (Some(0), 1_000), "{stderr}"),
    }
}
