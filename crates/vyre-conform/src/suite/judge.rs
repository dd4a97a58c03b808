//! Judgement of cases: a program with inputs, its expected bytes, and those of the device.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use vyre_ir::Name;
use vyre_runtime::{Error, PipelineOptions, ReferenceDevice, RunOptions};

use super::context::{Context, Item};
use super::report::{Example, Failure};
use super::running::RunningProgram;
use crate::differential::{Subject, check_race_free, shrink_within};
use crate::reduce::{CorpusFiles, ReduceLimits, corpus_file};
use crate::{Case, CaseError};

/// Contents of buffers after a run.
pub(super) type Contents = BTreeMap<Name, Vec<u8>>;

/// Maximum duration of a run. Software drivers compile a shader on its first run, which may take half a minute.
const MAX_RUN_TIME: Duration = Duration::from_secs(180);

/// Maximum duration of the run of the reference that decides whether a failure can be reduced.
const MAX_REDUCIBLE_TIME: Duration = Duration::from_secs(2);

/// Maximum duration of a reduction, so that a device with many defects has its report soon.
const MAX_REDUCTION_TIME: Duration = Duration::from_secs(60);

/// Number of bytes of a difference that a report shows.
const SHOWN_BYTES: usize = 32;

/// Largest program with its contents that a report has.
const MAX_EXAMPLE_BYTES: usize = 100_000;

/// First difference between expected and observed contents.
#[derive(Clone, Debug)]
struct Difference {
    buffer: String,
    byte: usize,
    expected: String,
    observed: String,
}

/// A case whose results a device must have.
struct Trial<'t> {
    item: &'t Item,
    /// What messages of failures begin with, such as the path of the program. It may be empty.
    about: &'t str,
    seed: Option<u64>,
    case: &'t Case,
    expected: Contents,
}

impl Context {
    /// Runs a case on the device and counts whether its bytes are the expected ones. Without expectations, those of the reference
    /// interpreter are expected. Every buffer that the expectations name is compared.
    pub fn judge(&self, item: &Item, seed: Option<u64>, case: &Case, expected: Option<BTreeMap<Name, Vec<u8>>>) {
        self.judge_on(item, seed, case, expected, std::slice::from_ref(self.subject()));
    }

    /// Runs a case of a file on the device and counts whether its bytes are those that the file expects.
    pub(super) fn judge_file(&self, item: &Item, path: &str, case: &Case, expected: Contents) {
        let trial = Trial { item, about: path, seed: None, case, expected };
        self.judge_trial(&trial, self.subject());
    }

    /// Runs a case on several configurations of the backend. Each is a check.
    pub(super) fn judge_on(
        &self,
        item: &Item,
        seed: Option<u64>,
        case: &Case,
        expected: Option<Contents>,
        subjects: &[Subject],
    ) {
        let expected = match expected.map_or_else(|| run_on_reference(case), Ok) {
            Ok(expected) => expected,
            Err(error) => return self.without_reference(item, subjects.len() as u64, &error, seed),
        };
        let trial = Trial { item, about: "", seed, case, expected };
        for subject in subjects {
            self.judge_trial(&trial, subject);
        }
    }

    /// Counts checks of which the reference interpreter gives no expected bytes. If it is too slow, nothing is known about the device.
    pub(super) fn without_reference(&self, item: &Item, checks: u64, error: &CaseError, seed: Option<u64>) {
        match error {
            CaseError::Device(Error::DeadlineExceeded) => {
                let seconds = MAX_RUN_TIME.as_secs();
                self.skipped(item, checks, format!("the reference interpreter takes longer than {seconds} s"));
            }
            error => self.failed(item, format!("the reference interpreter fails: {error}"), seed),
        }
    }

    fn judge_trial(&self, trial: &Trial<'_>, subject: &Subject) {
        if self.must_end() {
            return;
        }
        let running = match self.keep_running(trial, subject) {
            Ok(running) => running,
            // The backend has no part in it. Without the file, a program that ends the process could not be found.
            Err(error) => {
                self.skipped(trial.item, 1, format!("the file of the program cannot be written: {error}"));
                return self.end_for_storage();
            }
        };
        let observed = run(trial.case, subject, MAX_RUN_TIME);
        drop(running);
        if observed.is_err() && self.has_stopped_a_call() {
            return;
        }
        if let Err(CaseError::Device(error)) = &observed
            && subject.device.limits().explain(error)
        {
            return self.skipped(trial.item, 1, error.to_string());
        }
        match difference(&trial.expected, &observed) {
            None => self.passed(trial.item, 1),
            Some(difference) => self.explain(trial, subject, &difference),
        }
    }

    /// Writes the files of a program that runs now, if the run keeps them. They are deleted with the result.
    fn keep_running(&self, trial: &Trial<'_>, subject: &Subject) -> io::Result<Option<RunningProgram>> {
        let Some(folder) = self.settings().running.as_deref() else { return Ok(None) };
        let about = (trial.item, trial.seed, &*subject.name);
        RunningProgram::write(folder, self.section(), about, trial.case, &trial.expected).map(Some)
    }

