//! Formats that list nodes: files of networkx and SciPy, names and attributes, and hostile input.

use std::path::{Path, PathBuf};

use vyre_graph::file::WeightScale;
use vyre_graph::{Format, Graph, Input, Loaded, ReadOptions, Weights, read_graph, write_graph};

use crate::oracle::{error_of, graph_of, options, read, written};

/// Formats that list nodes with names.
const LISTED: [Format; 5] = [Format::GRAPHML, Format::GEXF, Format::GML, Format::DOT, Format::JSON];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn load(name: &str, options: &ReadOptions) -> Loaded {
    read_graph(Input::path(fixture(name)), options, &()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn named() -> Graph {
    let names = ["main", "read line", "größe \"x\"", "alone"].into_iter().collect();
    Graph { names: Some(names), ..graph_of(4, &[(0, 1, 3), (0, 2, 7), (1, 2, 5)], true) }
}

#[test]
fn files_of_networkx_are_read() {
    for name in ["named.graphml", "named.gexf", "named.gml", "named.json", "named-links.json"] {
        let loaded = load(name, &options());
        let attributes = loaded.attributes().expect("nodes have attributes");
        let values = |node| (attributes.get(node, "file"), attributes.get(node, "line"));
        assert_eq!(values(0), (Some("a.c"), Some("12")), "{name}");
        assert_eq!((values(1), values(3)), ((Some("b <c> & d.c"), None), (None, None)), "{name}");
        assert_eq!(loaded.into_graph(), named(), "{name}");
    }
    let halves = options().with_weight_scale(WeightScale::new(2.0).expect("positive"));
    let expected = graph_of(4, &[(0, 1, 3), (1, 0, 3), (1, 2, 4), (2, 1, 4), (2, 2, 1)], true);
    for name in ["numbered.graphml", "numbered.gexf", "numbered.gml", "numbered.json", "numbered-links.json"] {
        assert_eq!(load(name, &halves).into_graph(), expected, "{name}");
        let loaded = load(name, &options().with_weights(Weights::IfValid));
        assert!(loaded.weight_error().is_some(), "{name}");
        assert_eq!(loaded.view().csr, expected.csr.view(), "{name}");
        let error = read_graph(Input::path(fixture(name)), &options(), &()).expect_err("real weights").to_string();
        assert!(error.starts_with("line ") && error.contains("`1.5` is not a whole number"), "{name}: {error}");
    }
}

#[test]
fn nodes_and_graphs_that_would_be_merged_are_errors() {
    for (format, text, expected) in [
        (
            Format::JSON,
            "{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"links\": []}",
            "another node with the identifier `1`",
        ),
        (
            Format::JSON,
            "{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": \"1\"}]}",
            "the identifier `1` is a string in one place and none in another",
        ),
        (Format::GML, "graph [ node [ id 1 ]\nnode [ id 1 ] ]", "line 2, "),
        (
            Format::GML,
            "graph [ node [ id 1 ] ]\ngraph [ node [ id 2 ] ]",
            "line 2, column 7: the text has several graphs",
        ),
        (Format::GRAPHML, "<graphml><graph>\n<node id=\"a\"/><node id=\"a\"/></graph></graphml>", "identifier `a`"),
        (Format::GRAPHML, "<graphml><graph/>\n<graph/></graphml>", "line 2, column 1: the text has several graphs"),
        (Format::GRAPHML, "<?xml version=\"1.0\"?>\n", "the text has no element"),
        (Format::GEXF, "<?xml version=\"1.0\"?>", "the text has no element"),
        (Format::DOT, "digraph {\n a -- b }", "line 2, column 4: edges of a `digraph` are `->`"),
        (Format::DOT, "graph {\n a -> b }", "line 2, column 4: edges of a `graph` are `--`"),
    ] {
        let error = error_of(text, &options().with_format(format));
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn matrices_of_scipy_are_read() {
    let expected = graph_of(4, &[(0, 1, 3), (0, 2, 7), (1, 2, 5)], true);
    for name in ["csr.npz", "csc.npz", "coo.npz"] {
        assert_eq!(load(name, &options()).into_graph(), expected, "{name}");
    }
    let halves = options().with_weight_scale(WeightScale::new(2.0).expect("positive"));
    assert_eq!(load("real.npz", &halves).into_graph(), expected);
    let error = read_graph(Input::path(fixture("real.npz")), &options(), &()).expect_err("real weights").to_string();
    assert!(error.starts_with("data, element 0: the weight `1.5` is not a whole number"), "{error}");
    let bytes = std::fs::read(fixture("csr.npz")).expect("the fixture");
    for length in (0..bytes.len()).step_by(7) {
        assert!(read(&bytes[..length], &options().with_format(Format::NPZ)).is_err(), "{length} bytes");
    }
}

#[test]
fn names_with_any_characters_are_restored() {
    let names = ["a b", "x\"y", "<&>", "tab\there", "two\nlines", "größe 🦀", "", "0", "back\\slash", "-1", "node"];
    let count = names.len() as u32;
    let edges: Vec<_> = (0..count).map(|node| (node, (node * 7 + 3) % count, node)).collect();
    let graph = Graph { names: Some(names.into_iter().collect()), ..graph_of(count, &edges, true) };
    for format in LISTED {
        let bytes = written(format, graph.view());
        assert_eq!(read(&bytes, &options()).expect("what was written is right"), graph, "{format}");
    }
    for (format, name) in
        [(Format::GRAPHML, "bell\u{7}"), (Format::GEXF, "\u{0}"), (Format::DOT, "end\\"), (Format::GML, "\0")]
    {
        let graph = Graph { names: Some([name].into_iter().collect()), ..graph_of(1, &[], false) };
        let error = write_graph(format, graph.view(), Vec::new(), &()).expect_err("the name is refused").to_string();
        assert_eq!(error, format!("the name of node 0 has a character that {format} cannot hold"));
    }
}

/// Names and edges of a text without weights.
fn edges_of(text: &str) -> String {
    let graph = read(text, &options()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let view = graph.view();
    let name =
        |node: u32| view.names.map_or_else(|| node.to_string(), |names| names.name(node).unwrap_or("?").to_owned());
    let nodes = 0..view.csr.node_count() as u32;
    let edges = nodes.flat_map(|node| view.csr.neighbours(node).iter().map(move |&target| (node, target)));
    edges.map(|(source, target)| format!("{}>{}", name(source), name(target))).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_syntax_of_each_format_is_read() {
    for (text, edges) in [
        ("digraph { a -> b -> c; }", "a>b b>c"),
        ("strict graph \"g h\" {\n// comment\nb -- a [weight=2, color=\"red\"] /* more */ }", "b>a a>b"),
        (
            "digraph{node [shape=box]; rankdir=LR; a:n -> {b c} -> subgraph cluster_1 { d; e }}",
            "a>b a>c b>d b>e c>d c>e",
        ),
        ("# line\ndigraph { 1.5 -> -2; \"x\" + \"y\" -> <<b>z</b>> }", "1.5>-2 xy><<b>z</b>>"),
        (
            "Creator \"me\"\nVersion 1\ngraph [\n  node [ id 5 ] node [ id 7 graphics [ x 1.5 ] ]\n  edge [ source 7 target 5 ]\n]\n",
            "5>7 7>5",
        ),
        (
            "# c\ngraph [ directed 1 node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] edge [ source 2 target 1 ] ]",
            "2>1",
        ),
        (
            "{\"nodes\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"links\": [{\"source\": 1, \"target\": 0}], \"directed\": true}",
            "b>a",
        ),
        ("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] directed 1 ]", "0>1"),
        (
            "<graphml><graph edgedefault='undirected'><node id='a'><graph edgedefault='directed'><node id='b'/></graph></node>\
             <edge source='a' target='c'/></graph></graphml>",
            "a>c c>a",
        ),
        (
            "{\"directed\": true, \"edges\": [{\"source\": [1, 2], \"target\": \"x\"}], \"nodes\": [{\"id\": \"y\"}]}",
            "[1,2]>x",
        ),
        (
            "<graphml><graph edgedefault='undirected'><node id='a'/><edge source='a' target='b' directed='true'/></graph></graphml>",
            "a>b",
        ),
        (
            "<?xml version='1.0'?><!-- c --><gexf><graph><edges><edge source='a' target='b'/></edges></graph></gexf>",
            "a>b b>a",
        ),
    ] {
        assert_eq!(edges_of(text), edges, "{text}");
    }
}

#[test]
fn malformed_and_hostile_texts_are_errors_with_a_position() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for (text, expected) in [
        ("digraph { a -> }".to_owned(), "line 1, column 16: there is no node behind the arrow"),
        ("digraph {\n  -> b }".to_owned(), "line 2, column 3: there is no node before the arrow"),
        ("digraph {\n \"a".to_owned(), "line 2, column 2: the quoted text does not end"),
        ("graph {}\ngraph {}".to_owned(), "line 2, column 1: a text of DOT has one graph, and nothing follows it"),
        ("digraph { a ".to_owned(), "line 1, column 13: the text ends before `}`"),
        (format!("digraph {{ {}", deep("{", "}")), "line 1, column 74: subgraphs are nested more than 64 deep"),
        (
            format!("digraph {{ {{ {} }} -> {{ {} }} }}", names(2_000), names(2_000)),
            "edges between subgraphs are out of proportion to the text",
        ),
        ("graph [ node [ label \"a\" ] ]".to_owned(), "line 1, column 14: the key `id` is missing"),
        ("graph [ node [ id 1 ]".to_owned(), "line 1, column 22: the text ends within a list"),
        (format!("graph [ {}", "a [ ".repeat(1_000)), "lists are nested more than 256 deep"),
        ("{\"nodes\": [1]}".to_owned(), "a node is not an object"),
        ("{\"nodes\": [], \"links\": [{\"source\": 1}]}".to_owned(), "an edge has no `target`"),
        ("{\"nodes\": [\n{\"id\" 1}]}".to_owned(), "the JSON is malformed: expected `:`"),
        (format!("{{\"nodes\": [{}", "[".repeat(100_000)), "the JSON is malformed: recursion limit exceeded"),
        ("<graphml><graph><node/></graph></graphml>".to_owned(), "line 1, column 17: the attribute `id` is missing"),
        ("<graphml>\n<graph>\n</graphml>".to_owned(), "line 3, column 1: the XML is malformed: "),
        (format!("<graphml>{}", "<a>".repeat(1_000)), "elements are nested more than 256 deep"),
        ("<graphml><graph>".to_owned(), "line 1, column 17: the text ends within an element"),
        (
            "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><graphml><graph><node id=\"1\"/><data key=\"k\">&b;</data></graph></graphml>".to_owned(),
            "entities that are not predefined are not expanded",
        ),
        (format!("<graphml><!--{}--></graphml>", "x".repeat(3 << 20)), "the line is longer than 1048576 bytes"),
    ] {
        let error = error_of(&text, &options());
        assert!(error.starts_with("line ") && error.contains(expected), "{}: {error}", &text[..text.len().min(80)]);
    }
    // The key is not an array, as in lock files of Nix, so the text is no node-link JSON.
    let lock = "{\"nodes\": {\"root\": {}}, \"version\": 7}";
    assert_eq!(Format::from_first_bytes(lock.as_bytes()), None);
    let error = error_of(lock, &options().with_format(Format::JSON));
    assert!(error.contains("expected an array of nodes"), "{error}");
    let error = error_of("{\"lockfileVersion\": 3}", &options().with_format(Format::JSON));
    assert!(error.ends_with("so it is not node-link JSON"), "{error}");
}

/// Numbers as a list of nodes.
fn names(count: u32) -> String {
    (0..count).map(|node| format!("n{node} ")).collect()
}
