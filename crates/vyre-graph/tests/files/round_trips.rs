//! Round trips: every format restores the graph that was written.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_graph::file::write_binary;
use vyre_graph::generate::SplitMix64;
use vyre_graph::{
    Format, Graph, GraphFile, Input, NodeNames, Progress, Stage, Weights, WriteError, read_graph, write_graph,
};

use crate::oracle::{
    graph_of, mirrored, options, options_for, random_edges, read, stored, with_blocks, with_names, written,
};

/// Random graphs, of many sizes, with and without weights.
fn random_graphs() -> impl Iterator<Item = (Graph, Vec<(u32, u32, u32)>)> {
    let mut random = SplitMix64::new(0xF11E);
    (0..60).map(move |index| {
        let nodes = 1 + random.below(50) as u32;
        let count = 1 + random.below(200) as usize;
        let edges = random_edges(&mut random, nodes, count);
        (graph_of(nodes, &edges, index % 2 == 0), edges)
    })
}

#[test]
fn every_format_restores_the_graph() {
    for (graph, _) in random_graphs() {
        for format in Format::ALL {
            let (bytes, expected) = (written(format, graph.view()), stored(format, &graph));
            let again = read(&bytes, &options_for(format)).unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(again, expected, "{format}");
            let mut given = options();
            given.format = Some(format);
            for block_bytes in [1, 7, 64] {
                let again = read(&bytes, &with_blocks(given.clone(), block_bytes)).expect("what was written is right");
                assert_eq!(again, expected, "{format} in blocks of {block_bytes}");
            }
        }
    }
}

#[test]
fn every_format_restores_nodes_without_edges() {
    let mut graphs: Vec<Graph> = random_graphs()
        .enumerate()
        .map(|(index, (_, edges))| graph_of(51 + index as u32 % 9, &edges, index % 2 == 0))
        .collect();
    graphs.extend((0..4).map(|nodes| graph_of(nodes, &[], false)));
    for graph in graphs {
        for format in Format::ALL {
            let bytes = written(format, graph.view());
            for block_bytes in [1, 30, 1 << 20] {
                let mut given = with_blocks(options(), block_bytes);
                given.format = Some(format);
                let again = read(&bytes, &given).unwrap_or_else(|error| panic!("{format}: {error}"));
                assert_eq!(again, stored(format, &graph), "{format} in blocks of {block_bytes}");
            }
        }
    }
}

#[test]
fn csv_has_a_comment_only_if_nodes_would_be_lost() {
    let text = |graph: &Graph| String::from_utf8(written(Format::CSV, graph.view())).expect("digits and commas");
    assert_eq!(text(&graph_of(2, &[(0, 1, 7)], true)), "source,target,weight\n0,1,7\n");
    assert_eq!(text(&graph_of(2, &[(1, 0, 7)], false)), "source,target\n1,0\n");
    assert_eq!(text(&graph_of(0, &[], false)), "source,target\n");
    assert_eq!(text(&graph_of(3, &[(0, 1, 7)], false)), "# Nodes: 3 Edges: 1\nsource,target\n0,1\n");
    let graph = Graph { names: Some(["a", "b", "c"].into_iter().collect()), ..graph_of(3, &[(0, 1, 7)], false) };
    assert_eq!(text(&graph), "source,target\na,b\n");
}

#[test]
fn only_binary_files_store_names_of_nodes_without_edges() {
    let names = |names: &[&str]| Some(names.iter().copied().collect::<NodeNames>());
    let graph = Graph { names: names(&["a", "b", "c"]), ..graph_of(3, &[(0, 2, 0)], false) };
    let less = Graph { names: names(&["a", "c"]), ..graph_of(2, &[(0, 1, 0)], false) };
    for (format, expected) in [(Format::EDGE_LIST, &less), (Format::CSV, &less), (Format::BINARY, &graph)] {
        let mut given = with_names();
        given.format = Some(format);
        let read = read(written(format, graph.view()), &given).expect("what was written is right");
        assert_eq!(&read, expected, "{format}");
    }
}

#[test]
fn weights_can_be_ignored_in_every_format() {
    for (graph, _) in random_graphs() {
        for format in Format::ALL {
            let mut ignoring = options_for(format);
            ignoring.weights = Weights::Ignore;
            let read = read(written(format, graph.view()), &ignoring);
            let read = read.unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(read, Graph { weights: None, ..graph.clone() }, "{format}");
        }
    }
}

#[test]
fn each_edge_is_added_in_both_directions() {
    for (graph, edges) in random_graphs() {
        let nodes = graph.csr.node_count() as u32;
        // Writers write rows in order, so mirrored edges are read in that order.
        let mut by_row = edges;
        by_row.sort_by_key(|edge| edge.0);
        let expected = graph_of(nodes, &mirrored(&by_row), graph.weights.is_some());
        for format in Format::ALL {
            let mut undirected = options_for(format);
            undirected.undirected = true;
            let (bytes, expected) = (written(format, graph.view()), stored(format, &expected));
            let again = read(&bytes, &undirected).unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(again, expected, "{format}");
            let directory = tempfile::tempdir().expect("there is room for a file");
            let path = directory.path().join("graph");
            std::fs::write(&path, &bytes).expect("there is room for a file");
            let loaded = read_graph(Input::path(&path), &undirected, &()).expect("what was written is right");
            assert_eq!(loaded.view(), expected.view(), "{format}");
        }
    }
}

