//! State of the lowering of a function: names of variables and known contents of memory, with an undo log.
//!
//! A branch costs what it changes: a mark notes the length of the log, an exit lists what changed since a mark, and a
//! rollback undoes it.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::flow::{CellId, SymbolId, ValueId};

/// No name: the variable is not declared yet.
pub(in crate::lang) const UNSET: ValueId = ValueId(u32::MAX);
/// The variable is declared and has no value yet.
pub(in crate::lang) const UNDEFINED: ValueId = ValueId(u32::MAX - 1);

/// Base of the keys of cells.
const CELL: u32 = u32::MAX;
/// Base of the keys of globals.
const GLOBAL: u32 = u32::MAX - 1;

/// Bit that tells computed keys from names of fields.
const COMPUTED: u32 = 1 << 31;

/// A place in memory: field of an object, cell, or global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lang) struct Key {
    base: u32,
    field: u32,
}

impl Key {
    pub(in crate::lang) fn field(base: ValueId, field: SymbolId) -> Key {
        Key { base: base.0, field: field.0 }
    }

    /// Field by a computed key: object, key.
    pub(in crate::lang) fn computed(base: ValueId, key: ValueId) -> Key {
        Key { base: base.0, field: key.0 | COMPUTED }
    }

    pub(in crate::lang) fn cell(cell: CellId) -> Key {
        Key { base: CELL, field: cell.0 }
    }

    pub(in crate::lang) fn global(name: SymbolId) -> Key {
        Key { base: GLOBAL, field: name.0 }
    }

    pub(in crate::lang) fn place(self) -> Place {
        match self.base {
            CELL => Place::Cell(CellId(self.field)),
            GLOBAL => Place::Global(SymbolId(self.field)),
            base => Place::Field(ValueId(base)),
        }
    }
}

/// A place, apart.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) enum Place {
    /// A cell.
    Cell(CellId),
    /// A global.
    Global(SymbolId),
    /// A field of an object.
    Field(ValueId),
}

/// What a store or call makes unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lang) enum Kill {
    /// A field of all objects that others may know.
    Field(SymbolId),
    /// A field of all objects.
    AnyField(SymbolId),
    /// All fields of an object.
    Base(ValueId),
    /// An object and all that is reached from it.
    Reached(ValueId),
    /// A cell that no function knows yet but its own.
    Cell(CellId),
}

/// Known content of a place.
#[derive(Clone, Copy, Debug)]
struct Fact {
    value: ValueId,
    epoch: u32,
    logged: u32,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Variable { variable: u32, old: ValueId, logged: u32 },
    Fact { key: Key, old: Fact },
    Kill { kill: Kill, old: u32, logged: u32 },
}

/// Position in the log.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct Mark {
    log: usize,
    floor: usize,
    killed: u32,
    called: u32,
    killed_all: u32,
}

/// What changed between a mark and the point where control leaves.
#[derive(Clone, Debug, Default)]
pub(in crate::lang) struct Exit {
    pub(in crate::lang) variables: Vec<(u32, ValueId)>,
    pub(in crate::lang) facts: Vec<(Key, ValueId)>,
    kills: Vec<(Kill, u32)>,
    killed: u32,
    called: u32,
    killed_all: u32,
}

/// What variables are at several points that lead to the same place. Each point adds what changed since the one before.
#[derive(Debug, Default)]
pub(in crate::lang) struct Collector {
    /// Position in the journal at the last point.
    journal: usize,
    /// Number of the points.
    pub(in crate::lang) points: u32,
    /// Variable, number of the point, name.
    names: Vec<(u32, u32, ValueId)>,
}

/// How a value relates to memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct Owner {
    /// The object is new, and only this function knows it.
    pub(in crate::lang) is_local: bool,
    /// For an object that is reached from a parameter: last time when something that it is reached from changed.
    pub(in crate::lang) reached: Option<u32>,
    /// Nothing changes the place.
    pub(in crate::lang) is_constant: bool,
}

