//! The commands that pages show do what they are shown for.
#![cfg(feature = "jit")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_commands_of_pages_run() {
    commands_run("docs/cpu.md", 8, |_| true);
    commands_run("docs/running.md", 5, |_| true);
    commands_run("docs/graph-cli.md", 20, |_| true);
    commands_run("docs/unpack.md", 3, |_| true);
}

/// Some of these need a GPU, or a driver in its place.
#[cfg(feature = "wgpu")]
#[test]
fn on_gpu_the_commands_of_its_page_run() {
    commands_run("docs/gpu.md", 7, |_| true);
}

#[cfg(feature = "cuda")]
#[test]
fn commands_of_the_page_about_cuda_that_need_no_gpu_run() {
    commands_run("docs/cuda.md", 4, |command| !command.contains("--backend cuda"));
}

#[cfg(feature = "cuda")]
#[test]
fn on_cuda_the_commands_of_its_page_run() {
    commands_run("docs/cuda.md", 3, |command| command.contains("--backend cuda"));
}

/// Runs the commands of a page that are wanted, of which there are so many at least.
fn commands_run(page: &str, fewest: usize, is_wanted: impl Fn(&str) -> bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(page)).expect("a readable page");
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).filter(|command| is_wanted(command)).collect();
    assert!(commands.len() >= fewest, "{page} has {} commands", commands.len());
    for command in commands {
        let args = command.strip_prefix("vyre ").unwrap_or_else(|| panic!("{page}: {command}"));
        let mut vyre = Command::new(env!("CARGO_BIN_EXE_vyre"));
        let split = args.split_whitespace().map(|arg| arg.trim_matches('\''));
        let output = vyre.args(split).current_dir(&root).output().expect("the command runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        // Findings are a result, and have an exit code of their own.
        let code = if args.starts_with("graph taint ") { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{page}: {command}\n{stderr}");
        assert!(!output.stdout.is_empty(), "{page}: {command}");
    }
}
