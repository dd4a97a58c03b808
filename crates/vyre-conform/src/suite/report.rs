//! Reports of runs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ending::EarlyEnd;
use super::level::{Amounts, Level};

/// Section that needs tools, and a backend that has shaders.
const WITH_TOOLS: &str = "shader-text";

/// Report of a run of the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the backend.
    pub backend: String,
    /// Name of the device.
    pub device: String,
    /// Driver of the device and its version.
    pub driver: Option<String>,
    /// Level of the run.
    pub level: Level,
    /// First seed of everything random.
    pub seed: u64,
    /// Number of generated programs that were asked for.
    pub programs: u64,
    /// All numbers of checks, that of generated programs included.
    pub amounts: Amounts,
    /// Hash of the corpus, if it is not that of this build.
    pub corpus: Option<String>,
    /// Sections, in the order in which they ran.
    pub sections: Vec<SectionReport>,
    /// Sections of the suite that did not run.
    pub left_out: Vec<String>,
    /// Duration in milliseconds.
    pub milliseconds: u64,
    /// True if the run was cancelled, or a section ended before all its checks were made.
    pub is_interrupted: bool,
}

/// Report of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionReport {
    /// Permanent name.
    pub name: String,
    /// Subject of the section, in a sentence.
    pub about: String,
    /// Number of checks that were made, failed ones included.
    pub checked: u64,
    /// Number of checks that failed.
    pub failed: u64,
    /// Number of checks that were not made.
    pub skipped: u64,
    /// Items, each with its counts.
    pub items: Vec<ItemReport>,
    /// Failures in detail. Of each item the first ones.
    pub failures: Vec<Failure>,
    /// Number of failures without details.
    pub failures_left_out: u64,
    /// Duration in milliseconds.
    pub milliseconds: u64,
    /// Reason why the section ended before all its checks were made, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<EarlyEnd>,
}

/// Counts of an item of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemReport {
    /// Name, unique in its section.
    pub name: String,
    /// The op that the item is about, if it is about one.
    pub op: Option<String>,
    /// Number of checks that were made, failed ones included.
    pub checked: u64,
    /// Number of checks that failed.
    pub failed: u64,
    /// Number of checks that were not made.
    pub skipped: u64,
    /// Reason why checks were not made.
    pub reason: Option<String>,
}

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The item.
    pub item: String,
    /// What is wrong.
    pub message: String,
    /// Seed that repeats the check, if it is random.
    pub seed: Option<u64>,
    /// The program that shows it, reduced where possible.
    pub example: Option<Example>,
}

/// A program whose result is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Program with its inputs and the expected results, in the form of the run corpus.
    pub program: String,
    /// Ops that it calls, if they are not in the library.
    pub ops: Option<String>,
    /// True if the program was reduced; otherwise it is as the suite ran it.
    pub is_reduced: bool,
    /// Buffer that differs; empty if the run failed.
    pub buffer: String,
    /// Position of the first byte that differs.
    pub byte: u64,
    /// Expected bytes from there on, in hexadecimal.
    pub expected: String,
    /// Observed bytes from there on, in hexadecimal, or the error of the device.
    pub observed: String,
}

impl SectionReport {
    /// The report of a section that has made no checks.
    #[must_use]
    pub fn empty(name: &str, about: &str) -> SectionReport {
        SectionReport {
            name: name.to_owned(),
            about: about.to_owned(),
            checked: 0,
            failed: 0,
            skipped: 0,
            items: Vec::new(),
            failures: Vec::new(),
            failures_left_out: 0,
            milliseconds: 0,
            ended_early: None,
        }
    }

    /// Adds the checks of another run of the section. The first reason for an early end stays.
    pub fn add(&mut self, other: SectionReport) {
        self.checked += other.checked;
        self.failed += other.failed;
        self.skipped += other.skipped;
        other.items.into_iter().for_each(|item| self.add_item(item));
        self.failures.extend(other.failures);
        self.failures_left_out += other.failures_left_out;
        self.milliseconds += other.milliseconds;
        self.ended_early = self.ended_early.or(other.ended_early);
    }

    /// Adds the counts of an item, and not to those of the section.
    pub fn add_item(&mut self, item: ItemReport) {
        match self.items.iter_mut().find(|known| known.name == item.name && known.op == item.op) {
            Some(known) => {
                known.checked += item.checked;
                known.failed += item.failed;
                known.skipped += item.skipped;
                known.reason = known.reason.take().or(item.reason);
            }
            None => self.items.push(item),
        }
    }

    /// Adds a check that failed, with its details, and the op that it is about.
    pub fn add_failure(&mut self, failure: Failure, op: Option<String>) {
        let name = failure.item.clone();
        self.checked += 1;
        self.failed += 1;
        self.add_item(ItemReport { name, op, checked: 1, failed: 1, skipped: 0, reason: None });
        self.failures.push(failure);
    }

    /// Reports whether checks were made and all of them passed, to the end.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.failed == 0 && self.checked > 0 && self.ended_early.is_none()
    }

    /// Reports whether the section made no check, although every device and host can make some. Only shaders need tools.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.checked == 0 && self.name != WITH_TOOLS
    }

    /// `passed`, `failed`, `interrupted`, `skipped` or `empty`.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match (self.failed, self.checked, self.skipped) {
            (1.., _, _) => "failed",
            _ if self.ended_early.is_some() => "interrupted",
            (0, 1.., _) => "passed",
            (0, 0, 1..) => "skipped",
            (0, 0, 0) => "empty",
        }
    }

    /// Reasons why checks were not made, each once.
    #[must_use]
    pub fn reasons(&self) -> Vec<&str> {
        let mut reasons: Vec<&str> = self.items.iter().filter_map(|item| item.reason.as_deref()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// The report of an item.
    #[must_use]
    pub fn item(&self, name: &str) -> Option<&ItemReport> {
        self.items.iter().find(|item| item.name == name)
    }
}

impl Report {
    /// Number of checks that were made, those that failed, and those that were not made.
    #[must_use]
    pub fn counts(&self) -> [u64; 3] {
        self.sections.iter().fold([0; 3], |[checked, failed, skipped], section| {
            [checked + section.checked, failed + section.failed, skipped + section.skipped]
        })
    }

    /// Reports whether all sections of the run made checks to their ends, and none failed. Sections of [`Report::left_out`] do not count: the
    /// verdict of a certificate is *partial* then.
    #[must_use]
    pub fn is_conformant(&self) -> bool {
        let [checked, failed, _] = self.counts();
        let is_complete = !self.is_interrupted && !self.sections.iter().any(SectionReport::is_missing);
        checked > 0 && failed == 0 && is_complete
    }

    /// The report of a section.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&SectionReport> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// All failures, with the names of their sections.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &Failure)> {
        self.sections.iter().flat_map(|section| section.failures.iter().map(|failure| (&*section.name, failure)))
    }
}

/// A line for each section, and the failures.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            let SectionReport { name, checked, failed, skipped, .. } = section;
            write!(f, "{name}: {}, {checked} checked, {failed} failed, {skipped} skipped", section.verdict())?;
            match (section.ended_early, section.checked) {
                (Some(reason), _) => writeln!(f, "; ended early: {reason}")?,
                (None, 0) => writeln!(f, ": {}", section.reasons().join("; "))?,
                (None, _) => writeln!(f)?,
            }
        }
        for (section, failure) in self.failures() {
            writeln!(f, "{section}, {}: {}", failure.item, failure.message)?;
            if let Some(example) = &failure.example {
                writeln!(f, "expected {}, observed {}\n{}", example.expected, example.observed, example.program)?;
            }
        }
        Ok(())
    }
}
