//! `vyre unpack` with little memory: an error with a sentence, and no crash.

#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::LazyLock;

use super::many_entries::{cfb, iso, rpm, squashfs};
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

/// The smallest limit above `failing` with which a list of this archive is complete.
fn smallest(archive: &[u8], mut failing: u64) -> u64 {
    let sandbox = sandbox(archive);
    let mut complete = failing + 256;
    while complete - failing > 1 {
        let middle = failing.midpoint(complete);
        if limited(&sandbox, middle, &LIST).code == Some(0) { complete = middle } else { failing = middle }
    }
    complete
}

/// The smallest limit with which an archive of one entry is listed.
fn smallest_of_all() -> u64 {
    static SMALLEST: LazyLock<u64> = LazyLock::new(|| smallest(&zip(&[("a", b"")]), 8));
    *SMALLEST
}

/// The tables of entries are the largest part of the memory: entries without bytes and with long names. Between the memory that
/// an archive of one entry needs and the memory that all entries need, the command ends with a sentence and not with a signal.
fn assert_refused(format: &str, archive: &[u8]) {
    let small = smallest_of_all();
    let all = smallest(archive, small);
    assert!(all > small + 4, "{format}: {small} and {all} MiB");
    let sandbox = sandbox(archive);
    let mut refusals = 0;
    for mebibytes in (small + 1..all).step_by(((all - small) as usize).div_ceil(5)) {
        let run = limited(&sandbox, mebibytes, &LIST);
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

const LIST: [&str; 2] = ["--list", "--no-nested"];

/// Long names of files in a directory.
fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{}{number}", "n".repeat(85))).collect()
}

#[test]
fn refused_memory_for_the_table_of_zip_and_tar_files_is_an_error() {
    let names: Vec<String> = names(20_000).iter().map(|name| format!("directory/{name}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let entries: Vec<TarEntry<'_>> = names.iter().map(|name| file(name, b"")).collect();
    assert_refused("zip", &zip(&files));
    assert_refused("tar.gz", &gzip(&tar(&entries)));
}

#[test]
fn refused_memory_for_the_tree_of_packages_and_images_is_an_error() {
    let names = names(20_000);
    let archives = [("rpm", rpm(&names)), ("cfb", cfb(20_000)), ("iso", iso(&names)), ("squashfs", squashfs(&names))];
    for (format, archive) in archives {
        let list = sandbox(&archive).run(&["unpack", "a", "--list", "--quiet"]);
        // The first line is that of the columns.
        assert_eq!((list.code, list.text().lines().count()), (Some(0), 20_001), "{format}: {}", list.stderr);
        assert_refused(format, &archive);
    }
}

/// The trailer of a gzip member claims a size that the system refuses. The content is smaller and is there.
#[test]
fn a_false_size_of_a_gzip_member_takes_no_memory() {
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(7 << 20)
    .collect();
    let mut archive = gzip(&noise);
    let size = archive.len() - 4;
    archive[size..].copy_from_slice(&1_600_000_000_u32.to_le_bytes());
    let sandbox = sandbox(&archive);
    for backend in ["auto", "cpu"] {
        let run = limited(&sandbox, 1_200, &["-o", backend, "--backend", backend]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.text().contains("1600000000 according to the archive"), "{}{}", run.text(), run.stderr);
        let damaged = sandbox.root().join(backend).join("a.damaged");
        assert!(std::fs::read(damaged).expect("what could be had is there") == noise, "{}", run.stderr);
    }
}

/// Every entry of a zip file without a directory has a problem, and so does every name that occurs twice.
#[test]
fn refused_memory_for_problems_of_entries_is_an_error() {
    let names = names(20_000);
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let mut without_directory = zip(&files);
    let directory = without_directory.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("a directory");
    without_directory.truncate(directory);
    let repeated: Vec<TarEntry<'_>> = (0..20_000).map(|_| file("same", b"")).collect();
    for (format, archive) in [("zip", without_directory), ("tar", tar(&repeated))] {
        let sandbox = sandbox(&archive);
        let whole = limited(&sandbox, 2048, &LIST);
        assert_eq!((whole.code, whole.stderr.contains("refuses")), (Some(1), false), "{format}: {}", whole.stderr);
        let small = smallest_of_all();
        let runs = (small + 1..small + 40).step_by(6).map(|mebibytes| limited(&sandbox, mebibytes, &LIST));
        let refusals = runs.filter(|run| {
            assert!(matches!(run.code, Some(1 | 2)), "{format}: {:?}, {}", run.code, run.stderr);
            run.stderr.contains("the system refuses")
        });
        assert!(refusals.count() > 0, "{format}");
    }
}
