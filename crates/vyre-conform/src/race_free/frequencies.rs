//! Construct coverage: frequencies of constructs in generated programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::constructs::constructs;
use crate::Case;

/// Number of programs with each construct, and number of its instances.
///
/// `Display` prints a table; [`frequency`](ConstructFrequencies::frequency) queries a construct.
#[derive(Clone, Debug, Default)]
pub struct ConstructFrequencies {
    programs: u64,
    tallies: BTreeMap<String, Tally>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    programs: u64,
    instances: u64,
}

impl ConstructFrequencies {
    /// Counts the constructs of the program of a case and of its ops.
    ///
    /// # Panics
    ///
    /// Panics if the program is not valid.
    pub fn add(&mut self, case: &Case) {
        self.programs += 1;
        let found = constructs(case);
        let mut seen = BTreeSet::new();
        for construct in &found {
            let tally = self.tallies.entry(construct.clone()).or_default();
            tally.instances += 1;
            tally.programs += u64::from(seen.insert(construct));
        }
    }

    /// Adds the counts of another table.
    pub fn merge(&mut self, other: &ConstructFrequencies) {
        self.programs += other.programs;
        for (construct, more) in &other.tallies {
            let tally = self.tallies.entry(construct.clone()).or_default();
            tally.programs += more.programs;
            tally.instances += more.instances;
        }
    }

    /// Number of programs.
    #[must_use]
    pub fn programs(&self) -> u64 {
        self.programs
    }

    /// Fraction of programs with a construct, from 0 to 1; 0 for an unknown construct.
    #[must_use]
    pub fn frequency(&self, construct: &str) -> f64 {
        let programs = self.tallies.get(construct).map_or(0, |tally| tally.programs);
        programs as f64 / self.programs.max(1) as f64
    }

    /// Constructs in alphabetical order.
    pub fn constructs(&self) -> impl Iterator<Item = &str> {
        self.tallies.keys().map(String::as_str)
    }
}

impl fmt::Display for ConstructFrequencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<44} {:>10} {:>10}", "construct", "programs", "instances")?;
        for (construct, tally) in &self.tallies {
            let percent = 100.0 * self.frequency(construct);
            let each = tally.instances as f64 / self.programs.max(1) as f64;
            writeln!(f, "{construct:<44} {percent:>8.2} % {each:>10.3}")?;
        }
        writeln!(f, "of {} programs; instances per program", self.programs)
    }
}
