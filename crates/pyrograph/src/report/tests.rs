//! Reports of a constructed scan, as golden files. `UPDATE_GOLDEN=1` writes them.

mod schema;

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::coverage::{Coverage, FileOutcome, FileRecord, InputProblem, SkipReason};
use crate::finding::{Finding, Location, Statistics, WitnessStep};
use crate::flow::Span;
use crate::knowledge::{Check, Knowledge, Rule, Severity, ThreatModel};

const SERVER: &str = "\
const { exec } = require('child_process');
app.get('/', (req, res) => {
\tconst name = req.query.name; // \u{1f600}
\trun(`\u{65e5}\u{672c} ${name}`);
});
function run(command) {
  exec(command,
    () => {});
}
";

fn file(path: &str, text: Option<&str>, outcome: FileOutcome) -> FileRecord {
    FileRecord {
        path: path.to_owned(),
        bytes: text.map_or(1234, |text| text.len() as u64),
        lines: text.map_or(0, |text| text.lines().count() as u64),
        outcome,
        text: text.map(Arc::from),
        language: text.map(|_| "javascript"),
        link: None,
    }
}

fn at(file: u32, text: &str, part: &str) -> Location {
    let start = text.find(part).expect("the part is in the text");
    let offset = |position: usize| u32::try_from(position).expect("texts are short");
    Location { file, span: Span::new(offset(start), offset(start + part.len())) }
}

fn step(location: Location, reason: &str) -> WitnessStep {
    WitnessStep { location, reason: reason.to_owned() }
}

fn rule(id: &str, title: &str, severity: Severity, cwe: &[u32]) -> Rule {
    Rule {
        id: id.to_owned(),
        title: title.to_owned(),
        severity,
        library_severity: Severity::Medium,
        cwe: cwe.to_vec(),
        message: "`{source}` reaches `{sink}`".to_owned(),
        help: "# Help\n\nUse `execFile` with a list.\n\nMore.".to_owned(),
        examples: Vec::new(),
        check: Check::Flow,
        languages: vec!["javascript".to_owned()],
    }
}

fn sample() -> ScanReport {
    let minified = format!("{}eval(location.hash){}", "a();".repeat(100), ";b()".repeat(100));
    let rules = vec![
        rule("command-injection", "Shell command from untrusted input", Severity::Critical, &[78, 88]),
        rule("code-injection", "Code from untrusted input", Severity::High, &[94]),
    ];
    let files = vec![
        file("lib.tgz!/package/a b.min.js", Some(&minified), FileOutcome::Scanned),
        file("logo.png", None, FileOutcome::Skipped(SkipReason::NotCode)),
        file("node_modules/x/index.js", None, FileOutcome::Skipped(SkipReason::Dependency)),
        FileRecord {
            link: Some("src/server.js".to_owned()),
            ..file("server.js", None, FileOutcome::Skipped(SkipReason::Link))
        },
        file("src/bad.js", Some("let = ;"), FileOutcome::Failed("expected a name, line 1".to_owned())),
        file("src/server.js", Some(SERVER), FileOutcome::Scanned),
        file("src/slow.js", Some("f()"), FileOutcome::TimedOut),
    ];
    let findings = vec![
        Finding {
            rule: 1,
            severity: Severity::Medium,
            model: ThreatModel::Library,
            source_label: "parameter".to_owned(),
            message: "`location.hash` is run as code".to_owned(),
            witness: vec![
                step(at(0, &minified, "location.hash"), "source"),
                step(at(0, &minified, "eval(location.hash)"), "argument 1 of `eval`"),
            ],
            other_sources: Vec::new(),
            omitted_sources: 0,
            copies: vec![Location { file: 5, span: Span::new(0, 5) }],
            fingerprint: "00000000000000aa".to_owned(),
        },
        Finding {
            rule: 0,
            severity: Severity::Critical,
            model: ThreatModel::Application,
            source_label: "http-request".to_owned(),
            message: "`req.query` reaches `exec(command, ...)`".to_owned(),
            witness: vec![
                step(at(5, SERVER, "req.query"), "source: query of a request"),
                step(at(5, SERVER, "req.query.name"), "field `name`"),
                step(at(5, SERVER, "`\u{65e5}\u{672c} ${name}`"), "part of a text"),
                step(at(5, SERVER, "`\u{65e5}\u{672c} ${name}`"), "argument 1 of `run`"),
                step(at(5, SERVER, "command"), "parameter `command` of `run`"),
                step(at(5, SERVER, "exec(command,\n    () => {})"), "argument 1 of `exec`"),
            ],
            other_sources: vec![at(5, SERVER, "res")],
            omitted_sources: 3,
            copies: Vec::new(),
            fingerprint: "00000000000000bb".to_owned(),
        },
    ];
    let mut knowledge = Knowledge::default();
    knowledge.rules = rules;
    ScanReport {
        knowledge: Arc::new(knowledge),
        models: vec![ThreatModel::Application, ThreatModel::Library],
        findings,
        coverage: Coverage {
            files,
            problems: vec![InputProblem {
                path: "lib.tgz!/package/inner.zip".to_owned(),
                message: "the archive ends early".to_owned(),
                is_incomplete: true,
            }],
            is_interrupted: false,
        },
        warnings: vec!["express is imported, but no entry of its model matches".to_owned()],
        libraries: Vec::new(),
        configuration: None,
        capabilities: Vec::new(),
        statistics: Statistics {
            functions: 3,
            instructions: 40,
            calls: 8,
            unresolved_calls: 1,
            nodes: 90,
            edges: 120,
            sources: 2,
            sinks: 2,
            limits: vec![
                ("work of the points-to analysis".to_owned(), 1),
                ("candidates of a method call".to_owned(), 2),
            ],
            seconds: vec![("read".to_owned(), 0.25), ("parse".to_owned(), 1.5)],
        },
    }
}