/// Names that texts must quote, and others.
const NAMES: [&str; 12] = [
    "main",
    "read line",
    "tab\there",
    "a,b",
    "c;d",
    "say \"hi\"",
    "\"",
    "# no comment",
    "% neither",
    "//nor this",
    "grüße 🦀",
    "source",
];

#[test]
fn names_with_any_characters_are_restored() {
    let mut random = SplitMix64::new(3);
    let count = NAMES.len() as u32;
    // Names first occur in the order of their nodes, so nodes keep their numbers.
    let mut edges: Vec<_> = (0..count).map(|node| (node, (node + 1) % count, node)).collect();
    let others = random_edges(&mut random, count, 100).into_iter();
    edges.extend(others.map(|(source, target, weight)| (source, target.min(source), weight)));
    edges.sort_by_key(|edge| edge.0);
    for has_weights in [false, true] {
        let graph = Graph { names: Some(NAMES.into_iter().collect()), ..graph_of(count, &edges, has_weights) };
        for format in [Format::EDGE_LIST, Format::CSV, Format::BINARY] {
            let bytes = written(format, graph.view());
            for block_bytes in [1, 50, 1 << 20] {
                let mut given = with_blocks(with_names(), block_bytes);
                given.format = Some(format);
                let read = read(&bytes, &given).expect("what was written is right");
                assert_eq!(read, graph, "{format}");
                let names = read.names.expect("there are names");
                for (node, name) in NAMES.into_iter().enumerate() {
                    assert_eq!(names.view().find(name), Some(node as u32));
                    assert_eq!(names.view().name(node as u32), Some(name));
                }
                assert_eq!(names.view().find("nobody"), None);
                assert_eq!(names.view().name(count), None);
            }
        }
    }
}

#[test]
fn a_list_of_names_may_begin_with_words_of_a_header() {
    let names: NodeNames = ["source", "target"].into_iter().collect();
    let graph = Graph { names: Some(names), ..graph_of(2, &[(0, 1, 0), (1, 0, 0)], false) };
    for (format, expected) in [
        (Format::EDGE_LIST, "# Nodes: 2 Edges: 2\nsource target\ntarget source\n"),
        (Format::CSV, "source,target\nsource,target\ntarget,source\n"),
    ] {
        let text = written(format, graph.view());
        assert_eq!(String::from_utf8_lossy(&text), expected);
        let mut given = with_names();
        given.format = Some(format);
        assert_eq!(read(&text, &given).expect("what was written is right"), graph);
    }
}

#[test]
fn names_that_a_line_cannot_hold_are_not_written() {
    for name in ["", "two\nlines", "return\r", "nul\0"] {
        let names: NodeNames = ["a", name].into_iter().collect();
        let graph = Graph { names: Some(names), ..graph_of(2, &[(0, 1, 0)], false) };
        let error = write_graph(Format::EDGE_LIST, graph.view(), Vec::new(), &()).expect_err("no line has this");
        assert!(matches!(error, WriteError::Name { node: 1 }));
        let text = "the name of node 1 is empty or has a line end or a byte 0, which no line of a text has";
        assert_eq!(error.to_string(), text);
        let bytes = written(Format::BINARY, graph.view());
        assert_eq!(read(&bytes, &options()).expect("a binary file takes any name"), graph);
    }
}

#[test]
fn invalid_graphs_are_not_written() {
    let mut graph = graph_of(2, &[(0, 1, 5)], true);
    graph.csr.targets[0] = 2;
    for format in Format::ALL {
        let error = write_graph(format, graph.view(), Vec::new(), &()).expect_err("there is no node 2");
        assert_eq!(error.to_string(), "targets[0] is 2, but nodes are 0 to 1");
    }
    graph.csr.targets[0] = 1;
    graph.weights = Some(vec![1, 2]);
    let error = write_graph(Format::CSV, graph.view(), Vec::new(), &()).expect_err("there is one edge");
    assert_eq!(error.to_string(), "`weights` has 2 elements, but a graph of 1 edge needs 1");
    graph.weights = None;
    graph.names = Some(["only one"].into_iter().collect());
    let error = write_graph(Format::CSV, graph.view(), Vec::new(), &()).expect_err("there are two nodes");
    assert_eq!(error.to_string(), "`names` has 1 element, but a graph of 2 nodes needs 2");
}

