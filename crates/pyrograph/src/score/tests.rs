//! Scores with a scanner that finds each call of a word.

use std::fs;
use std::sync::Arc;

use super::*;
use crate::coverage::{Coverage, FileOutcome, FileRecord};
use crate::finding::{Finding, Location, WitnessStep};
use crate::flow::Span;
use crate::knowledge::{Check, Rule, Severity};

/// Knowledge with the rules `command-injection` and `xss`.
pub(super) fn knowledge() -> Knowledge {
    let rule = |id: &str, cwe| Rule {
        id: id.to_owned(),
        title: id.to_owned(),
        severity: Severity::High,
        library_severity: Severity::High,
        cwe: vec![cwe],
        message: String::new(),
        help: String::new(),
        examples: Vec::new(),
        check: Check::Flow,
        languages: Vec::new(),
    };
    let mut knowledge = Knowledge::default();
    knowledge.rules = vec![rule("command-injection", 78), rule("xss", 79)];
    knowledge
}

/// Finds every `exec(...)` (rule 0) and `html(...)` (rule 1) of the files of a unit, with the first byte as the source.
fn scan(paths: &[PathBuf]) -> ScanReport {
    let mut files = Vec::new();
    let mut findings = Vec::new();
    for path in paths {
        let unit = units::find(path, UnitKind::All, 1).expect("the unit can be read");
        for file in unit.iter().flat_map(|unit| &unit.files) {
            let position = u32::try_from(files.len()).expect("few files");
            for (rule, word) in ["exec(", "html("].iter().enumerate() {
                for (at, _) in file.text.match_indices(word) {
                    let end = file.text[at..].find(')').map_or(at, |end| at + end + 1);
                    let offset = |at| u32::try_from(at).expect("small");
                    let step = |start, end| WitnessStep {
                        location: Location { file: position, span: Span::new(start, end) },
                        reason: String::new(),
                    };
                    findings.push(Finding {
                        rule,
                        severity: Severity::High,
                        model: ThreatModel::Application,
                        source_label: String::new(),
                        message: String::new(),
                        witness: vec![step(0, 1), step(offset(at), offset(end))],
                        other_sources: Vec::new(),
                        omitted_sources: 0,
                        copies: Vec::new(),
                        copy_fingerprints: Vec::new(),
                        fingerprint: String::new(),
                    });
                }
            }
            files.push(FileRecord {
                path: file.name.clone(),
                bytes: file.text.len() as u64,
                lines: 0,
                outcome: FileOutcome::Scanned,
                text: None,
                language: None,
                link: None,
                is_archived: false,
            });
        }
    }
    ScanReport {
        knowledge: Arc::new(knowledge()),
        findings,
        coverage: Coverage { files, ..Coverage::default() },
        ..ScanReport::default()
    }
}

fn scored(files: &[(&str, &str)], options: &ScoreOptions) -> (Score, usize) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let mut scans = 0;
    let mut scanner = |paths: &[PathBuf], _: &ScanOptions| {
        scans += 1;
        Ok(scan(paths))
    };
    let score = score(folder.path(), options, &knowledge(), &mut scanner).expect("it can be scored");
    (score, scans)
}

fn counts(tp: u64, fp: u64, fn_: u64, tn: u64) -> Counts {
    Counts { tp, fp, fn_, tn }
}

#[test]
fn semgrep_suites() {
    let text = "\
// ruleid: a.command-injection
exec(
  x)
// ruleid: command-injection
nothing()
// ok: command-injection
exec(y)
// ok: command-injection
z()
exec(unannotated)
html(other)
// ruleid: unknown
f()
";
    let (score, scans) = scored(&[("a.js", text), ("none.js", "exec(x)")], &ScoreOptions::default());
    assert_eq!(scans, 1);
    assert_eq!(score.total, counts(1, 2, 1, 1));
    assert_eq!(score.rules["command-injection"], score.total);
    assert_eq!(score.cwe[&78], score.total);
    assert_eq!(score.unmapped["unknown"], 1);
    assert_eq!(score.unscored["xss"], 1);
}

