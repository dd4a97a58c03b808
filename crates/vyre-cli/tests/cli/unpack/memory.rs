//! `vyre unpack` with little memory: an error with a sentence, and no crash.

#![cfg(target_os = "linux")]

use std::process::Command;

use super::{TarEntry, file, gzip, sandbox, tar, zip};
use crate::harness::{Run, Sandbox, finish};

/// Runs `vyre unpack a` with this limit on its address space, in MiB.
fn limited(sandbox: &Sandbox, mebibytes: u64, args: &[&str]) -> Run {
    let script = "ulimit -c 0; ulimit -v \"$1\"; shift; exec \"$@\"";
    let mut command = Command::new("sh");
    command.current_dir(sandbox.root()).args(["-c", script, "sh", &(mebibytes * 1024).to_string()]);
    // Arenas of the allocator reserve address space that has no memory.
    command.env("MALLOC_ARENA_MAX", "1").arg(env!("CARGO_BIN_EXE_vyre"));
    finish(command.args(["unpack", "a", "--quiet", "--threads", "1"]).args(args))
}

/// The smallest limit with which a list of this archive is complete.
fn smallest(archive: &[u8], args: &[&str]) -> u64 {
    let sandbox = sandbox(archive);
    let (mut failing, mut complete) = (8u64, 2048u64);
    while complete - failing > 1 {
        let middle = failing.midpoint(complete);
        if limited(&sandbox, middle, args).code == Some(0) { complete = middle } else { failing = middle }
    }
    complete
}

/// The table of entries is the largest part of the memory: entries without bytes and with long names. Between the memory that
/// an archive of one entry needs and the memory that all entries need, the command ends with a sentence and not with a signal.
#[test]
fn refused_memory_for_the_table_of_entries_is_an_error() {
    let names: Vec<String> = (0..60_000).map(|number| format!("{}/{number}", "n".repeat(85))).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let entries: Vec<TarEntry<'_>> = names.iter().map(|name| file(name, b"")).collect();
    let args = ["--list", "--no-nested"];
    let small = smallest(&zip(&files[..1]), &args);
    for (format, archive) in [("zip", zip(&files)), ("tar.gz", gzip(&tar(&entries)))] {
        let all = smallest(&archive, &args);
        assert!(all > small + 8, "{format}: {small} and {all} MiB");
        let sandbox = sandbox(&archive);
        let mut refusals = 0;
        for mebibytes in small + 2..all {
            let run = limited(&sandbox, mebibytes, &args);
            // The layout of the address space differs from run to run, so that the list may be complete here.
            if run.code == Some(0) {
                continue;
            }
            // A stream without space for its output is a problem of that stream.
            assert!(matches!(run.code, Some(1 | 2)), "{format}, {mebibytes} MiB: {:?}, {}", run.code, run.stderr);
            let is_refusal = run.stderr.contains("the system refuses") || run.text().contains("the system refuses");
            assert!(is_refusal || run.stderr.contains("error: "), "{format}, {mebibytes} MiB: {}", run.stderr);
            refusals += u32::from(is_refusal);
        }
        assert!(refusals > 0, "{format}: no refusal between {small} and {all} MiB");
    }
}
