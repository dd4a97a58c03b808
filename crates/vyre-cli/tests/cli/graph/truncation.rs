//! A binary graph file that is truncated while it is mapped.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::{Sandbox, vyre};

#[test]
fn a_truncated_file_is_a_failure_and_no_signal() {
    let edges: String = (0..50_000).map(|node| format!("{node} {}\n", node + 1)).collect();
    let sandbox = Sandbox::new(&[("a.txt", &edges)]);
    assert_eq!(sandbox.run(&["graph", "convert", "a.txt", "--quiet", "-o", "a.vgr"]).code, Some(0));
    // The command maps the graph, and then waits for the roles of its nodes.
    let mut child = vyre(sandbox.root())
        .args(["graph", "taint", "a.vgr", "--nodes", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let maps = format!("/proc/{}/maps", child.id());
    let begin = Instant::now();
    while !std::fs::read_to_string(&maps).expect("the command waits for its input").contains("a.vgr") {
        assert!(begin.elapsed() < Duration::from_secs(60), "the file is never mapped");
        std::thread::sleep(Duration::from_millis(2));
    }
    let file = OpenOptions::new().write(true).open(sandbox.path("a.vgr")).expect("the file exists");
    file.set_len(4096).expect("it is truncated");
    // A command that has ended reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(b"0 source\n50000 sink\n");
    let output = child.wait_with_output().expect("the binary ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.ends_with("error: a.vgr was truncated while it was read\n"), "{stderr}");
}