#[test]
fn codeql_suites_take_rules_from_folders() {
    let files = [
        ("CWE-078/a.js", "exec(x); // NOT OK\nf(); // OK\nexec(y); // OK\n"),
        ("CWE-079/b.js", "html(x); // $ Alert[js/foreign]\nhtml(y);\nf(); // $ Alert\n"),
        ("other/c.js", "f(); // BAD\n"),
    ];
    let map = r#"{"rules": {"js/*": ["command-injection", "xss"]}}"#;
    let map = RuleMap::from_json(map).expect("it is valid");
    let (score, scans) = scored(&files, &ScoreOptions { map, ..ScoreOptions::default() });
    assert_eq!(scans, 2);
    assert_eq!(score.cwe[&78], counts(1, 1, 0, 1));
    assert_eq!(score.cwe[&79], counts(1, 1, 1, 0));
    assert_eq!(score.files_without_rule, ["other/c.js"]);
}

#[test]
fn names_of_a_file_count_for_its_annotations_without_one() {
    let text = "// ruleid: command-injection\nexec(x); // NOT OK\nexec(y); // NOT OK\nexec(z); // OK\nhtml(x);\nf(); // NOT OK\n";
    let (score, _) = scored(&[("a.js", text)], &ScoreOptions::default());
    assert_eq!(score.rules["command-injection"], counts(2, 1, 1, 0));
    assert_eq!(score.unscored["xss"], 1);
    assert!(score.files_without_rule.is_empty());
    // The rules of a folder come first.
    let (score, _) = scored(&[("CWE-079/a.js", text)], &ScoreOptions::default());
    assert_eq!(score.rules["command-injection"], counts(1, 2, 0, 0));
    assert_eq!(score.rules["xss"], counts(0, 1, 2, 1));
}

#[test]
fn folders_are_units() {
    let files = [
        ("one/a/index.js", "x(); // source: s\n"),
        ("one/a/lib.js", "exec(x); // sink: command-injection s\n"),
        ("one/b.js", "v(); // source: s\nexec(x); // sink: command-injection s\n"),
        ("one/c.js", "y(); // ok: xss\n"),
    ];
    let options = ScoreOptions { unit: UnitKind::Folder, depth: 2, ..ScoreOptions::default() };
    let (score, scans) = scored(&files, &options);
    assert_eq!(scans, 3);
    assert_eq!(score.total, counts(2, 0, 0, 1));
    assert_eq!(score.units.keys().collect::<Vec<_>>(), ["one/a", "one/b.js", "one/c.js"]);
    // The scanner says that the source of `lib.js` is in its first line.
    assert_eq!(score.wrong_sources, 1);
    let options = ScoreOptions { unit: UnitKind::All, ..ScoreOptions::default() };
    assert_eq!(scored(&files, &options).1, 1);
}

#[test]
fn failures_count_as_not_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.js"), "exec(x); // sink: command-injection\n").expect("a file can be written");
    let mut scanner = |_: &[PathBuf], _: &ScanOptions| Err(ScanError::Rules("broken".to_owned()));
    let score = score(folder.path(), &ScoreOptions::default(), &knowledge(), &mut scanner).expect("it has a score");
    assert_eq!(score.total, counts(0, 0, 1, 0));
    assert_eq!(score.failures, [("a.js".to_owned(), "broken".to_owned())]);
    let mut text = Vec::new();
    write_text(&score, true, &mut text).expect("memory does not fail");
    let text = String::from_utf8(text).expect("it is text");
    assert!(text.contains("not found:\n  a.js:1: command-injection"), "{text}");
    let mut json = Vec::new();
    write_json(&score, true, &mut json).expect("memory does not fail");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("it is JSON");
    assert_eq!(json["total"]["fn"], 1);
}

#[test]
fn a_folder_without_annotations_has_no_score() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut scanner = |_: &[PathBuf], _: &ScanOptions| -> Result<ScanReport, ScanError> { unreachable!() };
    let result = score(folder.path(), &ScoreOptions::default(), &knowledge(), &mut scanner);
    assert!(matches!(result, Err(ScoreError::NoAnnotations(_))));
}
