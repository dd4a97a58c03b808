//! Valid edge lists and CSV files.

use vyre_graph::{Format, Graph, Header, Input, NodeIds, ReadOptions, Weights, read_graph};

use crate::oracle::{Edge, error_of, graph_of, options, read, with_blocks, with_names};

/// Reads a text in blocks of several sizes.
#[track_caller]
fn assert_edges(text: &str, nodes: u32, edges: &[Edge], has_weights: bool) {
    for block_bytes in [1, 5, 1 << 20] {
        let graph = read(text, &with_blocks(options(), block_bytes)).expect(text);
        assert_eq!(graph, graph_of(nodes, edges, has_weights), "{text:?} in blocks of {block_bytes}");
    }
}

#[test]
fn separators_may_be_mixed() {
    let edges = [(0, 1, 0), (1, 2, 0), (2, 3, 0)];
    for text in [
        "0 1\n1 2\n2 3\n",
        "0\t1\n1\t2\n2\t3",
        "0,1\n1;2\n2  \t 3\n",
        "  0 , 1 \n1 ;2\t\n2,\t3  \n",
        "\"0\",\"1\"\n\"1\" 2\n2;\"3\"\n",
        "\u{feff}0 1\r\n1 2\r\n2 3\r\n",
        "\n\n0 1\n\n   \n1 2\n2 3\n\n",
        "# SNAP\n#\n0 1\n% matrix\n1 2\n  // program\n2 3\n# end",
        "00 01\n0000000000000000001 2\n2 3\n",
    ] {
        assert_edges(text, 4, &edges, false);
    }
}

#[test]
fn the_first_edge_determines_whether_edges_have_weights() {
    assert_edges("0 1 7\n1,0,4294967295\n", 2, &[(0, 1, 7), (1, 0, u32::MAX)], true);
    assert_edges("# none yet\n0 1\n1 0\n", 2, &[(0, 1, 0), (1, 0, 0)], false);
    let mut ignoring = options();
    ignoring.weights = Weights::Ignore;
    let graph = read("0 1 7\n1 0 -3.5 whatever \"\n0 0\n1 1\tx\n", &ignoring).expect("all of that is ignored");
    assert_eq!(graph, graph_of(2, &[(0, 1, 0), (1, 0, 0), (0, 0, 0), (1, 1, 0)], false));
}

#[test]
fn a_header_names_columns_in_any_order() {
    for text in [
        "source,target,weight\n0,1,7\n1,2,8\n",
        "Src;Dst;Cost\n0;1;7\n1;2;8\n",
        "\"weight\",\"to\",\"from\"\n7,1,0\n8,2,1\n",
        "id\tTARGET\tlabel\tweight\tSOURCE\nx\t1\t\"a b\"\t7\t0\ny\t2\t\t8\t1\n",
        "# comment\nFromNodeId ToNodeId w\n0 1 7\n1 2 8\n",
        ":START_ID,weight,:END_ID\n0,7,1\n1,8,2\n",
    ] {
        assert_edges(text, 3, &[(0, 1, 7), (1, 2, 8)], true);
    }
    assert_edges("source,target,since\n0,1,2001\n1,2,yesterday\n1,0\n", 3, &[(0, 1, 0), (1, 2, 0), (1, 0, 0)], false);
    assert_edges("source,target\n", 0, &[], false);
}

#[test]
fn names_are_numbered_in_order_of_occurrence() {
    let text = "caller,callee,weight\nmain,read line,1\n\"read line\",\"a \"\"b\"\", c\",2\n main , main ,3\n";
    for block_bytes in [1, 5, 30, 1 << 20] {
        let graph = read(text, &with_blocks(csv(with_names()), block_bytes)).expect("this is right");
        let names = graph.names.as_ref().expect("there are names");
        assert_eq!(names.view().iter().collect::<Vec<_>>(), ["main", "read line", "a \"b\", c"]);
        let expected = graph_of(3, &[(0, 1, 1), (1, 2, 2), (0, 0, 3)], true);
        assert_eq!((graph.csr, graph.weights), (expected.csr, expected.weights));
    }
    let graph = read("b a\na 0\n", &with_names()).expect("this is right");
    let names = graph.names.expect("there are names");
    assert_eq!(names.view().iter().collect::<Vec<_>>(), ["b", "a", "0"]);
}

#[test]
fn csv_without_a_header_has_its_columns_in_order() {
    let graph = read("read line,parse line\nparse line,done\n", &csv(with_names())).expect("this is right");
    let names = graph.names.expect("there are names");
    assert_eq!(names.view().iter().collect::<Vec<_>>(), ["read line", "parse line", "done"]);
}

/// Edges by name, with their weights, as text.
fn named_edges(graph: &Graph) -> String {
    let view = graph.view();
    let name = |node| view.names.and_then(|names| names.name(node)).unwrap_or_default();
    let mut edges = Vec::new();
    for node in 0..view.csr.node_count() as u32 {
        for edge in view.csr.edges_of(node) {
            let weight = view.weights.map(|weights| format!(" {}", weights[edge])).unwrap_or_default();
            edges.push(format!("{}>{}{weight}", name(node), name(view.csr.targets[edge])));
        }
    }
    edges.join(", ")
}

