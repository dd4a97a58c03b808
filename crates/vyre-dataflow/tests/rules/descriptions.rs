//! Descriptions of rules, and suppressions.

use vyre_dataflow::rules::{Labelling, NodeTable, Rules, Severity};
use vyre_graph::NodeNames;

const NAMES: [&str; 6] = ["request", "config", "test.request", "db.execute", "os.system", "log"];

const RULES: &str = r#"
format = 1
[[rule]]
id = "sql-injection"
title = "Untrusted data in SQL"
severity = "critical"
cwe = [89]
message = "{source} reaches {sink}."
help = "Bind values."
[[rule]]
id = "command-injection"
title = "Untrusted data in a command"
severity = "low"
message = "{source} reaches the shell."
help = "Use no shell."
[[rule]]
id = "of-scans"
title = "Another rule"
severity = "note"
message = "m"
help = "h"

[[source]]
label = "http"
names = ["*request"]
[[source]]
label = "config"
names = ["config"]
rule = ["*", "!sql-injection"]

[[sink]]
label = "sql"
names = ["db.*"]
rule = "sql-injection"
[[sink]]
label = "shell"
names = ["os.*"]
rule = ["command-injection"]
[[sink]]
label = "log"
names = ["log"]

[[suppression]]
sources = "test.*"
reason = "Tests are trusted."
[[suppression]]
rule = "command-injection"
sinks = ["os.*"]
reason = "It runs in a sandbox."
"#;

fn label(rules: &Rules) -> Labelling {
    let names: NodeNames = NAMES.into_iter().collect();
    let nodes = NodeTable { node_data: &[0; NAMES.len()], names: Some(names.view()), attributes: None };
    rules.label(&nodes).expect("names exist")
}

#[test]
fn findings_have_the_rule_of_source_and_sink() {
    // `of-scans` is selected by the source `config`, so all descriptions are in use.
    let rules = Rules::parse(RULES).expect("the input is valid");
    let ids: Vec<(&str, Severity)> = rules.descriptions().iter().map(|rule| (&*rule.id, rule.severity)).collect();
    let expected =
        [("sql-injection", Severity::Critical), ("command-injection", Severity::Low), ("of-scans", Severity::Note)];
    assert_eq!(ids, expected);
    assert_eq!(rules.descriptions()[0].cwe, [89]);
    assert!(rules.scan_lines().is_empty());
    let labelling = label(&rules);
    for (source, sink, expected) in [
        (0, 3, Some(0)),
        (0, 4, Some(1)),
        (0, 5, None),
        // The source does not count for this rule.
        (1, 3, None),
        (1, 4, Some(1)),
        // A node that no source entry matches counts for all.
        (5, 3, Some(0)),
        (0, 0, None),
    ] {
        assert_eq!(labelling.description_of(source, sink), expected, "{source} -> {sink}");
    }
}

#[test]
fn suppressions_match_names_and_rules() {
    let rules = Rules::parse(RULES).expect("the input is valid");
    assert!(rules.suppressions().eq([(43, "Tests are trusted."), (46, "It runs in a sandbox.")]));
    let labelling = label(&rules);
    for (source, sink, expected) in [
        (0, 3, None),
        (2, 3, Some(0)),
        (2, 4, Some(0)),
        (0, 4, Some(1)),
        (1, 4, Some(1)),
        (1, 5, None),
        (2, 5, Some(0)),
    ] {
        assert_eq!(labelling.suppression_of(source, sink), expected, "{source} -> {sink}");
    }
}

#[test]
fn rules_of_scans_only_are_counted_as_such() {
    let sink = "[[sink]]\nlabel = 'a'\nnames = ['a']\n";
    let rule = "[[rule]]\nid = 'a'\ntitle = 't'\nseverity = 'low'\nmessage = 'm'\nhelp = 'h'\n";
    let rules = Rules::parse(&format!("format = 1\n{rule}{sink}")).expect("the input is valid");
    assert_eq!((rules.descriptions().len(), rules.scan_lines()), (0, &[2][..]));
    // An entry that scans use too can mean a rule that is built into them.
    let both = "rule = 'command-injection'\ncall = ['f']\n";
    assert!(Rules::parse(&format!("format = 1\n{sink}{both}")).is_ok());
}

#[test]
fn mistakes_have_locations() {
    let rule = "[[rule]]\nid = 'a'\ntitle = 't'\nseverity = 'low'\nmessage = 'm'\nhelp = 'h'\n";
    let sink = "[[sink]]\nlabel = 'x'\nnames = ['y']\nrule = 'a'\n";
    for (text, expected) in [
        (
            "[[rule]]\nid = 'A'\nseverity = 'hihg'\n".to_owned(),
            &[
                "2:1: [[rule]] has no `title`",
                "2:1: [[rule]] has no `message`",
                "2:1: [[rule]] has no `help`",
                "2:1: the identifier `A` has characters other than `a` to `z`, `0` to `9` and `-`",
                "2:1: the tables of this file are for scans of source code (`vyre scan --rules`); none has `names` or `attributes`, \
                 so that no node of a graph would match",
                "4:12: `hihg` is no value of `severity`; did you mean `high`?",
            ][..],
        ),
        (format!("{rule}{rule}{sink}"), &["8:1: there is already a rule `a`"]),
        (sink.replace("'a'", "'b'") + rule, &["5:8: `b` is no rule of this file; did you mean `a`?"]),
        (
            format!("{rule}{sink}[[suppression]]\nrule = 'b'\nfrom = 1\n"),
            &[
                "12:1: [[suppression]] has no `reason`",
                "13:8: `b` is no rule of the nodes of this file; did you mean `a`?",
                "14:1: `from` is no key of [[suppression]]; its keys are `rule`, `sources`, `sinks`, `reason`",
            ],
        ),
        (
            format!("{rule}{sink}[[suppression]]\nreason = ''\n"),
            &[
                "12:1: [[suppression]] has none of `rule`, `sources` and `sinks`, so that it would suppress every finding",
                "13:10: `reason` is empty",
            ],
        ),
    ] {
        let error = Rules::parse(&format!("format = 1\n{text}")).expect_err(&text);
        let found: Vec<String> =
            error.problems().iter().map(|problem| format!("{}: {}", problem.location, problem.problem)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn suppressions_by_name_need_names() {
    let text = "format = 1\n[[sink]]\nlabel = 'x'\nattributes.a = 'b'\n[[suppression]]\nsinks = 'x'\nreason = 'r'\n";
    let nodes = NodeTable { node_data: &[0], names: None, attributes: None };
    let error = Rules::parse(text).expect("the input is valid").label(&nodes).expect_err("there are no names");
    assert!(error.problems().iter().any(|problem| problem.location.line == 6), "{error}");
}
