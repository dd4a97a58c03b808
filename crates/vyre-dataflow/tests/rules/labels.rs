//! Labelling of nodes by rules.

use vyre_dataflow::rules::{Labelling, NodeTable, RuleKind, Rules, TransferSettings};
use vyre_graph::{Attributes, NodeNames, Role, read_attributes, role_of, to_csr};

const RULES: &str = r#"
format = 1
[transfer]
max_depth = 40
function = "taint.vyre"

[[source]]
label = "http"
names = ["request.*", "*.getParameter"]
facts = 5
[[source]]
label = "any call of a request"
names = ["*request*"]
attributes = { kind = "call" }
facts = 0x8000_0000
[[sink]]
label = "sql"
names = ["*.execute"]
[[sink]]
label = "tainted file"
attributes = { file = ["*.php", "[ab].c"], kind = "c*" }
[[sink]]
label = "nothing"
names = ["nowhere"]
[[sanitizer]]
label = "escape"
names = ["*escape*"]

[[parameter]]
names = ["request.args"]
word = 7
[[parameter]]
attributes = { kind = "*" }
word = 4294967295
"#;

const NAMES: [&str; 7] =
    ["request.args", "request.escape.execute", "main", "db.request.execute", "x.getParameter", "included", "other"];

const NODES: &str = "name;kind;file\nrequest.args;call;a.c\n\"db.request.execute\";call;\nmain;call;z.c\n\
                     included;code;b.c\nother;;x.php\n";

fn label(node_data: &[u32]) -> Labelling {
    let names: NodeNames = NAMES.into_iter().collect();
    let attributes = attributes(&names);
    let nodes = NodeTable { node_data, names: Some(names.view()), attributes: Some(&attributes) };
    Rules::parse(RULES).expect("the input is valid").label(&nodes).expect("names and attributes exist")
}

fn attributes(names: &NodeNames) -> Attributes {
    read_attributes(NODES.as_bytes(), Some(names.view()), NAMES.len(), &()).expect("the input is valid")
}

#[test]
fn roles_labels_and_metadata() {
    let labelling = label(&[0; 7]);
    let roles: Vec<Role> = labelling.node_data.iter().map(|&word| role_of(word)).collect();
    let expected = [
        Role::SourceAndSink,
        Role::Sanitizer,
        Role::Normal,
        Role::SourceAndSink,
        Role::Source,
        Role::Sink,
        Role::Normal,
    ];
    assert_eq!(roles, expected);
    assert_eq!(labelling.sources, [0, 3, 4]);
    assert_eq!(labelling.facts, [0x8000_0005, 0x8000_0000, 5]);
    assert_eq!(labelling.metadata.as_deref(), Some(&[7, 0, u32::MAX, u32::MAX, 0, u32::MAX, 0][..]));
    assert!(labelling.source_labels(0).eq(["http", "any call of a request"]));
    assert!(labelling.sink_labels(0).eq(["tainted file"]));
    assert!(labelling.source_labels(3).eq(["any call of a request"]));
    assert!(labelling.sink_labels(3).eq(["sql"]));
    assert!(labelling.sink_labels(5).eq(["tainted file"]));
    for node in [1, 2, 6, 7, u32::MAX] {
        assert_eq!(labelling.source_labels(node).chain(labelling.sink_labels(node)).count(), 0, "{node}");
    }
    assert!(labelling.sanitizer_labels(1).eq(["escape"]));
    assert_eq!(labelling.sanitizer_labels(0).count(), 0);
}

#[test]
fn rules_count_matching_nodes() {
    let labelling = label(&[0; 7]);
    let counts: Vec<_> =
        labelling.rules.iter().map(|rule| (rule.kind, rule.label.as_deref(), rule.line, rule.nodes)).collect();
    assert_eq!(
        counts,
        [
            (RuleKind::Source, Some("http"), 7, 3),
            (RuleKind::Source, Some("any call of a request"), 11, 2),
            (RuleKind::Sink, Some("sql"), 16, 2),
            (RuleKind::Sink, Some("tainted file"), 19, 2),
            (RuleKind::Sink, Some("nothing"), 22, 0),
            (RuleKind::Sanitizer, Some("escape"), 25, 1),
            (RuleKind::Parameter, None, 29, 1),
            (RuleKind::Parameter, None, 32, 4),
        ]
    );
    assert!(labelling.unmatched_rules().map(|rule| rule.line).eq([22]));
}

