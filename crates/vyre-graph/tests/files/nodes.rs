//! Node files and node lists.

use vyre_graph::generate::SplitMix64;
use vyre_graph::{
    Graph, NodeNames, ReadError, Role, Separators, read_node_list, read_nodes, write_nodes, write_nodes_csv,
};

use crate::oracle::graph_of;

fn read(text: &str, names: Option<&NodeNames>) -> Result<Vec<u32>, ReadError> {
    read_as(Separators::Any, text, names)
}

fn read_as(separators: Separators, text: &str, names: Option<&NodeNames>) -> Result<Vec<u32>, ReadError> {
    let mut words = vec![0; 5];
    read_nodes(text.as_bytes(), separators, names.map(NodeNames::view), &mut words, &())?;
    Ok(words)
}

#[test]
fn roles_are_names_or_numbers() {
    let expected = [Role::Normal, Role::Source, Role::Sink, Role::SourceAndSink, Role::Sanitizer].map(Role::word);
    for text in [
        "0 normal\n1 source\n2 sink\n3 source+sink\n4 sanitizer\n",
        "4,4\r\n3;3\r\n2\t2\r\n# comment\r\n1 1\r\n",
        "\u{feff}node,role,data\n1,source\n2,sink\n3,source\n4,sanitizer\n3,sink\n4,source\n",
        "id role\n\"1\" \"source\"\n2 sink 0\n3 3\n4 4",
    ] {
        assert_eq!(read(text, None).expect(text), expected, "{text:?}");
    }
    let names: NodeNames = ["a", "read line", "c", "d", "e"].into_iter().collect();
    let words = read("\"read line\" source 4278190335\n\"read line\",sink\ne 0 7\ne 0 8\n", Some(&names))
        .expect("this is right");
    assert_eq!(words, [0, 0xff03_00ff, 0, 0, 8]);
}

#[test]
fn roles_of_csv_files_have_names_with_blanks() {
    let names: NodeNames = ["main loop", "#b", "exec sql", "d", "e"].into_iter().collect();
    let expected = [Role::Source.word(), Role::Sink.word(), Role::Sanitizer.set_in(7), 0, 0];
    for text in [
        "node,role\nmain loop,source\n#b,sink\nexec sql,sanitizer,7\n",
        "# roles\nNode, Role, Data\nmain loop , source,\n#b,sink,\n\"exec sql\",sanitizer,7\n",
        "id;role;data\nmain loop;source;\n#b;sink;\nexec sql;sanitizer;7\n",
    ] {
        for separators in [Separators::Any, Separators::Csv] {
            assert_eq!(read_as(separators, text, Some(&names)).expect(text), expected, "{text:?}");
        }
    }
    let text = "# roles\nmain loop,source\n#b,sink\nexec sql,4,7\n";
    assert_eq!(read_as(Separators::Csv, text, Some(&names)).expect("this is right"), expected);
    let error = read_as(Separators::Csv, "d source\n", Some(&names)).expect_err("blanks do not separate").to_string();
    assert_eq!(error, "line 1, column 1: there is no node `d source` in the graph of 5 nodes");
    // A header without commas does not change the separators.
    let words = read("node role\n\"main loop\" source\n# b\nd,sink\n", Some(&names)).expect("this is right");
    assert_eq!(words, [Role::Source.word(), 0, 0, Role::Sink.word(), 0]);
    for (name, expected) in [
        ("roles.csv", Separators::Csv),
        ("a/roles.CSV.gz", Separators::Csv),
        ("roles.tsv", Separators::Any),
        ("roles.csv.txt", Separators::Any),
        ("csv", Separators::Any),
    ] {
        assert_eq!(Separators::from_path(name.as_ref()), expected, "{name}");
    }
}

#[test]
fn roles_are_written_as_csv() {
    let mut graph = graph_of(3, &[(0, 1, 0)], false);
    graph.names = Some(["main loop", "a,b", "c"].into_iter().collect());
    graph.csr.node_data = vec![Role::Source.word(), Role::Sink.word(), 0];
    let text = |graph: &Graph| {
        let mut text = Vec::new();
        write_nodes_csv(graph.view(), &mut text, &()).expect("memory takes everything");
        String::from_utf8(text).expect("names are text")
    };
    assert_eq!(text(&graph), "node,role\n\"main loop\",source\n\"a,b\",sink\n");
    graph.csr.node_data[2] = 7;
    assert_eq!(text(&graph), "node,role,data\n\"main loop\",source,0\n\"a,b\",sink,0\nc,normal,7\n");
}

