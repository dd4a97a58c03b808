//! Constant folding, algebraic simplification, and removal of decided branches and of loops with at most one iteration.

use super::pass::Pass;
use super::replace::Replacements;
use super::simplify::{Simpler, simplify};
use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Op, Type};

/// The pass.
pub(super) const PASS: Pass = Pass {
    name: "fold",
    summary: "Evaluates constant operations, simplifies algebraically, and removes decided branches and empty loops.",
    run,
};

fn run(kernel: &mut Kernel) -> bool {
    let mut fold = Fold { kernel, replaced: Replacements::default(), changed: false };
    fold.ids();
    let entry = fold.kernel.entry;
    fold.block(entry);
    fold.changed
}

struct Fold<'k> {
    kernel: &'k mut Kernel,
    replaced: Replacements,
    changed: bool,
}

impl Fold<'_> {
    /// Simplifies ids on an axis of size 1.
    fn ids(&mut self) {
        for value in self.kernel.values.keys() {
            let op = self.kernel.op(value);
            if matches!(op, Op::Id(..))
                && let Simpler::Op(simpler) = simplify(self.kernel, op)
                && simpler != op
            {
                let leaf = self.kernel.leaf(simpler);
                self.replaced.insert(value, leaf);
            }
        }
    }

    /// Folds a block. The recursion is bounded by [`MAX_BLOCK_DEPTH`](crate::MAX_BLOCK_DEPTH).
    fn block(&mut self, block: BlockId) {
        let statements = self.kernel.take_block(block);
        let mut out = Vec::with_capacity(statements.len());
        self.statements(statements, &mut out);
        self.kernel.blocks[block].statements = out;
    }

    fn statements(&mut self, statements: Vec<Statement>, out: &mut Vec<Statement>) {
        for statement in statements {
            if out.last().is_some_and(|last| last.is_exit()) {
                // An inlined branch ends in an exit.
                self.changed = true;
                return;
            }
            let statement = self.replaced.statement(statement);
            self.statement(statement, out);
        }
    }

    fn statement(&mut self, statement: Statement, out: &mut Vec<Statement>) {
        match statement {
            Statement::Let(value) => self.value(value, out),
            Statement::Store { buffer, index, value, guard } => match self.guard(guard) {
                Guard::Never => self.changed = true,
                Guard::Always => {
                    self.changed = true;
                    out.push(Statement::Store { buffer, index, value, guard: None });
                }
                Guard::Unknown => out.push(statement),
            },
            Statement::If { cond, then, otherwise } => {
                if let Some(result) = self.kernel.as_bool(cond) {
                    self.changed = true;
                    let taken = self.kernel.take_block(if result { then } else { otherwise });
                    self.statements(taken, out);
                    return;
                }
                let (cond, then, otherwise) = match self.kernel.op(cond) {
                    Op::Not(opposite) => {
                        self.changed = true;
                        (opposite, otherwise, then)
                    }
                    _ => (cond, then, otherwise),
                };
                self.block(then);
                self.block(otherwise);
                out.push(Statement::If { cond, then, otherwise });
            }
            Statement::Loop { variable, from, to, body } => self.loop_(variable, from, to, body, out),
            Statement::Block { body } => {
                self.block(body);
                self.strip_last_break(body);
                if self.has_break(body) {
                    out.push(statement);
                } else {
                    self.changed = true;
                    out.append(&mut self.kernel.take_block(body));
                }
            }
            Statement::Set { .. } | Statement::Break | Statement::Return | Statement::Barrier => out.push(statement),
        }
    }

    fn loop_(&mut self, variable: ValueId, from: ValueId, to: ValueId, body: BlockId, out: &mut Vec<Statement>) {
        let bounds = self.kernel.as_word(from).zip(self.kernel.as_word(to));
        if bounds.is_some_and(|(from, to)| from >= to) || from == to {
            self.changed = true;
            return;
        }
        let has_one_iteration = bounds.is_some_and(|(from, to)| to - from == 1);
        if has_one_iteration && !self.has_break(body) {
            self.changed = true;
            self.replaced.insert(variable, from);
            let body = self.kernel.take_block(body);
            self.statements(body, out);
            return;
        }
        self.block(body);
        out.push(Statement::Loop { variable, from, to, body });
    }

    fn value(&mut self, value: ValueId, out: &mut Vec<Statement>) {
        let op = self.replaced.op(self.kernel.op(value));
        let op = match op {
            Op::Load { buffer, index, guard } => match self.guard(guard) {
                Guard::Never => self.zero(self.kernel.ty(value)),
                Guard::Always => Op::Load { buffer, index, guard: None },
                Guard::Unknown => op,
            },
            Op::Atomic { op: atomic, buffer, index, expected, value, guard } => match self.guard(guard) {
                Guard::Never => Op::Word(0),
                Guard::Always => Op::Atomic { op: atomic, buffer, index, expected, value, guard: None },
                Guard::Unknown => op,
            },
            _ => op,
        };
        let result = match simplify(self.kernel, op) {
            Simpler::Value(known) => self.replaced.resolve(known),
            Simpler::Op(op) if op.is_leaf() => self.kernel.leaf(op),
            Simpler::Op(op) => {
                self.changed |= self.kernel.op(value) != op;
                self.kernel.values[value].op = op;
                out.push(Statement::Let(value));
                return;
            }
        };
        self.changed = true;
        self.replaced.insert(value, result);
    }

    fn zero(&mut self, ty: Type) -> Op {
        let zero = self.kernel.word(0);
        match ty {
            Type::Bool => Op::Bool(false),
            Type::U32 => Op::Word(0),
            Type::Vec2 => Op::Pack2([zero; 2]),
            Type::Vec4 => Op::Pack4([zero; 4]),
        }
    }

    fn guard(&self, guard: Option<ValueId>) -> Guard {
        match guard.and_then(|guard| self.kernel.as_bool(guard)) {
            Some(true) => Guard::Always,
            Some(false) => Guard::Never,
            None => Guard::Unknown,
        }
    }

    /// True if a `Break` in a block leaves the statement that owns the block.
    fn has_break(&self, block: BlockId) -> bool {
        self.kernel.blocks[block].statements.iter().any(|&statement| match statement {
            Statement::Break => true,
            Statement::If { cond: _, then, otherwise } => self.has_break(then) || self.has_break(otherwise),
            _ => false,
        })
    }

    /// Removes a `Break` at the end of the body of a breakable block.
    fn strip_last_break(&mut self, block: BlockId) {
        match self.kernel.blocks[block].statements.last() {
            Some(Statement::Break) => {
                self.changed = true;
                self.kernel.blocks[block].statements.pop();
                self.strip_last_break(block);
            }
            Some(&Statement::If { cond: _, then, otherwise }) => {
                self.strip_last_break(then);
                self.strip_last_break(otherwise);
            }
            _ => {}
        }
    }
}

/// Known result of a guard.
enum Guard {
    Always,
    Never,
    Unknown,
}
