//! Tests of the built-in knowledge and of files with mistakes.

use super::*;

fn mask(knowledge: &Knowledge, ids: &[&str]) -> RuleMask {
    ids.iter().map(|id| 1 << knowledge.rule(id).expect(id).0).sum()
}

fn load(text: &str) -> Result<Knowledge, String> {
    Knowledge::load(&[("test.toml", text)], true)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn built_in_files_have_no_problems() {
    let files: &[(&str, &str)] = &[];
    if let Err(problems) = Knowledge::load(files, true) {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", texts.join("\n"));
    }
    let knowledge = Knowledge::builtin();
    assert_eq!(knowledge.rules.len(), 14);
    assert!(knowledge.notes().is_empty());
}

#[test]
fn every_rule_has_examples_and_help() {
    let knowledge = Knowledge::builtin();
    for rule in &knowledge.rules {
        let bad = rule.examples.iter().filter(|example| example.is_bad).count();
        assert!(bad >= 3, "{}: {bad} examples with a finding", rule.id);
        assert!(rule.examples.len() - bad >= 3, "{}: examples without a finding", rule.id);
        assert!(rule.help.len() > 100, "{}", rule.id);
        assert!(!rule.cwe.is_empty(), "{}", rule.id);
        assert!(rule.message.contains("{source}") && rule.message.contains("{sink}"), "{}", rule.id);
    }
}

#[test]
fn explanations_list_what_rules_match() {
    let knowledge = Knowledge::builtin();
    let list = describe::list(&knowledge);
    assert_eq!(list.lines().count(), knowledge.rules.len());
    let text = describe::explain(&knowledge, "command-injection").expect("the rule exists");
    for part in ["CWE-78", "## Sources", "## Sinks", "child_process", "```js", "Examples without a finding"] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(describe::explain(&knowledge, "no-such-rule"), None);
}
