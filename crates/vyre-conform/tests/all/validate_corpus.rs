//! Validation corpus: the diagnostics of each program are exactly those that its comments expect.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use vyre_conform::corpus::expectations;
use vyre_conform::corpus_ops;
use vyre_ir::source::LineIndex;
use vyre_ir::{Diagnostic, OpTable, Program, Rule, text, validate, wire};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/validate")
}

fn op_table() -> OpTable {
    corpus_ops::op_table(&corpus().join("ops")).unwrap_or_else(|error| panic!("{error}"))
}

/// Programs of the directory of a rule, in order.
fn cases(rule: Rule) -> Vec<PathBuf> {
    let directory = corpus().join(rule.code());
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable directory").path()).collect();
    paths.sort();
    paths
}

fn lines_and_codes(source: &str, diagnostics: &[Diagnostic]) -> Vec<(u32, String)> {
    let index = LineIndex::new(source);
    let place = |diagnostic: &Diagnostic| diagnostic.span.map_or(0, |span| index.location(span.start).line);
    let mut found: Vec<_> = diagnostics.iter().map(|it| (place(it), it.rule.code().to_owned())).collect();
    assert!(found.is_sorted_by_key(|(line, _)| *line), "diagnostics are in the order of the text: {found:?}");
    found.sort();
    found
}

#[test]
fn diagnostics_are_exactly_those_expected() {
    let ops = op_table();
    let mut wrong = Vec::new();
    let mut count = 0;
    for &rule in Rule::ALL {
        for path in cases(rule) {
            count += 1;
            let source = std::fs::read_to_string(&path).expect("a readable file");
            let expected = expectations(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let parsed = match text::parse(&source) {
                Ok(parsed) => parsed,
                Err(error) => {
                    wrong.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            let diagnostics = parsed.validate(&ops).err().unwrap_or_default();
            let found = lines_and_codes(&source, &diagnostics);
            if found != expected {
                wrong.push(format!("{}\n  expected {expected:?}\n  found    {found:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    println!("{count} programs");
}

#[test]
fn every_rule_has_passing_and_failing_programs() {
    for &rule in Rule::ALL {
        let mut counts = BTreeMap::new();
        for path in cases(rule) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let kind = if name.starts_with("pass_") { "pass" } else { "fail" };
            assert!(name.starts_with("pass_") || name.starts_with("fail_"), "{}", path.display());
            let expected = expectations(&std::fs::read_to_string(&path).expect("a readable file")).unwrap_or_default();
            let concerned = expected.iter().any(|(_, code)| code == rule.code());
            assert_eq!(kind == "fail", concerned, "{}", path.display());
            assert!(kind == "fail" || expected.is_empty(), "{}", path.display());
            *counts.entry(kind).or_insert(0) += 1;
        }
        assert!(counts.get("pass").is_some_and(|&count| count >= 1), "{rule} has no passing program");
        assert!(counts.get("fail").is_some_and(|&count| count >= 2), "{rule} has fewer than two failing programs");
    }
}

#[test]
fn programs_are_judged_alike_in_every_form() {
    let ops = op_table();
    let judge = |program: &Program| {
        let diagnostics = validate(program, &ops).err().unwrap_or_default();
        diagnostics.into_iter().map(|diagnostic| (diagnostic.rule, diagnostic.path)).collect::<Vec<_>>()
    };
    for path in Rule::ALL.iter().flat_map(|&rule| cases(rule)) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display())).program;
        let from_text = text::parse(&text::print(&program)).expect("printed programs parse").program;
        let from_wire = wire::from_wire(&wire::to_wire(&program)).expect("encoded programs decode");
        assert_eq!(program, from_text, "{}", path.display());
        assert_eq!(program, from_wire, "{}", path.display());
        assert_eq!(judge(&program), judge(&from_wire), "{}", path.display());
    }
}

#[test]
fn the_corpus_is_in_canonical_format() {
    for path in Rule::ALL.iter().flat_map(|&rule| cases(rule)) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        assert_eq!(text::format(&source).as_deref(), Ok(source.as_str()), "{}", path.display());
    }
}
