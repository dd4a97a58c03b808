//! Look-ups in classes whose base classes have an order.

use super::layout::NodeIndex;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::field;
use crate::program::orders::Base;
use crate::program::{FunctionIndex, Name, Names};

/// Look-up of a name behind a class, for instances of the class itself: class, name of the look-up, result.
pub(super) type LateSuper = (FunctionIndex, Name, NodeIndex);

impl Solver<'_> {
    /// Goes on with a look-up in the order of the base classes. False: the object is no class with an order.
    pub(super) fn inherit_in_order(&mut self, object: ObjectIndex, name: Name, result: NodeIndex) -> bool {
        let ObjectKind::Prototype(class) = self.objects.kind(object) else { return false };
        let program = self.program;
        let Some((behind, real)) = program.orders.behind(name) else {
            // A class has its names even if nothing is known of their values.
            if program.orders.has(class, name) {
                return true;
            }
            let Some(order) = program.orders.of(class) else { return false };
            self.find_in_order(&order[1..], name, result);
            return true;
        };
        if class == behind && !self.instances.contains_key(&class) {
            // Instances of the class are hardly made if there are other ones.
            self.late_supers.push((class, name, result));
            return true;
        }
        self.find_behind(class, behind, real, result);
        self.answered_supers.insert(name);
        true
    }

    /// Looks up names behind classes of which only unknown callers make instances. False: there are none.
    pub(super) fn find_late_supers(&mut self) -> bool {
        let mut late = std::mem::take(&mut self.late_supers);
        late.retain(|(_, name, _)| !self.answered_supers.contains(name));
        for &(class, name, result) in &late {
            if let Some((behind, real)) = self.program.orders.behind(name) {
                self.find_behind(class, behind, real, result);
            }
        }
        !late.is_empty()
    }

    /// Looks up a name behind one of the classes of an order.
    fn find_behind(&mut self, class: FunctionIndex, behind: FunctionIndex, name: Name, result: NodeIndex) {
        let program = self.program;
        match program.orders.of(class) {
            Some(order) => {
                let Some(position) = order.iter().position(|&base| base == Base::Class(behind)) else { return };
                self.find_in_order(&order[position + 1..], name, result);
            }
            None => {
                // All base classes may have it.
                let prototype = self.object(ObjectKind::Prototype(behind));
                let parent = self.field(prototype, Names::PARENT);
                self.constrain(parent, Constraint::Inherit(name, result));
            }
        }
    }

    fn find_in_order(&mut self, order: &[Base], name: Name, result: NodeIndex) {
        let program = self.program;
        let is_init = program.names.text(name) == "__init__";
        let init = program.names.get(field::INIT);
        for &base in order {
            match base {
                Base::Class(class) if is_init => {
                    if init.is_some_and(|init| program.orders.has(class, init)) {
                        let class = self.object(ObjectKind::Function(class));
                        self.add(result, class);
                        return;
                    }
                }
                Base::Class(class) => {
                    if program.orders.has(class, name) {
                        let prototype = self.object(ObjectKind::Prototype(class));
                        let field = self.field(prototype, name);
                        self.edge(field, result);
                        return;
                    }
                }
                Base::Value(class) if is_init => {
                    self.edge(class, result);
                    return;
                }
                Base::Value(class) => self.constrain(class, Constraint::Inherit(name, result)),
            }
        }
    }
}
