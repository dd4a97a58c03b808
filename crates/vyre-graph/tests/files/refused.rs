//! Files of other tools: weights that are no integers, numbers of nodes that are floating-point numbers, and gaps between them.

use vyre_graph::file::WeightScale;
use vyre_graph::{Format, Graph, Input, Loaded, ReadOptions, Weights, read_graph};

use crate::oracle::{error_of, graph_of, options, read, with_blocks, with_names};

fn csv() -> ReadOptions {
    options().with_format(Format::CSV)
}

fn load(text: &str, given: &ReadOptions) -> Loaded {
    read_graph(Input::from(text.as_bytes()), given, &()).expect(text)
}

#[test]
fn blanks_separate_the_columns_of_csv_files_without_a_delimiter() {
    let expected = graph_of(3, &[(1, 0, 1), (2, 0, 1)], true);
    for text in
        ["1 0 1.0\n2 0 1.0\n", "1\t0\t1.0\n2\t0\t1.0\n", "src dst wgt\n1 0 1.0\n2 0 1\n", "1, 0 , 1.0\n 2,0,1 \n"]
    {
        for block_bytes in [1, 9, 1 << 20] {
            assert_eq!(read(text, &with_blocks(csv(), block_bytes)).expect(text), expected, "{text:?}");
        }
    }
    // A delimiter of the first row is the delimiter of all rows, and blanks belong to names.
    let graph = read("read line,a\nb,c\n", &with_names().with_format(Format::CSV)).expect("two rows");
    assert_eq!(graph.names.expect("names").view().name(0), Some("read line"));
}

#[test]
fn numbers_of_nodes_may_be_written_as_floating_point_numbers() {
    let expected = graph_of(100_001, &[(0, 1, 0), (1, 100_000, 0)], false);
    assert_eq!(read("0.0 1.0\n1. 1e+05\n", &options()).expect("integers"), expected);
    for (number, reason) in [
        ("1.5", "is not a whole number"),
        ("-1.0", "is negative"),
        ("1e20", "is out of range"),
        ("nan", "is not a number"),
    ] {
        let error = error_of(format!("0 {number}\n"), &options());
        assert!(error.starts_with(&format!("line 1, column 3: the target `{number}` {reason}")), "{error}");
    }
}

#[test]
fn optional_weights_are_left_out_with_a_reason() {
    let given = options().with_weights(Weights::IfValid);
    for (text, reason) in [
        ("0 1 5\n1 0 2.0\n", None),
        ("0 1\n1 0 x\n", None),
        ("0 1 5 1082040961\n1 0 6 1082040962\n", None),
        ("0 1 5\n1 0 2.5\n", Some("line 2, column 5: the weight `2.5` is not a whole number")),
        ("0 1 -1\n1 0 x\n", Some("line 1, column 5: the weight `-1` is negative")),
        ("0 1 friend\n1 0 foe\n", Some("line 1, column 5: the weight `friend` is not a number")),
        ("0 1 5\n1 0\n", Some("line 2, column 4: the weight is missing")),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.5\n2 1 1\n",
            Some("line 3, column 5: the value `0.5`"),
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 1 2\n2 1 1 0\n",
            Some("line 1, column 34: the values are"),
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
            Some("line 1, column 34: the values are"),
        ),
    ] {
        for block_bytes in [1, 1 << 20] {
            let loaded = load(text, &with_blocks(given.clone(), block_bytes));
            let error = loaded.weight_error().map(ToString::to_string);
            let is_expected = match (&error, reason) {
                (Some(error), Some(reason)) => error.starts_with(reason),
                (error, reason) => error.is_none() && reason.is_none(),
            };
            assert!(is_expected, "{text:?}: {error:?}");
            let graph = loaded.into_graph();
            assert_eq!(graph.csr, graph_of(2, &[(0, 1, 0), (1, 0, 0)], false).csr, "{text:?}");
            assert!(graph.weights.is_none() || reason.is_none(), "{text:?}");
        }
    }
}

#[test]
fn real_weights_are_scaled() {
    let scaled = |scale| options().with_weight_scale(WeightScale::new(scale).expect("a positive number"));
    let expected = graph_of(2, &[(0, 1, 250), (1, 0, 7)], true);
    for text in ["0 1 2.5\n1 0 0.07\n", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 2.5\n2 1 0.07\n"] {
        assert_eq!(read(text, &scaled(100.0)).expect(text), expected);
    }
    for (weight, reason) in [("-2", "is negative"), ("nan", "is not a number"), ("1e30", "is out of range")] {
        let error = error_of(format!("0 1 1\n0 1 {weight}\n"), &scaled(2.0));
        let expected = format!(
            "line 2, column 5: the weight `{weight}` {reason}: with this scale, weights are from 0 to 2147483647.5"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn numbers_without_edges_are_counted() {
    for (text, missing) in [
        ("0 1\n", 0),
        ("1 2\n", 1),
        ("0 9\n5 5\n", 7),
        ("# Nodes: 3 Edges: 2\n0 9\n5 5\n", 7),
        ("# Nodes: 10 Edges: 2\n0 9\n5 5\n", 0),
        ("%%MatrixMarket matrix coordinate pattern general\n9 9 1\n1 2\n", 0),
    ] {
        assert_eq!(load(text, &options()).unmentioned_nodes(), missing, "{text:?}");
        assert_eq!(load(text, &options().with_min_nodes(10)).unmentioned_nodes(), 0, "{text:?}");
    }
}

/// Names and edges of a compact graph.
fn compacted(text: &str, given: ReadOptions) -> (Vec<String>, Graph) {
    let mut graph = read(text, &given.with_compact(true)).expect(text);
    let names = graph.names.take().expect("numbers are names");
    (names.view().iter().map(str::to_owned).collect(), graph)
}

#[test]
fn compact_graphs_have_the_nodes_that_occur() {
    for block_bytes in [1, 1 << 20] {
        let given = with_blocks(options(), block_bytes);
        let text = "# Nodes: 50 Edges: 3\n4000000000 7 1\n7 9 2\n9 9 3\n";
        let (names, graph) = compacted(text, given.clone());
        assert_eq!(names, ["7", "9", "4000000000"]);
        assert_eq!(graph, graph_of(3, &[(2, 0, 1), (0, 1, 2), (1, 1, 3)], true));
        let (names, graph) = compacted("%%MatrixMarket matrix coordinate pattern symmetric\n9 9 1\n8 2\n", given);
        assert_eq!(names, ["2", "8"]);
        assert_eq!(graph, graph_of(2, &[(1, 0, 0), (0, 1, 0)], false));
    }
    let limited = options().with_compact(true).with_max_nodes(2);
    assert_eq!(error_of("5 6\n6 7\n", &limited), "the graph has 3 nodes, but the limit is 2");
    assert!(read("5 6\n6 5\n", &limited).is_ok());
    let (names, graph) = compacted("", options());
    assert_eq!((names.len(), graph), (0, graph_of(0, &[], false)));
}
