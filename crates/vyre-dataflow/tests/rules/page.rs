//! Examples of `docs/rules.md`.

use std::path::Path;

use vyre_dataflow::rules::{NodeTable, Rules};
use vyre_graph::{NodeNames, read_attributes};

/// First code block in a language after a heading.
fn block(heading: &str, language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let page = std::fs::read_to_string(path).expect("the page exists");
    let after = page.split_once(heading).expect("the heading exists").1;
    let block = after.split_once(&format!("```{language}\n")).expect("the block exists").1;
    block.split_once("```").expect("the block ends").0.to_owned()
}

#[test]
fn the_example_labels_its_nodes() {
    let rules = Rules::parse(&block("## Example", "toml")).expect("the example is right");
    let file = block("## Attributes", "text");
    let names: NodeNames =
        file.lines().skip(1).map(|line| line.split(',').next().expect("lines have fields")).collect();
    let attributes =
        read_attributes(file.as_bytes(), Some(names.view()), names.view().len(), &()).expect("the file is right");
    let node_data = vec![0; names.view().len()];
    let nodes = NodeTable { node_data: &node_data, names: Some(names.view()), attributes: Some(&attributes) };
    let labelling = rules.label(&nodes).expect("names and attributes exist");
    assert_eq!(labelling.unmatched_rules().count(), 0, "every rule of the example matches something");
}

#[test]
fn the_example_of_mistakes_has_its_messages() {
    let error = Rules::parse(&block("## Mistakes", "toml")).expect_err("the example is wrong");
    assert_eq!(format!("{}\n", error.in_file("rules.toml")), block("## Mistakes", "text"));
}
