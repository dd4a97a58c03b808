//! Drawings of witnesses and of parts of graphs.

use super::{BACKENDS, fails, on_examples};
use crate::golden::compare;
use crate::harness::Sandbox;

const TAINT: &str = "taint calls.csv --names --nodes calls-roles.csv --quiet";

#[test]
fn witnesses_are_drawn() {
    for backend in BACKENDS {
        let run = on_examples(&format!("{TAINT} --format svg --backend {backend}"));
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        // The picture of the documentation.
        compare("../../../../docs/pictures/witnesses.svg", run.text());
    }
}

#[test]
fn the_dot_form_of_witnesses_is_a_graph() {
    let run = on_examples(&format!("{TAINT} --format dot"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let text = "digraph {\n  \"read_request\" [role=source, shape=box, style=rounded];\n  \
                \"load_config\" [role=source, shape=box, style=rounded];\n  \"log\";\n  \"run_query\";\n  \
                \"exec_sql\" [role=sink, shape=box, peripheries=2];\n  \
                \"write_file\" [role=sink, shape=box, peripheries=2];\n  \"read_request\" -> \"log\";\n  \
                \"load_config\" -> \"run_query\";\n  \"log\" -> \"write_file\";\n  \"run_query\" -> \"exec_sql\";\n}\n";
    assert_eq!(run.text(), text);
    let sandbox = Sandbox::new(&[("witnesses.dot", text)]);
    let edges = sandbox.run(&["graph", "convert", "witnesses.dot", "--to", "csv", "--quiet"]);
    let expected = "source,target\nread_request,log\nload_config,run_query\nlog,write_file\nrun_query,exec_sql\n";
    assert_eq!((edges.code, edges.text()), (Some(0), expected), "{}", edges.stderr);
}

#[test]
fn the_extension_of_a_part_selects_a_drawing() {
    let sandbox = Sandbox::new(&[("a.txt", "0 1\n1 2\n2 0\n2 2\n3 4\n")]);
    let run = sandbox.run(&["graph", "subgraph", "a.txt", "--around", "0", "-o", "part.svg"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let file = sandbox.read_text("part.svg");
    let document = roxmltree::Document::parse(&file).expect("XML");
    let text =
        |name: &str| document.descendants().find(|node| node.tag_name().name() == name).and_then(|node| node.text());
    assert_eq!(text("title"), Some("Graph of a.txt"));
    let description =
        "A directed graph of 3 nodes and 4 edges in 3 layers. Edges point down, except 1 edge that closes a cycle.";
    assert_eq!(text("desc"), Some(description));
    let same = sandbox.run(&["graph", "subgraph", "a.txt", "--around", "0", "--to", "svg", "--quiet"]);
    assert_eq!(same.text(), file);
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let edges: String = (0..2001).map(|node| format!("{node} {}\n", node + 1)).collect();
    let sandbox = Sandbox::new(&[("long.txt", &edges), ("roles.txt", "0 source\n2001 sink\n")]);
    let run = sandbox.run(&["graph", "convert", "long.txt", "-o", "long.svg"]);
    fails(&run, "a drawing has at most 2000 nodes, and this one has 2002; `vyre graph subgraph` selects a part");
    assert!(!sandbox.path("long.svg").exists());
    let taint = ["graph", "taint", "long.txt", "--nodes", "roles.txt", "--quiet", "--format"];
    fails(
        &sandbox.run(&[&taint[..], &["svg"]].concat()),
        "at most 2000 nodes, and this one has 2002; select fewer sources",
    );
    assert_eq!(sandbox.run(&[&taint[..], &["dot"]].concat()).text().lines().count(), 2002 + 2001 + 2);
    fails(&sandbox.run(&[&taint[..], &["svg", "--count"]].concat()), "for which SVG has no form");
    fails(&sandbox.run(&[&taint[..], &["dot", "--no-witness"]].concat()), "a drawing consists of witnesses");
}