#[test]
fn existing_node_words_are_merged() {
    let words = [
        Role::Sanitizer.set_in(0xff00_00ff),
        Role::Source.word(),
        Role::Source.set_in(9),
        Role::Sanitizer.word(),
        Role::Sink.word(),
        0x0012_0000,
        0x0012_0001,
    ];
    let labelling = label(&words);
    assert_eq!(
        labelling.node_data,
        [words[0], Role::Sanitizer.word(), words[2], words[3], Role::SourceAndSink.word(), Role::Sink.word(), words[6],]
    );
    assert_eq!(labelling.sources, [2, 4]);
    assert_eq!(labelling.facts, [1, 5]);
    assert_eq!(labelling.source_labels(2).count(), 0);
}

#[test]
fn transfer_settings_are_unchanged() {
    let rules = Rules::parse(RULES).expect("the input is valid");
    assert_eq!(rules.transfer(), &TransferSettings { max_depth: Some(40), function: Some("taint.vyre".to_owned()) });
    assert_eq!(rules.len(), 8);
    let none = Rules::parse("format = 1").expect("no rules are right");
    assert!(none.is_empty());
    assert_eq!(none.transfer(), &TransferSettings::default());
}

#[test]
fn empty_rules_fit_any_graph() {
    let graph = to_csr(3, &[(0, 1)]);
    let graph = vyre_graph::GraphView::from(graph.view());
    let labelling =
        Rules::parse("format = 1").expect("the input is valid").label(&graph.into()).expect("nothing is needed");
    assert_eq!(labelling.node_data, [0; 3]);
    assert!(labelling.sources.is_empty() && labelling.facts.is_empty() && labelling.metadata.is_none());
}

/// Compares with a direct match of each rule and node, on more nodes than one parallel task has.
#[test]
fn many_rules_match_many_nodes() {
    let texts: Vec<String> = (0..9_000).map(|node| format!("module{}.function{node}", node % 37)).collect();
    let names: NodeNames = texts.iter().map(String::as_str).collect();
    let mut file = String::from("id,group\n");
    texts.iter().enumerate().for_each(|(node, name)| file += &format!("{name},g{}\n", node % 10));
    let attributes =
        read_attributes(file.as_bytes(), Some(names.view()), texts.len(), &()).expect("the input is valid");
    let mut text = String::from("format = 1\n");
    for rule in 0..200 {
        text += &format!("[[source]]\nlabel = 'by name {rule}'\nnames = ['module{rule}.*', '*function{rule}']\n");
        text += &format!("[[sink]]\nlabel = 'by group {rule}'\nnames = ['*n?{rule}']\nattributes.group = 'g[3-5]'\n");
    }
    let nodes =
        NodeTable { node_data: &vec![0; texts.len()], names: Some(names.view()), attributes: Some(&attributes) };
    let labelling = Rules::parse(&text).expect("the input is valid").label(&nodes).expect("names and attributes exist");
    for (node, name) in texts.iter().enumerate() {
        let number = name.split_once(".function").expect("names are made so").1;
        let sources: Vec<String> = (0..200)
            .filter(|rule| name.starts_with(&format!("module{rule}.")) || number == rule.to_string())
            .map(|rule| format!("by name {rule}"))
            .collect();
        assert!(labelling.source_labels(node as u32).eq(sources.iter().map(String::as_str)), "{name}");
        let sinks: Vec<String> = (0..200)
            .filter(|rule| number.get(1..) == Some(&rule.to_string()) && (3..=5).contains(&(node % 10)))
            .map(|rule| format!("by group {rule}"))
            .collect();
        assert!(labelling.sink_labels(node as u32).eq(sinks.iter().map(String::as_str)), "{name}");
    }
}
