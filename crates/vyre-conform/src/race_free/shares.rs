//! How often constructs are in programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::constructs::constructs;
use crate::Case;

/// How many programs contain each construct, and how many instances of it there are.
///
/// Displayed as a table, and asked with [`share`](Shares::share).
#[derive(Clone, Debug, Default)]
pub struct Shares {
    programs: u64,
    tallies: BTreeMap<String, Tally>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    programs: u64,
    instances: u64,
}

impl Shares {
    /// Counts what is in the program of a case and in its ops.
    ///
    /// # Panics
    ///
    /// The program is not valid.
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

    /// Adds what was counted apart.
    pub fn merge(&mut self, other: &Shares) {
        self.programs += other.programs;
        for (construct, more) in &other.tallies {
            let tally = self.tallies.entry(construct.clone()).or_default();
            tally.programs += more.programs;
            tally.instances += more.instances;
        }
    }

    /// How many programs were counted.
    #[must_use]
    pub fn programs(&self) -> u64 {
        self.programs
    }

    /// The share of programs that contain a construct, from 0 to 1; 0 for one that was never seen.
    #[must_use]
    pub fn share(&self, construct: &str) -> f64 {
        let programs = self.tallies.get(construct).map_or(0, |tally| tally.programs);
        programs as f64 / self.programs.max(1) as f64
    }

    /// The constructs that were seen, in the order of the alphabet.
    pub fn constructs(&self) -> impl Iterator<Item = &str> {
        self.tallies.keys().map(String::as_str)
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<44} {:>10} {:>10}", "construct", "programs", "instances")?;
        for (construct, tally) in &self.tallies {
            let percent = 100.0 * self.share(construct);
            let each = tally.instances as f64 / self.programs.max(1) as f64;
            writeln!(f, "{construct:<44} {percent:>8.2} % {each:>10.3}")?;
        }
        writeln!(f, "of {} programs; instances per program", self.programs)
    }
}
