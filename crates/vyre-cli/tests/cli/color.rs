//! Colours: `--color`, environment variables, terminals and pipes.

use crate::harness::{INVALID, Sandbox, finish, vyre};

const ESCAPE: char = '\u{1b}';

#[test]
fn pipes_have_no_colours_without_the_flag() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    assert!(!sandbox.run(&["check", "a.vyre"]).text().contains(ESCAPE));
    let run = sandbox.run(&["check", "--color", "always", "a.vyre"]);
    assert!(run.text().contains("\u{1b}[31merror[V005]"), "{:?}", run.text());
    assert!(!sandbox.run(&["--color=never", "check", "a.vyre"]).text().contains(ESCAPE));
}

#[test]
fn the_plain_report_equals_the_coloured_one_without_escapes() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    let coloured = sandbox.run(&["check", "--color", "always", "a.vyre"]);
    let mut plain = String::new();
    let mut rest = coloured.text();
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    assert_eq!(plain, sandbox.run(&["check", "a.vyre"]).text());
}

#[test]
fn environment_variables_are_respected() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let run = finish(vyre(sandbox.root()).args(args).envs(variables.iter().copied()));
        run.text().contains(ESCAPE)
    };
    let check = ["check", "a.vyre"];
    assert!(with(&[("CLICOLOR_FORCE", "1")], &check));
    assert!(!with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &check));
    assert!(!with(&[("CLICOLOR", "0")], &check));
    assert!(
        with(&[("NO_COLOR", "1")], &["--color", "always", "check", "a.vyre"]),
        "the flag overrides the environment"
    );
}

#[test]
fn help_and_usage_errors_respect_the_flag() {
    let sandbox = Sandbox::new(&[]);
    assert!(sandbox.run(&["--color", "always", "--help"]).text().contains(ESCAPE));
    assert!(!sandbox.run(&["--color", "never", "--help"]).text().contains(ESCAPE));
    assert!(sandbox.run(&["--color=always", "explain", "V010"]).text().contains(ESCAPE));
    assert!(sandbox.run(&["--color=always", "check"]).stderr.contains(ESCAPE));
    assert!(!sandbox.run(&["check"]).stderr.contains(ESCAPE));
}
