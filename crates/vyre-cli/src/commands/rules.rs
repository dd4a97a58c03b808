//! `vyre rules`: lists, explains and tests the rules of scans.

use std::io::Write as _;
use std::path::Path;

use anstyle::Style;
use anyhow::{Context as _, bail};
use vyre::pyrograph::knowledge::{Example, Knowledge, Rule, Severity, describe};
use vyre::pyrograph::scan::{ScanControl, ScanOptions};

use crate::args::rules::{RulesArgs, RulesCommand, RulesExplainArgs, RulesListArgs, RulesTestArgs};
use crate::exit::Outcome;
use crate::output::{ERROR, STDOUT, STRONG, UNUSUAL, columns, counted, print_note, styled_stdout, visible};
use crate::prose::wrap_markdown;
use crate::scan::{Scanner, read_knowledge, run_options, unknown_rule};
use crate::table::{Cell, ProseTable};

pub(crate) fn run(args: &RulesArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        RulesCommand::List(args) => list(args),
        RulesCommand::Explain(args) => explain(args),
        RulesCommand::Test(args) => test(args),
    }
}

fn list(args: &RulesListArgs) -> anyhow::Result<Outcome> {
    let knowledge = read_knowledge(&args.rules)?;
    let mut table = ProseTable::new();
    for rule in &knowledge.rules {
        let languages = if rule.languages.is_empty() { "all".to_owned() } else { rule.languages.join(",") };
        let cwe: Vec<String> = rule.cwe.iter().map(|number| format!("CWE-{number}")).collect();
        let severity = match rule.severity {
            Severity::Critical | Severity::High => ERROR,
            Severity::Medium => UNUSUAL,
            Severity::Low | Severity::Note => Style::new(),
        };
        table.push(vec![
            Cell::styled(visible(&rule.id), STRONG),
            Cell::styled(rule.severity.name(), severity),
            Cell::plain(visible(&languages)),
            Cell::plain(cwe.join(",")),
            Cell::plain(visible(&rule.title)),
        ]);
    }
    let mut out = styled_stdout();
    table.write(&mut out, columns()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

fn explain(args: &RulesExplainArgs) -> anyhow::Result<Outcome> {
    let knowledge = read_knowledge(&args.rules)?;
    let Some(text) = describe::explain(&knowledge, &args.id) else {
        return Err(unknown_rule(&args.id, &knowledge.all_rule_ids()));
    };
    let text = match columns() {
        Some(columns) => wrap_markdown(&text, columns),
        None => text,
    };
    let mut out = styled_stdout();
    writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

fn test(args: &RulesTestArgs) -> anyhow::Result<Outcome> {
    let knowledge = read_knowledge(&args.files)?;
    let builtin = Knowledge::builtin();
    // Files may add examples to built-in rules; these come behind the built-in ones.
    let own_from = |rule: &Rule| match builtin.rule(&rule.id) {
        Some((_, known)) if !args.files.is_empty() => known.examples.len(),
        _ => 0,
    };
    let is_tested = |rule: &&Rule| own_from(rule) == 0 || rule.examples.len() > own_from(rule);
    let tested: Vec<&Rule> = knowledge.rules.iter().filter(is_tested).collect();
    if tested.is_empty() {
        bail!("the files have no rules and no examples");
    }
    let scanner = Scanner::new(&args.running)?;
    let mut options = run_options(&args.running);
    options.knowledge = Some(knowledge.clone());
    let (mut examples, mut failures) = (0, 0);
    let mut out = styled_stdout();
    for rule in &tested {
        if rule.examples.is_empty() {
            print_note(&format!("rule `{}` has no examples", visible(&rule.id)));
        }
        for (position, example) in rule.examples.iter().skip(own_from(rule)).enumerate() {
            examples += 1;
            if let Some(problem) = test_example(rule, example, &knowledge, &scanner, &options)? {
                failures += 1;
                let (id, place) = (visible(&rule.id), visible(&example.place));
                let number = position + 1;
                writeln!(out, "{ERROR}error{ERROR:#}: {place}: example {number} of the rule `{id}` {problem}")
                    .context(STDOUT)?;
            }
        }
    }
    out.flush().context(STDOUT)?;
    if !args.quiet {
        let (examples, rules) = (counted(examples, "example"), counted(tested.len(), "rule"));
        print_note(&format!("{examples} of {rules}, {}", counted(failures, "failure")));
    }
    Ok(if failures == 0 { Outcome::Clean } else { Outcome::Findings })
}

/// Scans an example. Describes what is wrong with the result.
fn test_example(
    rule: &Rule,
    example: &Example,
    knowledge: &Knowledge,
    scanner: &Scanner,
    options: &ScanOptions,
) -> anyhow::Result<Option<String>> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let name = Path::new(&example.file).file_name().unwrap_or("example.js".as_ref());
    let path = folder.path().join(name);
    std::fs::write(&path, &example.code).context("cannot write an example to a temporary folder")?;
    let mut options = options.clone();
    options.models = vec![example.model];
    let report = scanner.scan(&[path], &options, &ScanControl::default()).map_err(|error| scanner.explain(error))?;
    if report.coverage.is_incomplete() {
        return Ok(Some("could not be analysed".to_owned()));
    }
    let id = |position: usize| knowledge.rules.get(position).map(|rule| &rule.id);
    let is_found = report.findings.iter().any(|finding| id(finding.rule) == Some(&rule.id));
    Ok(match (example.is_bad, is_found) {
        (true, false) => Some("is bad, but has no finding".to_owned()),
        (false, true) => Some("is good, but has a finding".to_owned()),
        _ => None,
    })
}
