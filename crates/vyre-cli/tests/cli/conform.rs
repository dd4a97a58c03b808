//! `vyre conform`: runs, certificates, failures.

use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Command;

use serde_json::Value;

use crate::browser;
use crate::harness::Sandbox;
#[cfg(target_os = "linux")]
use crate::harness::{finish, vyre};

/// A corpus with a program whose expectation is wrong.
const WRONG: &str = "// The sum of two numbers, with a wrong result.
// run: grid 1
// in numbers = u32: 2, 2
// in sum = zeros: 1
// expect sum = u32: 5
workgroup_size 1, 1, 1;

buffer numbers: read u32 @0;
buffer sum: read_write u32 @1;

entry {
    sum[0] = numbers[0] + numbers[1];
}
";

#[test]
fn a_run_writes_a_certificate_that_can_be_verified_and_shown() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run(&["conform", "--only", "casts", "--out", "cpu.json", "--junit", "junit.xml"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.text());
    assert!(run.text().contains("verdict        partial") && run.text().contains("  left out: driver-probes, "));
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    assert_eq!((&certificate["backend"], &certificate["level"]), (&Value::from("cpu"), &Value::from("quick")));
    assert_eq!(certificate["sections"][0]["checked"], Value::from(42));
    let junit = sandbox.read_text("junit.xml");
    let junit = roxmltree::Document::parse(&junit).expect("XML");
    let cases = junit.descendants().filter(|node| node.has_tag_name("testcase")).count();
    assert_eq!(cases, 42);

    let run = sandbox.run(&["conform", "verify", "cpu.json", "--replay", "3"]);
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    assert!(run.text().starts_with("cpu.json: intact, and nothing has changed since\n"), "{}", run.text());
    assert!(run.text().contains("  replayed 3 programs from seed ") && run.text().contains(": 0 differ"));

    let run = sandbox.run(&["conform", "show", "cpu.json"]);
    assert!(run.code == Some(0) && run.text().contains("backend        cpu"), "{}", run.text());
    let run = sandbox.run(&["conform", "show", "cpu.json", "cpu.json"]);
    assert!(run.code == Some(0) && run.text().contains("section casts"), "{}", run.text());
    let run = sandbox.run(&["conform", "show", "cpu.json", "--html", "page.html"]);
    assert_eq!((run.code, run.text()), (Some(0), ""));
    assert!(sandbox.read_text("page.html").starts_with("<!doctype html>"));

    let damaged = sandbox.read_text("cpu.json").replacen("\"seed\": 0", "\"seed\": 1", 1);
    sandbox.write("damaged.json", damaged.as_bytes());
    let run = sandbox.run(&["conform", "verify", "damaged.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("damaged.json: damaged\n  the digest is not that of"), "{}", run.text());
}

#[test]
fn failures_are_written_and_repeated() {
    let sandbox = Sandbox::new(&[("corpus/run/sums/wrong.vyre", WRONG), ("corpus/ops/README", "none\n")]);
    let args = ["conform", "--only", "run-corpus", "--corpus", "corpus", "--failures", "failures", "--format", "json"];
    let run = sandbox.run(&args);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("failed: run-corpus, sums: cpu: buffer `sum` is wrong from byte 0 on"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("1 failure in failures"), "{}", run.stderr);
    let certificate: Value = serde_json::from_str(run.text()).expect("JSON");
    let example = &certificate["sections"][0]["failures"][0]["example"];
    assert_eq!(
        (&example["expected"], &example["observed"]),
        (&Value::from("05 00 00 00"), &Value::from("04 00 00 00"))
    );
    let program = sandbox.read_text("failures/run-corpus-1.vyre");
    let repeat = "// Repeat: vyre conform repeat failures/run-corpus-1.vyre --backend auto\n";
    assert!(program.contains("// Expected: 05 00 00 00\n") && program.contains(repeat), "{program}");

    let run = sandbox.run(&["conform", "repeat", "failures/run-corpus-1.vyre", "--backend", "auto"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("`sum` differs from byte 0 on"), "{}", run.text());
    sandbox.write("right.vyre", WRONG.replace("u32: 5", "u32: 4").as_bytes());
    let run = sandbox.run(&["conform", "repeat", "right.vyre", "--backend", "reference"]);
    assert_eq!((run.code, run.text()), (Some(0), "right.vyre: 1 run with the expected results\n"));
}

/// Compiles `crashing_driver.c` and returns the library.
#[cfg(target_os = "linux")]
fn crashing_driver(sandbox: &Sandbox) -> PathBuf {
    let library = sandbox.path("crashing_driver.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/crashing_driver.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    let output = compiler.output().expect("the C compiler that links Rust programs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// A driver that ends the process on some programs: the other programs are checked, and those that end it are found and reduced.
#[cfg(target_os = "linux")]
#[test]
fn isolated_processes_survive_a_driver_that_crashes() {
    let sandbox = Sandbox::new(&[]);
    let driver = crashing_driver(&sandbox);
    let run = |args: &[&str], text: &str| {
        let mut command = vyre(sandbox.root());
        command.arg("conform").args(args).env("LD_PRELOAD", &driver).env("CRASH_ON", text);
        finish(&mut command)
    };
    let args = ["--only", "generated", "--programs", "40", "--threads", "2", "--isolate", "--failures", "failures"];
    let found = run(&[&args[..], &["--out", "cpu.json"]].concat(), "reverse_bits(");
    assert_eq!(found.code, Some(1), "{}{}", found.text(), found.stderr);
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let section = &certificate["sections"][0];
    let count = |field: &str| section[field].as_u64().expect("a number");
    assert_eq!((count("checked") + count("skipped"), section.get("ended_early")), (40, None), "{section}");
    assert!((1..20).contains(&count("failed")), "{section}");
    let failures = section["failures"].as_array().expect("failures");
    assert_eq!(failures.len() as u64, count("failed"));
    for (index, failure) in failures.iter().enumerate() {
        let message = failure["message"].as_str().expect("a text");
        assert!(message.contains(": the process ended, signal: 11 (SIGSEGV)"), "{message}");
        assert_eq!(failure["example"]["is_reduced"], Value::from(true), "{failure}");
        let program = sandbox.read_text(&format!("failures/generated-{}.vyre", index + 1));
        assert!(program.contains("reverse_bits(") && program.lines().count() < 30, "{program}");
    }
    // The file ends a process again, and does not without the driver.
    let repeat = ["repeat", "failures/generated-1.vyre", "--backend", "cpu"];
    assert_eq!(run(&repeat, "reverse_bits(").code, None);
    assert_eq!(run(&repeat, "no program has this").code, Some(0));

    // A section that is one process loses the checks after the crash, and says so.
    sandbox.write("corpus/run/sums/wrong.vyre", WRONG.replace("u32: 5", "u32: 4").as_bytes());
    sandbox.write("corpus/ops/README", b"none\n");
    let args = ["--only", "run-corpus,casts", "--corpus", "corpus", "--isolate", "--out", "cpu.json"];
    let found = run(&args, "+ numbers[1]");
    assert_eq!(found.code, Some(1), "{}{}", found.text(), found.stderr);
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let corpus = &certificate["sections"][0];
    assert_eq!((&corpus["ended_early"], &corpus["failed"]), (&Value::from("crash"), &Value::from(1)), "{corpus}");
    assert_eq!(certificate["sections"][1]["checked"], Value::from(42));
}

/// A section that reaches its limit is not passed, and the certificate has what was checked.
#[test]
fn a_section_ends_at_its_limit() {
    let sandbox = Sandbox::new(&[]);
    let args = ["conform", "--only", "generated", "--programs", "1000000000", "--section-seconds", "3"];
    let run = sandbox.run(&[&args[..], &["--out", "cpu.json"]].concat());
    assert_eq!(run.code, Some(1), "{}{}", run.text(), run.stderr);
    assert!(run.text().contains("verdict        interrupted"), "{}", run.text());
    assert!(run.text().contains("checks: the time limit of a section was reached"), "{}", run.text());
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let section = &certificate["sections"][0];
    assert_eq!((&section["ended_early"], &section["failed"]), (&Value::from("time-limit"), &Value::from(0)));
    assert!(section["checked"].as_u64().is_some_and(|checked| checked > 0), "{section}");
}

/// Chromium opens the page of several certificates: those of the documentation, and of runs that failed and that ended early.
/// `.ci/browser/certificates.mjs` has the checks.
#[test]
fn in_browser_certificates_are_shown() {
    let Some(folder) = browser::folder("certificates") else { return };
    let hostile = "corpus/run/sums/<img src=x onerror=window.ran=1>.vyre";
    let hostile_text = WRONG.replace("workgroup_size 1, 1, 1;", "workgroup_size <script>;");
    let sandbox = Sandbox::new(&[("corpus/run/sums/wrong.vyre", WRONG), (hostile, &hostile_text)]);
    sandbox.write("corpus/ops/README", b"none\n");
    for (out, code, args) in [
        ("partial.json", 0, &["--only", "casts"][..]),
        ("failed.json", 1, &["--only", "run-corpus", "--corpus", "corpus"]),
        ("interrupted.json", 1, &["--only", "generated", "--programs", "1000000000", "--section-seconds", "2"]),
    ] {
        let run = sandbox.run(&[&["conform", "--out", out], args].concat());
        assert_eq!(run.code, Some(code), "{out}: {}", run.stderr);
    }
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/certificates");
    let committed = std::fs::read_dir(committed).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<String> = committed
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    files.sort();
    files.extend(["partial.json", "failed.json", "interrupted.json"].map(str::to_owned));
    let args: Vec<&str> = files.iter().map(String::as_str).collect();
    let run = sandbox.run(&[&["conform", "show", "--html", "page.html"], &args[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let certificate = |file: &String| -> Value {
        let text = match Path::new(file).is_absolute() {
            true => std::fs::read_to_string(file).expect("a certificate"),
            false => sandbox.read_text(file),
        };
        serde_json::from_str(&text).expect("JSON")
    };
    let certificates: Vec<Value> = files.iter().map(certificate).collect();
    std::fs::write(folder.join("page.html"), sandbox.read_text("page.html")).expect("the page is kept");
    std::fs::write(folder.join("certificates.json"), Value::from(certificates).to_string()).expect("they are kept");
    let text = browser::check("certificates", &folder);
    assert!(text.contains("passed: shows_every_section_and_verdict"), "{text}");
}

#[test]
fn what_is_wrong_is_named() {
    let sandbox = Sandbox::new(&[("wrong.json", "{\"format\": 9}"), ("text", "no JSON")]);
    for (args, message) in [
        (&["conform", "--only", "cast"][..], "there is no section `cast`; there are driver-probes, "),
        (&["conform", "--backend", "cpp"], "there is no backend `cpp`"),
        (&["conform", "--corpus", "missing"], "cannot read missing"),
        (&["conform", "show", "wrong.json"], "the certificate has form 9, and this build reads form 1"),
        (&["conform", "show", "text"], "cannot read text: this is no certificate"),
        (&["conform", "verify", "missing.json"], "cannot read missing.json"),
        (&["conform", "repeat", "missing.vyre"], "cannot read missing.vyre"),
    ] {
        let run = sandbox.run(args);
        assert!(run.code == Some(2) && run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    let run = sandbox.run(&["conform", "--list"]);
    assert_eq!(run.code, Some(0));
    for section in ["run-corpus", "laws", "graph-archetypes", "shader-text", "generated"] {
        assert!(run.text().lines().any(|line| line.starts_with(section)), "{section}: {}", run.text());
    }
}
