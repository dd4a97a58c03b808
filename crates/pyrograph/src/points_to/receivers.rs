//! Receivers of methods that only callers outside the program call.

use super::layout::Formal;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::Solver;
use crate::flow::FunctionKind;

impl Solver<'_> {
    /// Functions in fields of an object have this object as their receiver, even if nobody in the program calls them.
    pub(super) fn seed_receivers(&mut self, owner: ObjectIndex, delta: &[ObjectIndex]) {
        if matches!(
            self.objects.kind(owner),
            ObjectKind::External(_)
                | ObjectKind::Array(_)
                | ObjectKind::Arguments(_)
                | ObjectKind::Rest(_)
                | ObjectKind::Keywords(_)
        ) {
            return;
        }
        for &object in delta {
            self.seed_receiver(owner, object);
        }
    }

    /// A function that is found in an object has the object as its receiver. A prototype stands for instances that are not known.
    pub(super) fn seed_receiver(&mut self, owner: ObjectIndex, object: ObjectIndex) {
        let ObjectKind::Function(function) = self.objects.kind(object) else { return };
        let (module, id) = self.program.function(function);
        let class = match (module.flow.function(id).kind, self.objects.kind(owner)) {
            (FunctionKind::Arrow | FunctionKind::Module, _) => return,
            (FunctionKind::Constructor, _) => function,
            (FunctionKind::Ordinary | FunctionKind::Method, ObjectKind::Prototype(class)) => class,
            (FunctionKind::Ordinary | FunctionKind::Method, _) => {
                self.add(self.layout.formal(function, Formal::Receiver), owner);
                return;
            }
        };
        let receiver = self.object(ObjectKind::DefaultInstance(class));
        if self.exporting.get(self.program.number_of(function) as usize) == Some(&false) {
            self.seeds.push((function, receiver));
        } else {
            self.add(self.layout.formal(function, Formal::Receiver), receiver);
        }
    }

    /// Gives functions that nobody calls their receivers. False: there are none.
    pub(super) fn plant_seeds(&mut self) -> bool {
        let mut seeds = std::mem::take(&mut self.seeds);
        seeds.retain(|&(function, _)| {
            // `super.name` calls getters with the prototype.
            let is_prototype = |&object: &ObjectIndex| matches!(self.objects.kind(object), ObjectKind::Prototype(_));
            self.objects_of(self.layout.formal(function, Formal::Receiver)).iter().all(is_prototype)
        });
        for &(function, receiver) in &seeds {
            self.add(self.layout.formal(function, Formal::Receiver), receiver);
        }
        !seeds.is_empty()
    }
}
