//! The examples of `docs/rules.md` are what it says they are.

use vyre_dataflow::rules::{NodeTable, Rules};
use vyre_graph::{NodeNames, read_attributes};

const PAGE: &str = include_str!("../../../../docs/rules.md");

/// The first block of code in this language behind a heading.
fn block<'p>(heading: &str, language: &str) -> &'p str {
    let behind = PAGE.split_once(heading).expect("the heading is there").1;
    let block = behind.split_once(&format!("```{language}\n")).expect("the block is there").1;
    block.split_once("```").expect("the block ends").0
}

#[test]
fn the_example_labels_its_nodes() {
    let rules = Rules::parse(block("## Example", "toml")).expect("the example is right");
    let file = block("## Attributes", "text");
    let names: NodeNames =
        file.lines().skip(1).map(|line| line.split(',').next().expect("lines have fields")).collect();
    let attributes =
        read_attributes(file.as_bytes(), Some(names.view()), names.view().len(), &()).expect("the file is right");
    let node_data = vec![0; names.view().len()];
    let nodes = NodeTable { node_data: &node_data, names: Some(names.view()), attributes: Some(&attributes) };
    let labelling = rules.label(&nodes).expect("everything is there");
    assert_eq!(labelling.unmatched_rules().count(), 0, "every rule of the example matches something");
}

#[test]
fn the_wrong_example_is_told() {
    let error = Rules::parse(block("## Mistakes", "toml")).expect_err("the example is wrong");
    assert_eq!(format!("{}\n", error.in_file("rules.toml")), block("## Mistakes", "text"));
}
