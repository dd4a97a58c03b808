//! Replacement map of values.

use crate::ids::ValueId;
use crate::kernel::Statement;
use crate::op::Op;
use crate::table::Key;

/// Map from a value to its replacement, which must be visible wherever the value was.
#[derive(Default)]
pub(super) struct Replacements {
    replacements: Vec<Option<ValueId>>,
}

impl Replacements {
    /// Replacement of a value, or the value itself.
    pub(super) fn resolve(&self, value: ValueId) -> ValueId {
        self.replacements.get(value.position()).copied().flatten().unwrap_or(value)
    }

    /// Replaces `value` by `replacement`, which must be resolved.
    pub(super) fn insert(&mut self, value: ValueId, replacement: ValueId) {
        let position = value.position();
        if self.replacements.len() <= position {
            self.replacements.resize(position + 1, None);
        }
        self.replacements[position] = Some(replacement);
    }

    /// Replaces the operands of an operation.
    pub(super) fn op(&self, op: Op) -> Op {
        op.map_operands(|operand| self.resolve(operand))
    }

    /// Replaces the operands of a statement.
    pub(super) fn statement(&self, statement: Statement) -> Statement {
        statement.map_operands(|operand| self.resolve(operand))
    }
}
