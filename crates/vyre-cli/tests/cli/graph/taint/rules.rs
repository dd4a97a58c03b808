//! Rules and attributes.

use serde_json::{Value, json};

use super::super::fails;
use super::{ALL_FACTS, OPEN};
use crate::harness::{Run, Sandbox};

const EDGES: &str = "source,target\nread,parse\nparse,exec\nargv,exec\nargv,log\n";
const RULES: &str = r#"format = 1
[[source]]
label = "http"
names = ["rea?"]
facts = 2
[[source]]
label = "user"
names = ["read", "argv"]
facts = 4
[[sink]]
label = "sql"
names = ["exec"]
"#;

fn sandbox(rules: &str) -> Sandbox {
    Sandbox::new(&[
        ("a.csv", EDGES),
        ("rules/a.toml", rules),
        ("rules/facts.vyre", ALL_FACTS),
        ("rules/open.vyre", OPEN),
    ])
}

fn search(sandbox: &Sandbox, args: &[&str]) -> Run {
    let command = ["graph", "taint", "a.csv", "--names", "--header", "yes", "--rules", "rules/a.toml"];
    sandbox.run(&[&command[..], &["--backend", "reference"], args].concat())
}

#[test]
fn findings_have_labels_and_facts_of_rules() {
    let sandbox = sandbox(RULES);
    let run = search(&sandbox, &["-q"]);
    let text = "read [http, user] -> exec [sql] (depth 2, facts 0x6)\nargv [user] -> exec [sql] (depth 1, facts 0x4)\n";
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), text, ""));
    let run = search(&sandbox, &["-q", "--format", "csv", "--sources", "read"]);
    let csv = "source,sink,depth,source_index,facts,source_name,sink_name,source_labels,sink_labels\n\
               0,2,2,0,6,read,exec,\"http,user\",sql\n";
    assert_eq!(run.text(), csv);
    let run = search(&sandbox, &["-q", "--format", "json", "--sources", "parse,argv"]);
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let labels = |finding: usize| object["findings"][finding]["source_labels"].clone();
    assert_eq!((labels(0), labels(1)), (json!([]), json!(["user"])));
    assert_eq!((&object["findings"][0]["facts"], &object["findings"][1]["facts"]), (&json!(1), &json!(4)));
}

#[test]
fn rules_set_the_transfer_function_and_the_depth() {
    let sandbox = sandbox(&format!("{RULES}[transfer]\nmax_depth = 1\nfunction = \"facts.vyre\"\n"));
    let run = search(&sandbox, &["-q"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), "argv [user] -> exec [sql] (depth 1, facts 0x4)\n", ""));
    let run = search(&sandbox, &["-q", "--max-depth", "2", "--count"]);
    assert_eq!((run.code, run.text()), (Some(1), "2\n"));
    sandbox.write("rules/facts.vyre", b"?");
    let run = search(&sandbox, &["-q"]);
    fails(&run, "facts.vyre is no transfer function: 1 error");
    let run = search(&sandbox, &["-q", "--transfer", "rules/open.vyre", "--count"]);
    assert_eq!((run.code, run.text()), (Some(1), "1\n"));
}

#[test]
fn rules_without_nodes_and_parameters_without_a_function_are_noted() {
    let more = "[[sanitizer]]\nlabel = \"none\"\nnames = [\"gone\"]\n[[parameter]]\nnames = [\"exec\"]\nword = 3\n";
    let run = search(&sandbox(&format!("{RULES}{more}")), &[]);
    assert_eq!(run.code, Some(1));
    for note in [
        "rules/a.toml:13: the sanitizer `none` matches no node\n",
        "the rules have parameters, which say nothing without a transfer function\n",
    ] {
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
}

#[test]
fn errors_of_rules_have_locations() {
    for (rules, message) in [
        ("format = 1\n[transfer]\nmaxdepth = 3\n", "rules/a.toml:3:1: `maxdepth` is no key of [transfer]"),
        ("format = 1\n[[sink]]\nlabel = \"a\"\nattributes = { kind = \"call\" }\n", "rules/a.toml:4:"),
        ("format = 1\n[[sink]]\nlabel = \"a\"\nattributes = { kind = \"call\" }\n", "see --attributes"),
    ] {
        let run = search(&sandbox(rules), &["-q"]);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(message), "{}", run.stderr);
    }
    let sandbox = sandbox(RULES);
    fails(&sandbox.run(&["graph", "taint", "a.csv", "--rules", "gone.toml"]), "cannot read gone.toml: ");
    sandbox.write("rules/a.toml", b"\xff");
    fails(&search(&sandbox, &[]), "rules/a.toml is not UTF-8: at byte 0");
    sandbox.write("nodes.csv", b"name,kind\nnobody,call\n");
    sandbox.write("rules/a.toml", RULES.as_bytes());
    fails(&search(&sandbox, &["--attributes", "nodes.csv"]), "nodes.csv: line 2, column 1: there is no node `nobody`");
}
