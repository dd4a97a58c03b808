//! The commands in the documentation succeed.
#![cfg(feature = "jit")]

use std::path::Path;
use std::process::Command;

#[test]
fn commands_of_the_documentation_succeed() {
    check_commands("docs/cpu.md", 8, |_| true);
    check_commands("docs/running.md", 5, |_| true);
    check_commands("docs/graph-cli.md", 20, |_| true);
    check_commands("docs/unpack.md", 3, |_| true);
    check_commands("docs/scan.md", 3, |_| true);
}

/// Some commands need a GPU or a software driver.
#[cfg(feature = "wgpu")]
#[test]
fn on_gpu_commands_of_the_gpu_page_succeed() {
    check_commands("docs/gpu.md", 7, |_| true);
}

#[cfg(feature = "cuda")]
#[test]
fn commands_of_the_cuda_page_without_a_gpu_succeed() {
    check_commands("docs/cuda.md", 4, |command| !command.contains("--backend cuda"));
}

#[cfg(feature = "cuda")]
#[test]
fn on_cuda_commands_of_the_cuda_page_succeed() {
    check_commands("docs/cuda.md", 3, |command| command.contains("--backend cuda"));
}

/// Runs the selected commands of a page. The page must have at least `min_commands` of them.
fn check_commands(page: &str, min_commands: usize, is_selected: impl Fn(&str) -> bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(page)).expect("a readable page");
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).filter(|command| is_selected(command)).collect();
    assert!(commands.len() >= min_commands, "{page} has {} commands", commands.len());
    for command in commands {
        let args = command.strip_prefix("vyre ").unwrap_or_else(|| panic!("{page}: {command}"));
        let mut vyre = Command::new(env!("CARGO_BIN_EXE_vyre"));
        let split = args.split_whitespace().map(|arg| arg.trim_matches('\''));
        let output = vyre.args(split).current_dir(&root).output().expect("the command runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        // Findings have exit code 1.
        let code = if args.starts_with("graph taint ") { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{page}: {command}\n{stderr}");
        assert!(!output.stdout.is_empty(), "{page}: {command}");
    }
}
