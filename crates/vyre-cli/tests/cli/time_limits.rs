//! Time limits and Ctrl-C: a command ends in every phase, whatever its compiler or device does.
//!
//! The tests assert exit codes and messages, not times. A command that does not end is killed, and its test fails.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Run, Sandbox, vyre};

/// Time after which a command counts as hung.
const MAX_TIME: Duration = Duration::from_secs(300);

/// 2^64 iterations that no compiler removes.
const ENDLESS: &str = "workgroup_size 1; buffer data: read_write u32 @0; entry { \
                       for i in 0..0xffffffff { for j in 0..0xffffffff { data[0] = data[0] * 3 + i; } } }";

/// Arguments that give the programs of this file their buffer.
const ARGS: [&str; 6] = ["run", "a.vyre", "--grid", "1", "--in", "data=zeros:64"];

/// A program near the limit of nodes: sequential loops.
#[cfg(feature = "jit")]
fn many_loops() -> String {
    let loops: String = (0..14_000).map(|at| format!("for i in 0..data[{at}] {{ data[i] = {at}; }}\n")).collect();
    format!("workgroup_size 1; buffer data: read_write u32 @0; entry {{ {loops} }}")
}

/// Waits for a command, and kills it if it hangs.
fn finish(mut child: Child) -> Run {
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut stderr = child.stderr.take().expect("a pipe");
    let stdout = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    let stderr = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if begin.elapsed() > MAX_TIME {
            child.kill().expect("the command can be killed");
            panic!("the command does not end: {:?}", stderr.join());
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    Run {
        code: status.code(),
        stdout: stdout.join().expect("the thread ends").expect("standard output"),
        stderr: stderr.join().expect("the thread ends").expect("standard error"),
    }
}

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = vyre(sandbox.root());
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

/// Runs a program that no time limit of a test permits to finish.
fn fails_in_time(program: &str, args: &[&str]) -> Run {
    let sandbox = Sandbox::new(&[("a.vyre", program), ("old.bin", "old")]);
    let run =
        finish(start(&sandbox, &[&ARGS[..], &["--out", "data=@old.bin", "--out", "data=@new.bin"], args].concat()));
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "one error: {}", run.stderr);
    assert_eq!(
        (sandbox.names(), sandbox.read_text("old.bin")),
        (vec!["a.vyre".into(), "old.bin".into()], "old".into())
    );
    run
}

#[cfg(feature = "jit")]
#[test]
fn the_time_limit_ends_a_compilation_on_the_cpu() {
    // A slow machine does not get to the compiler in time.
    let run = fails_in_time(&many_loops(), &["--backend", "cpu", "--timeout", "0.3"]);
    let is_named =
        ["reading and checking the input", "opening the device", "compiling the program"].iter().any(|phase| {
            run.stderr.contains(&format!("error: deadline exceeded: {phase} was not finished after 300 ms; "))
        });
    assert!(is_named && run.stderr.contains("--timeout"), "{}", run.stderr);
}

#[cfg(feature = "jit")]
#[test]
fn the_time_limit_ends_a_run_on_the_cpu() {
    let run = fails_in_time(ENDLESS, &["--backend", "cpu", "--timeout", "3"]);
    assert!(run.stderr.contains("error: deadline exceeded: the run was not finished after 3 s; "), "{}", run.stderr);
}

#[test]
fn the_time_limit_covers_the_wait_for_standard_input() {
    let commands: [&[&str]; 3] =
        [&["run", "-", "--grid", "1"], &["graph", "bfs", "-", "--sources", "0"], &["graph", "taint", "-"]];
    for args in commands {
        let sandbox = Sandbox::new(&[]);
        let mut command = vyre(sandbox.root());
        command.args(args).args(["--timeout", "0.1"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let stdin = child.stdin.take();
        let run = finish(child);
        drop(stdin);
        assert_eq!(run.code, Some(2), "{args:?}");
        let expected = "deadline exceeded: reading and checking the input was not finished";
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
}

/// A device that cannot cancel a run is not waited for.
#[cfg(feature = "wgpu")]
#[test]
fn the_time_limit_ends_a_run_on_gpu() {
    let run = fails_in_time(ENDLESS, &["--backend", "wgpu", "--timeout", "6"]);
    assert!(run.stderr.contains("this device cannot cancel a run"), "{}", run.stderr);
    assert!(run.stderr.contains("error: deadline exceeded: the run was not finished after 6 s; "), "{}", run.stderr);
}

/// Sends Ctrl-C after a line of standard error contains `mark`.
#[cfg(all(unix, any(feature = "jit", feature = "wgpu")))]
fn interrupted(program: &str, args: &[&str], mark: &str) -> Run {
    use std::io::{BufRead as _, BufReader};

    let sandbox = Sandbox::new(&[("a.vyre", program)]);
    let mut child = start(&sandbox, &[&ARGS[..], args].concat());
    let id = child.id().to_string();
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut before = String::new();
    while !before.contains(mark) {
        let read = lines.read_line(&mut before).expect("standard error is text");
        assert!(read > 0, "no {mark:?} in {before}");
    }
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).map(|_| rest)
    });
    let begin = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status.code();
        }
        if begin.elapsed() > MAX_TIME {
            child.kill().expect("the command can be killed");
            panic!("the command does not end after Ctrl-C: {before}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let rest = reader.join().expect("the thread ends").expect("standard error is text");
    assert_eq!(sandbox.names(), ["a.vyre"], "no temporary file remains");
    Run { code, stdout: Vec::new(), stderr: before + &rest }
}

#[cfg(all(unix, feature = "jit"))]
#[test]
fn an_interrupt_ends_a_compilation_and_a_run_on_the_cpu() {
    for program in [&many_loops(), ENDLESS] {
        let run = interrupted(program, &["--backend", "cpu", "--out", "data=@x"], "running on backend `cpu`");
        assert_eq!(run.code, Some(130), "{}", run.stderr);
        assert!(run.stderr.contains("error: ended by a signal: "), "{}", run.stderr);
    }
}

#[cfg(all(unix, feature = "wgpu"))]
#[test]
fn an_interrupt_ends_a_run_on_gpu() {
    let args = ["--backend", "wgpu", "--timeout", "600"];
    let run = interrupted(ENDLESS, &args, "this device cannot cancel a run");
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("error: ended by a signal: the run was not finished"), "{}", run.stderr);
}
