//! Closed pipes, full disks, named pipes.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::harness::{INVALID, Sandbox, VALID, finish, vyre};

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let statements = "    data[0] = 1;\n".repeat(20_000);
    let source = format!("workgroup_size 1;\nbuffer data: read u32 @0;\nentry {{\n{statements}}}\n");
    let sandbox = Sandbox::new(&[("a.vyre", &source), ("valid.vyre", &source.replace("read u32", "read_write u32"))]);
    let commands: [(&[&str], i32); 7] = [
        (&["check", "--quiet", "--all", "a.vyre"], 1),
        (&["check", "--quiet", "--format", "json", "a.vyre"], 1),
        (&["convert", "a.vyre", "--to", "text"], 0),
        (&["lower", "valid.vyre", "--passes", "none"], 0),
        (&["lower", "valid.vyre", "--passes", "fold,bounds", "--dump"], 0),
        (&["lower", "valid.vyre", "--passes", "fold", "--diff"], 0),
        (&["completions", "bash"], 0),
    ];
    for (args, code) in commands {
        let mut command = vyre(sandbox.root());
        let mut child =
            command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdout = child.stdout.take().expect("standard output is a pipe");
        let _ = stdout.read(&mut [0; 10]).expect("something is written");
        drop(stdout);
        let output = child.wait_with_output().expect("the binary ends");
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn a_closed_standard_error_is_ignored() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    let mut command = vyre(sandbox.root());
    let mut child = command
        .args(["check", "-", "missing.vyre"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("the binary ends").code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let roles = ("roles.txt", "0 source\n1 sink\n");
    let sandbox = Sandbox::new(&[("a.vyre", INVALID), ("valid.vyre", VALID), ("graph.txt", "0 1\n"), roles]);
    for args in [
        &["check", "a.vyre"][..],
        &["check", "--format", "json", "a.vyre"],
        &["fmt", "--check", "-"],
        &["convert", "a.vyre", "--to", "text"],
        &["lower", "valid.vyre"],
        &["lower", "valid.vyre", "--dump"],
        #[cfg(feature = "jit")]
        &["lower", "valid.vyre", "--target", "asm"],
        &["lower", "--list-passes"],
        &["graph", "info", "graph.txt"],
        &["graph", "convert", "graph.txt"],
        &["graph", "toposort", "graph.txt", "--backend", "reference", "-q"],
        &["graph", "taint", "graph.txt", "--nodes", "roles.txt", "--backend", "reference", "-q"],
        &["graph", "taint", "graph.txt", "--nodes", "roles.txt", "--backend", "reference", "-q", "--format", "csv"],
        &["graph", "taint", "graph.txt", "--nodes", "roles.txt", "--backend", "reference", "-q", "--format", "sarif"],
        &["explain"],
        &["completions", "zsh"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device exists");
        let input = File::open(sandbox.path("a.vyre")).expect("the file exists");
        let output = vyre(sandbox.root()).args(args).stdin(input).stdout(full).output().expect("the binary starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        if args[0] == "fmt" {
            assert_eq!(output.status.code(), Some(0), "nothing to write: {stderr}");
        } else {
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            assert!(stderr.contains("cannot write to standard output"), "{stderr}");
        }
    }
}

#[test]
fn named_pipes_are_read_and_written() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    let made = Command::new("mkfifo").arg(sandbox.path("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    let mut writer = vyre(sandbox.root()).args(["convert", "a.vyre", "-o", "pipe"]).spawn().expect("the binary starts");
    let run = finish(vyre(sandbox.root()).args(["check", "pipe"]));
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains("--> pipe: entry[0]\n"), "{}", run.text());
    assert_eq!(writer.wait().expect("the binary ends").code(), Some(0));
}
