//! Common subexpression elimination by scoped value numbering over the block tree, with redundant load elimination and
//! store-to-load forwarding.
//!
//! A load is redundant if nothing between it and an earlier load can change the buffer: the invocation does not write
//! to it, and no barrier makes writes of other invocations visible. Collectives order no memory. Memory state is a
//! version number for each buffer, which is part of the hash key of a load.

use foldhash::{HashMap, HashMapExt};

use super::effects::Effects;
use super::pass::Pass;
use super::replace::Replacements;
use crate::ids::{BlockId, BufferId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Effect, Op, Type};
use crate::table::Key;

/// The pass.
pub(super) const PASS: Pass =
    Pass { name: "cse", summary: "Replaces repeated computations and loads by the first result.", run };

fn run(kernel: &mut Kernel) -> bool {
    let effects = Effects::of(kernel);
    let versions = vec![0; kernel.buffers.len()];
    let mut cse = Cse {
        kernel,
        effects,
        replaced: Replacements::default(),
        known: HashMap::new(),
        stored: HashMap::new(),
        inserted: Vec::new(),
        inserted_stores: Vec::new(),
        versions,
        barrier: 0,
        clock: 0,
        changed: false,
    };
    let entry = cse.kernel.entry;
    cse.block(entry);
    cse.changed
}

struct Cse<'k> {
    kernel: &'k mut Kernel,
    effects: Effects,
    replaced: Replacements,
    /// Available values, by operation and memory version.
    known: HashMap<(Op, u64), ValueId>,
    /// Stored values, by the load that would read them and its memory version.
    stored: HashMap<(Op, u64), ValueId>,
    /// Entries of `known` and `stored` in the order of insertion. Those of a block are removed at its end.
    inserted: Vec<(Op, u64)>,
    inserted_stores: Vec<(Op, u64)>,
    /// Time of the last write to each buffer.
    versions: Vec<u64>,
    /// Time of the last barrier.
    barrier: u64,
    clock: u64,
    changed: bool,
}

impl Cse<'_> {
    fn block(&mut self, block: BlockId) {
        let start = self.inserted.len();
        let start_of_stores = self.inserted_stores.len();
        let statements = self.kernel.take_block(block);
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            let statement = self.replaced.statement(statement);
            if self.statement(statement) {
                out.push(statement);
            } else {
                self.changed = true;
            }
        }
        self.kernel.blocks[block].statements = out;
        for entry in self.inserted.drain(start..) {
            self.known.remove(&entry);
        }
        for entry in self.inserted_stores.drain(start_of_stores..) {
            self.stored.remove(&entry);
        }
    }

    /// Processes a statement and returns true if it is kept.
    fn statement(&mut self, statement: Statement) -> bool {
        match statement {
            Statement::Let(value) => return self.value(value),
            Statement::Store { buffer, index, value, guard } => {
                self.note_write(buffer);
                // The corresponding load returns the value, or zero if the guard is false.
                let load = (Op::Load { buffer, index, guard }, self.version(buffer));
                self.stored.insert(load, value);
                self.inserted_stores.push(load);
            }
            Statement::If { cond: _, then, otherwise } => {
                self.block(then);
                self.block(otherwise);
            }
            Statement::Loop { body, .. } => {
                // The changes of an iteration are visible in the next one.
                self.note_changes(body);
                self.block(body);
                self.note_changes(body);
            }
            Statement::Block { body } => self.block(body),
            Statement::Barrier => self.barrier = self.tick(),
            Statement::Set { .. } | Statement::Break | Statement::Return => {}
        }
        true
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn note_write(&mut self, buffer: BufferId) {
        self.versions[buffer.position()] = self.tick();
    }

    fn note_changes(&mut self, block: BlockId) {
        let now = self.tick();
        for buffer in self.effects.buffers_written(block) {
            self.versions[buffer.position()] = now;
        }
        if self.effects.has_barrier(block) {
            self.barrier = now;
        }
    }

    /// Version of a buffer: the time of its last possible change.
    fn version(&self, buffer: BufferId) -> u64 {
        let written = self.versions[buffer.position()];
        if self.kernel.is_writable(buffer) { written.max(self.barrier) } else { written }
    }

    /// Sorts the operands of a commutative operation, constants last.
    fn canonical(&self, op: Op) -> Op {
        let sorted = |a: ValueId, b: ValueId| {
            let rank = |value: ValueId| (self.kernel.as_word(value).is_some(), value);
            if rank(a) <= rank(b) { (a, b) } else { (b, a) }
        };
        match op {
            Op::Binary(binary, a, b) if binary.is_commutative() => {
                let (a, b) = sorted(a, b);
                Op::Binary(binary, a, b)
            }
            Op::Compare(compare, a, b) if compare.is_commutative() => {
                let (a, b) = sorted(a, b);
                Op::Compare(compare, a, b)
            }
            Op::Logic(logic, a, b) => {
                let (a, b) = sorted(a, b);
                Op::Logic(logic, a, b)
            }
            _ => op,
        }
    }

    /// Processes a value and returns true if it must be computed.
    fn value(&mut self, value: ValueId) -> bool {
        let op = self.canonical(self.replaced.op(self.kernel.op(value)));
        self.changed |= self.kernel.op(value) != op;
        self.kernel.values[value].op = op;
        let version = match op.effect() {
            Effect::None | Effect::Rendezvous => 0,
            Effect::Reads(buffer) => self.version(buffer),
            Effect::ReadsSlot(_) => return true,
            Effect::Updates(buffer) => {
                self.note_write(buffer);
                return true;
            }
        };
        let entry = (op, version);
        if let Some(&known) = self.known.get(&entry).or_else(|| self.known.get(&without_guard(entry)?)) {
            self.replaced.insert(value, known);
            return false;
        }
        if let Some(&stored) = self.stored.get(&entry) {
            match op {
                Op::Load { guard: None, .. } => {
                    self.replaced.insert(value, stored);
                    return false;
                }
                Op::Load { guard: Some(guard), .. } if self.kernel.ty(value) == Type::U32 => {
                    let zero = self.kernel.word(0);
                    self.kernel.values[value].op = Op::Select(guard, stored, zero);
                    self.changed = true;
                }
                _ => {}
            }
        }
        self.known.insert(entry, value);
        self.inserted.push(entry);
        true
    }
}

/// Key of the unguarded load at the same index. If that load is available, the index is in range and the guard is true.
fn without_guard((op, version): (Op, u64)) -> Option<(Op, u64)> {
    match op {
        Op::Load { buffer, index, guard: Some(_) } => Some((Op::Load { buffer, index, guard: None }, version)),
        _ => None,
    }
}
