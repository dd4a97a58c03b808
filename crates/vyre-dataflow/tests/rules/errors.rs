//! Error messages of rules files.

use std::path::Path;

use vyre_dataflow::rules::{NodeTable, Rules, RulesProblem};
use vyre_graph::{NodeNames, read_attributes};

/// Compares the error message of a rules file with its golden file.
fn golden(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let file = format!("{name}.toml");
    let rules = std::fs::read_to_string(folder.join(&file)).expect("the rules file exists");
    let error = Rules::parse(&rules).expect_err("the file has mistakes");
    let found = format!("{}\n", error.in_file(&file));
    let expected = folder.join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&expected, &found).expect("the folder can be written");
    }
    assert_eq!(found, std::fs::read_to_string(&expected).expect("the golden file exists"));
}

#[test]
fn all_mistakes_are_reported() {
    golden("mistakes");
}

#[test]
fn syntax_errors_do_not_hide_other_mistakes() {
    golden("syntax");
}

fn messages(text: &str) -> Vec<String> {
    let error = Rules::parse(text).expect_err(text);
    error.problems().iter().map(|problem| format!("{}: {}", problem.location, problem.problem)).collect()
}

#[test]
fn locations_and_messages() {
    for (text, expected) in [
        ("", &["1:1: `format` is missing; a rules file begins with `format = 1`"][..]),
        ("\u{feff}forma = 1", &["1:1: `forma` is no key of the file; did you mean `format`?"]),
        ("format = 2\nanything = 1\n[[source]]", &["1:10: the format is 2, but only format 1 is known here"]),
        ("format = '1'", &["1:10: `format` is a text, but must be a whole number"]),
        (
            "format = 1\nsink = 1",
            &["2:8: `sink` is a whole number, but must be a list of rules, each of which begins with `[[sink]]`"],
        ),
        (
            "format = 1\nsink = [1]",
            &["2:9: `sink` is a whole number, but must be a list of rules, each of which begins with `[[sink]]`"],
        ),
        ("format = 1\ntransfer = 'x'", &["2:12: `transfer` is a text, but must be a table"]),
        (
            "format = 1\n[[sink]]\nlabel = \"\\u202e\"\nnames = ['x']",
            &["3:9: the label has the character `\\u{202e}`, which cannot be seen"],
        ),
        (
            "format = 1\nsink = [{label='é', names=['a']}, {label='é', names=['b']}]",
            &["2:42: the label `é` is already that of the [[sink]] of line 2"],
        ),
        (
            "format = 0x1_0000_0000_0000_0000_0",
            &["1:10: the format is 0x100000000000000000, but only format 1 is known here"],
        ),
    ] {
        assert_eq!(messages(text), expected, "{text}");
    }
    let long = " ".repeat((16 << 20) + 1);
    assert_eq!(messages(&long), ["1:1: the file is longer than 16777216 bytes, the most that is read"]);
}

#[test]
fn errors_without_a_file_name() {
    let error = Rules::parse("format = 1\nsnk = 2").expect_err("there is no such key");
    let expected = "2:1: `snk` is no key of the file; did you mean `sink`?\n  |\n2 | snk = 2\n  | ^^^";
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error.problems()[0].problem, RulesProblem::UnknownKey { nearest: Some("sink"), .. }));
}

#[test]
fn rules_that_need_missing_names_or_attributes() {
    let text = "format = 1\n[[source]]\nlabel = 'a'\nnames = ['x']\nattributes = { kynd = 'call', file = '*' }\n\
                [[parameter]]\nword = 3\nattributes.kind = 'call'\n";
    let rules = Rules::parse(text).expect("this is right");
    let label = |names: Option<&NodeNames>, attributes| {
        let nodes = NodeTable { node_data: &[0, 0], names: names.map(NodeNames::view), attributes };
        rules.label(&nodes).expect_err("something is missing").in_file("r.toml").to_string()
    };
    let bare = "\
r.toml:4:1: the rule is about names, but the nodes of the graph have none
  |
4 | names = ['x']
  | ^^^^^

r.toml:5:31: the rule is about attributes, but there are none for the nodes of the graph
  |
5 | attributes = { kynd = 'call', file = '*' }
  |                               ^^^^

r.toml:8:12: the rule is about attributes, but there are none for the nodes of the graph
  |
8 | attributes.kind = 'call'
  |            ^^^^";
    assert_eq!(label(None, None), bare);
    let names: NodeNames = ["x", "y"].into_iter().collect();
    let attributes = read_attributes(&b"name,kind\nx,call\n"[..], Some(names.view()), 2, &()).expect("this is right");
    let other = "\
r.toml:5:16: nodes have no attribute `kynd`; did you mean `kind`?
  |
5 | attributes = { kynd = 'call', file = '*' }
  |                ^^^^

r.toml:5:31: nodes have no attribute `file`
  |
5 | attributes = { kynd = 'call', file = '*' }
  |                               ^^^^";
    assert_eq!(label(Some(&names), Some(&attributes)), other);
}
