//! The table of formats: every entry is described, selectable, detected, and stores the parts that its descriptor claims. The tables
//! of formats in the pages are generated; `UPDATE_DOCS=1` regenerates them.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use vyre_graph::file::NamedNodes;
use vyre_graph::{Format, Graph, GraphView, Input, NodeIds, NodeNames, Role, read_graph};

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
        let bytes = written(format, full_graph().view());
        let found = Format::from_first_bytes(&bytes);
        assert!(found == Some(format) || found.is_none() && format.is_text(), "{format} is detected as {found:?}");
        let read = read_graph(Input::from(&bytes[..]), &options(), &()).map(|loaded| loaded.format());
        let is_recognized = found.is_none() || read.as_ref().is_ok_and(|&read| read == format);
        assert!(is_recognized, "{format} is read as {read:?}; DETECTION_BYTES must cover its signature");
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

/// Noun of a format without its article.
fn noun(format: Format) -> String {
    let noun = format.to_string();
    noun.split_once(' ').expect("an article and a noun").1.to_owned()
}

/// Extensions of a format for a cell of a table.
fn extension_list(format: Format) -> String {
    let extensions: Vec<String> = format.extensions().iter().map(|extension| format!("`.{extension}`")).collect();
    extensions.join(", ")
}

/// Table of `docs/graph.md`.
fn library_table() -> String {
    let mut table =
        String::from("| Format | Name | Extensions | Weights | Roles | Names |\n|---|---|---|---|---|---|\n");
    for format in Format::ALL {
        let contents = format.contents();
        let yes_or_no = |is_stored: bool| if is_stored { "yes" } else { "no" };
        let names = match contents.names {
            NamedNodes::None => "no",
            NamedNodes::WithEdges => "of nodes with edges",
            NamedNodes::All => "of all nodes",
        };
        let (noun, name, extensions) = (noun(format), format.name(), extension_list(format));
        let (weights, roles) = (yes_or_no(contents.weights), yes_or_no(contents.roles));
        let _ = writeln!(table, "| {noun} | `{name}` | {extensions} | {weights} | {roles} | {names} |");
    }
    table
}

/// Table of `docs/graph-cli.md`.
fn command_table() -> String {
    let mut table = String::from("| Format | `--to` | Extensions | Stores |\n|---|---|---|---|\n");
    for format in Format::ALL {
        let contents = format.contents();
        let mut parts = String::from("nodes, edges");
        parts.push_str(if contents.weights { ", weights" } else { "" });
        parts.push_str(if contents.roles { ", roles" } else { "" });
        parts.push_str(match contents.names {
            NamedNodes::None => "",
            NamedNodes::WithEdges => "; names of nodes with edges",
            NamedNodes::All => "; names of all nodes",
        });
        let _ = writeln!(table, "| {} | `{}` | {} | {parts} |", noun(format), format.name(), extension_list(format));
    }
    table
}

#[test]
fn pages_list_every_format() {
    for (page, table) in [("graph.md", library_table()), ("graph-cli.md", command_table())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
        let written = std::fs::read_to_string(&path).expect("a readable page");
        let (before, rest) = written.split_once("<!-- formats: begin -->\n").expect("the page has the mark");
        let (_, after) = rest.split_once("<!-- formats: end -->").expect("the page has the mark");
        let actual = format!("{before}<!-- formats: begin -->\n{table}<!-- formats: end -->{after}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &actual).expect("a writable page");
        } else {
            assert!(written == actual, "docs/{page} is out of date; run with UPDATE_DOCS=1");
        }
    }
}
