//! Property tests: any text is parsed or rejected with locations inside it.

use proptest::prelude::*;
use vyre_dataflow::rules::{NodeTable, Rules};
use vyre_graph::NodeNames;

fn check(text: &str) {
    match Rules::parse(text) {
        Ok(rules) => {
            let names: NodeNames = ["a", "b.c", text].into_iter().collect();
            let node_data = vec![0; names.view().len()];
            let nodes = NodeTable { node_data: &node_data, names: Some(names.view()), attributes: None };
            if let Err(error) = rules.label(&nodes) {
                assert!(!error.problems().is_empty());
            }
        }
        Err(error) => {
            assert!(!error.problems().is_empty());
            let lines = text.matches('\n').count() + 1;
            for problem in error.problems() {
                assert!((1..=lines).contains(&(problem.location.line as usize)), "{problem:?}");
                assert!(problem.location.column >= 1, "{problem:?}");
            }
            let shown = error.in_file("rules.toml").to_string();
            assert!(!shown.chars().any(|character| character.is_control() && character != '\n'), "{shown:?}");
        }
    }
}

/// Fragments of rules files, valid and invalid.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "format = 1\n",
        "[transfer]\n",
        "max_depth = ",
        "[[source]]\n",
        "[[sink]]\n",
        "[[parameter]]\n",
        "label = ",
        "names = ",
        "attributes = ",
        "attributes.kind = ",
        "facts = ",
        "word = ",
        "\"a\"",
        "'*.b[c-d]'",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "\n",
        "\r\n",
        "#",
        "7",
        "-1",
        "1.5",
        "true",
        "\\",
        "\"\"\"",
        "\u{feff}",
        "é",
        "\0",
        "=",
        ".",
    ];
    prop_oneof![8 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn pieces_of_rules(pieces in proptest::collection::vec(piece(), 0..40)) {
        check(&pieces.concat());
    }

    #[test]
    fn any_patterns(patterns in proptest::collection::vec("[ab*?\\[\\]!^\\\\-]{0,12}", 1..6), name in "[ab*\\[-]{0,12}") {
        let list: Vec<String> = patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
        check(&format!("format = 1\n[[sink]]\nlabel = 'x'\nnames = [{}]\n# {name}", list.join(", ")));
    }
}

#[test]
fn deeply_nested_and_long_files() {
    for text in ["[", "{a=", "a=[", "[[a]]\n", "[a]\n", "a.", "[[source]]\n", "names=[", "x=\"\n", "'''", "[[x\n"] {
        check(&text.repeat(20_000));
        check(&format!("a = {}", text.repeat(20_000)));
    }
}
