//! Race checker: happens-before detection with shadow memory.
//!
//! Happens-before order: a barrier orders all accesses of its workgroup before it ahead of those after it. Collectives order
//! nothing, and neither do workgroups of one dispatch.
//!
//! The shadow memory holds a history of each accessed word, by kind of access: two accesses by different invocations since
//! the last barrier of the running workgroup, and one by an earlier workgroup. That suffices: an access that races with any
//! earlier one also races with one of these.

use std::collections::HashMap;

use vyre_ir::{Event, Name, Program, Traversal};

use super::memory::Contents;
use crate::error::{Error, Resource};
use crate::limits::check_limit;
use crate::races::{Access, Action, Race, RaceKind, RaceReport};

/// Source of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accessor {
    /// Address of the load, store or atomic in the tree, which identifies it.
    pub(super) address: usize,
    pub(super) invocation: [u32; 3],
}

#[derive(Clone, Copy, Debug)]
struct Record {
    action: Action,
    accessor: Accessor,
    /// The workgroup and the number of barriers that it had passed.
    time: (u64, u64),
}

/// Accesses of one kind to one word.
#[derive(Clone, Copy, Debug, Default)]
struct AccessHistory {
    /// Since the last barrier of the running workgroup, by different invocations.
    recent: [Option<Record>; 2],
    /// Before that barrier, in the same workgroup.
    before_barrier: Option<Record>,
    earlier_workgroup: Option<Record>,
}

/// History of a word, by kind of access. Most words have one or two kinds.
type WordHistory = [Option<Box<AccessHistory>>; 4];

/// Maximum number of words in shadow memory; about 2 GB.
const MAX_WORDS: u64 = 1 << 22;

/// Race checker of one dispatch.
#[derive(Debug)]
pub(super) struct RaceChecker {
    /// Maximum number of words in shadow memory.
    max_words: u64,
    /// Shadow memory of bound buffers, and of workgroup memory.
    storage: HashMap<(Contents, u64), WordHistory>,
    workgroup: HashMap<(Contents, u64), WordHistory>,
    /// Number of workgroups, and of barriers of the running one.
    time: (u64, u64),
    found: Vec<(RaceKind, Name, u64, Record, Record)>,
    /// Pairs of addresses in the tree that have been reported, by kind.
    known: HashMap<(RaceKind, usize, usize), ()>,
    total: u64,
}

/// Kind of the race between two unordered accesses, if they conflict.
fn conflict(a: Action, b: Action) -> Option<RaceKind> {
    use Action::{AtomicLoad, AtomicUpdate, Load, Store};
    match (a, b) {
        (Load | AtomicLoad, Load | AtomicLoad) | (AtomicLoad | AtomicUpdate, AtomicLoad | AtomicUpdate) => None,
        (Load | Store, Load | Store) => Some(RaceKind::DataRace),
        _ => Some(RaceKind::MixedAccess),
    }
}

impl Default for RaceChecker {
    fn default() -> RaceChecker {
        RaceChecker::with_limit(MAX_WORDS)
    }
}

impl RaceChecker {
    fn with_limit(max_words: u64) -> RaceChecker {
        RaceChecker {
            max_words,
            storage: HashMap::new(),
            workgroup: HashMap::new(),
            time: (0, 0),
            found: Vec::new(),
            known: HashMap::new(),
            total: 0,
        }
    }

    pub(super) fn start_workgroup(&mut self) {
        self.time = (self.time.0 + 1, 0);
        // Workgroup memory belongs to one workgroup.
        self.workgroup.clear();
    }

    /// Checks the size of the shadow memory.
    pub(super) fn check(&self) -> Result<(), Error> {
        let words = self.storage.len() + self.workgroup.len();
        check_limit(Resource::RaceCheckedWords, words as u64, self.max_words)
    }

    pub(super) fn barrier(&mut self) {
        self.time.1 += 1;
    }

