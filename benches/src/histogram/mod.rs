//! Histogram of 256 bins with atomics on storage and on workgroup memory, on every backend.
//!
//! Both programs take the same words in the same order; they differ in the memory of the atomics alone.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline, RunOptions};

use crate::data::{BINS, bytes_of, difference, input_word};
use crate::device::{build_pipeline, parse_program};
use crate::error::Error;
use crate::harness::{Comparison, Contender, Measure, Plan, Role, Runs, compare};

/// Words of a workgroup.
const WORDS_EACH: usize = 8192;
/// Words that a thread of the host counts at a time.
const HOST_CHUNK: usize = 1 << 20;
/// Minimum time of a sample.
const SAMPLE_TIME: Duration = Duration::from_millis(20);
/// Maximum number of runs of a sample.
const MAX_RUNS: u32 = 50;

/// Name of the program with atomics on workgroup memory.
pub const WORKGROUP: &str = "workgroup atomics";
/// Name of the program with atomics on storage.
pub const STORAGE: &str = "storage atomics";
/// Name of the contender in Rust.
pub const NATIVE: &str = "native Rust, bins of each thread";

/// Distribution of the words over the bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Random words: all bins are equally frequent.
    Random,
    /// Seven of eight words belong to one bin, which all invocations then update.
    Skewed,
}

impl Distribution {
    /// All distributions.
    pub const ALL: [Distribution; 2] = [Distribution::Random, Distribution::Skewed];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Distribution::Random => "random",
            Distribution::Skewed => "skewed",
        }
    }

    fn word(self, position: usize) -> u32 {
        let word = input_word(position);
        match self {
            Distribution::Skewed if word >> 29 != 0 => 0,
            Distribution::Random | Distribution::Skewed => word,
        }
    }
}

/// Words and their histogram.
pub struct Problem {
    words: Vec<u32>,
    expected: Vec<u32>,
}

impl Problem {
    /// Problem of `words` words.
    #[must_use]
    pub fn new(distribution: Distribution, words: usize) -> Problem {
        let words: Vec<u32> = (0..words).into_par_iter().map(|position| distribution.word(position)).collect();
        let mut expected = vec![0; BINS];
        words.iter().for_each(|&word| expected[word as usize % BINS] += 1);
        Problem { words, expected }
    }

    fn check(&self, contender: &str, bins: &[u8]) -> Result<(), Error> {
        match difference(0, bins, &self.expected) {
            None => Ok(()),
            Some(difference) => Err(Error::Mismatch {
                contender: contender.to_owned(),
                against: "a loop on the host".to_owned(),
                difference,
            }),
        }
    }
}

/// Measures both programs on a device, and native code on as many threads as the CPU backend has if `threads` is given.
///
/// # Errors
///
/// A failure of the device, or a wrong result.
pub fn compare_on(
    device: &dyn Device,
    problem: &Problem,
    threads: Option<usize>,
    plan: Plan,
    on_step: impl FnMut(&str),
) -> Result<Comparison, Error> {
    let input = device.create_buffer(problem.words.len() as u64 * 4)?;
    for (at, part) in problem.words.chunks(HOST_CHUNK).enumerate() {
        device.write(&input, (at * HOST_CHUNK * 4) as u64, &bytes_of(part))?;
    }
    let programs = [
        (WORKGROUP, Role::Ours, include_str!("workgroup_atomics.vyre")),
        (STORAGE, Role::Peer, include_str!("storage_atomics.vyre")),
    ];
    let mut contenders = Vec::new();
    for (name, role, source) in programs {
        let pipeline = build_pipeline(device, name, &parse_program(name, source)?)?;
        let bins = device.create_buffer(BINS as u64 * 4)?;
        let on_device = OnDevice { name, device, problem, pipeline, input: input.clone(), bins };
        contenders.push(Contender::new(name, role, on_device));
    }
    if let Some(threads) = threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Error::unavailable)?;
        contenders.push(Contender::new(NATIVE, Role::Information, Native { problem, pool }));
    }
    let runs = Runs::AtLeast { time: SAMPLE_TIME, max: MAX_RUNS };
    compare(contenders.into_iter().map(|contender| contender.with_runs(runs)).collect(), plan, on_step)
}

/// A program on a device.
struct OnDevice<'c> {
    name: &'static str,
    device: &'c dyn Device,
    problem: &'c Problem,
    pipeline: Pipeline,
    input: Buffer,
    bins: Buffer,
}

impl OnDevice<'_> {
    fn run(&self, runs: u32) -> Result<Duration, Error> {
        let groups = self.problem.words.len().div_ceil(WORDS_EACH);
        let grid = [u32::try_from(groups).map_err(Error::unavailable)?, 1, 1];
        let bindings = Bindings::in_order([&self.input, &self.bins]);
        let mut commands = CommandList::new();
        for _ in 0..runs {
            commands.push(Command::fill_all(&self.bins, 0));
            commands.dispatch(&self.pipeline, &bindings, grid);
        }
        let start = Instant::now();
        self.device.run(&commands, &RunOptions::default())?;
        Ok(start.elapsed() / runs.max(1))
    }
}

impl Measure<Duration, Error> for OnDevice<'_> {
    fn measure(&mut self, runs: u32) -> Result<Duration, Error> {
        self.run(runs)
    }

    fn verify(&mut self, runs: u32) -> Result<(), Error> {
        self.run(runs)?;
        self.problem.check(self.name, &self.device.read(&self.bins)?)
    }
}

/// Rust on the host: each thread counts in bins of its own.
struct Native<'c> {
    problem: &'c Problem,
    pool: rayon::ThreadPool,
}

impl Native<'_> {
    fn count(&self) -> Vec<u32> {
        let count_chunk = |words: &[u32]| {
            let mut bins = vec![0u32; BINS];
            words.iter().for_each(|&word| bins[word as usize % BINS] += 1);
            bins
        };
        let sum = |mut sum: Vec<u32>, bins: Vec<u32>| {
            sum.iter_mut().zip(bins).for_each(|(sum, bin)| *sum += bin);
            sum
        };
        self.pool.install(|| self.problem.words.par_chunks(HOST_CHUNK).map(count_chunk).reduce(|| vec![0; BINS], sum))
    }
}

impl Measure<Duration, Error> for Native<'_> {
    fn measure(&mut self, runs: u32) -> Result<Duration, Error> {
        Ok(crate::harness::time(|| (0..runs).map(|_| self.count()[0]).fold(0, u32::wrapping_add)) / runs.max(1))
    }

    fn verify(&mut self, _runs: u32) -> Result<(), Error> {
        self.problem.check(NATIVE, &bytes_of(&self.count()))
    }
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};

    use super::*;

    #[test]
    fn all_contenders_have_the_histogram_of_the_host() {
        let device = JitDevice::new(&JitOptions::default().with_threads(2)).expect("there is a CPU");
        for distribution in Distribution::ALL {
            // The last workgroup is not full.
            let problem = Problem::new(distribution, 3 * WORDS_EACH + 77);
            let comparison = compare_on(&device, &problem, Some(2), Plan::new(1), |_| {}).expect("results are right");
            let names: Vec<&str> = comparison.measured.iter().map(|measured| measured.name.as_str()).collect();
            assert_eq!(names, [WORKGROUP, STORAGE, NATIVE]);
        }
    }
}