/// Names and memory.
#[derive(Debug, Default)]
pub(in crate::lang) struct State {
    values: Vec<ValueId>,
    logged: Vec<u32>,
    facts: HashMap<Key, Fact, FixedState>,
    kills: HashMap<Kill, (u32, u32), FixedState>,
    log: Vec<Entry>,
    floor: usize,
    epoch: u32,
    /// Marks that are in use.
    open: u32,
    /// Last time when a call or computed store changed what others may know.
    killed: u32,
    /// Last time when a call did.
    called: u32,
    /// Last time when everything became unknown.
    killed_all: u32,
    /// New objects that only this function knows.
    local: HashSet<ValueId, FixedState>,
    /// Objects before this one are not local any more.
    local_from: u32,
    /// Versions of variables inside protected blocks.
    pub(in crate::lang) versions: Vec<(u32, ValueId)>,
    pub(in crate::lang) keeps_versions: bool,
    /// Variables that changed, in order, while a collector exists.
    journal: Vec<u32>,
    collectors: u32,
    stamp: u32,
    seen: Vec<u32>,
}

impl State {
    /// State of variables, of which some exist from the start of their function.
    pub(in crate::lang) fn new(hoisted: impl Iterator<Item = bool>) -> State {
        let values: Vec<ValueId> = hoisted.map(|hoisted| if hoisted { UNDEFINED } else { UNSET }).collect();
        State { logged: vec![u32::MAX; values.len()], seen: vec![0; values.len()], values, ..State::default() }
    }

    /// Forgets the memory of the previous function.
    pub(in crate::lang) fn begin_function(&mut self) {
        self.facts = HashMap::default();
        self.kills = HashMap::default();
        self.local = HashSet::default();
        self.log.clear();
        self.floor = 0;
        self.epoch = 1;
        self.open = 0;
        self.killed = 0;
        self.called = 0;
        self.killed_all = 0;
        self.local_from = 0;
        self.versions.clear();
        self.keeps_versions = false;
        self.journal.clear();
        self.collectors = 0;
    }