    /// Counts a failure and describes it.
    fn explain(&self, trial: &Trial<'_>, subject: &Subject, difference: &Difference) {
        let &Trial { item, about, seed, case, ref expected } = trial;
        let start = if about.is_empty() { subject.name.clone() } else { format!("{about}: {}", subject.name) };
        let message = match &*difference.buffer {
            "" => format!("{start}: {}", difference.observed),
            buffer => format!("{start}: buffer `{buffer}` is wrong from byte {} on", difference.byte),
        };
        let mut failure = Failure { item: item.name().to_owned(), message, seed, example: None };
        if !self.has_enough_failures(item) {
            let is_reduced = self.announce(item, &failure.message);
            let limits = is_reduced.then(|| self.reduce_limits());
            failure.example = Some(self.example(case, expected, subject, difference, limits));
        }
        self.record_failure(item, failure);
    }

    /// A reduction ends with the section.
    fn reduce_limits(&self) -> ReduceLimits {
        let left = self.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = left.into_iter().chain([MAX_REDUCTION_TIME]).min();
        ReduceLimits { time, ..ReduceLimits::default() }
    }

    /// The program of a failure. It is reduced if there are limits of a reduction, and if the reference interpreter contradicts the
    /// device too, so that it can judge candidates.
    fn example(
        &self,
        case: &Case,
        expected: &Contents,
        subject: &Subject,
        found: &Difference,
        limits: Option<ReduceLimits>,
    ) -> Example {
        let one = std::slice::from_ref(subject);
        let limits = limits.filter(|_| matches!(check_race_free(case, one, MAX_REDUCIBLE_TIME), Some(Err(_))));
        let reduced = limits.map(|limits| shrink_within(case, subject, &limits, &|| self.end().is_none()));
        // Of candidates whose runs the end of the section stopped, nothing is known.
        let Some((small, files)) = reduced.filter(|_| !self.has_stopped_a_call()) else {
            return written(corpus_file(case, expected), found.clone(), false);
        };
        let expected = run_on_reference(&small).unwrap_or_default();
        let difference = difference(&expected, &run(&small, subject, MAX_RUN_TIME));
        // A device that fails only sometimes may be right this time.
        written(files, difference.unwrap_or_else(|| found.clone()), true)
    }
}

/// Bytes of all buffers after a run on the reference interpreter.
pub(super) fn run_on_reference(case: &Case) -> Result<Contents, CaseError> {
    let options = RunOptions::default().with_timeout(MAX_RUN_TIME);
    Ok(case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options)?.contents)
}

/// Bytes of all buffers after a run on a device.
pub(super) fn run(case: &Case, subject: &Subject, max_time: Duration) -> Result<Contents, CaseError> {
    let options = RunOptions::default().with_timeout(max_time);
    Ok(case.run(&*subject.device, &PipelineOptions::default(), &options)?.contents)
}

fn difference(expected: &Contents, observed: &Result<Contents, CaseError>) -> Option<Difference> {
    let observed = match observed {
        Ok(observed) => observed,
        Err(error) => {
            let (buffer, expected) = (String::new(), String::new());
            return Some(Difference { buffer, byte: 0, expected, observed: error.to_string() });
        }
    };
    expected.iter().find_map(|(buffer, expected)| {
        let observed = observed.get(buffer).map(Vec::as_slice).unwrap_or_default();
        let byte = first_difference(expected, observed)?;
        let (expected, observed) = (hexadecimal(expected, byte), hexadecimal(observed, byte));
        Some(Difference { buffer: buffer.to_string(), byte, expected, observed })
    })
}

fn first_difference(expected: &[u8], observed: &[u8]) -> Option<usize> {
    let differs = expected.iter().zip(observed).position(|(a, b)| a != b);
    differs.or_else(|| (expected.len() != observed.len()).then_some(expected.len().min(observed.len())))
}

/// Bytes from the word of a byte on.
fn hexadecimal(bytes: &[u8], byte: usize) -> String {
    let rest = bytes.get(byte..).unwrap_or_default();
    let mut text = rest.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    if rest.len() > SHOWN_BYTES {
        text.push_str(" ...");
    }
    text
}

fn written(files: CorpusFiles, difference: Difference, is_reduced: bool) -> Example {
    let Difference { buffer, byte, expected, observed } = difference;
    let mut program = files.program;
    if program.len() > MAX_EXAMPLE_BYTES {
        // The run itself, and the program below it.
        let is_contents =
            |line: &&str| ["// in ", "// expect ", "//     :"].iter().any(|start| line.starts_with(start));
        let kept: Vec<&str> = program.lines().filter(|line| !is_contents(line)).collect();
        let note = format!("// Its inputs and expectations are left out: {} bytes.", program.len());
        program = format!("{note}\n{}\n", kept.join("\n"));
    }
    Example { program, ops: files.ops, is_reduced, buffer, byte: byte as u64, expected, observed }
}
