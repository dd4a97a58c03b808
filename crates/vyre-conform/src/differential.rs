//! Differential testing: one case on several devices, with the reference device as the oracle.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_ir::{BufferAccess, DataType, Name, Specialization};
use vyre_runtime::{Device, PipelineOptions, ReferenceDevice, RunOptions, words};

use crate::reduce::{CorpusFiles, ReduceLimits, corpus_file, reduce};
use crate::splice::atomic_order::probed;
use crate::{Case, CaseError, Outcome};

/// A device that is compared with the reference device.
#[derive(Clone)]
pub struct Subject {
    /// Name in reports.
    pub name: String,
    /// The device.
    pub device: Arc<dyn Device>,
}

/// Difference between a subject and the reference device.
#[derive(Debug)]
#[non_exhaustive]
pub struct Difference {
    /// Position of the subject.
    pub subject: usize,
    /// Name of the subject.
    pub name: String,
    /// True if values of uniform buffers were fixed.
    pub is_fixed: bool,
    /// The difference.
    pub fault: Fault,
}

/// Fault of a subject.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A buffer differs.
    Bytes {
        /// Name of the buffer.
        buffer: Name,
        /// Position of the first byte that differs.
        byte: usize,
    },
    /// The subject failed, and the reference device did not.
    Failure(CaseError),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: ", self.name, if self.is_fixed { ", fixed" } else { "" })?;
        match &self.fault {
            Fault::Bytes { buffer, byte } => write!(f, "buffer `{buffer}` differs from the reference at byte {byte}"),
            Fault::Failure(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Difference {}

/// Maximum duration of a run. Software drivers compile a shader on its first run, which may take half a minute.
const MAX_RUN_TIME: Duration = Duration::from_secs(180);

/// Maximum duration of a run during reduction, which may lengthen loops.
const MAX_REDUCED_RUN_TIME: Duration = Duration::from_secs(2);

fn options(max_time: Duration, check_races: bool) -> RunOptions {
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + max_time);
    options.check_races = check_races;
    options
}

fn reference(case: &Case, max_time: Duration, check_races: bool) -> Result<Outcome, CaseError> {
    case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options(max_time, check_races))
}

/// Maximum number of elements of a uniform buffer that are fixed.
const MAX_FIXED_ELEMENTS: usize = 6;

/// Specialization of uniform buffers to their contents, which must not change results.
fn fixed_contents(case: &Case) -> Specialization {
    let mut fixed = Specialization::default();
    let uniform = case.program.buffers.iter().filter(|decl| decl.access == BufferAccess::Uniform);
    for decl in uniform.filter(|decl| decl.element != DataType::Bytes) {
        let contents = case.contents.get(&decl.name).map(Vec::as_slice).unwrap_or_default();
        let elements = contents.chunks_exact(decl.element.element_bytes()).enumerate();
        for (at, element) in elements.take(MAX_FIXED_ELEMENTS) {
            fixed = fixed.with_words(decl.binding, at as u32, &words(element));
        }
    }
    fixed
}

/// Compares every subject with the expected outcome, also with specialization if the program has uniform buffers.
fn compare_all(case: &Case, expected: &Outcome, subjects: &[Subject], max_time: Duration) -> Result<(), Difference> {
    let fixed = fixed_contents(case);
    let fixings = if fixed.is_empty() { vec![fixed] } else { vec![Specialization::default(), fixed] };
    for (position, subject) in subjects.iter().enumerate() {
        for fixed in &fixings {
            let options = PipelineOptions::default().with_specialization(fixed.clone());
            compare(case, expected, subject, max_time, &options).map_err(|fault| Difference {
                subject: position,
                name: subject.name.clone(),
                is_fixed: !fixed.is_empty(),
                fault,
            })?;
        }
    }
    Ok(())
}

fn compare(
    case: &Case,
    expected: &Outcome,
    subject: &Subject,
    max_time: Duration,
    pipeline: &PipelineOptions,
) -> Result<(), Fault> {
    let outcome = case.run(&*subject.device, pipeline, &options(max_time, false)).map_err(Fault::Failure)?;
    for (buffer, bytes) in &expected.contents {
        let found = outcome.contents.get(buffer).map(Vec::as_slice).unwrap_or_default();
        if found != bytes {
            let byte = bytes.iter().zip(found).position(|(a, b)| a != b).unwrap_or(bytes.len().min(found.len()));
            return Err(Fault::Bytes { buffer: buffer.clone(), byte });
        }
    }
    Ok(())
}

/// Runs a case on the reference device and on every subject.
///
/// # Errors
///
/// The outer result is the error of the reference device, the inner one the first difference.
pub fn check(case: &Case, subjects: &[Subject]) -> Result<Result<(), Difference>, CaseError> {
    let expected = reference(case, MAX_RUN_TIME, false)?;
    Ok(compare_all(case, &expected, subjects, MAX_RUN_TIME))
}

/// Checks a case that may have races or run long. `None` if the reference device finds a race, or does not finish in time.
#[must_use]
pub fn check_race_free(case: &Case, subjects: &[Subject], max_time: Duration) -> Option<Result<(), Difference>> {
    let expected = reference(case, max_time, true).ok().filter(|outcome| outcome.report.races.races.is_empty())?;
    // Subjects may be slower than the reference device.
    Some(compare_all(case, &expected, subjects, max_time * 20))
}

/// As [`check_race_free`]. `None` also if the result depends on the order of atomics.
fn check_determined(case: &Case, subjects: &[Subject], max_time: Duration) -> Option<Result<(), Difference>> {
    // Probes change no contents.
    let probed = Case { program: probed(&case.program)?, ..case.clone() };
    let expected = reference(&probed, max_time, true).ok().filter(|outcome| outcome.report.races.races.is_empty())?;
    Some(compare_all(case, &expected, subjects, max_time * 20))
}

/// Reduces a case on which a subject differs to a race-free one, and writes it as files of the corpus.
#[must_use]
pub fn shrink(case: &Case, subject: &Subject) -> (Case, CorpusFiles) {
    shrink_within(case, subject, &ReduceLimits::default(), &|| true)
}

/// As [`shrink`], within limits and while `may_continue`. If the result of the case does not depend on the order of atomics, neither does
/// that of the reduced one.
#[must_use]
pub fn shrink_within(
    case: &Case,
    subject: &Subject,
    limits: &ReduceLimits,
    may_continue: &dyn Fn() -> bool,
) -> (Case, CorpusFiles) {
    let check = match check_determined(case, &[], MAX_REDUCED_RUN_TIME) {
        Some(_) => check_determined,
        None => check_race_free,
    };
    let mut fails = |case: &Case| {
        let one = std::slice::from_ref(subject);
        may_continue() && matches!(check(case, one, MAX_REDUCED_RUN_TIME), Some(Err(_)))
    };
    let small = reduce(case, limits, &mut fails);
    let expected = reference(&small, MAX_RUN_TIME, false).map(|outcome| outcome.contents).unwrap_or_default();
    let files = corpus_file(&small, &expected);
    (small, files)
}
