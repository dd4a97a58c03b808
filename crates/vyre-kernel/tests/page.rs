//! `docs/kernel.md`: its example is the output of the passes, and its table lists all passes. `UPDATE_DOCS=1`
//! regenerates both.

use std::fmt::Write as _;
use std::path::Path;

use vyre_ir::{OpTable, text};
use vyre_kernel::{PassPipeline, lower, passes};

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernel.md")
}

/// Offset and contents of the text between two marks.
fn between<'p>(page: &'p str, begin: &str, end: &str) -> (usize, &'p str) {
    let start = page.find(begin).expect("the page has the mark") + begin.len();
    let length = page[start..].find(end).expect("the section ends");
    (start, &page[start..start + length])
}

/// Offset and contents of the first code block of a language.
fn block<'p>(page: &'p str, language: &str) -> (usize, &'p str) {
    between(page, &format!("```{language}\n"), "```")
}

/// The table of the passes.
fn table() -> String {
    let mut table = String::from("| Pass | Transformation |\n|---|---|\n");
    let standard: Vec<&str> = PassPipeline::standard().names().collect();
    for pass in passes() {
        let note = if standard.contains(&pass.name) { "" } else { " Not in the standard pipeline." };
        let _ = writeln!(table, "| `{}` | {}{note} |", pass.name, pass.summary);
    }
    table
}

/// The kernel of the example.
fn example(page_text: &str) -> String {
    let parsed = text::parse(block(page_text, "vyre").1).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).expect("it lowers");
    PassPipeline::standard().run(&mut kernel).expect("passes keep the rules");
    kernel.to_string()
}

#[test]
fn example_and_table_are_up_to_date() {
    let written = std::fs::read_to_string(page()).expect("a readable page");
    let mut actual = written.clone();
    let (start, shown) = block(&actual, "kernel");
    actual.replace_range(start..start + shown.len(), &example(&written));
    let (start, shown) = between(&actual, "<!-- passes: begin -->\n", "<!-- passes: end -->");
    actual.replace_range(start..start + shown.len(), &table());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(page(), &actual).expect("a writable page");
    } else {
        assert!(written == actual, "docs/kernel.md is out of date; run with UPDATE_DOCS=1");
    }
}