    /// True if a variable has this name.
    pub(in crate::lang) fn is_name(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    /// Variable that has this name.
    pub(in crate::lang) fn variable_named(&self, value: ValueId) -> Option<u32> {
        self.values.iter().position(|&name| name == value).map(|variable| variable as u32)
    }

    pub(in crate::lang) fn mark(&mut self) -> Mark {
        let mark = Mark {
            log: self.log.len(),
            floor: self.floor,
            killed: self.killed,
            called: self.called,
            killed_all: self.killed_all,
        };
        self.floor = self.log.len();
        self.open += 1;
        mark
    }

    /// True outside of branches, loops and protected blocks.
    pub(in crate::lang) fn is_straight(&self) -> bool {
        self.open == 0
    }

    /// Ends the use of a mark.
    pub(in crate::lang) fn release(&mut self, mark: Mark) {
        self.floor = mark.floor;
        self.open = self.open.saturating_sub(1);
    }

    pub(in crate::lang) fn value(&self, variable: u32) -> ValueId {
        self.values[variable as usize]
    }

    pub(in crate::lang) fn set(&mut self, variable: u32, value: ValueId) {
        if self.keeps_versions {
            self.versions.push((variable, value));
        }
        self.rename(variable, value);
    }

    /// Sets the name of a variable, which has the same value as before.
    pub(in crate::lang) fn rename(&mut self, variable: u32, value: ValueId) {
        let index = variable as usize;
        let old = self.values[index];
        if old == value {
            return;
        }
        let logged = self.logged[index];
        let is_logged = logged != u32::MAX && logged as usize >= self.floor;
        if !is_logged {
            self.logged[index] = self.log.len() as u32;
            self.log.push(Entry::Variable { variable, old, logged });
        }
        if self.collectors > 0 {
            self.journal.push(variable);
        }
        self.values[index] = value;
    }

    /// Collector of points from here on.
    pub(in crate::lang) fn collector(&mut self) -> Collector {
        self.collectors += 1;
        Collector { journal: self.journal.len(), points: 0, names: Vec::new() }
    }

    /// Adds the current names of variables.
    pub(in crate::lang) fn collect(&mut self, collector: &mut Collector) {
        self.stamp += 1;
        for index in collector.journal..self.journal.len() {
            let variable = self.journal[index];
            let seen = &mut self.seen[variable as usize];
            if *seen != self.stamp {
                *seen = self.stamp;
                collector.names.push((variable, collector.points, self.values[variable as usize]));
            }
        }
        collector.journal = self.journal.len();
        collector.points += 1;
    }

    /// Names of the variables at the points. The state is the one when the collector was made.
    pub(in crate::lang) fn collected(&mut self, collector: Collector) -> Vec<(u32, Vec<ValueId>)> {
        self.collectors -= 1;
        if self.collectors == 0 {
            self.journal.clear();
        }
        let mut names = collector.names;
        names.sort_unstable();
        let mut collected = Vec::new();
        for group in names.chunk_by(|a, b| a.0 == b.0) {
            let variable = group[0].0;
            let mut values: Vec<ValueId> = group.iter().map(|&(_, _, value)| value).collect();
            if group[0].1 > 0 {
                // The points before had the name from before.
                values.push(self.values[variable as usize]);
            }
            values.sort_unstable();
            values.dedup();
            collected.push((variable, values));
        }
        collected
    }

    pub(in crate::lang) fn fact(&self, key: Key, owner: Owner) -> Option<ValueId> {
        let fact = self.facts.get(&key)?;
        let epoch = fact.epoch;
        if fact.value == UNSET {
            return None;
        }
        if owner.is_constant {
            return Some(fact.value);
        }
        if epoch <= self.killed_all {
            return None;
        }
        if key.base < GLOBAL {
            let field = SymbolId(key.field);
            if epoch <= self.killed_at(Kill::AnyField(field)) || epoch <= self.killed_at(Kill::Base(ValueId(key.base)))
            {
                return None;
            }
            if owner.is_local {
                return Some(fact.value);
            }
            if epoch <= self.killed_at(Kill::Field(field)) {
                return None;
            }
        }
        (epoch > owner.reached.unwrap_or(self.killed)).then_some(fact.value)
    }

    pub(in crate::lang) fn killed_at(&self, kill: Kill) -> u32 {
        self.kills.get(&kill).map_or(0, |&(epoch, _)| epoch)
    }

    pub(in crate::lang) fn set_fact(&mut self, key: Key, value: ValueId) {
        self.epoch += 1;
        let old = self.facts.get(&key).copied().unwrap_or(Fact { value: UNSET, epoch: 0, logged: u32::MAX });
        let is_logged = old.logged != u32::MAX && old.logged as usize >= self.floor;
        let logged = if is_logged { old.logged } else { self.log.len() as u32 };
        if !is_logged {
            self.log.push(Entry::Fact { key, old });
        }
        self.facts.insert(key, Fact { value, epoch: self.epoch, logged });
    }

    pub(in crate::lang) fn kill(&mut self, kill: Kill) {
        self.epoch += 1;
        self.set_kill(kill, self.epoch);
    }

    fn set_kill(&mut self, kill: Kill, epoch: u32) {
        let (old, logged) = self.kills.get(&kill).copied().unwrap_or((0, u32::MAX));
        let is_logged = logged != u32::MAX && logged as usize >= self.floor;
        let now = if is_logged { logged } else { self.log.len() as u32 };
        if !is_logged {
            self.log.push(Entry::Kill { kill, old, logged });
        }
        self.kills.insert(kill, (epoch.max(old), now));
    }

    /// A call.
    pub(in crate::lang) fn kill_shared(&mut self) {
        self.kill_stored();
        self.called = self.epoch;
    }

    /// A store to a computed key.
    pub(in crate::lang) fn kill_stored(&mut self) {
        self.epoch += 1;
        self.killed = self.epoch;
    }

    /// Last time when a call changed what others may know.
    pub(in crate::lang) fn called(&self) -> u32 {
        self.called
    }

    /// A loop: all objects may change and become known to others.
    pub(in crate::lang) fn kill_all(&mut self, next: u32) {
        self.epoch += 1;
        self.killed_all = self.epoch;
        self.local_from = next;
    }

    pub(in crate::lang) fn allocate(&mut self, value: ValueId) {
        self.local.insert(value);
    }

    pub(in crate::lang) fn escape(&mut self, value: ValueId) {
        self.local.remove(&value);
    }

    pub(in crate::lang) fn is_local(&self, value: ValueId) -> bool {
        value.0 >= self.local_from && self.local.contains(&value)
    }

    /// Changes since a mark. `owner` says how the object of a key relates to memory.
    pub(in crate::lang) fn exit(&mut self, mark: Mark, owner: impl Fn(&State, Key) -> Owner) -> Exit {
        let mut exit = self.exit_with(Vec::new());
        self.stamp += 1;
        let mut has_repeated_keys = false;
        for index in mark.log..self.log.len() {
            match self.log[index] {
                Entry::Variable { variable, .. } => {
                    let seen = &mut self.seen[variable as usize];
                    if *seen != self.stamp {
                        *seen = self.stamp;
                        exit.variables.push((variable, self.values[variable as usize]));
                    }
                }
                Entry::Fact { key, .. } => {
                    if let Some(value) = self.fact(key, owner(self, key)) {
                        exit.facts.push((key, value));
                        has_repeated_keys = true;
                    }
                }
                Entry::Kill { kill, .. } => exit.kills.push((kill, self.killed_at(kill))),
            }
        }
        if has_repeated_keys {
            exit.facts.sort_unstable();
            exit.facts.dedup_by_key(|(key, _)| *key);
        }
        exit
    }

    /// Undoes the changes since a mark.
    pub(in crate::lang) fn rollback(&mut self, mark: Mark) {
        while self.log.len() > mark.log {
            match self.log.pop() {
                Some(Entry::Variable { variable, old, logged }) => {
                    self.values[variable as usize] = old;
                    self.logged[variable as usize] = logged;
                    if self.collectors > 0 {
                        self.journal.push(variable);
                    }
                }
                Some(Entry::Fact { key, old }) => {
                    self.facts.insert(key, old);
                }
                Some(Entry::Kill { kill, old, logged }) => {
                    self.kills.insert(kill, (old, logged));
                }
                None => break,
            }
        }
        self.floor = mark.log;
        self.killed = mark.killed;
        self.called = mark.called;
        self.killed_all = mark.killed_all;
    }

    /// Applies the changes of an exit to the state at its mark.
    pub(in crate::lang) fn apply(&mut self, exit: &Exit) {
        self.kill_until(exit);
        for &(kill, epoch) in &exit.kills {
            self.set_kill(kill, epoch);
        }
        for &(variable, value) in &exit.variables {
            self.rename(variable, value);
        }
        for &(key, value) in &exit.facts {
            self.set_fact(key, value);
        }
    }

    /// Exit with names of variables, and nothing known of memory.
    pub(in crate::lang) fn exit_with(&self, variables: Vec<(u32, ValueId)>) -> Exit {
        Exit { variables, killed: self.killed, called: self.called, killed_all: self.killed_all, ..Exit::default() }
    }

    fn kill_until(&mut self, exit: &Exit) {
        self.killed = self.killed.max(exit.killed);
        self.called = self.called.max(exit.called);
        self.killed_all = self.killed_all.max(exit.killed_all);
    }

    /// Applies what exits make unknown.
    pub(in crate::lang) fn apply_kills(&mut self, exits: &[Exit]) {
        for exit in exits {
            self.kill_until(exit);
            for &(kill, epoch) in &exit.kills {
                self.set_kill(kill, epoch);
            }
        }
    }
}
