//! Valid and malformed Matrix Market files.

use vyre_graph::{ReadOptions, Weights};

use crate::oracle::{Edge, error_of, graph_of, options, read, with_blocks};

fn ignoring() -> ReadOptions {
    let mut ignoring = options();
    ignoring.weights = Weights::Ignore;
    ignoring
}

#[track_caller]
fn assert_matrix(text: &str, given: &ReadOptions, nodes: u32, edges: &[Edge], has_weights: bool) {
    for block_bytes in [1, 9, 1 << 20] {
        let graph = read(text, &with_blocks(given.clone(), block_bytes)).expect(text);
        assert_eq!(graph, graph_of(nodes, edges, has_weights), "{text:?} in blocks of {block_bytes}");
    }
}

#[test]
fn every_kind_of_matrix_is_a_graph() {
    let header = "%%MatrixMarket matrix coordinate";
    let pattern = [(0, 1, 0), (2, 2, 0)];
    let mirrored = [(0, 1, 0), (1, 0, 0), (2, 2, 0)];
    let weighted = [(0, 1, 5), (2, 2, 6)];
    let both = [(0, 1, 5), (1, 0, 5), (2, 2, 6)];
    let plain = |kind: &str, values: [&str; 2]| {
        format!("{header} {kind}\n% comment\n\n3 3 2\n1 2 {}\n% comment\n\n3 3 {}\n", values[0], values[1])
    };
    assert_matrix(&plain("pattern general", ["", ""]), &options(), 3, &pattern, false);
    assert_matrix(&plain("pattern symmetric", ["", ""]), &options(), 3, &mirrored, false);
    assert_matrix(&plain("integer general", ["5", "6"]), &options(), 3, &weighted, true);
    assert_matrix(&plain("integer symmetric", ["5", "6"]), &options(), 3, &both, true);
    assert_matrix(&plain("real general", ["5.0", "0.6e1"]), &options(), 3, &weighted, true);
    assert_matrix(&plain("REAL Symmetric", ["5", "6."]), &options(), 3, &both, true);
    assert_matrix(&plain("real general", ["-0.5", "nan"]), &ignoring(), 3, &pattern, false);
    assert_matrix(&plain("complex general", ["1.0 2.0", "x y"]), &ignoring(), 3, &pattern, false);
    assert_matrix(&plain("complex hermitian", ["1.0 2.0", "0 0"]), &ignoring(), 3, &mirrored, false);
    assert_matrix(&plain("integer skew-symmetric", ["5", "6"]), &ignoring(), 3, &mirrored, false);
    assert_matrix(&plain("pattern general", ["", ""]).to_uppercase(), &options(), 3, &pattern, false);
    let mut undirected = options();
    undirected.undirected = true;
    assert_matrix(&plain("integer general", ["5", "6"]), &undirected, 3, &both, true);
    assert_matrix(&plain("integer symmetric", ["5", "6"]), &undirected, 3, &both, true);
    assert_matrix(&format!("{header} pattern general\n0 0 0\n"), &options(), 0, &[], false);
    assert_matrix(&format!("{header} pattern general\r\n4 4 0"), &options(), 4, &[], false);
}

#[test]
fn dense_matrices_have_an_edge_for_each_element_that_is_not_0() {
    let array = |kind: &str, values: &str| format!("%%MatrixMarket matrix array {kind}\n% c\n2 2\n{values}\n");
    let edges = [(0, 1, 3), (1, 0, 2)];
    assert_matrix(&array("integer general", "0\n2\n3\n0"), &options(), 2, &edges, true);
    assert_matrix(&array("real general", "0.0\n2.0\n\n3\n0"), &options(), 2, &edges, true);
    let both = [(0, 0, 1), (0, 1, 2), (1, 0, 2)];
    for symmetry in ["symmetric", "hermitian"] {
        assert_matrix(&array(&format!("real {symmetry}"), "1\n2\n0"), &options(), 2, &both, true);
    }
    let pattern = [(0, 1, 0), (1, 0, 0)];
    assert_matrix(&array("real skew-symmetric", "-2.5"), &ignoring(), 2, &pattern, false);
    assert_matrix(&array("complex general", "0 0\n0 1\n-1 0\n0 0"), &ignoring(), 2, &pattern, false);
    let compact = options().with_compact(true);
    let found = read("%%MatrixMarket matrix array integer general\n2 2\n0\n0\n0\n5\n", &compact).expect("one edge");
    assert_eq!(found.view().names.and_then(|names| names.name(0)), Some("2"));
}

