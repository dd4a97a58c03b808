//! Node files and node lists.

use vyre_graph::file::{Loaded, is_node_table, read_node_table};
use vyre_graph::generate::SplitMix64;
use vyre_graph::{
    Format, Graph, NodeIds, NodeNames, ReadError, ReadOptions, Role, Separators, read_graph, read_node_list,
    read_nodes, write_nodes, write_nodes_csv,
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
    assert_eq!(text(&graph), "node,role\n\"main loop\",source\n\"a,b\",sink\nc,normal\n");
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

#[test]
fn tables_have_roles_and_attributes() {
    let names: NodeNames = ["main loop", "b", "exec"].into_iter().collect();
    let mut words = [0, 0, Role::Source.word()];
    let text = "# nodes\nName;kind;Role;data\nexec;call;sink;7\n\"main loop\";\"a; b\nc\";;\n";
    assert!(is_node_table(text.as_bytes()));
    let attributes = read_node_table(text.as_bytes(), Some(names.view()), &mut words, &()).expect("this is right");
    assert_eq!(words, [0, 0, Role::SourceAndSink.set_in(7)]);
    let columns: Vec<&str> = attributes.columns().map(|column| column.name()).collect();
    assert_eq!(columns, ["kind"]);
    assert_eq!([0, 1, 2].map(|node| attributes.get(node, "kind")), [Some("a; b\nc"), None, Some("call")]);

    let mut words = [0; 3];
    let text = "id,data\n2,x\n";
    let attributes =
        read_node_table(text.as_bytes(), None, &mut words, &()).expect("without roles, data is an attribute");
    assert_eq!((words, attributes.get(2, "data")), ([0; 3], Some("x")));
    for (text, expected) in [
        ("id,kind,role\n0,x,drain\n", "line 2, column 5: `drain` is no role: "),
        ("id,role,data,kind\n0,1,65536,x\n", "line 2, column 5: the data 65536 (0x10000) has bits 16 to 23, "),
        ("id,kind\n3,x\n", "line 2, column 1: there is no node `3` in the graph of 3 nodes"),
        ("id,kind\n1,x\n1,x\n", "line 3, column 1: "),
    ] {
        let error = read_node_table(text.as_bytes(), None, &mut [0; 3], &()).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn tables_are_told_from_lists_of_roles() {
    for (text, is_table) in [
        ("node,role\na,sink\n", false),
        ("node,role,data\n", false),
        ("node,role,kind\n", true),
        ("name,source\nb,sink\n", false),
        ("name,label\n", true),
        ("label;id\n", true),
        ("# c\n\n\u{feff}x\n", false),
        ("\u{feff}ID\tkind\r\n", true),
        ("name\na\n", true),
        ("a sink\n", false),
        ("name sink\n", false),
        ("17,sink\n", false),
        ("", false),
    ] {
        assert_eq!(is_node_table(text.as_bytes()), is_table, "{text:?}");
    }
}

#[test]
fn nodes_of_a_file_are_added() {
    for (text, separators) in [
        ("node,role\nb,sink\nalone at last,source\n", Separators::Csv),
        ("b sink\n\"alone at last\" source # c\n", Separators::Any),
        ("role,kind,name\nsink,x,b\nsource,y,alone at last\n", Separators::Csv),
    ] {
        let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
        let mut loaded = read_graph((&b"a,b\n"[..]).into(), &options, &()).expect("an edge");
        let add = |loaded: &mut Loaded, limit| loaded.add_nodes_of_file(text.as_bytes(), separators, limit, &());
        assert_eq!(add(&mut loaded, Some(3)).map_err(|error| error.to_string()), Ok(1));
        assert_eq!(add(&mut loaded, Some(3)).map_err(|error| error.to_string()), Ok(0));
        let view = loaded.view();
        assert_eq!((view.csr.node_count(), view.csr.edge_count(), view.csr.validate()), (3, 1, Ok(())));
        assert_eq!(view.names.and_then(|names| names.find("alone at last")), Some(2), "{text}");
    }
    let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
    let mut loaded = read_graph((&b"a,b\n"[..]).into(), &options, &()).expect("an edge");
    let error = loaded.add_nodes_of_file(b"c sink\n", Separators::Any, Some(2), &()).expect_err("one too many");
    assert!(error.to_string().starts_with("line 1, column 1: "), "{error}");
    let mut numbers = read_graph((&b"0 1\n"[..]).into(), &ReadOptions::default(), &()).expect("an edge");
    let error = numbers.add_nodes_of_file(b"2 sink\n", Separators::Any, None, &()).expect_err("nodes have no names");
    assert!(error.to_string().contains("no named node can be added"), "{error}");
}
