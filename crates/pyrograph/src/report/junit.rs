//! JUnit XML, which CI servers show as test results.
//!
//! Each finding is a test case of the suite of its file. Findings that do not fail the scan (silenced, known, of a low severity) are
//! skipped test cases, and so are findings of the baseline that were not checked. The suite `scan` has one test case for the scan itself, which has an error if the scan is incomplete, and one
//! for each file that was not analysed.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::baseline::comparison::{BaselineState, UncheckedFinding};
use crate::coverage::FileOutcome;
use crate::finding::Finding;
use crate::scan::ScanReport;
use crate::uri::decoded;

use super::escape::xml::{attribute, content};
use super::names::skip_reason_name;
use super::options::ReportOptions;
use super::places::Places;
use super::summary::{Amount, CoverageTotals, rule_cwe, rule_id};
use super::text;

/// A test case.
struct Case {
    name: String,
    /// File and line.
    place: Option<(String, Option<u32>)>,
    outcome: CaseOutcome,
}

enum CaseOutcome {
    Passed,
    /// Message, type, text.
    Failed(String, String, String),
    Skipped(String),
    Error(String),
}

/// Test cases of a file.
#[derive(Default)]
struct Suite {
    cases: Vec<Case>,
}

impl Suite {
    /// Numbers of failures, errors and skipped cases.
    fn counts(&self) -> [usize; 3] {
        let count = |is: fn(&CaseOutcome) -> bool| self.cases.iter().filter(|case| is(&case.outcome)).count();
        [
            count(|outcome| matches!(outcome, CaseOutcome::Failed(..))),
            count(|outcome| matches!(outcome, CaseOutcome::Error(_))),
            count(|outcome| matches!(outcome, CaseOutcome::Skipped(_))),
        ]
    }
}

pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let suites = finding_suites(report, options);
    let scan = scan_suite(report);
    let all = || suites.values().chain([&scan]);
    let tests: usize = all().map(|suite| suite.cases.len()).sum();
    let total = |kind: usize| -> usize { all().map(|suite| suite.counts()[kind]).sum() };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"vyre scan\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        total(0),
        total(1),
        total(2)
    )?;
    open_suite("scan", &scan, out)?;
    write_properties(report, out)?;
    write_cases("scan", &scan, out)?;
    writeln!(out, "    <system-out>{}</system-out>", content(&text::summary(report, options)?))?;
    writeln!(out, "  </testsuite>")?;
    for (path, suite) in &suites {
        open_suite(path, suite, out)?;
        write_cases(path, suite, out)?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn open_suite(name: &str, suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
    let [failures, errors, skipped] = suite.counts();
    writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">",
        attribute(name),
        suite.cases.len()
    )
}

fn write_cases(suite_name: &str, suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
    for Case { name, place, outcome } in &suite.cases {
        write!(out, "    <testcase name=\"{}\" classname=\"{}\"", attribute(name), attribute(suite_name))?;
        if let Some((file, line)) = place {
            write!(out, " file=\"{}\"", attribute(file))?;
            if let Some(line) = line {
                write!(out, " line=\"{line}\"")?;
            }
        }
        match outcome {
            CaseOutcome::Passed => writeln!(out, "/>")?,
            CaseOutcome::Failed(message, kind, text) => writeln!(
                out,
                ">\n      <failure message=\"{}\" type=\"{}\">{}</failure>\n    </testcase>",
                attribute(message),
                attribute(kind),
                content(text)
            )?,
            CaseOutcome::Skipped(message) => {
                writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", attribute(message))?;
            }
            CaseOutcome::Error(message) => {
                writeln!(out, ">\n      <error message=\"{}\"/>\n    </testcase>", attribute(message))?;
            }
        }
    }
    Ok(())
}

/// Writes the coverage as properties.
fn write_properties(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let totals = CoverageTotals::new(&report.coverage);
    let mut properties = vec![
        ("is_complete".to_owned(), (!report.coverage.is_incomplete()).to_string()),
        ("is_approximate".to_owned(), report.statistics.is_approximate().to_string()),
    ];
    let mut add = |name: &str, amount: &Amount| {
        properties.push((format!("{name}.files"), amount.files.to_string()));
        properties.push((format!("{name}.bytes"), amount.bytes.to_string()));
    };
    add("scanned", &totals.scanned);
    add("skipped", &totals.skipped);
    for (reason, amount) in &totals.reasons {
        add(&format!("skipped.{}", skip_reason_name(*reason)), amount);
    }
    add("failed", &totals.failed);
    add("timed_out", &totals.timed_out);
    writeln!(out, "    <properties>")?;
    for (name, value) in properties {
        writeln!(out, "      <property name=\"{}\" value=\"{}\"/>", attribute(&name), attribute(&value))?;
    }
    writeln!(out, "    </properties>")
}

