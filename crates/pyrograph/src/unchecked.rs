//! Findings of an earlier scan that a later scan could not find again, because it did not look at their code.

use std::collections::BTreeMap;

use crate::coverage::{FileOutcome, FileRecord, InputProblem};
use crate::finding::FileIndex;
use crate::scan::ScanReport;
use crate::search::REQUESTS;

/// What is known of a finding of an earlier scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierFinding<'e> {
    /// Identifier of the rule.
    pub(crate) rule: &'e str,
    /// Name of the threat model of the source.
    pub(crate) model: Option<&'e str>,
    /// Label of the source.
    pub(crate) label: Option<&'e str>,
    /// Names of the files of the steps. The last one is the file of the sink.
    pub(crate) files: &'e [String],
}

/// Answers whether a scan looked at the code of earlier findings.
pub(crate) struct Checks<'r> {
    report: &'r ScanReport,
    /// Positions of files by name.
    files: BTreeMap<String, FileIndex>,
    /// Problems that make the scan incomplete, with the name of their path.
    problems: Vec<(String, &'r InputProblem)>,
}

impl<'r> Checks<'r> {
    /// `name` makes the names that earlier findings have of paths of the report.
    pub(crate) fn new(report: &'r ScanReport, name: impl Fn(&str) -> String) -> Checks<'r> {
        let files = report.coverage.files.iter().zip(0..).map(|(file, index)| (name(&file.path), index)).collect();
        let problems = report.coverage.problems.iter().filter(|problem| problem.is_incomplete);
        Checks { report, files, problems: problems.map(|problem| (name(&problem.path), problem)).collect() }
    }

    /// Reason why the scan could not find a finding. `is_elsewhere` says whether a file that the scan does not have still exists.
    /// None: the scan looked at all of its code, or the code is gone.
    pub(crate) fn reason(&self, earlier: EarlierFinding<'_>, is_elsewhere: &dyn Fn(&str) -> bool) -> Option<String> {
        let EarlierFinding { rule, model, label, files } = earlier;
        if self.report.knowledge.rule(rule).is_none() {
            return Some("the rule was not used".to_owned());
        }
        if self.report.coverage.is_interrupted {
            return Some("the scan was interrupted".to_owned());
        }
        let is_request = self.report.has_requests && label.is_some_and(|label| REQUESTS.contains(&label));
        if let Some(model) = model
            && !is_request
            && !self.report.models.iter().any(|known| known.name() == model)
        {
            return Some(format!("the threat model `{model}` was not used"));
        }
        let sink = files.last().map(String::as_str);
        // The file of the sink comes first: it is the one that a reader knows.
        let of_files = files.iter().rev().find_map(|file| {
            let reason = self.file_reason(file, is_elsewhere)?;
            Some(if Some(file.as_str()) == sink { reason } else { format!("{file}, a file of its flow: {reason}") })
        });
        // Code that is missing anywhere may contain the source of a flow, or change the role of a file.
        let is_incomplete = || self.report.coverage.is_incomplete();
        of_files.or_else(|| is_incomplete().then(|| "other code was not analysed".to_owned()))
    }

    /// Reason why the code of a file was not looked at.
    fn file_reason(&self, name: &str, is_elsewhere: &dyn Fn(&str) -> bool) -> Option<String> {
        let Some(&index) = self.files.get(name) else {
            let around = |(path, _): &&(String, &InputProblem)| {
                let rest = name.strip_prefix(path.trim_end_matches('/'));
                path == "." || rest.is_some_and(|rest| rest.starts_with('/') || rest.starts_with("!/"))
            };
            return match self.problems.iter().find(around) {
                Some((path, problem)) => Some(format!("{path}: {}", problem.message)),
                None => is_elsewhere(name).then(|| "the file is not in the scanned paths".to_owned()),
            };
        };
        let file = self.report.coverage.files.get(index as usize)?;
        if let Some(reason) = outcome_reason(file) {
            return Some(reason);
        }
        let concerns = |problem: &InputProblem| problem.path == file.path || problem.files.contains(&index);
        if let Some((_, problem)) = self.problems.iter().find(|(_, problem)| concerns(problem)) {
            return Some(problem.message.clone());
        }
        let mut missing = self.report.coverage.missing_imports.iter().filter(|import| import.file == index);
        let (target, reason) = missing.find_map(|import| {
            let target = self.report.coverage.files.get(import.target? as usize)?;
            Some((target, outcome_reason(target)?))
        })?;
        Some(format!("the file imports {}: {reason}", target.path))
    }
}

/// Reason why a file was not analysed.
fn outcome_reason(file: &FileRecord) -> Option<String> {
    match &file.outcome {
        FileOutcome::Scanned => None,
        FileOutcome::Skipped(reason) => Some(format!("the file was skipped: {}", reason.text())),
        FileOutcome::Failed(reason) => Some(format!("the file was not analysed: {reason}")),
        FileOutcome::TimedOut => Some("the file was not analysed: the time limit has passed".to_owned()),
    }
}
