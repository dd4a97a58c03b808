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
mod error;
mod mapping;
mod outcome;
mod output;
mod result;
mod units;

use std::path::{Path, PathBuf};

use crate::knowledge::{Knowledge, ThreatModel};
use crate::scan::{ScanError, ScanOptions, ScanReport};

pub use counts::Counts;
pub use error::ScoreError;
pub use mapping::{MapError, RuleMap};
pub use outcome::Outcome;
pub use output::{write_json, write_text};
pub use result::{Score, ScoredLine};
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