/// Test cases of the scan, and of files that were not analysed.
fn scan_suite(report: &ScanReport) -> Suite {
    let coverage = &report.coverage;
    let outcome = match (coverage.is_interrupted, coverage.is_incomplete()) {
        (true, _) => CaseOutcome::Error("the scan was interrupted, and findings are missing".to_owned()),
        (_, true) => CaseOutcome::Error("some code was not analysed, and findings may be missing".to_owned()),
        _ => CaseOutcome::Passed,
    };
    let mut cases = vec![Case { name: "all code is analysed".to_owned(), place: None, outcome }];
    for file in &coverage.files {
        let reason = match &file.outcome {
            FileOutcome::Failed(reason) => reason.clone(),
            FileOutcome::TimedOut => "the analysis exceeded the time limit".to_owned(),
            FileOutcome::Scanned | FileOutcome::Skipped(_) => continue,
        };
        cases.push(Case {
            name: file.path.clone(),
            place: Some((format!("{}{}", report.folder, file.path), None)),
            outcome: CaseOutcome::Error(reason),
        });
    }
    for problem in coverage.problems.iter().filter(|problem| problem.is_incomplete) {
        let outcome = CaseOutcome::Error(problem.message.clone());
        cases.push(Case { name: problem.path.clone(), place: None, outcome });
    }
    Suite { cases }
}

/// Suites of files with findings, by path.
fn finding_suites(report: &ScanReport, options: ReportOptions) -> BTreeMap<String, Suite> {
    let places = Places::new(&report.coverage);
    let mut suites: BTreeMap<String, Suite> = BTreeMap::new();
    let mut add = |finding: &Finding, outcome: CaseOutcome| {
        let sink = finding.sink();
        let path = format!("{}{}", report.folder, places.path(sink));
        let region = places.region(sink);
        let rule = rule_id(report, finding.rule);
        let name = match region {
            Some(region) => format!("{rule} at {}:{}", region.line, region.column),
            None => rule.to_owned(),
        };
        let place = Some((path.clone(), region.map(|region| region.line)));
        suites.entry(path).or_default().cases.push(Case { name, place, outcome });
    };
    for finding in &report.findings {
        let outcome = if report.fails(finding, options.fail_on) {
            let kind = format!("{}.{}", finding.severity.name(), rule_id(report, finding.rule));
            CaseOutcome::Failed(finding.message.clone(), kind, details(report, &places, finding))
        } else if report.state(finding) == Some(BaselineState::Unchanged) {
            CaseOutcome::Skipped(format!("{} (known: the baseline has it)", finding.message))
        } else {
            let severity = finding.severity.name();
            CaseOutcome::Skipped(format!("{} (the severity {severity} does not fail the scan)", finding.message))
        };
        add(finding, outcome);
    }
    for suppressed in &report.suppressed {
        add(&suppressed.finding, CaseOutcome::Skipped(format!("silenced by a comment: {}", suppressed.reason)));
    }
    for UncheckedFinding { finding, reason } in report.baseline.iter().flat_map(|baseline| &baseline.unchecked) {
        let path = decoded(&finding.uri).unwrap_or_else(|| finding.uri.clone());
        let line = finding.line.and_then(|line| u32::try_from(line).ok());
        let name = match line {
            Some(line) => format!("{} at {line} in the baseline", finding.rule),
            None => format!("{} in the baseline", finding.rule),
        };
        let (place, outcome) = (Some((path.clone(), line)), CaseOutcome::Skipped(format!("not checked: {reason}")));
        suites.entry(path).or_default().cases.push(Case { name, place, outcome });
    }
    suites
}

/// Weaknesses and steps of a finding.
fn details(report: &ScanReport, places: &Places<'_>, finding: &Finding) -> String {
    let cwe = rule_cwe(report, finding.rule).iter().map(|cwe| format!("CWE-{cwe}"));
    let mut lines = vec![cwe.collect::<Vec<_>>().join(", ")];
    lines.extend(finding.witness.iter().enumerate().map(|(position, step)| {
        format!("{}. {} ({})", position + 1, step.reason, places.name_from(&report.folder, step.location))
    }));
    lines.push(format!("fingerprint {}", finding.fingerprint));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}