    /// Records an access to a word and reports its races with earlier ones.
    pub(super) fn access(&mut self, buffer: &Name, contents: Contents, word: u64, action: Action, accessor: Accessor) {
        let record = Record { action, accessor, time: self.time };
        let words = match contents {
            Contents::Storage(_) => &mut self.storage,
            Contents::Workgroup(_) => &mut self.workgroup,
        };
        let history = words.entry((contents, word)).or_default();
        let mut raced = false;
        for accesses in history.iter_mut().flatten() {
            accesses.advance(self.time);
            let Some(other) = accesses.unordered_with(accessor) else { continue };
            let Some(kind) = conflict(other.action, action) else { continue };
            raced = true;
            let pair = (kind, other.accessor.address, accessor.address);
            if self.known.len() < RaceReport::MAX_RACES && self.known.insert(pair, ()).is_none() {
                self.found.push((kind, buffer.clone(), word, other, record));
            }
        }
        self.total += u64::from(raced);
        history[action as usize].get_or_insert_default().record(record);
    }

    /// The report, with the location of each access as a path.
    pub(super) fn finish(self, program: &Program) -> RaceReport {
        let mut locations = HashMap::new();
        let mut traversal = Traversal::new(program);
        while let Some(event) = traversal.next() {
            let address = match event {
                Event::Expr(expr) => std::ptr::from_ref(expr).addr(),
                Event::Statement(node) => std::ptr::from_ref(node).addr(),
                Event::EnterBody(_) | Event::LeaveBody(_) => continue,
            };
            let wanted = |record: &Record| record.accessor.address == address;
            if self.found.iter().any(|(_, _, _, first, second)| wanted(first) || wanted(second)) {
                locations.insert(address, (traversal.ordinal(), traversal.path()));
            }
        }
        let access = |record: Record| {
            let (ordinal, path) = locations.get(&record.accessor.address).cloned().unwrap_or_default();
            Access { action: record.action, ordinal, path, invocation: record.accessor.invocation }
        };
        let races = self.found.into_iter().map(|(kind, buffer, word, first, second)| Race {
            kind,
            buffer,
            word,
            first: access(first),
            second: access(second),
        });
        RaceReport { races: races.collect(), total: self.total }
    }
}

impl AccessHistory {
    /// Moves accesses before the last barrier, and of earlier workgroups, out of the recent ones.
    fn advance(&mut self, now: (u64, u64)) {
        for slot in &mut self.recent {
            if let Some(record) = slot.filter(|record| record.time != now) {
                self.before_barrier = Some(record);
                *slot = None;
            }
        }
        if let Some(record) = self.before_barrier.filter(|record| record.time.0 != now.0) {
            self.earlier_workgroup = Some(record);
            self.before_barrier = None;
        }
    }

    /// An access that is unordered with one by `accessor`.
    fn unordered_with(&self, accessor: Accessor) -> Option<Record> {
        let other = |record: &Record| record.accessor.invocation != accessor.invocation;
        self.recent.iter().flatten().copied().find(other).or(self.earlier_workgroup)
    }

    fn record(&mut self, record: Record) {
        let same = |slot: &Option<Record>| slot.is_some_and(|it| it.accessor.invocation == record.accessor.invocation);
        if self.recent.iter().any(same) {
            return;
        }
        if let Some(free) = self.recent.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_memory_is_limited() {
        let mut checker = RaceChecker::with_limit(8);
        let accessor = Accessor { address: 0, invocation: [0; 3] };
        for word in 0..8 {
            // Further accesses to a word do not count.
            for action in [Action::Load, Action::Store] {
                checker.access(&Name::from("b"), Contents::Storage(0), word, action, accessor);
            }
            assert_eq!(checker.check(), Ok(()), "{word}");
        }
        checker.access(&Name::from("tile"), Contents::Workgroup(0), 0, Action::Load, accessor);
        let refused = Error::ResourceExceeded { resource: Resource::RaceCheckedWords, wanted: 9, limit: 8 };
        assert_eq!(checker.check(), Err(refused));
        // Workgroup memory ends with its workgroup.
        checker.start_workgroup();
        assert_eq!(checker.check(), Ok(()));
    }
}
