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
pub struct Difference {
    /// The position of the subject among those that were compared.
    pub subject: usize,
    /// What it is called.
    pub name: String,
    /// Whether values of uniform buffers were fixed.
    pub is_fixed: bool,
    /// What differs.
    pub fault: Fault,
}

/// What a subject does that the reference device does not.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A buffer has other bytes.
    Bytes {
        /// The buffer.
        buffer: Name,
        /// The first byte that differs.
        byte: usize,
    },
    /// It refuses or fails where the reference device does not.
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

/// Compares every subject with what is right, also with values fixed where the program has uniform buffers.
fn compare_all(case: &Case, right: &Outcome, subjects: &[Subject], longest: Duration) -> Result<(), Difference> {
    let fixed = fixed_contents(case);
    let fixings = if fixed.is_empty() { vec![fixed] } else { vec![Specialization::default(), fixed] };
    for (position, subject) in subjects.iter().enumerate() {
        for fixed in &fixings {
            let options = PipelineOptions::default().with_specialization(fixed.clone());
            compare(case, right, subject, longest, &options).map_err(|fault| Difference {
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
    right: &Outcome,
    subject: &Subject,
    longest: Duration,
    pipeline: &PipelineOptions,
) -> Result<(), Fault> {
    let outcome = case.run(&*subject.device, pipeline, &options(longest, false)).map_err(Fault::Failure)?;
    for (buffer, bytes) in &right.contents {
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
/// What the reference device says, in the outer result; the first difference, in the inner one.
pub fn check(case: &Case, subjects: &[Subject]) -> Result<Result<(), Difference>, CaseError> {
    let right = reference(case, LONGEST_RUN, false)?;
    Ok(compare_all(case, &right, subjects, LONGEST_RUN))
}

/// The same for a case that may have races or take long: `None` if the reference device finds one, or does not finish.
#[must_use]
pub fn check_race_free(case: &Case, subjects: &[Subject], longest: Duration) -> Option<Result<(), Difference>> {
    let right = reference(case, longest, true).ok().filter(|right| right.report.races.races.is_empty())?;
    // What one device does within the time may take another one longer.
    Some(compare_all(case, &right, subjects, longest * 20))
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
