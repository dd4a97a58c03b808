//! What edge lists and CSV files may look like.

use vyre_graph::{Format, Weights};

use crate::oracle::{Edge, graph_of, options, read, with_blocks, with_names};

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
fn the_first_edge_tells_whether_there_are_weights() {
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
fn names_get_numbers_in_the_order_in_which_they_come() {
    let text = "caller,callee,weight\nmain,read line,1\n\"read line\",\"a \"\"b\"\", c\",2\n main , main ,3\n";
    for block_bytes in [1, 5, 30, 1 << 20] {
        let graph = read(text, &with_blocks(with_names(), block_bytes)).expect("this is right");
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
    let mut csv = with_names();
    csv.format = Some(Format::Csv);
    let graph = read("read line,parse line\nparse line,done\n", &csv).expect("this is right");
    let names = graph.names.expect("there are names");
    assert_eq!(names.view().iter().collect::<Vec<_>>(), ["read line", "parse line", "done"]);
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
fn a_comment_before_the_first_edge_says_how_many_nodes_there_are() {
    let edges = [(0, 1, 0), (1, 2, 0)];
    for (text, nodes) in [
        ("# Nodes: 5 Edges: 2\n0 1\n1 2\n", 5),
        ("# Undirected graph\n#\tNodes:\t5\tEdges:\t2\r\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n", 5),
        ("#Nodes: 5 Edges: 999\nsource,target\n0,1\n1,2\n", 5),
        ("source,target\n\n# Nodes: 5 Edges: 2\n0,1\n1,2\n", 5),
        ("\u{feff}# Nodes: 4 Edges: 2\n# Nodes: 6 Edges: 2\n# Nodes: 5 Edges: 2\n0 1\n1 2\n", 6),
        // There may be more.
        ("# Nodes: 2 Edges: 2\n0 1\n1 2\n", 3),
        // These are comments like others.
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
