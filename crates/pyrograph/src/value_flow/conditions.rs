//! Conditions of sinks on the arguments of their call.

use super::build::Builder;
use crate::flow::{Constant, Op};
use crate::knowledge::{Condition, Step};
use crate::points_to::{LibraryCall, NodeIndex};
use crate::program::{Names, ValueIndex};

impl Builder<'_> {
    /// True if a condition holds for a call, as far as constants and object literals tell.
    pub(super) fn condition_holds(&mut self, library: &LibraryCall, condition: &Condition) -> bool {
        let mut nodes = self.root_nodes(library, condition.endpoint.root);
        for step in &condition.endpoint.steps {
            let mut next = Vec::new();
            for node in nodes {
                next.extend(self.stored_values(node, step));
            }
            nodes = next;
        }
        let is_met = nodes.iter().any(|&node| {
            let constant = self.constant_text(node);
            match constant {
                Some(text) if condition.values.is_empty() => {
                    !matches!(text.as_str(), "false" | "null" | "undefined" | "0" | "")
                }
                Some(text) => condition.values.contains(&text),
                None => condition.values.is_empty(),
            }
        });
        is_met != condition.is_negated
    }

    /// Values that the function stores to a field of an object.
    fn stored_values(&mut self, node: NodeIndex, step: &Step) -> Vec<ValueIndex> {
        let roots = self.roots(node);
        let mut values = Vec::new();
        for root in roots {
            match step {
                Step::Field(name) => {
                    if let Some(name) = self.program.names.get(name) {
                        values.extend(self.stored.get(&(root, name)).into_iter().flatten().copied());
                    }
                }
                Step::Element => {
                    for position in ["0", "1", "2", "3"] {
                        if let Some(name) = self.program.names.get(position) {
                            values.extend(self.stored.get(&(root, name)).into_iter().flatten().copied());
                        }
                    }
                    values.extend(self.stored.get(&(root, Names::ELEMENT)).into_iter().flatten().copied());
                }
                _ => {}
            }
        }
        values
    }

    /// Text of a constant.
    fn constant_text(&self, mut node: NodeIndex) -> Option<String> {
        loop {
            if node >= self.program.value_count {
                return None;
            }
            let module = self.program.module_of_value(node);
            let constant = match module.instruction(node).op {
                Op::Constant(constant) => constant,
                // Operands of copies precede them, so this ends.
                Op::Copy(origin) if module.value(origin) < node => {
                    node = module.value(origin);
                    continue;
                }
                _ => return None,
            };
            return Some(match constant {
                Constant::String(symbol) => module.flow.text(symbol).to_owned(),
                Constant::Number(number) => number.to_string(),
                Constant::Bool(value) => value.to_string(),
                Constant::Null => "null".to_owned(),
                Constant::Undefined => "undefined".to_owned(),
                Constant::Regex(..) => return None,
            });
        }
    }
}
