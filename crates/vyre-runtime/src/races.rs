//! Reports of data races.

use std::fmt;

use vyre_ir::Name;

/// Races of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaceReport {
    /// Races between different pairs of locations, at most [`MAX_RACES`](RaceReport::MAX_RACES). Each racy word has at
    /// least one, though not every pair of locations that race on it.
    pub races: Vec<Race>,
    /// Number of accesses that raced with an earlier one, over all dispatches.
    pub total: u64,
}

impl RaceReport {
    /// Maximum number of listed races.
    pub const MAX_RACES: usize = 100;

    /// Adds the races of another dispatch, without those at pairs of locations that are already listed.
    pub fn merge(&mut self, other: RaceReport) {
        self.total += other.total;
        for race in other.races {
            let locations =
                |race: &Race| (race.kind, race.buffer.clone(), race.first.path.clone(), race.second.path.clone());
            let known = self.races.iter().any(|earlier| locations(earlier) == locations(&race));
            if !known && self.races.len() < RaceReport::MAX_RACES {
                self.races.push(race);
            }
        }
    }
}

/// Two unordered accesses to one word by different invocations, at least one of which writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// Kind of the race.
    pub kind: RaceKind,
    /// The buffer.
    pub buffer: Name,
    /// Index of the 32-bit word in the buffer.
    pub word: u64,
    /// The access that came first in this run.
    pub first: Access,
    /// The other access.
    pub second: Access,
}

/// Kind of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// Two plain accesses, at least one of which writes.
    DataRace,
    /// A plain access and an atomic one, at least one of which writes.
    MixedAccess,
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A plain load.
    Load,
    /// A plain store.
    Store,
    /// An atomic load.
    AtomicLoad,
    /// An atomic that may write.
    AtomicUpdate,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Kind of the access.
    pub action: Action,
    /// The ordinal of the load, store or atomic in a [`Traversal`](vyre_ir::Traversal) of the program.
    pub ordinal: u32,
    /// Location as a path.
    pub path: String,
    /// The invocation, by its id on each axis.
    pub invocation: [u32; 3],
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Load => "load",
            Action::Store => "store",
            Action::AtomicLoad => "atomic load",
            Action::AtomicUpdate => "atomic",
        })
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.invocation;
        write!(f, "{} at {} by invocation ({x}, {y}, {z})", self.action, self.path)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            RaceKind::DataRace => "data race",
            RaceKind::MixedAccess => "mixed access",
        };
        write!(f, "{kind} on word {} of buffer `{}`: {}, and {}", self.word, self.buffer, self.first, self.second)
    }
}
