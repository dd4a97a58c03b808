//! Contenders: implementations of one task that a comparison interleaves.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Code of this project.
    Ours,
    /// Foreign or hand-written code of the same algorithm, which ratios refer to.
    Peer,
    /// Code with the same result and another algorithm or other guarantees, shown for information.
    Information,
}

/// Sample of one iteration.
pub trait Timed {
    /// Time of one run.
    fn time(&self) -> Duration;
}

impl Timed for Duration {
    fn time(&self) -> Duration {
        *self
    }
}

/// One implementation of a task, ready to run.
///
/// A closure from the number of runs to a sample is a `Measure` that needs no verification, or verifies each run itself.
pub trait Measure<S, E> {
    /// Runs the task `runs` times and returns the mean of one run.
    ///
    /// # Errors
    ///
    /// The task fails or has a wrong result.
    fn measure(&mut self, runs: u32) -> Result<S, E>;

    /// Runs the task `runs` times on fresh output and compares the result with the expected one.
    ///
    /// # Errors
    ///
    /// The task fails or has a wrong result.
    fn verify(&mut self, runs: u32) -> Result<(), E> {
        let _ = runs;
        Ok(())
    }
}

impl<S, E, F: FnMut(u32) -> Result<S, E>> Measure<S, E> for F {
    fn measure(&mut self, runs: u32) -> Result<S, E> {
        self(runs)
    }
}

/// Number of runs whose mean is one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// This number.
    Fixed(u32),
    /// The smallest number of runs that takes `time`, and at most `max`. One run is measured to choose it.
    AtLeast {
        /// Minimum time of a sample.
        time: Duration,
        /// Maximum number of runs.
        max: u32,
    },
}

/// Named implementation of a task.
pub struct Contender<'c, S = Duration, E = String> {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) runs: Runs,
    pub(super) interval: usize,
    pub(super) is_optional: bool,
    pub(super) work: Box<dyn Measure<S, E> + 'c>,
}

impl<'c, S, E> Contender<'c, S, E> {
    /// Creates a contender that runs once per sample and in every iteration.
    pub fn new(name: impl Into<String>, role: Role, work: impl Measure<S, E> + 'c) -> Contender<'c, S, E> {
        let (name, work) = (name.into(), Box::new(work));
        Contender { name, role, runs: Runs::Fixed(1), interval: 1, is_optional: false, work }
    }

    /// Sets the number of runs of a sample.
    #[must_use]
    pub fn with_runs(self, runs: Runs) -> Contender<'c, S, E> {
        Contender { runs, ..self }
    }

    /// Restricts a slow contender to every `interval`-th iteration.
    #[must_use]
    pub fn every(self, interval: usize) -> Contender<'c, S, E> {
        Contender { interval: interval.max(1), ..self }
    }

    /// Lets the comparison go on without this contender if its verification fails.
    #[must_use]
    pub fn optional(self) -> Contender<'c, S, E> {
        Contender { is_optional: true, ..self }
    }
}

/// Wall-clock time of `work`. Its result is dropped after the clock has stopped.
pub fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}
