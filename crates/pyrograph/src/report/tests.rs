//! Reports of a constructed scan, as golden files. `UPDATE_GOLDEN=1` writes them.

mod schema;

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::baseline::Baseline;
use crate::coverage::{Coverage, FileOutcome, FileRecord, InputProblem, SkipReason};
use crate::finding::{FailOn, Finding, Location, Statistics, SuppressedFinding, WitnessStep};
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
        is_archived: false,
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
            copy_fingerprints: Vec::new(),
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
            copy_fingerprints: Vec::new(),
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
                files: Vec::new(),
            }],
            missing_imports: Vec::new(),
            is_interrupted: false,
        },
        warnings: vec!["express is imported, but no entry of its model matches".to_owned()],
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
        ..ScanReport::default()
    }
}

/// The sample with a baseline, a finding that a comment silences, and a note.
fn sample_with_states() -> ScanReport {
    let mut report = sample();
    let finding = report.findings.remove(0);
    let comment = Location { file: 0, span: Span::new(0, 4) };
    report.suppressed.push(SuppressedFinding { finding, reason: "a test `x`".to_owned(), comment });
    let known = &report.findings[0].fingerprint;
    let result = |rule: &str, print: &str| {
        format!(
            r#"{{"ruleId":"{rule}","partialFingerprints":{{"sourceAndSink/v2":"{print}"}},"locations":[{{"physicalLocation":
            {{"artifactLocation":{{"uri":"old.js"}},"region":{{"startLine":7}}}}}}]}}"#
        )
    };
    let results = [result("command-injection", known), result("code-injection", "cc"), result("other", "dd")];
    let log = format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"pyrograph"}}}},"results":[{}]}}]}}"#,
        results.join(",")
    );
    let mut new = report.findings[0].clone();
    new.fingerprint = "00000000000000ee".to_owned();
    new.severity = Severity::Low;
    report.findings.push(new);
    // An incomplete scan has no fixed findings, and this report shows one.
    let coverage = std::mem::take(&mut report.coverage);
    report.baseline = Some(Baseline::read(log.as_bytes()).expect("a baseline").compare(&report, &|_| false));
    report.coverage = coverage;
    report.notes.push("the code has no sinks".to_owned());
    report.folder = "my app/".to_owned();
    report
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

/// The data of the page; the page around it is the same for all reports.
#[test]
fn html_has_everything() {
    let html = written(&sample(), ReportFormat::Html, ReportOptions::default());
    assert!(html.contains("<title>Incomplete scan: 2 findings</title>"), "{html}");
    check_golden("report_html_data.json", &page_data(&html));
    let options = ReportOptions::default().with_fail_on(FailOn::AtLeast(Severity::High));
    check_golden("states_html_data.json", &page_data(&written(&sample_with_states(), ReportFormat::Html, options)));
}

fn page_data(html: &str) -> String {
    let (_, data) = html.split_once("id=\"report-data\">").expect("a block of data");
    let (data, _) = data.split_once("</script>").expect("the block ends");
    let value: serde_json::Value = serde_json::from_str(data).expect("it is JSON");
    format!("{value:#}\n")
}

#[test]
fn states_and_suppressions_are_in_every_format() {
    let report = sample_with_states();
    let options = ReportOptions::default().with_fail_on(FailOn::AtLeast(Severity::High));
    for (format, name) in [
        (ReportFormat::Text, "states.txt"),
        (ReportFormat::Json, "states.json"),
        (ReportFormat::Sarif, "states.sarif"),
        (ReportFormat::Github, "states.github"),
        (ReportFormat::Junit, "states.xml"),
        (ReportFormat::Markdown, "states.md"),
    ] {
        let text = written(&report, format, options);
        if format == ReportFormat::Sarif {
            schema::check(&serde_json::from_str(&text).expect("it is JSON"));
        }
        check_golden(name, &text);
    }
}

#[test]
fn long_flows_keep_their_ends() {
    let mut report = sample();
    let steps = &mut report.findings[0].witness;
    let (first, last) = (steps[0].clone(), steps[1].clone());
    steps.clear();
    steps.push(first);
    steps.extend((1..12_000).map(|number| step(last.location, &format!("step {number}"))));
    steps.push(step(last.location, "sink"));
    let mut bytes = Vec::new();
    let cuts = write(&report, ReportFormat::Sarif, ReportOptions::default(), &mut bytes).expect("memory does not fail");
    assert_eq!(cuts, ["1 code flow with more than 1000 steps: the log has the first and the last of them"]);
    let log: serde_json::Value = serde_json::from_slice(&bytes).expect("it is JSON");
    schema::check(&log);
    let run = &log["runs"][0];
    let locations = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("an array");
    let text = |position: usize| locations[position]["location"]["message"]["text"].as_str().expect("a text");
    assert_eq!(
        (locations.len(), text(0), text(499), text(500), text(999)),
        (1000, "source", "step 499", "step 11501", "sink")
    );
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("an array");
    assert!(notifications.iter().any(|note| note["message"]["text"] == cuts[0]), "{notifications:?}");
    for format in [ReportFormat::Github, ReportFormat::Markdown] {
        let text = written(&report, format, ReportOptions::default());
        assert!(text.contains("11981 steps left out") && text.len() < 20_000, "{}", text.len());
    }
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
    let html = written(&report, ReportFormat::Html, ReportOptions::default());
    assert!(html.contains("<title>Scan report: 0 findings</title>"), "{html}");
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
    for format in ReportFormat::ALL {
        assert!(!written(&report, format, ReportOptions::default()).is_empty());
    }
}
