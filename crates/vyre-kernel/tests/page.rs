//! The example of `docs/kernel.md` is what comes out, and its table of passes is complete. `UPDATE_DOCS=1` writes the
//! example anew.

use std::path::Path;

use vyre_ir::{OpTable, text};
use vyre_kernel::{PassPipeline, lower, passes};

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernel.md")
}

/// The contents of the first block with this mark, and where they are.
fn block<'p>(page: &'p str, mark: &str) -> (usize, &'p str) {
    let fence = format!("```{mark}\n");
    let start = page.find(&fence).expect("the page has the block") + fence.len();
    let length = page[start..].find("```").expect("the block ends");
    (start, &page[start..start + length])
}

#[test]
fn the_example_is_what_comes_out() {
    let page_text = std::fs::read_to_string(page()).expect("a readable page");
    let parsed = text::parse(block(&page_text, "vyre").1).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).expect("it lowers");
    PassPipeline::standard().run(&mut kernel).expect("passes keep the rules");
    let (start, shown) = block(&page_text, "kernel");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let new = [&page_text[..start], &kernel.to_string(), &page_text[start + shown.len()..]].concat();
        std::fs::write(page(), new).expect("a writable page");
        return;
    }
    assert_eq!(kernel.to_string(), shown);
}

#[test]
fn every_pass_is_in_the_table() {
    let page_text = std::fs::read_to_string(page()).expect("a readable page");
    for pass in passes() {
        assert!(page_text.contains(&format!("\n| `{}` | ", pass.name)), "{}", pass.name);
    }
}
