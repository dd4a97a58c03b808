//! Malformed edge lists, with their messages.

use vyre_graph::file::Tuning;
use vyre_graph::{Format, NodeIds, ReadOptions, Weights};

use crate::oracle::{error_of, options, read, with_blocks, with_names};

#[track_caller]
fn assert_error(text: impl AsRef<[u8]>, given: &ReadOptions, expected: &str) {
    let text = text.as_ref();
    for block_bytes in [1, 3, 16, 1 << 23] {
        let found = error_of(text, &with_blocks(given.clone(), block_bytes));
        assert_eq!(found, expected, "blocks of {block_bytes} of {}", text.escape_ascii());
    }
}

#[test]
fn malformed_numbers_are_rejected() {
    let nodes = "nodes are whole numbers from 0 to 4294967294; nodes can be read as names";
    let weights = "weights are whole numbers from 0 to 4294967295; weights can be ignored";
    for (text, place, what, range) in [
        ("a b\n", "line 1, column 1", "source `a` is not a number", nodes),
        ("0 1\n\n# c\n0\tx1\n", "line 4, column 3", "target `x1` is not a number", nodes),
        ("0 1\r\n-1 2\r\n", "line 2, column 1", "source `-1` is negative", nodes),
        ("0 1.5\n", "line 1, column 3", "target `1.5` is not a whole number", nodes),
        ("0 1e13\n", "line 1, column 3", "target `1e13` is out of range", nodes),
        ("0 +1\n", "line 1, column 3", "target `+1` is not a number", nodes),
        ("0 0x1f\n", "line 1, column 3", "target `0x1f` is not a number", nodes),
        ("4294967295 0\n", "line 1, column 1", "source `4294967295` is out of range", nodes),
        ("0 4294967296\n", "line 1, column 3", "target `4294967296` is out of range", nodes),
        ("0 99999999999999999999999\n", "line 1, column 3", "target `99999999999999999999999` is out of range", nodes),
        ("0 1 2\n0 1 -2\n", "line 2, column 5", "weight `-2` is negative", weights),
        ("0 1 4294967296\n", "line 1, column 5", "weight `4294967296` is out of range", weights),
        ("0 1 heavy\n", "line 1, column 5", "weight `heavy` is not a number", weights),
        ("0 1\x0b2\n", "line 1, column 3", "target `1\\u{b}2` is not a number", nodes),
        ("0 1\r2\n", "line 1, column 3", "target `1\\r2` is not a number", nodes),
        ("0 \u{1b}[31m\n", "line 1, column 3", "target `\\u{1b}[31m` is not a number", nodes),
        ("source,target\n0,1\n0,\"1x\"\n", "line 3, column 4", "target `1x` is not a number", nodes),
    ] {
        assert_error(text, &options(), &format!("{place}: the {what}: {range}"));
    }
    let expected = "line 1, column 5: the weight `0.5` is not a whole number: weights are whole numbers from 0 to 4294967295; \
                    weights can be scaled or ignored";
    assert_error("0 1 0.5\n", &options(), expected);
    let long = format!("0 {}\n", "é".repeat(500));
    let shortened = "é".repeat(40);
    assert_error(long, &options(), &format!("line 1, column 3: the target `{shortened}…` is not a number: {nodes}"));
}

#[test]
fn missing_and_superfluous_fields_are_rejected() {
    let ignorable = "either all edges have one, or weights can be ignored";
    for (text, expected) in [
        ("0\n", "line 1, column 2: the target is missing".to_owned()),
        ("0 1\n7,\n", "line 2, column 3: the target is missing".to_owned()),
        (",1\n", "line 1, column 1: the source is missing".to_owned()),
        ("0 1 2\n0 1\n", format!("line 2, column 4: the weight is missing; {ignorable}")),
        ("0,1,\n", format!("line 1, column 5: the weight is missing; {ignorable}")),
        (
            "#\n0 1\n0 1 2\n",
            "line 3, column 5: `2` would be a weight, but the edge of line 2 has none; weights can be ignored"
                .to_owned(),
        ),
        (
            "0 1 2 3\n",
            "line 1, column 7: `3` is one field more than the 3 that are known; a header line can name columns, or weights and \
             the rest of lines can be ignored"
                .to_owned(),
        ),
        ("source,target,weight\n0,1,2\n0,1\n", format!("line 3, column 4: the weight is missing; {ignorable}")),
        ("x,source,target\n0,1,2\n0,1\n", "line 3, column 4: the target is missing".to_owned()),
    ] {
        assert_error(text, &options(), &expected);
    }
    let mut required = options();
    required.weights = Weights::Required;
    assert_error("0 1\n", &required, &format!("line 1, column 4: the weight is missing; {ignorable}"));
    let expected = "line 1, column 1: weights are required, but the header has no column `weight`";
    assert_error("source,target\n0,1\n", &required, expected);
    required.format = Some(Format::CSV);
    assert_error("", &required, "the file is empty, which a CSV file does not allow");
    required.format = Some(Format::BINARY);
    assert_error("", &required, "the file is empty, which a binary graph file does not allow");
}

