//! Replay of saved fuzzer inputs: every file of `tests/corpus/fuzz` for scans against the property of its target.

use std::path::{Path, PathBuf};

use vyre_conform::scan_properties::{check_javascript, check_package, check_python};

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
fn javascript() {
    for (path, bytes) in inputs("scan_javascript") {
        println!("{}", path.display());
        check_javascript(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn python() {
    for (path, bytes) in inputs("scan_python") {
        println!("{}", path.display());
        check_python(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn packages() {
    for (path, bytes) in inputs("scan_package") {
        println!("{}", path.display());
        check_package(&bytes);
    }
}

/// The front ends lower every file of the corpus of scans to a module that keeps the contract.
#[test]
fn corpus() {
    for (language, check) in [("javascript", check_javascript as fn(&str)), ("python", check_python)] {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/scan").join(language)];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("a readable entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    println!("{}", path.display());
                    check(&text);
                    count += 1;
                }
            }
        }
        assert!(count > 50, "{count} files");
    }
}
