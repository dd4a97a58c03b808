//! Fields that a later store or copy overwrites.

use super::build::Builder;
use crate::flow::{AllocateKind, Op};
use crate::points_to::NodeIndex;
use crate::program::{Name, ValueIndex};

impl Builder<'_> {
    /// Notes the fields of a literal that a later literal in the same call overwrites.
    pub(super) fn note_overwritten(&mut self, call: ValueIndex, target: NodeIndex, origin: NodeIndex) {
        if !matches!(self.method_of(call), Some("assign" | "extend")) {
            return;
        }
        let module = self.program.module_of_value(call);
        let whole = module.instruction(call).span;
        let is_inside = |node: NodeIndex| {
            node < call && node >= module.values && {
                let instruction = module.instruction(node);
                let span = instruction.span;
                matches!(instruction.op, Op::Allocate(AllocateKind::Object))
                    && span.start >= whole.start
                    && span.end <= whole.end
            }
        };
        if is_inside(target) && is_inside(origin) {
            let names = self.own_fields.range((origin, Name(0))..=(origin, Name(u32::MAX)));
            self.overwritten.extend(names.map(|(&(_, name), _)| (target, name)).collect::<Vec<_>>());
        }
    }

    /// True if an object gets a field again after it was copied: from a store, or from a literal that is copied later.
    pub(super) fn is_overwritten(
        &self,
        root: NodeIndex,
        name: Name,
        copies: &[(u32, NodeIndex)],
        position: usize,
    ) -> bool {
        let (copy, _) = copies[position];
        if self.own_fields.get(&(root, name)).is_some_and(|&store| store > copy) {
            return true;
        }
        let is_value = |value: u32| value < self.program.value_count;
        let is_spread = |value: u32| {
            is_value(value) && matches!(self.program.module_of_value(value).instruction(value).op, Op::CopyFields(..))
        };
        copies[position + 1..].iter().any(|&(later, origin)| {
            // Another call may not happen; spreads are parts of one literal.
            let follows = later == copy || (is_spread(later) && is_spread(copy));
            let origin = self.unnamed(origin);
            let is_literal = is_value(origin)
                && matches!(self.program.module_of_value(origin).instruction(origin).op, Op::Allocate(_));
            follows && is_literal && self.own_fields.contains_key(&(origin, name))
        })
    }
}