fn written(report: &ScanReport, format: ReportFormat, options: ReportOptions) -> String {
    let mut bytes = Vec::new();
    write(report, format, options, &mut bytes).expect("memory does not fail");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

fn check_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/tests").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(actual, expected, "{name} differs; UPDATE_GOLDEN=1 writes it");
}

#[test]
fn text_has_frames_and_a_summary() {
    check_golden("report.txt", &written(&sample(), ReportFormat::Text, ReportOptions::default()));
}

#[test]
fn text_has_colors_and_statistics() {
    let options = ReportOptions::default().with_colors(true).with_statistics(true);
    let colored = written(&sample(), ReportFormat::Text, options);
    check_golden("report_color.txt", &colored.replace('\u{1b}', "\\e"));
}

#[test]
fn json_has_everything() {
    let json = written(&sample(), ReportFormat::Json, ReportOptions::default());
    let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(value["findings"].as_array().map(Vec::len), Some(2));
    check_golden("report.json", &json);
}

#[test]
fn sarif_has_flows_and_notifications() {
    let sarif = written(&sample(), ReportFormat::Sarif, ReportOptions::default());
    let value: serde_json::Value = serde_json::from_str(&sarif).expect("it is JSON");
    let region = &value["runs"][0]["results"][1]["codeFlows"][0]["threadFlows"][0]["locations"][2]["location"];
    assert_eq!(region["physicalLocation"]["region"]["endColumn"], 18);
    schema::check(&value);
    check_golden("report.sarif", &sarif);
}

#[test]
fn an_empty_report_is_complete() {
    let mut report = sample();
    report.findings.clear();
    report.coverage = Coverage::default();
    report.warnings.clear();
    report.statistics = Statistics::default();
    let text = written(&report, ReportFormat::Text, ReportOptions::default());
    assert_eq!(text, "no findings\nscanned 0 files (0 bytes, 0 lines), threat model application and library\n");
    for format in [ReportFormat::Json, ReportFormat::Sarif] {
        let options = ReportOptions::default().with_statistics(true);
        let json = written(&report, format, options);
        serde_json::from_str::<serde_json::Value>(&json).expect("it is JSON");
    }
}

#[test]
fn locations_beyond_the_text_are_clamped() {
    let mut report = sample();
    for finding in &mut report.findings {
        for step in &mut finding.witness {
            step.location.span = Span::new(u32::MAX - 1, u32::MAX);
        }
        finding.witness.push(step(Location { file: 999, span: Span::new(5, 2) }, "gone"));
        let steps = finding.witness.clone();
        finding.witness.extend(std::iter::repeat_n(steps, 20).flatten());
    }
    for format in [ReportFormat::Text, ReportFormat::Json, ReportFormat::Sarif] {
        assert!(!written(&report, format, ReportOptions::default()).is_empty());
    }
}
