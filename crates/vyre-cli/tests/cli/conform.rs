//! `vyre conform`: runs, certificates, failures.

use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::{Child, Command, Stdio};
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

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

    let run = sandbox.run(&["conform", "verify", "cpu.json"]);
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    assert!(
        run.text().starts_with("cpu.json: intact; the suite, its sections and all ops are those of this build\n"),
        "{}",
        run.text()
    );
    let run = sandbox.run(&["conform", "verify", "cpu.json", "--replay", "3"]);
    let message = "error: cannot replay cpu.json: the section `generated` has no checks";
    assert!(run.code == Some(2) && run.stderr.contains(message), "{}", run.stderr);

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
    for args in [&["damaged.json"][..], &["cpu.json", "damaged.json"], &["damaged.json", "--html", "damaged.html"]] {
        let run = sandbox.run(&[&["conform", "show"], args].concat());
        let message = "damaged.json is damaged: its digest is not that of the other fields";
        assert!(run.code == Some(1) && run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    assert!(sandbox.read_text("damaged.html").contains("class=\"bad\">damaged, "));
    let run = sandbox.run(&["conform", "show", "cpu.json", "--html", "./cpu.json"]);
    let message = "error: `--html` names a certificate, cpu.json";
    assert!(run.code == Some(2) && run.stderr.contains(message), "{}", run.stderr);
    assert_eq!(sandbox.run(&["conform", "verify", "cpu.json"]).code, Some(0));
}

/// Replays begin at different seeds, on the device of the certificate.
#[test]
fn programs_of_a_certificate_are_replayed() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run(&["conform", "--only", "generated", "--programs", "200", "--out", "cpu.json", "-q"]);
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let device = certificate["device"].as_str().expect("a name").to_owned();
    let replay = |count: &str| {
        let run = sandbox.run(&["conform", "verify", "cpu.json", "--replay", count]);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.text());
        run.text().lines().last().expect("a line").to_owned()
    };
    let three: Vec<String> = (0..4).map(|_| replay("3")).collect();
    for line in &three {
        let seed = line.strip_prefix("  replayed 3 programs from seed ").and_then(|rest| rest.split_once(" on, "));
        let (seed, rest) = seed.unwrap_or_else(|| panic!("{line}"));
        assert!(seed.parse::<u64>().is_ok_and(|seed| seed <= 98), "{line}");
        assert_eq!(rest, format!("backend cpu, {device}: 0 differ"));
    }
    assert!(three.iter().any(|line| *line != three[0]), "{three:?}");
    assert!(replay("1").starts_with("  replayed 1 program from seed "));
    assert_eq!(replay("2000"), format!("  replayed 200 programs from seed 0 on, backend cpu, {device}: 0 differ"));
    let run = sandbox.run(&["conform", "verify", "cpu.json", "--replay", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
}

/// Files that cannot be written are named before the run, and what fails at its end leaves the other results.
#[test]
fn results_are_not_lost() {
    let sandbox = Sandbox::new(&[("file", "old")]);
    for (args, message) in [
        (&["--out", "missing/cpu.json"][..], "cannot write missing/cpu.json: there is no folder missing"),
        (&["--junit", "."], "cannot write .: it is a directory"),
        (&["--failures", "file"], "cannot create file"),
        (&["--out", "a", "--junit", "./a"], "`--out` and `--junit` name one file, a"),
        (&["--out", "file", "--junit", "file"], "`--out` and `--junit` name one file, file"),
    ] {
        let run = sandbox.run(&[&["conform", "--only", "casts"], args].concat());
        assert_eq!((run.code, run.text()), (Some(2), ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    assert_eq!((sandbox.read_text("file"), sandbox.names()), ("old".to_owned(), vec!["file".to_owned()]));
    // The device accepts no byte.
    if cfg!(target_os = "linux") {
        let args = ["conform", "--only", "casts", "--out", "/dev/full", "--junit", "junit.xml"];
        let run = sandbox.run(&args);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("cannot write /dev/full: "), "{}", run.stderr);
        assert!(run.text().contains("verdict        partial"), "{}", run.text());
        assert!(sandbox.read_text("junit.xml").contains("</testsuites>"));
        // Programs cannot be kept in this folder.
        let run = sandbox.run(&["conform", "--only", "casts,barriers", "--running", "/proc/self"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let message = "  ended early in barriers, after 0 checks: a running program could not be stored";
        assert!(run.text().contains(message), "{}", run.text());
        let run = sandbox.run(&["conform", "repeat", "/dev/zero"]);
        let message = "error: /dev/zero is no failing program: it has more than 64 MiB";
        assert!(run.code == Some(2) && run.stderr.contains(message), "{}", run.stderr);
    }
}

/// A run without a check proves nothing.
#[test]
fn a_run_without_checks_is_not_a_success() {
    let run = Sandbox::new(&[]).run(&["conform", "--backend", "cpu", "--only", "shader-text"]);
    assert_eq!(run.code, Some(1), "{}{}", run.text(), run.stderr);
    assert!(run.text().contains("verdict        unchecked"), "{}", run.text());
}

#[test]
fn failures_are_written_and_repeated() {
    let sandbox = Sandbox::new(&[("corpus/run/sums/wrong.vyre", WRONG), ("corpus/ops/README", "none\n")]);
    let old = ["run-corpus-2.vyre", "run-corpus-2.ops.vyre", "run-corpus-10.txt", "run-corpus-a.vyre", "casts-1.vyre"];
    old.iter().for_each(|name| sandbox.write(&format!("failures/{name}"), b"old"));
    let args = ["conform", "--only", "run-corpus", "--corpus", "corpus", "--failures", "failures", "--format", "json"];
    let run = sandbox.run(&args);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("failed: run-corpus, sums: run/sums/wrong.vyre: cpu: buffer `sum` is wrong from byte 0 on"),
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
    let left: Vec<bool> = old.iter().map(|name| sandbox.path("failures").join(name).exists()).collect();
    assert_eq!(left, [false, false, false, true, true], "only failures of the section are replaced");
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

/// A program that calls an op of the library.
const CALL: &str = "// run: grid 1
// in sum = zeros: 1
// expect sum = u32: 5
workgroup_size 1, 1, 1;

buffer sum: read_write u32 @0;

entry {
    sum[0] = primitive.bitwise.or(1, 4);
}
";

/// Files of ops are no programs, ops of the library are known beside them, and a file that is wrong is a failure of the command.
#[test]
fn all_files_of_a_folder_are_repeated() {
    let op = "// op: test.unused\nworkgroup_size 1, 1, 1;\n\nbuffer out: read_write u32 @0 output;\n\nentry {\n    out[0] = 1;\n}\n";
    let files = [("a.vyre", CALL), ("a.ops.vyre", op), ("b.vyre", "no program"), ("c.vyre", "// nothing\n")];
    let sandbox = Sandbox::new(&files);
    let run = sandbox.run(&["conform", "repeat", "a.ops.vyre", "a.vyre"]);
    assert_eq!((run.code, run.text()), (Some(0), "a.vyre: 1 run with the expected results\n"), "{}", run.stderr);
    sandbox.write("wrong.vyre", WRONG.as_bytes());
    let run = sandbox.run(&["conform", "repeat", "b.vyre", "missing.vyre", "a.vyre", "wrong.vyre"]);
    assert_eq!((run.code, run.stderr.matches("error: ").count()), (Some(2), 2), "{}", run.stderr);
    assert!(
        run.stderr.contains("error: b.vyre: ") && run.stderr.contains("cannot read missing.vyre"),
        "{}",
        run.stderr
    );
    assert!(
        run.text().contains("a.vyre: 1 run ") && run.text().contains("wrong.vyre: run in line 2: "),
        "{}",
        run.text()
    );
    let run = sandbox.run(&["conform", "repeat", "a.ops.vyre"]);
    assert!(run.code == Some(2) && run.stderr.contains("no file has a program"), "{}", run.stderr);
}

/// Starts a run that would take hours, with its temporary files in the sandbox, and waits for a program of it, or of a process of it.
#[cfg(target_os = "linux")]
fn endless(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = vyre(sandbox.root());
    command.args(["conform", "--only", "generated", "--programs", "100000000000", "--out", "cpu.json"]).args(args);
    command.env("TMPDIR", sandbox.root()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("the binary starts");
    let begin = Instant::now();
    while !has_program(sandbox.root()) {
        assert!(begin.elapsed() < Duration::from_secs(60), "no program runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

#[cfg(target_os = "linux")]
fn has_program(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        path.extension().is_some_and(|extension| extension == "vyre") || (path.is_dir() && has_program(&path))
    })
}

#[cfg(target_os = "linux")]
fn send(signal: &str, id: u32) {
    let sent = Command::new("kill").args([signal, &id.to_string()]).status().expect("kill runs");
    assert!(sent.success(), "{signal}");
}

/// `timeout` sends its signal twice: to the command, and to its process group. The results so far are written all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_sent_twice_keeps_the_results() {
    let sandbox = Sandbox::new(&[]);
    let mut child = endless(&sandbox, &["--running", "running"]);
    send("-TERM", child.id());
    send("-TERM", child.id());
    assert_eq!(child.wait().expect("a status").code(), Some(130));
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    assert_eq!(certificate["sections"][0]["ended_early"], Value::from("cancelled"));
}

/// A signal to the command alone ends its processes, and their results are kept.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_an_isolating_command_keeps_the_results() {
    let sandbox = Sandbox::new(&[]);
    let mut child = endless(&sandbox, &["--isolate", "--threads", "2"]);
    std::thread::sleep(Duration::from_millis(500));
    send("-TERM", child.id());
    assert_eq!(child.wait().expect("a status").code(), Some(130));
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let section = &certificate["sections"][0];
    assert_eq!((&section["ended_early"], &section["failed"]), (&Value::from("cancelled"), &Value::from(0)));
    assert!(section["checked"].as_u64().is_some_and(|checked| checked > 0), "{section}");
    assert_eq!(sandbox.names(), ["cpu.json"], "no temporary file remains");
}

/// Processes end with a command that is killed.
#[cfg(target_os = "linux")]
#[test]
fn processes_end_with_the_command_that_started_them() {
    let sandbox = Sandbox::new(&[]);
    let mut child = endless(&sandbox, &["--isolate", "--threads", "1"]);
    send("-KILL", child.id());
    child.wait().expect("a status");
    let root = sandbox.root().to_string_lossy().into_owned();
    let is_of_run = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&root)
    };
    let begin = Instant::now();
    while std::fs::read_dir("/proc").expect("processes").flatten().any(is_of_run) {
        assert!(begin.elapsed() < Duration::from_secs(10), "a process goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Processes that fail are failures of their sections. A run of which no process works is a failure of the command.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_fails_ends_its_section() {
    let sandbox = Sandbox::new(&[]);
    // The folders of the processes are gone once the first process has ended.
    let mut child = endless(&sandbox, &["--isolate", "--threads", "1"]);
    let folders = std::fs::read_dir(sandbox.root()).expect("the folder").flatten().map(|entry| entry.path());
    let folder = folders.filter(|path| path.is_dir()).last().expect("a folder of processes");
    let certificate = folder.join("certificate.json");
    let begin = Instant::now();
    while !certificate.exists() && begin.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The parent reads the report, and starts the next process, which cannot write its own.
    while certificate.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::fs::rename(&folder, sandbox.path("moved")).expect("the folder is moved");
    std::fs::write(&folder, "no folder").expect("a file");
    assert_eq!(child.wait().expect("a status").code(), Some(1));
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let section = &certificate["sections"][0];
    assert_eq!((&section["ended_early"], &section["failed"]), (&Value::from("crash"), &Value::from(1)), "{section}");
    assert!(section["checked"].as_u64().is_some_and(|checked| checked > 1), "{section}");
    let message = section["failures"][0]["message"].as_str().expect("a text");
    assert!(message.starts_with("the process of the section failed: cannot "), "{message}");
}

#[cfg(target_os = "linux")]
fn crashing_driver(sandbox: &Sandbox) -> PathBuf {
    compiled(sandbox, "crashing_driver.c")
}

/// Compiles a fixture and returns the library.
#[cfg(target_os = "linux")]
fn compiled(sandbox: &Sandbox, name: &str) -> PathBuf {
    let library = sandbox.path(name).with_extension("so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
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
    let args = ["--only", "casts,barriers", "--isolate", "--out", "cpu.json"];
    let found = run(&args, "barrier;");
    assert_eq!(found.code, Some(1), "{}{}", found.text(), found.stderr);
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let barriers = &certificate["sections"][1];
    assert_eq!((&barriers["ended_early"], &barriers["failed"]), (&Value::from("crash"), &Value::from(1)), "{barriers}");
    let message = barriers["failures"][0]["message"].as_str().expect("a text");
    assert_eq!(message, "cpu: the process ended, signal: 11 (SIGSEGV)");
    assert_eq!(certificate["sections"][0]["checked"], Value::from(42));

    // The op of the program has failed.
    let args = ["--only", "composition", "--isolate", "--out", "cpu.json"];
    let found = run(&args, "reverse_bits(");
    assert_eq!(found.code, Some(1), "{}{}", found.text(), found.stderr);
    let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    let ops = certificate["ops"].as_array().expect("ops");
    let op = ops.iter().find(|op| op["id"] == "primitive.bitwise.reverse_bits").expect("an op of the library");
    assert_eq!((&op["verdict"], &op["counts"]["failed"]), (&Value::from("failed"), &Value::from(1)), "{op}");
}

/// Processes whose end or whose device is not what a report promises: what they show is a failure, also if another process works.
#[cfg(target_os = "linux")]
#[test]
fn isolated_processes_are_not_forgiven() {
    let sandbox = Sandbox::new(&[]);
    let driver = crashing_driver(&sandbox);
    let programs = ["--only", "generated", "--programs", "8", "--threads", "1", "--max-failures", "0"];
    let late = ["--only", "generated", "--programs", "40", "--threads", "1", "--section-seconds", "2"];
    for (args, variables, ended_early, message) in [
        // A time limit ends the section before the programs of the process have run again.
        (
            &late[..],
            &[("CRASH_ON", "// run: "), ("CRASH_ONCE", "late"), ("CRASH_AFTER", "3")][..],
            Value::from("time-limit"),
            "the process of 40 programs ended, signal: 11 (SIGSEGV), and its second run did not end",
        ),
        // The failure of a process that has made checks counts, although a second one would work.
        (
            &["--only", "barriers"],
            &[("CRASH_ON", "// run: "), ("CRASH_ONCE", "code"), ("CRASH_CODE", "2")],
            Value::from("crash"),
            "the process of the section failed: it gave no reason",
        ),
        (
            &programs,
            &[("CRASH_AT_EXIT", "1")],
            Value::Null,
            "the process ended, signal: 11 (SIGSEGV), after its checks",
        ),
        (
            &["--only", "casts"],
            &[("CRASH_THREADS", "7")],
            Value::from("crash"),
            "the process of the section failed: it ran on another device: backend cpu, CPU, 7 threads, and not ",
        ),
    ] {
        let mut command = vyre(sandbox.root());
        command.args(["conform", "--backend", "cpu", "--isolate", "--out", "cpu.json"]).args(args);
        command.env("LD_PRELOAD", &driver).envs(variables.iter().copied());
        let found = finish(&mut command);
        assert_eq!(found.code, Some(1), "{message}: {}{}", found.text(), found.stderr);
        let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
        let section = &certificate["sections"][0];
        assert_eq!((&section["ended_early"], &section["failed"]), (&ended_early, &Value::from(1)), "{section}");
        let failure = &section["failures"][0];
        assert_eq!(failure["item"], Value::from("process"));
        assert!(failure["message"].as_str().is_some_and(|text| text.starts_with(message)), "{message}: {failure}");
    }
}

/// The threads of a run are not those of the device, which processes must share with the command.
#[cfg(target_os = "linux")]
#[test]
fn isolated_processes_have_the_device_of_the_command() {
    for threads in ["1", "3"] {
        let args = ["conform", "--only", "casts,barriers", "--isolate", "--threads", threads];
        let run = Sandbox::new(&[]).run(&args);
        assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    }
}

/// A section that has nothing to do made no check, in this process or in others.
#[test]
fn a_section_without_programs_is_not_a_success() {
    let sandbox = Sandbox::new(&[]);
    for isolate in [&[][..], &["--isolate"]] {
        let args =
            ["conform", "--only", "generated,casts", "--programs", "0", "--out", "cpu.json", "--junit", "junit.xml"];
        let run = sandbox.run(&[&args[..], isolate].concat());
        assert_eq!(run.code, Some(1), "{isolate:?}: {}{}", run.text(), run.stderr);
        let certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
        let sections = certificate["sections"].as_array().expect("sections");
        let names: Vec<&Value> = sections.iter().map(|section| &section["name"]).collect();
        assert_eq!(names, ["casts", "generated"], "{isolate:?}");
        assert_eq!(certificate["verdict"], Value::from("partial"), "{isolate:?}");
        let junit = sandbox.read_text("junit.xml");
        assert_eq!(junit.matches("<error message=\"the section made no check\"/>").count(), 1, "{junit}");
    }
}

/// A signal ends a replay with its results so far. The programs of this certificate would take hours.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_replay() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run(&["conform", "--only", "generated", "--programs", "10", "--out", "cpu.json", "-q"]);
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    let mut certificate: Value = serde_json::from_str(&sandbox.read_text("cpu.json")).expect("JSON");
    certificate["programs"] = Value::from(u64::MAX);
    certificate["sections"][0]["checked"] = Value::from(u64::MAX);
    certificate["sections"][0]["skipped"] = Value::from(1);
    sandbox.write("cpu.json", certificate.to_string().as_bytes());
    let mut command = vyre(sandbox.root());
    command.args(["conform", "verify", "cpu.json", "--replay", "1000000000000"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    // The handler of signals precedes the first program.
    std::thread::sleep(Duration::from_secs(3));
    send("-TERM", child.id());
    let output = child.wait_with_output().expect("a status");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("cpu.json: damaged\n") && text.contains("  replayed "), "{text}");
    assert!(text.lines().any(|line| line.starts_with("  ended early, after ")), "{text}");
}

/// A configuration of the backend that does not open is an error. The checks that it is for would be left out silently.
#[cfg(target_os = "linux")]
#[test]
fn configurations_that_do_not_open_are_errors() {
    let sandbox = Sandbox::new(&[("right.vyre", &WRONG.replace("u32: 5", "u32: 4"))]);
    let library = compiled(&sandbox, "no_threads.c");
    for args in [&["conform", "--only", "casts"][..], &["conform", "repeat", "right.vyre"]] {
        let mut command = vyre(sandbox.root());
        command.args(args).args(["--backend", "cpu"]);
        let run = finish(command.env("LD_PRELOAD", &library).env("RAYON_NUM_THREADS", "1"));
        assert_eq!((run.code, run.text()), (Some(2), ""), "{args:?}: {}", run.stderr);
        let message = "cannot use backend `cpu`: the configuration `cpu, 2 threads, always vectorized` does not open: ";
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
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
    let sandbox =
        Sandbox::new(&[("wrong.json", "{\"format\": 9}"), ("text", "no JSON"), ("half/run/README", "no ops\n")]);
    for (args, message) in [
        (&["conform", "--only", "cast"][..], "there is no section `cast`; there are driver-probes, "),
        (&["conform", "--backend", "cpp"], "there is no backend `cpp`"),
        (&["conform", "--corpus", "missing"], "cannot read missing: it is no corpus: it has no folder `run`"),
        (&["conform", "--corpus", "half"], "cannot read half: it is no corpus: it has no folder `ops`"),
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