#[test]
fn malformed_node_files_are_reported_with_line_and_column() {
    let names: NodeNames = ["a", "b", "c", "d", "e"].into_iter().collect();
    for (text, names, expected) in [
        ("0 source\n5 sink\n", None, "line 2, column 1: there is no node `5` in the graph of 5 nodes"),
        ("z sink\n", Some(&names), "line 1, column 1: there is no node `z` in the graph of 5 nodes"),
        (
            "a sink\n",
            None,
            "line 1, column 1: the node `a` is not a number: nodes are whole numbers from 0 to 4294967294",
        ),
        ("0\n", None, "line 1, column 2: the role is missing"),
        (
            "0 5\n",
            None,
            "line 1, column 3: `5` is no role: roles are normal, source, sink, source+sink, sanitizer, or their numbers 0 to 4",
        ),
        (
            "# c\n0 Sink\n",
            None,
            "line 2, column 3: `Sink` is no role: roles are normal, source, sink, source+sink, sanitizer, or their numbers 0 \
             to 4",
        ),
        (
            "0 sink 65536\n",
            None,
            "line 1, column 8: the data 65536 (0x10000) has bits 16 to 23, where the role stands; they must be 0",
        ),
        (
            "0 sink -1\n",
            None,
            "line 1, column 8: the data of the node `-1` is negative: the data of nodes is whole numbers from 0 to 4294967295",
        ),
        ("0 sink 1 2\n", None, "line 1, column 10: `2` is one field more than the 3 that are known"),
    ] {
        assert_eq!(read(text, names).expect_err(text).to_string(), expected, "{text:?}");
    }
}

#[test]
fn node_words_are_restored() {
    let mut random = SplitMix64::new(17);
    for has_names in [false, true] {
        let names: Vec<String> = (0..200).map(|node| format!("the node \"{node}\"")).collect();
        let mut graph = Graph {
            names: has_names.then(|| names.iter().map(String::as_str).collect()),
            ..graph_of(200, &[(0, 1, 0)], false)
        };
        for word in &mut graph.csr.node_data {
            let role = Role::ALL[random.below(5) as usize];
            *word = role.set_in(if random.below(2) == 0 { 0 } else { random.next_word() as u32 });
        }
        let (mut text, mut csv) = (Vec::new(), Vec::new());
        write_nodes(graph.view(), &mut text, &()).expect("memory takes everything");
        write_nodes_csv(graph.view(), &mut csv, &()).expect("memory takes everything");
        for (text, separators) in [(text, Separators::Any), (csv.clone(), Separators::Csv), (csv, Separators::Any)] {
            let mut words = vec![0; 200];
            let names = graph.names.as_ref().map(NodeNames::view);
            read_nodes(&text[..], separators, names, &mut words, &()).expect("this is right");
            assert_eq!(words, graph.csr.node_data);
        }
    }
}

#[test]
fn lists_accept_all_separators() {
    for text in ["4 2 7 2\n", "4,2\n# c\n7;2", "4\r\n2,\r\n\r\n7 # x y\r\n2 // z", "\"4\" , 2 %\n7\t2\n"] {
        assert_eq!(
            read_node_list(text.as_bytes(), Separators::Any, None, 10, &()).expect(text),
            [4, 2, 7, 2],
            "{text:?}"
        );
    }
    let names: NodeNames = ["a", "# b", "c d"].into_iter().collect();
    let list = |text: &str, separators| read_node_list(text.as_bytes(), separators, Some(names.view()), 3, &());
    assert_eq!(list("\"c d\" a\n\"# b\" # b\n", Separators::Any).expect("this is right"), [2, 0, 1]);
    assert_eq!(list("# the sources\nc d, a\n# b\n", Separators::Csv).expect("this is right"), [2, 0, 1]);
    assert_eq!(list("a; c d\n", Separators::Csv).expect("this is right"), [0, 2]);
    assert_eq!(list("# b,c d, \"a\",\n", Separators::Commas).expect("this is right"), [1, 2, 0]);
    let error = list("a; c d,a\n", Separators::Commas).expect_err("semicolons are parts of names").to_string();
    assert_eq!(error, "line 1, column 1: there is no node `a; c d` in the graph of 3 nodes");
    let error = read_node_list(&b"1 2\n3 10\n"[..], Separators::Any, None, 10, &())
        .expect_err("there is no node 10")
        .to_string();
    assert_eq!(error, "line 2, column 3: there is no node `10` in the graph of 10 nodes");
}