#[test]
fn bytes_that_are_not_text_are_rejected() {
    for nodes in [NodeIds::Numbers, NodeIds::Names] {
        let mut given = options();
        given.nodes = nodes;
        assert_error(b"0 1\n0 2\xff3\n", &given, "line 2, column 4: the byte 0xff is not UTF-8");
        assert_error(b"0 1\n\xc3 2\n", &given, "line 2, column 1: the byte 0xc3 is not UTF-8");
        assert_error(b"0 1\n0 2\x003\n", &given, "line 2, column 4: there is a byte 0, which no text has");
        assert_error(b"\xff\xfe0\0 \x001\0\n\0", &given, "line 1, column 1: the byte 0xff is not UTF-8");
    }
    assert_error([0u8; 100], &options(), "line 1, column 1: there is a byte 0, which no text has");
    // It is allowed in a comment.
    assert!(read(b"# \xff\0\n0 1\n", &options()).is_ok());
}

#[test]
fn unmatched_quotes_are_rejected() {
    for (text, expected) in [
        ("\"a b\n", "line 1, column 1: the quoted field does not end on its line"),
        ("a \"b\"\"\nc\" d\n", "line 1, column 3: the quoted field does not end on its line"),
        (
            "a \"b\"c\n",
            "line 1, column 6: `c` follows a quoted field, but a separator must; a quote within one is written twice",
        ),
        ("a b\n\"\" c\n", "line 2, column 2: the name of the node is empty"),
        ("a b\nc,\n", "line 2, column 3: the name of the node is empty"),
    ] {
        assert_error(text, &with_names(), expected);
    }
}

#[test]
fn endless_lines_are_rejected() {
    let limit = 1 << 20;
    let mut text = b"0 1\n".to_vec();
    text.resize(text.len() + limit + 1, b'7');
    let expected = "line 2, column 1048577: the line is longer than 1048576 bytes";
    for ending in ["", "\n", "\n0 1\n"] {
        let text = [&text, ending.as_bytes()].concat();
        for block_bytes in [1, 4096, 1 << 23] {
            assert_eq!(error_of(&text, &with_blocks(options(), block_bytes)), expected);
            assert_eq!(error_of(&text, &with_blocks(with_names(), block_bytes)), expected);
        }
    }
    // The limit also holds for comments and ignored fields. A line of exactly this size is valid.
    let comment = |length: usize| [b"0 1\n#".as_slice(), &vec![b'-'; length - 1], b"\r\n0 2\n"].concat();
    assert!(read(comment(limit), &options()).is_ok());
    assert_eq!(error_of(comment(limit + 1), &options()), expected);
    let mut ignoring = options();
    ignoring.weights = Weights::Ignore;
    let ignored = |length: usize| [b"0 1\n0 1 ".as_slice(), &vec![b'-'; length - 4], b"\n0 2\n"].concat();
    assert!(read(ignored(limit), &ignoring).is_ok());
    assert_eq!(error_of(ignored(limit + 1), &ignoring), expected);
}

#[test]
fn node_numbers_far_above_the_number_of_edges_are_rejected() {
    let hint = "are allowed; more can be allowed, or only the numbers that occur can be nodes";
    let text = "0 1\n# c\n0 4294967294\n5 4294967294\n";
    let expected = format!("line 3, column 1: this asks for 4294967295 nodes, but with 3 edges only 16777216 {hint}");
    assert_error(text, &options(), &expected);
    let expected = format!("line 1, column 1: this asks for 16777217 nodes, but with 1 edge only 16777216 {hint}");
    assert_error("16777216 0\n", &options(), &expected);
    let mut limited = options();
    limited.max_nodes = Some(5);
    assert_eq!(read("0 4\n", &limited).expect("4 is below 5").csr.node_count(), 5);
    let expected = "line 2, column 3: node 5 is one too many: nodes up to 4 are allowed";
    assert_error("0 4\n0 5\nx\n", &limited, expected);
    limited.max_nodes = Some(0);
    assert_error("0 4\n", &limited, "line 1, column 1: node 0 is one too many: no nodes are allowed");
    limited.max_nodes = Some(2);
    limited.nodes = NodeIds::Names;
    let expected = "line 2, column 3: node 2 is one too many: nodes up to 1 are allowed";
    assert_error("a b\nb c\n\"\n", &limited, expected);
    limited.max_nodes = Some(20_000_000);
    limited.nodes = NodeIds::Numbers;
    assert_eq!(read("16777216 0\n", &limited).expect("it was allowed").csr.node_count(), 16_777_217);
}

