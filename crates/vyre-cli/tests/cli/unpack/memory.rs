//! `vyre unpack` with little memory: an error with a sentence, and no crash.

use std::process::Command;

use super::{gzip, sandbox, tar, zip};
use crate::harness::{Run, finish};

/// Runs `vyre unpack a` with this limit on its address space, in MiB.
fn limited(sandbox: &crate::harness::Sandbox, mebibytes: u64, args: &[&str]) -> Run {
    let script = "ulimit -c 0; ulimit -v \"$1\"; shift; exec \"$@\"";
    let mut command = Command::new("sh");
    command.current_dir(sandbox.root()).args(["-c", script, "sh", &(mebibytes * 1024).to_string()]);
    // Arenas of the allocator reserve address space that has no memory.
    command.env("MALLOC_ARENA_MAX", "1").arg(env!("CARGO_BIN_EXE_vyre"));
    finish(command.args(["unpack", "a", "--quiet", "--threads", "1"]).args(args))
}

/// The table of entries is the largest part of the memory: entries without bytes and with long names.
#[test]
#[cfg(target_os = "linux")]
fn refused_memory_for_the_table_of_entries_is_an_error() {
    let names: Vec<String> = (0..40_000).map(|number| format!("{}/{number}", "n".repeat(85))).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let entries: Vec<super::TarEntry<'_>> = names.iter().map(|name| super::file(name, b"")).collect();
    for (format, archive) in [("zip", zip(&files)), ("tar.gz", gzip(&tar(&entries)))] {
        let sandbox = sandbox(&archive);
        // The smallest space with which the list is complete, to within a mebibyte.
        let (mut failing, mut complete) = (16, 1024);
        let mut refusals = 0;
        while complete - failing > 1 {
            let middle = failing.midpoint(complete);
            let run = limited(&sandbox, middle, &["--list", "--no-nested"]);
            match run.code {
                Some(0) => complete = middle,
                Some(2) => {
                    refusals += u32::from(run.stderr.contains("the system refuses"));
                    failing = middle;
                }
                code => panic!("{format}, {middle} MiB: {code:?}, {}", run.stderr),
            }
        }
        assert!(refusals > 0, "{format}: no refusal between {failing} and {complete} MiB");
    }
}
