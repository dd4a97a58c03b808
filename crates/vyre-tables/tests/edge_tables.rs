//! Edge tables that pyarrow wrote, tables that are written and read again, and damaged tables. `pyarrow_round_trip.py` makes the fixtures.

use std::path::{Path, PathBuf};

use vyre_graph::{Graph, Loaded, NodeIds, ReadOptions, Weights, read_graph};
use vyre_tables::{TableError, TableFormat, TableInput, is_guarded, read_edge_table, write_edge_table};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("the fixture exists")
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<Loaded, TableError> {
    let format = TableFormat::from_first_bytes(bytes).unwrap_or(TableFormat::Parquet);
    read_edge_table(TableInput::reader(bytes), format, options, &())
}

/// Edges with the texts of their ends and their weights, sorted.
fn edges(loaded: &Loaded) -> Vec<(String, String, u32)> {
    let view = loaded.view();
    let text = |node: u32| view.names.map_or(node.to_string(), |names| names.name(node).unwrap_or_default().to_owned());
    let mut edges = Vec::new();
    for node in 0..view.csr.node_count() as u32 {
        for edge in view.csr.edges_of(node) {
            let weight = view.weights.map_or(0, |weights| weights[edge]);
            edges.push((text(node), text(view.csr.targets[edge]), weight));
        }
    }
    edges.sort();
    edges
}

fn owned(edges: &[(&str, &str, u32)]) -> Vec<(String, String, u32)> {
    edges.iter().map(|&(source, target, weight)| (source.to_owned(), target.to_owned(), weight)).collect()
}

#[test]
fn tables_of_pyarrow_are_read() {
    let numbers = owned(&[("0", "1", 7), ("0", "2", 5), ("1", "2", 1), ("2", "3", 2), ("4", "0", 9)]);
    let names = owned(&[
        ("init", "log", 0),
        ("main", "init", 0),
        ("main", "log", 0),
        ("say \"hi\", twice", "main", 0),
        ("é x", "main", 0),
    ]);
    for (name, expected) in [
        ("i64_gzip.parquet", &numbers),
        ("u32_lz4.arrow", &numbers),
        ("dictionary_snappy.parquet", &names),
        ("large_zstd.parquet", &names),
        ("text_v2.parquet", &names),
        ("dictionary_zstd.arrow", &names),
        ("text_None.arrows", &names),
        ("large.feather", &names),
    ] {
        let loaded = read(&bytes_of(name), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(&edges(&loaded), expected, "{name}");
    }
}

#[test]
fn options_apply_to_tables() {
    let bytes = bytes_of("i64_gzip.parquet");
    let ignored = read(&bytes, &ReadOptions::default().with_weights(Weights::Ignore)).expect("it is a table");
    assert!(ignored.view().weights.is_none());
    let both = read(&bytes, &ReadOptions::default().with_undirected(true)).expect("it is a table");
    assert_eq!(both.view().csr.edge_count(), 10);
    let named = read(&bytes, &ReadOptions::default().with_nodes(NodeIds::Names)).expect("it is a table");
    assert_eq!(named.view().names.and_then(|names| names.find("4")), Some(4));
    let error = read(&bytes, &ReadOptions::default().with_max_nodes(3)).expect_err("node 3 is beyond the limit");
    assert!(error.to_string().starts_with("row 4: "), "{error}");
    let error = read(&bytes_of("text_v2.parquet"), &ReadOptions::default().with_weights(Weights::Required));
    assert!(matches!(error, Err(TableError::Graph(vyre_graph::ReadError::NoWeights))));
}

#[test]
fn missing_values_and_wrong_types_are_errors_with_their_place() {
    let error = read(&bytes_of("null.parquet"), &ReadOptions::default()).expect_err("a source is missing");
    assert_eq!(error.to_string(), "row 3: column `source` has no value there");
    let error = read(&bytes_of("real.parquet"), &ReadOptions::default()).expect_err("a node is no real number");
    assert_eq!(error.to_string(), "column `source` has the type Float64, but nodes are integers or strings");
    let error = read(b"FEA1....", &ReadOptions::default()).expect_err("it is an old format");
    assert!(error.to_string().contains("version 1 of Feather"), "{error}");
}

#[test]
fn written_tables_are_read_again() {
    let texts: [(&[u8], NodeIds); 4] = [
        (b"# Nodes: 9 Edges: 3\n0 1 5\n0 2 6\n3 0 7\n", NodeIds::Numbers),
        (b"# Nodes: 3 Edges: 0\n", NodeIds::Numbers),
        (b"a b\nb \"c d\"\n", NodeIds::Names),
        (b"", NodeIds::Numbers),
    ];
    for (text, nodes) in texts {
        let options = ReadOptions::default().with_nodes(nodes);
        let graph: Graph = read_graph(text.into(), &options, &()).expect("the text is a graph").into_graph();
        for format in TableFormat::ALL {
            let mut bytes = Vec::new();
            write_edge_table(format, graph.view(), &mut bytes, &()).expect("a vector takes all bytes");
            assert_eq!(TableFormat::from_first_bytes(&bytes), Some(format));
            let again = read(&bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(again.into_graph(), graph, "{format}");
        }
    }
}

#[test]
fn truncated_tables_are_errors() {
    for name in ["i64_gzip.parquet", "dictionary_snappy.parquet", "u32_lz4.arrow", "dictionary_zstd.arrow"] {
        let bytes = bytes_of(name);
        for length in (8..bytes.len()).step_by(7) {
            assert!(read(&bytes[..length], &ReadOptions::default()).is_err(), "{name} cut to {length} bytes");
        }
    }
    // A stream may end without a mark, so a cut between two messages cannot be seen.
    let whole = bytes_of("text_None.arrows");
    let complete = edges(&read(&whole, &ReadOptions::default()).expect("it is whole"));
    for length in 8..whole.len() {
        if let Ok(loaded) = read(&whole[..length], &ReadOptions::default()) {
            assert!(edges(&loaded).iter().all(|edge| complete.contains(edge)), "cut to {length} bytes");
        }
    }
}

/// A damaged table gives an error or other edges, and never a panic or an allocation of what it claims.
#[test]
fn flipped_bytes_do_no_harm() {
    // A test that fails still reports its panic.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_guarded() {
            report(panic)
        }
    }));
    for name in [
        "i64_gzip.parquet",
        "dictionary_snappy.parquet",
        "text_v2.parquet",
        "u32_lz4.arrow",
        "dictionary_zstd.arrow",
        "text_None.arrows",
    ] {
        let bytes = bytes_of(name);
        for at in (0..bytes.len()).step_by(STEP) {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let format = TableFormat::from_first_bytes(&bytes).expect("the fixture has a signature");
                let _ = read_edge_table(TableInput::reader(&damaged[..]), format, &ReadOptions::default(), &());
            }
        }
    }
}

/// Distance of the bytes that are flipped. `VYRE_EVERY_BYTE` at compile time flips all of them.
const STEP: usize = if option_env!("VYRE_EVERY_BYTE").is_some() { 1 } else { 29 };
