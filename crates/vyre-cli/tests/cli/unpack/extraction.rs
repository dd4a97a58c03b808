//! Extraction: files, permissions, times, existing files.

use super::{below, expect_run, file, gzip, nested, sandbox, tar, unpack, zip};

#[test]
fn all_files_are_extracted_with_inner_archives_opened() {
    let sandbox = sandbox(&nested());
    expect_run(&unpack(&sandbox, &["-o", "out"]), 0, "");
    let expected = [
        "README.md",
        "empty",
        "lib/",
        "lib/package.tgz!/",
        "lib/package.tgz!/package/",
        "lib/package.tgz!/package/index.js",
        "lib/package.tgz!/package/main.js",
    ];
    assert_eq!(below(&sandbox, "out"), expected);
    assert_eq!(sandbox.read_text("out/README.md"), "# A package\n");
    assert_eq!(sandbox.read_text("out/lib/package.tgz!/package/main.js"), "module.exports = 1;\n");
    expect_run(&unpack(&sandbox, &["-o", "closed", "--no-nested"]), 0, "");
    assert_eq!(below(&sandbox, "closed"), ["README.md", "empty", "lib/", "lib/package.tgz"]);
    assert!(sandbox.read("closed/lib/package.tgz").starts_with(&[0x1f, 0x8b]));
    assert_eq!(sandbox.names(), ["a", "closed", "out", "secret"]);
}

#[cfg(unix)]
#[test]
fn permissions_and_times_are_restored() {
    use std::os::unix::fs::MetadataExt as _;

    let sandbox = sandbox(&tar(&[("d/", tar::EntryType::Directory, "", b""), file("d/f", b"x")]));
    expect_run(&unpack(&sandbox, &["-o", "out"]), 0, "");
    for path in ["out/d", "out/d/f"] {
        let metadata = std::fs::metadata(sandbox.path(path)).expect("metadata");
        assert_eq!((metadata.mode() & 0o700, metadata.mtime()), (0o700, 1_000_000_000), "{path}");
    }
}

#[test]
fn a_compressed_tar_file_is_one_archive() {
    let sandbox = sandbox(&gzip(&tar(&[file("x", b"1"), file("y/z", b"2")])));
    expect_run(&unpack(&sandbox, &["-o", "out"]), 0, "");
    assert_eq!(below(&sandbox, "out"), ["x", "y/", "y/z"]);
    sandbox.write("notes.txt.gz", &gzip(b"notes"));
    expect_run(&sandbox.run(&["unpack", "notes.txt.gz", "-q", "-o", "notes"]), 0, "");
    assert_eq!(sandbox.read_text("notes/notes.txt"), "notes");
}

#[test]
fn existing_files_are_replaced_only_with_overwrite() {
    let sandbox = sandbox(&zip(&[("x", b"new"), ("y", b"new")]));
    sandbox.write("out/x", b"old");
    expect_run(&unpack(&sandbox, &["-o", "out"]), 1, "x: refused: there is a file with its name already\n");
    assert_eq!((sandbox.read_text("out/x"), sandbox.read_text("out/y")), ("old".to_owned(), "new".to_owned()));
    expect_run(&unpack(&sandbox, &["-o", "out", "--overwrite"]), 0, "");
    assert_eq!((sandbox.read_text("out/x"), below(&sandbox, "out").len()), ("new".to_owned(), 2));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let names: Vec<String> = (0..500).map(|number| format!("d{}/f{number}", number % 20)).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, name.as_bytes())).collect();
    let sandbox = sandbox(&zip(&files));
    for threads in ["0", "1", "3"] {
        let out = format!("out{threads}");
        expect_run(&unpack(&sandbox, &["-o", &out, "--threads", threads]), 0, "");
        for name in &names {
            assert_eq!(sandbox.read_text(&format!("{out}/{name}")), *name);
        }
    }
}
