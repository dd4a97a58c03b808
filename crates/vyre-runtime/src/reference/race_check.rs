//! Finding accesses that nothing puts in order.
//!
//! Within a workgroup a barrier puts everything before it before everything after it; collectives put nothing in order.
//! Between workgroups of one dispatch nothing does. For each word it is enough to remember two accesses of each kind by
//! different invocations since the last barrier of the workgroup that runs, and one by an earlier workgroup: whoever
//! comes next differs from one of them, if it differs from any.

use std::collections::HashMap;

use vyre_ir::{Event, Name, Program, Traversal};

use super::memory::Contents;
use crate::error::{Error, Resource};
use crate::limits::check_limit;
use crate::races::{Access, Action, Race, RaceKind, RaceReport};

/// Who accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accessor {
    /// The address of the load, store or atomic in the tree, which tells its place.
    pub(super) place: usize,
    pub(super) invocation: [u32; 3],
}

#[derive(Clone, Copy, Debug)]
struct Record {
    action: Action,
    accessor: Accessor,
    /// The workgroup and how many barriers it had passed.
    time: (u64, u64),
}

/// What is remembered of one kind of access to one word.
#[derive(Clone, Copy, Debug, Default)]
struct Memo {
    /// Since the last barrier of the workgroup that runs.
    recent: [Option<Record>; 2],
    /// Before that barrier, in the same workgroup.
    before_barrier: Option<Record>,
    earlier_workgroup: Option<Record>,
}

/// What is remembered of one word, by kind of access; most words see one kind or two.
type Memos = [Option<Box<Memo>>; 4];

/// The most words that are remembered; some 2 GB.
const MAX_WORDS: u64 = 1 << 22;

/// Looks for races in one dispatch.
#[derive(Debug)]
pub(super) struct RaceChecker {
    /// How many words may be remembered.
    most_words: u64,
    /// What is remembered of words of bound buffers, and of workgroup memory.
    storage: HashMap<(Contents, u64), Memos>,
    workgroup: HashMap<(Contents, u64), Memos>,
    /// Workgroups and barriers so far.
    time: (u64, u64),
    found: Vec<(RaceKind, Name, u64, Record, Record)>,
    /// Pairs of places that have been reported, by kind.
    known: HashMap<(RaceKind, usize, usize), ()>,
    total: u64,
}

/// How two kinds of access get into each other's way.
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
    fn with_limit(most_words: u64) -> RaceChecker {
        RaceChecker {
            most_words,
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

    /// Fails where more words would have to be remembered than there is room for.
    pub(super) fn check(&self) -> Result<(), Error> {
        let words = self.storage.len() + self.workgroup.len();
        check_limit(Resource::RaceCheckedWords, words as u64, self.most_words)
    }

    pub(super) fn barrier(&mut self) {
        self.time.1 += 1;
    }

    /// Notes an access to a word and finds what it races with.
    pub(super) fn access(&mut self, buffer: &Name, contents: Contents, word: u64, action: Action, accessor: Accessor) {
        let record = Record { action, accessor, time: self.time };
        let words = match contents {
            Contents::Storage(_) => &mut self.storage,
            Contents::Workgroup(_) => &mut self.workgroup,
        };
        let memos = words.entry((contents, word)).or_default();
        let mut raced = false;
        for memo in memos.iter_mut().flatten() {
            memo.advance(self.time);
            let Some(other) = memo.unordered_with(accessor) else { continue };
            let Some(kind) = conflict(other.action, action) else { continue };
            raced = true;
            let pair = (kind, other.accessor.place, accessor.place);
            if self.known.len() < RaceReport::MAX_RACES && self.known.insert(pair, ()).is_none() {
                self.found.push((kind, buffer.clone(), word, other, record));
            }
        }
        self.total += u64::from(raced);
        memos[action as usize].get_or_insert_default().remember(record);
    }

    /// The report, with places as paths.
    pub(super) fn finish(self, program: &Program) -> RaceReport {
        let mut places = HashMap::new();
        let mut walk = Traversal::new(program);
        while let Some(event) = walk.next() {
            let address = match event {
                Event::Expr(expr) => std::ptr::from_ref(expr).addr(),
                Event::Statement(node) => std::ptr::from_ref(node).addr(),
                Event::EnterBody(_) | Event::LeaveBody(_) => continue,
            };
            let wanted = |record: &Record| record.accessor.place == address;
            if self.found.iter().any(|(_, _, _, first, second)| wanted(first) || wanted(second)) {
                places.insert(address, (walk.ordinal(), walk.path()));
            }
        }
        let access = |record: Record| {
            let (ordinal, path) = places.get(&record.accessor.place).cloned().unwrap_or_default();
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

impl Memo {
    /// Puts aside what barriers have put in order, and what belongs to an earlier workgroup.
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

    /// An access that nothing puts in order with one by `accessor`.
    fn unordered_with(&self, accessor: Accessor) -> Option<Record> {
        let other = |record: &Record| record.accessor.invocation != accessor.invocation;
        self.recent.iter().flatten().copied().find(other).or(self.earlier_workgroup)
    }

    fn remember(&mut self, record: Record) {
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
    fn more_words_than_there_is_room_for_are_refused() {
        let mut checker = RaceChecker::with_limit(8);
        let accessor = Accessor { place: 0, invocation: [0; 3] };
        for word in 0..8 {
            // A word counts once, however often it is accessed.
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
