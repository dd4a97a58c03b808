//! Differential test of generated programs on the devices of a backend, against the reference device.

use std::fmt;

use crate::differential::{Subject, check, shrink};
use crate::race_free::race_free_case;
use crate::reduce::CorpusFiles;
use crate::{Case, settings};

/// Residue class of seeds: those with `seed % of == index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    index: u64,
    of: u64,
}

/// Seeds of generated programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first seed.
    first: u64,
    /// Number of seeds of all shares together.
    cases: u64,
    share: Share,
}

impl Seeds {
    /// The seeds that the environment selects, by default `cases` seeds from 0; see [`settings`].
    #[must_use]
    pub fn from_environment(cases: u64) -> Seeds {
        Seeds::new(settings::first_seed(), settings::seeds(cases))
    }

    /// `cases` seeds from `first`.
    #[must_use]
    pub fn new(first: u64, cases: u64) -> Seeds {
        Seeds { first, cases, share: Share { index: 0, of: 1 } }
    }

    /// The seeds that are `index` modulo `of`, so that several tests or threads share the work.
    #[must_use]
    pub fn share(self, index: u64, of: u64) -> Seeds {
        assert!(index < of, "share {index} of {of} does not exist");
        Seeds { share: Share { index, of }, ..self }
    }

    /// The seeds in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        let Share { index, of } = self.share;
        let until_share = (index + of - self.first % of) % of;
        let end = self.first.saturating_add(self.cases);
        (self.first.saturating_add(until_share)..end).step_by(usize::try_from(of).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} generated programs from seed {} on", self.cases, self.first)?;
        let Share { index, of } = self.share;
        if of > 1 { write!(f, ", those that are {index} modulo {of}") } else { Ok(()) }
    }
}

/// A generated program on which a subject differs, with its reduction.
#[derive(Debug)]
pub struct SeedFailure {
    /// Seed of the program.
    pub seed: u64,
    /// The difference, or the error of the reference device.
    pub message: String,
    /// The reduced program as files of the corpus. `None` if the reference device failed.
    pub files: Option<CorpusFiles>,
}

impl fmt::Display for SeedFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}", self.seed, self.message)?;
        let Some(files) = &self.files else { return Ok(()) };
        write!(f, "\n{}", files.program)?;
        files.ops.as_ref().map_or(Ok(()), |ops| write!(f, "\n{ops}"))
    }
}

impl std::error::Error for SeedFailure {}

/// Runs generated programs on the subjects for each seed. Returns the number of programs that agree with the reference device.
///
/// # Errors
///
/// Fails at the first program on which a subject differs.
pub fn check_seeds<'s>(seeds: Seeds, subjects: impl Fn(u64) -> &'s [Subject]) -> Result<u64, Box<SeedFailure>> {
    check_seeds_of(race_free_case, seeds, subjects)
}

/// Runs the programs of a generator, such as [`race_free_case`] or [`spliced_case`](crate::splice::spliced_case), as
/// [`check_seeds`].
///
/// # Errors
///
/// Fails at the first program on which a subject differs.
pub fn check_seeds_of<'s>(
    generate: impl Fn(u64) -> Case,
    seeds: Seeds,
    subjects: impl Fn(u64) -> &'s [Subject],
) -> Result<u64, Box<SeedFailure>> {
    let is_traced = settings::is_traced();
    let mut agreed = 0;
    for seed in seeds.iter() {
        if is_traced {
            eprintln!("seed {seed}");
        }
        check_case(seed, &generate(seed), subjects(seed))?;
        agreed += 1;
    }
    Ok(agreed)
}

/// Runs generated programs as [`check_seeds`], prints the number that agree, and panics at the first that does not.
#[track_caller]
pub fn expect_agreement<'s>(seeds: Seeds, subjects: impl Fn(u64) -> &'s [Subject]) {
    expect_agreement_of(race_free_case, seeds, subjects);
}

/// Runs the programs of a generator as [`check_seeds_of`], prints the number that agree, and panics at the first that does not.
#[track_caller]
pub fn expect_agreement_of<'s>(generate: impl Fn(u64) -> Case, seeds: Seeds, subjects: impl Fn(u64) -> &'s [Subject]) {
    match check_seeds_of(generate, seeds, subjects) {
        Ok(agreed) => println!("{agreed} generated programs agree"),
        Err(failure) => panic!("{failure}"),
    }
}

fn check_case(seed: u64, case: &Case, subjects: &[Subject]) -> Result<(), Box<SeedFailure>> {
    let (message, files) = match check(case, subjects) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(difference)) => {
            eprintln!("seed {seed}: {difference}; reducing it");
            (difference.to_string(), Some(shrink(case, &subjects[difference.subject]).1))
        }
        Err(error) => (format!("the reference device: {error}\n{}", case.program), None),
    };
    Err(Box::new(SeedFailure { seed, message, files }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_kernel::Kernel;

    use super::*;
    use crate::kernel_device::KernelBackend;

    fn listed(seeds: Seeds) -> Vec<u64> {
        seeds.iter().collect()
    }

    #[test]
    fn shares_partition_the_seeds() {
        let seeds = Seeds::new(7, 10);
        assert_eq!(listed(seeds), (7..17).collect::<Vec<u64>>());
        assert_eq!(listed(seeds.share(0, 2)), [8, 10, 12, 14, 16]);
        assert_eq!(listed(seeds.share(1, 2)), [7, 9, 11, 13, 15]);
        let mut all: Vec<u64> = (0..3).flat_map(|index| seeds.share(index, 3).iter()).collect();
        all.sort_unstable();
        assert_eq!(all, listed(seeds));
        assert!(listed(Seeds::new(7, 0).share(1, 2)).is_empty());
        assert_eq!(listed(Seeds::new(u64::MAX - 1, 9).share(0, 2)), [u64::MAX - 1]);
    }

    /// Names of subjects may share a prefix. The failing subject must be the one that is reported and used for the reduction.
    #[test]
    fn the_failing_subject_is_found_and_its_program_reduced() {
        let does_nothing = Arc::new(|kernel: &mut Kernel| {
            let entry = kernel.entry;
            kernel.blocks[entry].statements.clear();
        });
        let subject =
            |name: &str, backend: KernelBackend| Subject { name: name.to_owned(), device: Arc::new(backend.device()) };
        let subjects = [
            subject("kernel", KernelBackend::new()),
            subject("kernel, idle", KernelBackend::with_transform("idle", does_nothing)),
        ];
        assert_eq!(check_seeds(Seeds::new(0, 20), |_| &subjects[..1]).map_err(|failure| failure.to_string()), Ok(20));
        let failure = check_seeds(Seeds::new(0, 20), |seed| &subjects[..1 + usize::from(seed > 2)]);
        let failure = failure.expect_err("a device that does nothing differs");
        assert!(failure.seed > 2 && failure.message.starts_with("kernel, idle: buffer `"), "{failure}");
        let files = failure.files.as_ref().expect("a reduced program");
        assert!(files.program.starts_with("// run: grid ") && files.program.lines().count() < 20, "{failure}");
        assert!(failure.to_string().ends_with(files.ops.as_ref().unwrap_or(&files.program)), "{failure}");
    }
}
