//! The programs of `examples/` and of the documentation are valid and in canonical form.

use std::path::{Path, PathBuf};

use vyre_ir::{OpTable, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(directory: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(directory)).expect("a readable directory");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    assert!(!paths.is_empty(), "{directory} has no .{extension} files");
    paths
}

#[test]
fn examples_are_valid_and_canonical() {
    for path in files("examples", "vyre") {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if let Err(diagnostics) = parsed.validate(&OpTable::default()) {
            panic!("{}: {}", path.display(), diagnostics[0]);
        }
        assert_eq!(text::format(&source).as_deref(), Ok(source.as_str()), "{}", path.display());
    }
}

/// Every block marked `vyre` in the documentation is a program of the text format.
#[test]
fn programs_in_the_documentation_parse() {
    let mut pages = files("docs", "md");
    pages.push(root().join("README.md"));
    let mut count = 0;
    for page in pages {
        let markdown = std::fs::read_to_string(&page).expect("a readable page");
        for block in markdown.split("```vyre\n").skip(1) {
            let (program, _) = block.split_once("```").expect("a closed block");
            count += 1;
            if let Err(error) = text::parse(program) {
                panic!("{}: {error}", page.display());
            }
        }
    }
    assert!(count > 100, "{count} programs");
}