#[test]
fn names_are_a_header_only_if_they_are_unambiguous() {
    for (format, text, line, edges) in [
        (Format::EDGE_LIST, "u v\nx y\n", None, "u>v, x>y"),
        (Format::EDGE_LIST, "v u\nx y\n", None, "v>u, x>y"),
        (Format::EDGE_LIST, "source,target\nx,y\n", None, "source>target, x>y"),
        (Format::EDGE_LIST, "caller callee 3\nx y 4\n", None, "caller>callee 3, x>y 4"),
        (Format::CSV, "u,v\nx,y\n", None, "u>v, x>y"),
        (Format::CSV, "head,tail\nx,y\n", None, "head>tail, x>y"),
        (Format::CSV, "start,end\nx,y\n", None, "start>end, x>y"),
        (Format::CSV, "node_1,node_2\nx,y\n", None, "node_1>node_2, x>y"),
        (Format::CSV, "source,dst\nx,y\n", Some(1), "x>y"),
        (Format::CSV, "from_id,to_id\nx,y\n", Some(1), "x>y"),
        (Format::CSV, "Parent,Child\nx,y\n", Some(1), "x>y"),
        (Format::CSV, "source,target\nx,y\n", Some(1), "x>y"),
        (Format::CSV, "# made today\n\n\"Target\";weight;\"Source\"\nx;7;y\n", Some(3), "y>x 7"),
        (Format::CSV, "src\tDST\nx\ty\n", Some(1), "x>y"),
        (Format::CSV, "id,destination,source,note\n1,x,y,z\n", Some(1), "y>x"),
        (Format::CSV, "to,from\nx,y\n", Some(1), "y>x"),
        (Format::CSV, "caller,callee,weight\nx,y,9\n", Some(1), "x>y 9"),
        (Format::CSV, "source,target\nsource,target\n", Some(1), "source>target"),
    ] {
        let mut given = with_names();
        given.format = Some(format);
        let loaded = read_graph(Input::from(text.as_bytes()), &given, &()).expect(text);
        let is_assumed = loaded.header_line().is_none();
        assert_eq!(loaded.likely_header_line(), is_assumed.then_some(1), "{text:?} as {format}");
        assert_eq!((loaded.header_line(), &*named_edges(&loaded.into_graph())), (line, edges), "{text:?} as {format}");
    }
    // A word among numbers can only be a header.
    let loaded = read_graph(Input::from(&b"v u\n0 1\n"[..]), &options(), &()).expect("this is right");
    assert_eq!((loaded.header_line(), loaded.into_graph()), (Some(1), graph_of(2, &[(1, 0, 0)], false)));
}

#[test]
fn an_option_states_whether_the_file_has_a_header() {
    for (format, header, text, edges) in [
        (Format::CSV, Header::Absent, "source,target\nx,y\n", "source>target, x>y"),
        (Format::EDGE_LIST, Header::Present, "u v\nx y\n", "x>y"),
        (Format::EDGE_LIST, Header::Present, "v u\nx y\n", "y>x"),
        (Format::EDGE_LIST, Header::Present, "a b\nx y 3\n", "x>y 3"),
        (Format::EDGE_LIST, Header::Present, "a,b\nread line,y\n", "read line>y"),
        (Format::CSV, Header::Present, "one\nread line,y\n", "read line>y"),
        (Format::CSV, Header::Present, "a,b,weight\nx,y,3\n", "x>y 3"),
        (Format::CSV, Header::Present, "weight,a,b,c\n3,x,y,z\n", "x>y 3"),
        (Format::CSV, Header::Present, "a,source\nx,y\n", "y>x"),
        (Format::CSV, Header::Present, "target,a\nx,y\n", "y>x"),
        (Format::CSV, Header::Present, "a,b,c,source\nx,,,y\n", "y>x"),
        (Format::CSV, Header::Present, "a,b\n", ""),
    ] {
        for block_bytes in [1, 5, 1 << 20] {
            let mut given = with_blocks(with_names(), block_bytes);
            (given.format, given.header) = (Some(format), header);
            assert_eq!(named_edges(&read(text, &given).expect(text)), edges, "{text:?} as {format}");
        }
    }
    let mut given = options();
    given.header = Header::Present;
    assert_eq!(read("7 8\n0 1\n", &given).expect("the first line is a header"), graph_of(2, &[(0, 1, 0)], false));
    given.header = Header::Absent;
    assert!(error_of("source target\n0 1\n", &given).starts_with("line 1, column 1: the source `source` is not"));
}

fn csv(mut given: ReadOptions) -> ReadOptions {
    given.format = Some(Format::CSV);
    given
}

