//! One case on several devices: the reference device says what is right.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_ir::{BufferAccess, DataType, Name, Specialization};
use vyre_runtime::{Device, PipelineOptions, ReferenceDevice, RunOptions, words};

use crate::reduce::{CorpusFiles, ReduceLimits, corpus_file, reduce};
use crate::{Case, CaseError, Outcome};

/// A device that is compared with the reference device.
#[derive(Clone)]
pub struct Subject {
    /// What it is called in reports.
    pub name: String,
    /// The device.
    pub device: Arc<dyn Device>,
}

/// How a subject differs from the reference device.
#[derive(Debug)]
#[non_exhaustive]
pub enum Difference {
    /// A buffer has other bytes.
    Bytes {
        /// The subject.
        subject: String,
        /// The buffer.
        buffer: Name,
        /// The first byte that differs.
        byte: usize,
    },
    /// It refuses or fails where the reference device does not.
    Failure {
        /// The subject.
        subject: String,
        /// What it said.
        error: CaseError,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Bytes { subject, buffer, byte } => {
                write!(f, "{subject}: buffer `{buffer}` differs from the reference at byte {byte}")
            }
            Difference::Failure { subject, error } => write!(f, "{subject}: {error}"),
        }
    }
}

impl std::error::Error for Difference {}

/// How long one run may take. Drivers that compute on the CPU compile a shader when it first runs, some for half a minute.
const LONGEST_RUN: Duration = Duration::from_secs(180);

/// How long one run of a case that is being reduced may take; a loop may have become longer.
const LONGEST_REDUCED_RUN: Duration = Duration::from_secs(2);

fn options(longest: Duration, check_races: bool) -> RunOptions {
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + longest);
    options.check_races = check_races;
    options
}

fn reference(case: &Case, longest: Duration, check_races: bool) -> Result<Outcome, CaseError> {
    case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options(longest, check_races))
}

/// How many elements of a uniform buffer are fixed.
const MOST_FIXED: usize = 6;

/// Values of uniform buffers that are fixed to what the buffers hold, which changes nothing.
fn fixed_contents(case: &Case) -> Specialization {
    let mut fixed = Specialization::default();
    let uniform = case.program.buffers.iter().filter(|decl| decl.access == BufferAccess::Uniform);
    for decl in uniform.filter(|decl| decl.element != DataType::Bytes) {
        let contents = case.contents.get(&decl.name).map(Vec::as_slice).unwrap_or_default();
        let elements = contents.chunks_exact(decl.element.element_bytes()).enumerate();
        for (at, element) in elements.take(MOST_FIXED) {
            fixed = fixed.with_words(decl.binding, at as u32, &words(element));
        }
    }
    fixed
}

/// Compares one subject with what is right, also with values fixed where the program has uniform buffers.
fn compare(case: &Case, right: &Outcome, subject: &Subject, longest: Duration) -> Result<(), Difference> {
    compare_with(case, right, subject, longest, &PipelineOptions::default())?;
    let fixed = fixed_contents(case);
    if fixed.is_empty() {
        return Ok(());
    }
    compare_with(case, right, subject, longest, &PipelineOptions::default().with_specialization(fixed))
}

fn compare_with(
    case: &Case,
    right: &Outcome,
    subject: &Subject,
    longest: Duration,
    pipeline: &PipelineOptions,
) -> Result<(), Difference> {
    let name =
        || if pipeline.specialization.is_empty() { subject.name.clone() } else { format!("{}, fixed", subject.name) };
    let outcome = case
        .run(&*subject.device, pipeline, &options(longest, false))
        .map_err(|error| Difference::Failure { subject: name(), error })?;
    for (buffer, bytes) in &right.contents {
        let found = outcome.contents.get(buffer).map(Vec::as_slice).unwrap_or_default();
        if found != bytes {
            let byte = bytes.iter().zip(found).position(|(a, b)| a != b).unwrap_or(bytes.len().min(found.len()));
            return Err(Difference::Bytes { subject: name(), buffer: buffer.clone(), byte });
        }
    }
    Ok(())
}

/// Runs a case on the reference device and on every subject.
///
/// # Errors
///
/// What the reference device says, in the outer result; the first difference, in the inner one.
pub fn check(case: &Case, subjects: &[Subject]) -> Result<Result<(), Difference>, CaseError> {
    let right = reference(case, LONGEST_RUN, false)?;
    Ok(subjects.iter().try_for_each(|subject| compare(case, &right, subject, LONGEST_RUN)))
}

/// The same for a case that may have races or take long: `None` if the reference device finds one, or does not finish.
#[must_use]
pub fn check_race_free(case: &Case, subjects: &[Subject], longest: Duration) -> Option<Result<(), Difference>> {
    let right = reference(case, longest, true).ok().filter(|right| right.report.races.races.is_empty())?;
    // What one device does within the time may take another one longer.
    Some(subjects.iter().try_for_each(|subject| compare(case, &right, subject, longest * 20)))
}

/// Makes a case on which a subject differs small, without races, and writes it as files of the corpus.
#[must_use]
pub fn shrink(case: &Case, subject: &Subject) -> (Case, CorpusFiles) {
    let mut fails =
        |case: &Case| matches!(check_race_free(case, std::slice::from_ref(subject), LONGEST_REDUCED_RUN), Some(Err(_)));
    let small = reduce(case, &ReduceLimits::default(), &mut fails);
    let expected = reference(&small, LONGEST_RUN, false).map(|outcome| outcome.contents).unwrap_or_default();
    let files = corpus_file(&small, &expected);
    (small, files)
}
