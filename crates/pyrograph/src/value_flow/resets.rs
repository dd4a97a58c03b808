//! Fields of new objects that a call stores for certain.
//!
//! `reset(options); run(options.command)`: if every target of the call stores the field, and no other function knows the object, the load
//! reads what the call stored, and nothing that was there before.

use super::build::Builder;
use super::graph::{ALL, EdgeKind};
use crate::flow::Op;
use crate::points_to::{ActualArgument, NodeIndex, ObjectKind};
use crate::program::{Name, Names, ValueIndex};

impl Builder<'_> {
    /// Collects loads behind calls, and stores that functions execute for certain.
    pub(super) fn collect_resets(&mut self) {
        let program = self.program;
        for module in &program.modules {
            for &(load, call, position) in &module.flow.reloads {
                self.reloads.insert(module.value(load), (module.value(call), position));
            }
            for &(function, position, field) in &module.flow.certain_stores {
                self.certain_stores.insert((module.function(function), position, module.name(field)));
            }
        }
    }

    /// Flows of a load that reads what a call has stored. False: it is another load.
    pub(super) fn load_reset(&mut self, base: NodeIndex, name: Name, value: ValueIndex) -> bool {
        let Some(&(call, position)) = self.reloads.get(&value) else { return false };
        let points_to = self.points_to;
        let instances = self.instances_of.get(&call).cloned().unwrap_or_default();
        let is_certain = |&instance: &u32| {
            let function = self.graph.instances[instance as usize].function;
            let is_link = (instance as usize) < points_to.links.len() && !self.is_new[instance as usize];
            let argument = self.actuals[instance as usize].1.get(position as usize);
            is_link
                && matches!(argument, Some(ActualArgument::One(_)))
                && self.certain_stores.contains(&(function, position, name))
        };
        let is_new = |&object: &u32| {
            matches!(points_to.objects.kind(object), ObjectKind::Allocation(_)) && !self.escaping[object as usize]
        };
        if instances.is_empty()
            || !points_to.library_calls_of(call).is_empty()
            || !instances.iter().all(is_certain)
            || !points_to.objects_of(base).iter().all(is_new)
        {
            return false;
        }
        let &[root] = self.roots(base).as_slice() else { return false };
        let is_made = root < self.program.value_count
            && matches!(self.program.module_of_value(root).instruction(root).op, Op::Allocate(_));
        if !is_made || self.copies.contains_key(&root) {
            return false;
        }
        for instance in instances {
            let function = self.graph.instances[instance as usize].function;
            let Some(formal) = points_to.layout.parameter(function, position) else { continue };
            // A store by a computed key may be one to this field.
            for name in [name, Names::ELEMENT] {
                let location = self.child(formal, name);
                if let Some(stored) = self.modified(location) {
                    self.flow(stored, value, EdgeKind::Return(instance), ALL);
                }
            }
        }
        true
    }
}