#[test]
fn compressed_files_are_read() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory takes everything");
        encoder.finish().expect("memory takes everything")
    };
    let (graph, _) = random_graphs().last().expect("there are graphs");
    for format in Format::ALL {
        let bytes = written(format, graph.view());
        // Two gzip members, as in concatenated files.
        let (first, second) = bytes.split_at(bytes.len() / 3);
        let compressed = [gzip(first), gzip(second)].concat();
        let given = options_for(format);
        let loaded = read_graph(Input::from(&compressed[..]), &given, &());
        let loaded = loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
        // CSV has no signature, so it is detected as an edge list.
        let found = if format == Format::CSV { Format::EDGE_LIST } else { format };
        assert_eq!((loaded.format(), loaded.is_compressed(), loaded.is_mapped()), (found, true, false));
        assert_eq!(loaded.into_graph(), stored(format, &graph), "{format}");
        for length in [5, 17, compressed.len() / 2, compressed.len() - 1] {
            read(&compressed[..length], &given).expect_err("a part is missing");
        }
    }
}

#[test]
fn a_binary_file_is_mapped() {
    let (graph, _) = random_graphs().next().expect("there are graphs");
    let graph = Graph { names: Some(nodes_by_number(&graph)), ..graph };
    let directory = tempfile::tempdir().expect("there is room for a file");
    // The signature has precedence over the name.
    let path = directory.path().join("graph.csv");
    std::fs::write(&path, written(Format::BINARY, graph.view())).expect("there is room for a file");
    let loaded = read_graph(Input::path(&path), &options(), &()).expect("what was written is right");
    assert_eq!((loaded.format(), loaded.is_compressed(), loaded.is_mapped()), (Format::BINARY, false, true));
    assert_eq!(loaded.view(), graph.view());
    assert_eq!(loaded.view().names.and_then(|names| names.find("node 3")), Some(3));
    let file = GraphFile::open(&path, &()).expect("what was written is right");
    assert_eq!(file.view().to_graph(), graph);
    assert_eq!(loaded.into_graph(), graph);
}

fn nodes_by_number(graph: &Graph) -> NodeNames {
    let names: Vec<String> = (0..graph.csr.node_count()).map(|node| format!("node {node}")).collect();
    names.iter().map(String::as_str).collect()
}

#[test]
fn the_extension_of_a_file_selects_its_format() {
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("graph.TSV");
    std::fs::write(&path, "alpha beta\tgamma\n").expect("there is room for a file");
    let loaded = read_graph(Input::path(&path), &with_names(), &()).expect("tabs separate, spaces do not");
    assert_eq!((loaded.format(), loaded.is_compressed(), loaded.is_mapped()), (Format::CSV, false, false));
    let names = loaded.into_graph().names.expect("there are names");
    assert_eq!(names.view().iter().collect::<Vec<_>>(), ["alpha beta", "gamma"]);
    for (name, format) in [
        ("a.csv", Some(Format::CSV)),
        ("a.csv.gz", Some(Format::CSV)),
        ("a.MTX", Some(Format::MATRIX_MARKET)),
        ("a.vgr", Some(Format::BINARY)),
        ("a.txt.gz", Some(Format::EDGE_LIST)),
        ("a.gz", None),
        ("a", None),
    ] {
        assert_eq!(Format::from_path(name.as_ref()), format, "{name}");
    }
}

/// Sums the progress of each stage.
#[derive(Default)]
struct Sum {
    advanced: AtomicU64,
    total: AtomicU64,
}

impl Progress for Sum {
    fn begin(&self, _stage: Stage, total: Option<u64>) {
        self.total.store(total.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.advanced.store(0, Ordering::Relaxed);
    }

    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Ordering::Relaxed);
    }
}

#[test]
fn progress_adds_up() {
    let (graph, _) = random_graphs().next().expect("there are graphs");
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("graph");
    for format in Format::ALL {
        let sum = Sum::default();
        let mut bytes = Vec::new();
        write_graph(format, graph.view(), &mut bytes, &sum).expect("memory takes everything");
        assert_eq!(sum.advanced.load(Ordering::Relaxed), sum.total.load(Ordering::Relaxed), "{format}");
        std::fs::write(&path, &bytes).expect("there is room for a file");
        let loaded = read_graph(Input::path(&path), &options_for(format), &sum);
        loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(sum.advanced.load(Ordering::Relaxed), sum.total.load(Ordering::Relaxed), "{format}");
    }
}

#[test]
fn a_full_output_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (graph, _) = random_graphs().next().expect("there are graphs");
    for format in Format::ALL {
        let error = write_graph(format, graph.view(), Full, &()).expect_err("there is no room");
        assert!(matches!(error, WriteError::Io { .. }), "{format}");
    }
    assert!(write_binary(graph.view(), Full, &()).is_err());
}

#[test]
fn a_compressed_text_that_is_out_of_proportion_is_an_error() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let line = [&[b'#'; 1 << 16][..], b"\n"].concat();
    (0..258).for_each(|_| encoder.write_all(&line).expect("a vector takes all bytes"));
    let compressed = encoder.finish().expect("a vector takes all bytes");
    let error = crate::oracle::error_of(&compressed, &options());
    assert!(error.contains("more than 250 times as large as the compressed file"), "{error}");
}