#[test]
fn comments_that_declare_too_many_nodes_are_rejected() {
    let hint = "are allowed; more can be allowed, or only the numbers that occur can be nodes";
    let text = "# Nodes: 5 Edges: 1\n #\tNodes:\t16777217\tEdges: 0\n0 4294967294\n0 1\n";
    let expected = format!("line 2, column 11: this asks for 16777217 nodes, but with 2 edges only 16777216 {hint}");
    assert_error(text, &options(), &expected);
    let expected = format!("line 1, column 10: this asks for 4294967295 nodes, but with 0 edges only 16777216 {hint}");
    assert_error("# Nodes: 4294967295 Edges: 4294967295\n", &options(), &expected);
    let range = "is out of range: numbers of nodes are whole numbers from 0 to 4294967295";
    for count in ["4294967296", "99999999999999999999999999999999"] {
        let expected = format!("line 2, column 10: the number of nodes `{count}` {range}");
        assert_error(format!("source,target\n# Nodes: {count} Edges: 1\n0 1\n"), &options(), &expected);
    }
    let mut limited = options();
    limited.max_nodes = Some(5);
    assert_eq!(read("# Nodes: 5 Edges: 1\n0 1\n", &limited).expect("5 are allowed").csr.node_count(), 5);
    let expected = "line 1, column 10: node 5 is one too many: nodes up to 4 are allowed";
    assert_error("# Nodes: 6 Edges: 1\n0 1\nx\n", &limited, expected);
    limited.max_nodes = Some(20_000_000);
    let graph = read("# Nodes: 16777217 Edges: 0\n", &limited).expect("it was allowed");
    assert_eq!(graph.csr.node_count(), 16_777_217);
    let mut at_least = options();
    at_least.min_nodes = 16_777_217;
    let graph = read("# Nodes: 16777217 Edges: 0\n", &at_least).expect("as many were asked for");
    assert_eq!(graph.csr.node_count(), 16_777_217);
}

#[test]
fn more_edges_than_are_counted() {
    let expected = |line: u64| format!("line {line}, column 1: there are more than 3 edges, the most that a graph has");
    let tight = |mut given: ReadOptions, block_bytes| {
        given.tuning = Tuning { block_bytes, max_edges: 3 };
        given
    };
    for block_bytes in [1, 9, 1 << 20] {
        for given in [options(), with_names()] {
            let given = tight(given, block_bytes);
            assert!(read("0 1\n1 2\n2 3\n", &given).is_ok());
            // Later lines are not parsed.
            assert_eq!(error_of("0 1\n1 2\n\n2 3\n#\n3 4\nx \"\n", &given), expected(6), "{block_bytes}");
            let mut undirected = given;
            undirected.undirected = true;
            assert!(read("0 1\n1 1\n", &undirected).is_ok());
            assert_eq!(error_of("0 1\n1 1\n0 2\n", &undirected), expected(3), "{block_bytes}");
        }
    }
    let mut undirected = tight(options(), 1 << 20);
    undirected.undirected = true;
    let bytes = crate::oracle::written(Format::EDGE_LIST, crate::oracle::graph_of(2, &[(0, 1, 0); 2], false).view());
    assert_eq!(error_of(bytes, &undirected), expected(3));
}

#[test]
fn a_read_error_is_reported_after_earlier_errors() {
    struct Failing<'t>(&'t [u8]);
    impl std::io::Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                return Err(std::io::Error::other("the cable is loose"));
            }
            self.0.read(buffer)
        }
    }
    for block_bytes in [1, 10, 1 << 20] {
        let given = with_blocks(options(), block_bytes);
        let error = |text: &'static str| {
            let input = vyre_graph::Input::reader(Failing(text.as_bytes()));
            vyre_graph::read_graph(input, &given, &()).expect_err("the input fails")
        };
        let loose = error("0 1\n0 2\n0 3\n0");
        assert_eq!(loose.to_string(), "the input cannot be read: the cable is loose");
        assert!(std::error::Error::source(&loose).is_some());
        let text = error("0 1 2 3 4 5 6 7 8 9\n0 2\n").to_string();
        assert!(text.starts_with("line 1, column 7: `3` is one field more"), "{text}");
    }
    let missing = vyre_graph::read_graph(vyre_graph::Input::path("/no/such/file"), &options(), &());
    assert!(missing.expect_err("there is no such file").to_string().starts_with("the input cannot be read: "));
}
