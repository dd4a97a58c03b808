//! `vyre graph`: every command on small graphs, and errors of arguments and files.

mod algorithms;
mod analyses;
mod drawings;
mod errors;
mod files;
mod forms;
mod other_tools;
mod packages;
mod paths;
mod ranks;
mod reverse;
mod searches;
#[cfg(feature = "tables")]
mod tables;
mod taint;
mod time;
mod truncation;

use std::path::Path;

use crate::harness::{Run, finish, vyre};

/// Backends that need no GPU.
pub(super) const BACKENDS: &[&str] = if cfg!(feature = "jit") { &["reference", "cpu"] } else { &["reference"] };

/// Runs a command of `vyre graph`, split at blanks, in the directory of the examples.
pub(super) fn on_examples(command: &str) -> Run {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    finish(vyre(&examples).arg("graph").args(command.split(' ')))
}

/// Expects exit code 2, no standard output, and an error that contains this message.
#[track_caller]
pub(super) fn fails(run: &Run, message: &str) {
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    let last = run.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && last.contains(message), "no {message:?} in {}", run.stderr);
}
