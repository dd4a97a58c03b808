//! Replay of saved fuzzer inputs: every file of `tests/corpus/fuzz` against the property of its target.

use std::path::{Path, PathBuf};

use vyre_conform::archive_properties::{check_archives, check_blocks, check_container};
use vyre_conform::properties::{check_graph_files, check_kernel, check_text, check_validate, check_wire};

fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/fuzz").join(target);
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no inputs in {}", directory.display());
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a readable file");
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn text() {
    for (path, bytes) in inputs("text") {
        println!("{}", path.display());
        check_text(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn wire() {
    for (path, bytes) in inputs("wire") {
        println!("{}", path.display());
        check_wire(&bytes);
    }
}

#[test]
fn graph_files() {
    for (path, bytes) in inputs("graph_files") {
        println!("{}", path.display());
        check_graph_files(&bytes);
    }
}

#[test]
fn validate() {
    for (path, bytes) in inputs("validate") {
        println!("{}", path.display());
        check_validate(&bytes);
    }
}

/// The inputs of another program target are inputs of this one too.
#[test]
fn kernel() {
    for (path, bytes) in inputs("validate").into_iter().chain(inputs("kernel")) {
        println!("{}", path.display());
        check_kernel(&bytes);
    }
}

#[test]
fn containers() {
    for format in vyre_unpack::format_names() {
        for (path, bytes) in inputs(format) {
            println!("{}", path.display());
            check_container(format, &bytes);
        }
    }
}

/// The inputs of all containers are archives too.
#[test]
fn archives() {
    let of_containers = vyre_unpack::format_names().flat_map(inputs);
    for (path, bytes) in of_containers.chain(inputs("archives")) {
        println!("{}", path.display());
        check_archives(&bytes);
    }
}

#[test]
fn blocks() {
    for (path, bytes) in inputs("blocks") {
        println!("{}", path.display());
        check_blocks(&bytes);
    }
}
