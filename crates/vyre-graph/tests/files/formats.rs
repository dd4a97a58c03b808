//! The table of formats: every entry is described, selectable, detected, and stores the parts that its descriptor claims.

use std::collections::HashSet;
use std::path::Path;

use vyre_graph::file::NamedNodes;
use vyre_graph::{Format, Graph, GraphView, NodeIds, NodeNames, Role};

use crate::oracle::{graph_of, options, read, written};

/// A graph with weights, roles and names, whose node 3 has no edges.
fn full_graph() -> Graph {
    let mut graph = graph_of(4, &[(0, 1, 7), (0, 2, 8), (2, 1, 9)], true);
    graph.csr.node_data[1] = Role::Sink.set_in(5);
    graph.names = Some(["main", "read line", "exec", "unused"].into_iter().collect());
    graph
}

#[test]
fn every_format_is_described() {
    let mut names = HashSet::new();
    let mut extensions = HashSet::new();
    for format in Format::ALL {
        assert!(names.insert(format.name()), "{format} has a name of its own");
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert!(!format.summary().is_empty() && !format.summary().contains('\n'), "{format} has a summary");
        assert!(!format.to_string().is_empty() && !format.extensions().is_empty(), "{format:?}");
        for extension in format.extensions() {
            assert!(extensions.insert(*extension), "`.{extension}` selects one format");
            let path = format!("graph.{}", extension.to_ascii_uppercase());
            assert_eq!(Format::from_path(Path::new(&path)), Some(format), "{path}");
            assert_eq!(Format::from_path(Path::new(&format!("{path}.gz"))), Some(format), "{path}.gz");
        }
    }
    assert_eq!(Format::from_name("unknown"), None);
}

/// Formats without a signature are lists of edges, which no other format's signature matches.
#[test]
fn the_output_of_every_format_is_detected() {
    for format in Format::ALL {
        let found = Format::from_first_bytes(&written(format, full_graph().view()));
        assert!(found == Some(format) || found.is_none() && format.is_text(), "{format} is detected as {found:?}");
    }
}

#[test]
fn every_format_stores_its_contents() {
    let graph = full_graph();
    for format in Format::ALL {
        let contents = format.contents();
        let mut numbers = options();
        numbers.format = Some(format);
        // Formats with names for some nodes only are read by number here.
        let is_named = contents.names == NamedNodes::All;
        let view = if is_named { graph.view() } else { GraphView { names: None, ..graph.view() } };
        let again = read(written(format, view), &numbers).expect("what was written is right");
        let expected_data = if contents.roles { graph.csr.node_data.clone() } else { vec![0; 4] };
        assert_eq!((&again.csr.offsets, &again.csr.targets), (&graph.csr.offsets, &graph.csr.targets), "{format}");
        assert_eq!(again.csr.node_data, expected_data, "{format}");
        assert_eq!(again.weights, if contents.weights { graph.weights.clone() } else { None }, "{format}");
        assert_eq!(again.names, if is_named { graph.names.clone() } else { None }, "{format}");

        let mut names = numbers;
        names.nodes = NodeIds::Names;
        let named = || read(written(format, graph.view()), &names).expect("what was written is right").names;
        match contents.names {
            NamedNodes::None => assert_eq!(named(), None, "{format}"),
            NamedNodes::WithEdges => {
                let expected: NodeNames = ["main", "read line", "exec"].into_iter().collect();
                assert_eq!(named(), Some(expected), "{format}");
            }
            NamedNodes::All => assert_eq!(named(), graph.names, "{format}"),
        }
    }
}