#[test]
fn comments_of_csv_files_precede_the_first_row() {
    for (text, edges) in [
        ("# made\n% today\n// here\nsource,target\n#a,%b\n//c,d\n\n", "#a>%b, //c>d"),
        ("# made\na,b\n# Nodes: 5 Edges: 4,b\n", "a>b, # Nodes: 5 Edges: 4>b"),
        ("a,b\n#c,d\n", "a>b, #c>d"),
    ] {
        for block_bytes in [1, 5, 1 << 20] {
            let graph = read(text, &with_blocks(csv(with_names()), block_bytes)).expect(text);
            assert_eq!(named_edges(&graph), edges, "{text:?}");
        }
    }
    for (text, line) in [("0,1\n# no\n1,2\n", 2), ("source,target\n\n# Nodes: 5 Edges: 2\n0,1\n", 3)] {
        let error = error_of(text, &csv(options()));
        assert!(error.starts_with(&format!("line {line}, column 1: the source `# ")), "{error}");
        assert!(read(text, &options()).is_ok(), "in an edge list it is a comment");
    }
    let graph = read("# Nodes: 5 Edges: 1\nsource,target\n0,1\n", &csv(options())).expect("this is right");
    assert_eq!(graph, graph_of(5, &[(0, 1, 0)], false));
}

#[test]
fn an_impossible_number_of_nodes_is_an_error() {
    let mut given = options();
    (given.min_nodes, given.max_nodes) = (4, Some(3));
    assert_eq!(error_of("0 1\n", &given), "at least 4 nodes are wanted, but at most 3 allowed");
    given.max_nodes = Some(4);
    assert_eq!(read("0 1\n", &given).expect("this is right").csr.node_count(), 4);
    given.nodes = NodeIds::Names;
    let expected = "at least 4 nodes are wanted, but nodes have names here, and those that are added would have none";
    for format in [Format::EDGE_LIST, Format::CSV] {
        given.format = Some(format);
        assert_eq!(error_of("a,b\n", &given), expected);
    }
    // Matrices have no names, whatever the options are.
    given.format = None;
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
    assert_eq!(read(matrix, &given).expect("this is right"), graph_of(4, &[(0, 1, 0)], false));
}

#[test]
fn an_empty_list_is_a_graph_without_nodes() {
    for text in ["", "\n\n", "# nothing\n", "\u{feff}", "\r\n"] {
        assert_edges(text, 0, &[], false);
    }
    let mut with_nodes = options();
    with_nodes.min_nodes = 3;
    assert_eq!(read("", &with_nodes).expect("nodes need no edges"), graph_of(3, &[], false));
    assert_eq!(read("1 0\n", &with_nodes).expect("nodes need no edges"), graph_of(3, &[(1, 0, 0)], false));
    assert_eq!(read("4 0\n", &with_nodes).expect("there may be more"), graph_of(5, &[(4, 0, 0)], false));
}

#[test]
fn a_comment_before_the_first_edge_declares_the_number_of_nodes() {
    let edges = [(0, 1, 0), (1, 2, 0)];
    for (text, nodes) in [
        ("# Nodes: 5 Edges: 2\n0 1\n1 2\n", 5),
        ("# Undirected graph\n#\tNodes:\t5\tEdges:\t2\r\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n", 5),
        ("#Nodes: 5 Edges: 999\nsource,target\n0,1\n1,2\n", 5),
        ("source,target\n\n# Nodes: 5 Edges: 2\n0,1\n1,2\n", 5),
        ("\u{feff}# Nodes: 4 Edges: 2\n# Nodes: 6 Edges: 2\n# Nodes: 5 Edges: 2\n0 1\n1 2\n", 6),
        // The count is a lower bound.
        ("# Nodes: 2 Edges: 2\n0 1\n1 2\n", 3),
        // These are ordinary comments.
        ("0 1\n# Nodes: 5 Edges: 2\n1 2\n", 3),
        ("# Nodes: 5\n0 1\n1 2\n", 3),
        ("# Nodes: -5 Edges: 2\n0 1\n1 2\n", 3),
        ("# Nodes: 99999999999 Edges: ?\n0 1\n1 2\n", 3),
        ("% Nodes: 5 Edges: 2\n0 1\n1 2\n", 3),
    ] {
        assert_edges(text, nodes, &edges, false);
    }
    assert_edges("# Nodes: 5 Edges: 0\n", 5, &[], false);
    assert_edges("# Nodes: 5 Edges: 0\nsource,target,weight", 5, &[], true);
    let mut given = options();
    given.min_nodes = 4;
    assert_eq!(read("# Nodes: 5 Edges: 0\n", &given).expect("the higher number counts").csr.node_count(), 5);
    given.min_nodes = 6;
    assert_eq!(read("# Nodes: 5 Edges: 0\n", &given).expect("the higher number counts").csr.node_count(), 6);
    let graph = read("# Nodes: 99999999999 Edges: 1\na b\n", &with_names()).expect("names are not counted");
    assert_eq!(graph.csr.node_count(), 2);
}