#[test]
fn malformed_matrices_are_reported_with_line_and_column() {
    let all = "%%MatrixMarket matrix coordinate integer general";
    let real = "%%MatrixMarket matrix coordinate real general";
    let mut required = options();
    required.weights = Weights::Required;
    for (text, given, expected) in [
        (
            "%%MatrixMarket",
            options(),
            "line 1, column 15: the rest of `%%MatrixMarket matrix coordinate FIELD SYMMETRY` is missing",
        ),
        ("%%MatrixMarket vector", options(), "line 1, column 16: found `vector`, but expected `matrix`"),
        (
            "%%MatrixMarket matrix array pattern general\n2 2\n",
            options(),
            "line 1, column 29: an `array` has values, so it cannot be a `pattern`",
        ),
        (
            "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
            options(),
            "the matrix ends at line 5 after 3 entries, but its header says 4",
        ),
        (
            "%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n",
            ignoring(),
            "line 4, column 1: the matrix has 1 elements, and this is one more",
        ),
        (
            "%%MatrixMarket matrix array real general\n2 2\n1\nx\n",
            options(),
            "line 4, column 1: the element `x` is not a number",
        ),
        (
            "%%MatrixMarket matrix coordinate quaternion general\n",
            options(),
            "line 1, column 34: found `quaternion`, but expected `pattern`, `integer`, `real` or `complex`",
        ),
        (
            "%%MatrixMarket matrix coordinate real upper\n",
            options(),
            "line 1, column 39: found `upper`, but expected `general`, `symmetric`, `skew-symmetric` or `hermitian`",
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 2 3\n",
            options(),
            "line 1, column 34: the values are complex numbers, but weights are whole numbers; weights can be ignored",
        ),
        (
            "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 2\n",
            options(),
            "line 1, column 34: the values are negative in the other half, but weights are whole numbers; weights can be \
             ignored",
        ),
        (
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n",
            required,
            "line 1, column 34: weights are required, but the matrix is a `pattern` without values",
        ),
        (
            &format!("{all}\n1 2 0\n"),
            options(),
            "line 2, column 1: the matrix has 1 row and 2 columns, but a graph needs as many of both",
        ),
        (
            &format!("{all}\n% c\n3 4 1\n1 1 1\n"),
            options(),
            "line 3, column 1: the matrix has 3 rows and 4 columns, but a graph needs as many of both",
        ),
        (&format!("{all}\n3 3\n"), options(), "line 2, column 4: the number of rows, columns or entries is missing"),
        (&format!("{all}\n"), options(), "line 2, column 1: the number of rows, columns or entries is missing"),
        (
            &format!("{all}\n3 3 -1\n"),
            options(),
            "line 2, column 5: the number of rows, columns or entries `-1` is negative: sizes are whole numbers from 0 to \
             4294967295",
        ),
        (
            &format!("{all}\n9999999999 9999999999 1\n"),
            options(),
            "line 2, column 1: the number of rows, columns or entries `9999999999` is out of range: sizes are whole numbers \
             from 0 to 4294967295",
        ),
        (
            &format!("{all}\n1000000000 1000000000 10\n1 1 1\n"),
            options(),
            "line 2, column 1: the matrix has 1000000000 rows, but with 10 entries only 16777216 are allowed; more can be \
             allowed",
        ),
        (
            &format!("{all}\n3 3 3\n1 1 1\n\n2 2 2\n"),
            options(),
            "the matrix ends at line 5 after 2 entries, but its header says 3",
        ),
        (&format!("{all}\n3 3 3\n"), options(), "the matrix ends at line 2 after 0 entries, but its header says 3"),
        (
            &format!("{all}\n3 3 1\n1 1 1\n\n 2 2 2\n"),
            options(),
            "line 5, column 2: this is one entry more than the 1 that the header says",
        ),
        (
            &format!("{all}\n3 3 1\n0 1 1\n"),
            options(),
            "line 3, column 1: the row `0` is out of range: rows are whole numbers from 1 to 3",
        ),
        (
            &format!("{all}\n3 3 1\n1 4 1\n"),
            options(),
            "line 3, column 3: the column `4` is out of range: columns are whole numbers from 1 to 3",
        ),
        (&format!("{all}\n3 3 1\n1 2\n"), options(), "line 3, column 4: the value is missing"),
        (&format!("{all}\n3 3 1\n1\n"), options(), "line 3, column 2: the column is missing"),
        (
            &format!("{all}\n3 3 1\n1 2 3 4\n"),
            options(),
            "line 3, column 7: `4` is one field more than the 3 that are known",
        ),
        (
            &format!("{all}\n3 3 1\n1 2 -3\n"),
            options(),
            "line 3, column 5: the value `-3` is negative: weights are whole numbers from 0 to 4294967295; weights can be \
             ignored",
        ),
        (
            &format!("{real}\n3 3 1\n1 2 0.25\n"),
            options(),
            "line 3, column 5: the value `0.25` is not a whole number: weights are whole numbers from 0 to 4294967295; \
             weights can be scaled or ignored",
        ),
    ] {
        for block_bytes in [1, 20, 1 << 20] {
            assert_eq!(error_of(text, &with_blocks(given.clone(), block_bytes)), expected, "{text:?}, {block_bytes}");
        }
    }
    let mut given = options();
    given.format = Some(vyre_graph::Format::MATRIX_MARKET);
    assert_eq!(error_of("", &given), "the file is empty, which a Matrix Market file does not allow");
    let expected = "line 1, column 1: found `1 2 3`, but the first line must begin with `%%MatrixMarket matrix`";
    assert_eq!(error_of("1 2 3\n", &given), expected);
    given.max_nodes = Some(2);
    let expected = "line 2, column 1: node 2 is one too many: nodes up to 1 are allowed";
    assert_eq!(error_of(format!("{all}\n3 3 0\n"), &given), expected);
}
