//! Scores: precision and recall of scans on a folder of annotated sources.
//!
//! [`score`] finds the sources below a folder, reads their annotations, scans each unit, and compares. It understands the
//! annotations of three kinds of suites, see [`annotation`]. Foreign rules are mapped to rules of this scanner by a
//! [`RuleMap`]; what no mapping covers is listed, never dropped silently.
//!
//! How a line counts:
//!
//! | Annotation of the line | Finding of its rules | Counts as |
//! |---|---|---|
//! | expected | yes | true positive |
//! | expected | no | false negative |
//! | not expected | yes | false positive |
//! | not expected | no | true negative |
//! | none, in a file that tests the rule | yes | false positive |
//! | none, in a file that does not test the rule | yes | not scored |
//!
//! A file tests the rules of its annotations and those of its folder.

pub mod annotation;
mod compare;
mod counts;
mod mapping;
mod output;
mod units;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::knowledge::{Knowledge, ThreatModel};
use crate::scan::{ScanError, ScanOptions, ScanReport};

pub use counts::Counts;
pub use mapping::{MapError, RuleMap};
pub use output::{write_json, write_text};
pub use units::UnitKind;

/// Options of a score.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScoreOptions {
    /// Mapping of foreign rules and folders.
    pub map: RuleMap,
    /// What is scanned at a time.
    pub unit: UnitKind,
    /// Level of the units below the folder, for [`UnitKind::Folder`]. 0 counts as 1.
    pub depth: usize,
    /// Options of each scan. A first line `// scan: sources=library` of a unit replaces the threat models.
    pub scan: ScanOptions,
}

/// Result of a score.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Score {
    /// Counts of everything.
    pub total: Counts,
    /// Counts by rule.
    pub rules: BTreeMap<String, Counts>,
    /// Counts by number of a CWE entry: that of the folder, otherwise the first one of the rule.
    pub cwe: BTreeMap<u32, Counts>,
    /// Counts by unit, by path relative to the folder.
    pub units: BTreeMap<String, Counts>,
    /// Lines that were compared, in order of units, paths and lines.
    pub lines: Vec<ScoredLine>,
    /// Foreign rules that no mapping covers, with the number of their annotations.
    pub unmapped: BTreeMap<String, u64>,
    /// Files with annotations that name no rule, and whose folder has none.
    pub files_without_rule: Vec<String>,
    /// Findings by rule in files that do not test the rule.
    pub unscored: BTreeMap<String, u64>,
    /// True positives whose source is not the annotated one.
    pub wrong_sources: u64,
    /// Units that could not be scanned, or not completely: path, reason.
    pub failures: Vec<(String, String)>,
}

/// A line that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredLine {
    /// How it counts.
    pub outcome: Outcome,
    /// Path relative to the folder.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Rule of this scanner.
    pub rule: String,
    /// Rule that the annotation names, if it names one.
    pub annotated: Option<String>,
}

/// How a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Expected and found.
    TruePositive,
    /// Found, not expected.
    FalsePositive,
    /// Expected, not found.
    FalseNegative,
    /// Not expected, not found.
    TrueNegative,
}

/// Reason why there is no score.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScoreError {
    /// A file or folder cannot be read.
    Read {
        /// Path.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// No file has an annotation, and no folder has a rule.
    NoAnnotations(PathBuf),
}

impl fmt::Display for ScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScoreError::Read { path, source } => write!(f, "cannot read {path:?}: {source}"),
            ScoreError::NoAnnotations(path) => write!(f, "no source file below {path:?} has an annotation"),
        }
    }
}

impl std::error::Error for ScoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ScoreError::Read { source, .. } => Some(source),
            ScoreError::NoAnnotations(_) => None,
        }
    }
}

/// A scanner, as a score calls it: paths of a unit, options.
pub type Scanner<'s> = dyn FnMut(&[PathBuf], &ScanOptions) -> Result<ScanReport, ScanError> + 's;

/// Scans the units of a folder and compares the findings with the annotations.
///
/// # Errors
///
/// The folder cannot be read, or nothing in it is annotated. A unit whose scan fails is no error: it is listed, and nothing
/// counts as found in it.
pub fn score(
    folder: &Path,
    options: &ScoreOptions,
    knowledge: &Knowledge,
    scanner: &mut Scanner<'_>,
) -> Result<Score, ScoreError> {
    let units = units::find(folder, options.unit, options.depth.max(1))?;
    let mut score = Score::default();
    let mut has_expectations = false;
    for unit in units {
        let expected = compare::Expectations::new(&unit, &options.map, knowledge, &mut score);
        if expected.is_empty() {
            continue;
        }
        has_expectations = true;
        let mut scan_options = options.scan.clone();
        if let Some(models) = scanned_models(&unit) {
            scan_options.models = models;
        }
        let report = match scanner(std::slice::from_ref(&unit.path), &scan_options) {
            Ok(report) => Some(report),
            Err(error) => {
                score.failures.push((unit.name.clone(), error.to_string()));
                None
            }
        };
        if report.as_ref().is_some_and(|report| report.coverage.is_incomplete()) {
            score.failures.push((unit.name.clone(), "the scan is incomplete".to_owned()));
        }
        expected.compare(&unit, report.as_ref(), &mut score);
    }
    if !has_expectations {
        return Err(ScoreError::NoAnnotations(folder.to_owned()));
    }
    Ok(score)
}

/// Threat models that the first line of a file of the unit selects, with `index` files first.
fn scanned_models(unit: &units::Unit) -> Option<Vec<ThreatModel>> {
    let is_entry = |file: &&units::SourceFile| file.path.file_stem().is_some_and(|stem| stem == "index");
    let entries = unit.files.iter().filter(is_entry);
    let others = unit.files.iter().filter(|file| !is_entry(file));
    entries.chain(others).find_map(|file| annotation::threat_models(&file.text))
}

#[cfg(test)]
mod tests;
