//! Values that stand in for others.

use crate::kernel::{Statement, ValueId};
use crate::op::Op;
use crate::table::Key;

/// By value: the one to use in its place. A stand-in is known wherever what it stands for was.
#[derive(Default)]
pub(super) struct Replacements {
    stand_ins: Vec<Option<ValueId>>,
}

impl Replacements {
    /// The value to use.
    pub(super) fn resolve(&self, value: ValueId) -> ValueId {
        self.stand_ins.get(value.position()).copied().flatten().unwrap_or(value)
    }

    /// Uses `stand_in`, which has been resolved, in place of `value` from here on.
    pub(super) fn insert(&mut self, value: ValueId, stand_in: ValueId) {
        let position = value.position();
        if self.stand_ins.len() <= position {
            self.stand_ins.resize(position + 1, None);
        }
        self.stand_ins[position] = Some(stand_in);
    }

    pub(super) fn op(&self, op: Op) -> Op {
        op.map_operands(|operand| self.resolve(operand))
    }

    pub(super) fn statement(&self, statement: Statement) -> Statement {
        statement.map_operands(|operand| self.resolve(operand))
    }
}
