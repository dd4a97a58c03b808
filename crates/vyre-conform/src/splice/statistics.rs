//! Statistics of the generator.

use std::collections::BTreeMap;
use std::fmt;

use super::mutation::Mutation;

/// Number of programs and mutations that were tried and kept.
#[derive(Clone, Debug, Default)]
pub struct SpliceStatistics {
    /// Number of seeds.
    pub seeds: u64,
    /// Number of seeds with a mutated program.
    pub kept: u64,
    /// Number of seeds for which no mutated program was kept, so that the case is a source.
    pub unchanged: u64,
    /// Number of valid programs that were run.
    pub programs: u64,
    /// Number of programs with a race, or with atomics whose order matters.
    pub races: u64,
    /// Number of programs that are too large or run too long.
    pub too_long: u64,
    /// Number of programs whose run changes no byte.
    pub without_effect: u64,
    /// Number of programs that exceed another limit of the reference device.
    pub failed: u64,
    mutations: BTreeMap<Mutation, MutationCount>,
}

/// Number of mutations of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MutationCount {
    pub(super) tried: u64,
    /// Those that gave another valid program.
    pub(super) valid: u64,
    /// Those in programs that were kept.
    pub(super) kept: u64,
}

impl SpliceStatistics {
    pub(super) fn count(&mut self, mutation: Mutation) -> &mut MutationCount {
        self.mutations.entry(mutation).or_default()
    }

    /// Adds other statistics.
    pub fn merge(&mut self, other: &SpliceStatistics) {
        self.seeds += other.seeds;
        self.kept += other.kept;
        self.unchanged += other.unchanged;
        self.programs += other.programs;
        self.races += other.races;
        self.too_long += other.too_long;
        self.without_effect += other.without_effect;
        self.failed += other.failed;
        for (mutation, count) in &other.mutations {
            let sum = self.count(*mutation);
            sum.tried += count.tried;
            sum.valid += count.valid;
            sum.kept += count.kept;
        }
    }

    /// Smallest number of kept mutations of a kind.
    #[must_use]
    pub fn least_kept(&self) -> u64 {
        let kept = |mutation| self.mutations.get(mutation).map_or(0, |count: &MutationCount| count.kept);
        Mutation::ALL.iter().map(|(_, mutation)| kept(mutation)).min().unwrap_or(0)
    }
}

impl fmt::Display for SpliceStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} seeds: {} mutated programs, {} sources", self.seeds, self.kept, self.unchanged)?;
        writeln!(
            f,
            "{} programs were run: {} had races, {} were too long, {} changed no byte, {} exceeded another limit",
            self.programs, self.races, self.too_long, self.without_effect, self.failed
        )?;
        writeln!(f, "{:30} {:>9} {:>9} {:>9}", "mutation", "tried", "valid", "kept")?;
        for (mutation, count) in &self.mutations {
            writeln!(f, "{:30} {:>9} {:>9} {:>9}", mutation.name(), count.tried, count.valid, count.kept)?;
        }
        Ok(())
    }
}
