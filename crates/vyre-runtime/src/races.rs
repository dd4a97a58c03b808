//! Data races: what the reference interpreter finds when it is asked to look.

use std::fmt;

use vyre_ir::Name;

/// The races of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaceReport {
    /// Races at different pairs of places, at most [`MAX_RACES`](RaceReport::MAX_RACES). Each word that is raced on has
    /// at least one, though not every pair of places that race on it.
    pub races: Vec<Race>,
    /// How many accesses raced with one before them, in all runs together.
    pub total: u64,
}

impl RaceReport {
    /// The most races that are named.
    pub const MAX_RACES: usize = 100;

    /// Adds the races of another dispatch, without those at pairs of places that are named already.
    pub fn merge(&mut self, other: RaceReport) {
        self.total += other.total;
        for race in other.races {
            let place =
                |race: &Race| (race.kind, race.buffer.clone(), race.first.path.clone(), race.second.path.clone());
            let known = self.races.iter().any(|earlier| place(earlier) == place(&race));
            if !known && self.races.len() < RaceReport::MAX_RACES {
                self.races.push(race);
            }
        }
    }
}

/// Two accesses to one word by different invocations that nothing puts in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// Whether both accesses are plain.
    pub kind: RaceKind,
    /// The buffer.
    pub buffer: Name,
    /// Which 32-bit word of the buffer.
    pub word: u64,
    /// The access that came first in this run.
    pub first: Access,
    /// The other access.
    pub second: Access,
}

/// How two accesses get into each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// Two plain accesses, at least one of which writes.
    DataRace,
    /// A plain access and an atomic one, at least one of which writes.
    MixedAccess,
}

/// What an access does.
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
    /// What it does.
    pub action: Action,
    /// The ordinal of the load, store or atomic in a [`Traversal`](vyre_ir::Traversal) of the program.
    pub ordinal: u32,
    /// Its place as a path.
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
