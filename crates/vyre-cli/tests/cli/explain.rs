//! `vyre explain`: the list of rules, every rule, unknown codes.

use crate::harness::Sandbox;

#[test]
fn every_rule_of_the_list_is_explained() {
    let sandbox = Sandbox::new(&[]);
    let list = sandbox.run(&["explain"]);
    assert_eq!(list.code, Some(0));
    assert!(list.text().lines().count() >= 50);
    for line in list.text().lines() {
        let (code, title) = line.split_once("  ").expect("a code and a title");
        let run = sandbox.run(&["explain", code]);
        assert_eq!(run.code, Some(0), "{code}");
        assert!(run.text().starts_with(&format!("{code}: {title}\n")), "{}", run.text());
        for heading in ["What it checks", "Why", "Message", "A program that breaks it", "A program that does not"] {
            assert!(run.text().contains(&format!("\n\n{heading}")), "{code} lacks {heading:?}");
        }
        let prose = run.text().split("\n\nA program").next().unwrap_or_default();
        assert!(prose.lines().all(|line| line.chars().count() <= 100), "{code} has a long line");
        assert_eq!(sandbox.run(&["explain", &code.to_lowercase()]).text(), run.text());
    }
}

#[test]
fn unknown_codes_exit_2_with_a_suggestion() {
    let sandbox = Sandbox::new(&[]);
    for (code, suggestion) in
        [("V10", "did you mean V010?"), ("V999", "the codes are V001 to "), ("barrier", "V010"), ("syntax", "text")]
    {
        let run = sandbox.run(&["explain", code]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{code}");
        assert!(run.stderr.contains(&format!("no rule has the code `{code}`")), "{}", run.stderr);
        assert!(run.stderr.contains(suggestion), "{}", run.stderr);
    }
}
