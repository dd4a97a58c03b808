//! Protected blocks and their handlers.

use crate::flow::{Op, Span, ValueId};

use super::Ssa;
use super::state::{UNDEFINED, UNSET};

impl Ssa<'_, '_> {
    /// A final block that leaves the function itself replaces what the blocks before it return.
    pub(in crate::lang) fn discard_returns(&mut self, first: usize, end: usize) {
        let function = self.frame.id;
        for instruction in &mut self.builder.module_mut().instructions[first..end] {
            if let Op::Return(value) = instruction.op
                && instruction.function == function
            {
                instruction.op = Op::Copy(value);
            }
        }
    }

    /// State at a handler: a variable has any of the values that it had in the protected block.
    pub(in crate::lang) fn enter_handler(&mut self, mut versions: Vec<(u32, ValueId)>, region: u32, span: Span) {
        let start = Span::new(span.start, span.start);
        self.forget(region);
        versions.sort_unstable();
        versions.dedup();
        for group in versions.chunk_by(|a, b| a.0 == b.0) {
            let variable = group[0].0;
            let mut values: Vec<ValueId> =
                group.iter().map(|&(_, value)| value).filter(|&value| value != UNSET && value != UNDEFINED).collect();
            match self.state.value(variable) {
                UNSET => continue,
                UNDEFINED => values.push(self.undefined(start)),
                value => values.push(value),
            }
            let value = self.phi(&values, start);
            self.state.set(variable, value);
        }
    }
}
