//! Methods that syntax calls: `object[key]` calls `__getitem__`, a missing attribute calls `__getattr__`, and attributes whose
//! values have `__get__` are descriptors.

use super::layout::NodeIndex;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::program::{Name, Names};

/// Names of special methods, if the program has them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpecialNames {
    pub(super) get_item: Option<Name>,
    pub(super) set_item: Option<Name>,
    get_attribute: Option<Name>,
    get: Option<Name>,
    set: Option<Name>,
    pub(super) next: Option<Name>,
}

impl SpecialNames {
    pub(super) fn new(names: &Names) -> SpecialNames {
        SpecialNames {
            get_item: names.get("__getitem__"),
            set_item: names.get("__setitem__"),
            get_attribute: names.get("__getattr__"),
            get: names.get("__get__"),
            set: names.get("__set__"),
            next: names.get("__next__"),
        }
    }
}

/// Load of a name that an instance may not have: object, name, node of the object, target.
pub(super) type MissingLoad = (ObjectIndex, Name, NodeIndex, NodeIndex);

impl Solver<'_> {
    fn is_instance(&self, object: ObjectIndex) -> bool {
        matches!(self.objects.kind(object), ObjectKind::Instance(..) | ObjectKind::DefaultInstance(_))
    }

    /// True for an object whose fields are attributes, which a computed key does not read.
    pub(super) fn has_attributes(&self, object: ObjectIndex) -> bool {
        self.has_text_results
            && matches!(
                self.objects.kind(object),
                ObjectKind::Instance(..)
                    | ObjectKind::DefaultInstance(_)
                    | ObjectKind::Prototype(_)
                    | ObjectKind::Function(_)
                    | ObjectKind::Module(_)
                    | ObjectKind::Exports(_)
            )
    }

    /// Load of an item: the object is what is indexed.
    pub(super) fn load_item(&mut self, object: ObjectIndex, base: NodeIndex, key: NodeIndex, target: NodeIndex) {
        if let Some(name) = self.special.get_item.filter(|_| self.is_instance(object)) {
            let method = self.look_up(object, name);
            self.constrain(method, Constraint::GetWith(base, key, target));
        }
    }

    /// Store of an item: the object is what is indexed.
    pub(super) fn store_item(&mut self, object: ObjectIndex, base: NodeIndex, key: NodeIndex, value: NodeIndex) {
        if let Some(name) = self.special.set_item.filter(|_| self.is_instance(object)) {
            let method = self.look_up(object, name);
            self.constrain(method, Constraint::SetWith(base, key, value));
        }
    }

    /// Load of a name: what is found may be a descriptor, and what is missing may come from a method.
    pub(super) fn load_special(&mut self, load: MissingLoad) {
        let (object, name, base, target) = load;
        if !self.is_instance(object) || Names::is_hidden(name) {
            return;
        }
        if self.special.get.is_some()
            && let Some(found) = self.class_attribute(object, name)
        {
            self.constrain(found, Constraint::Descriptor(base, target));
        }
        let has_methods = self.special.get_attribute.is_some() || self.special.get_item.is_some();
        if has_methods && !self.program.names.text(name).starts_with("__") {
            self.missing.push(load);
        }
    }

    /// The object is the value of an attribute that a program loads: base, target.
    pub(super) fn descriptor(&mut self, object: ObjectIndex, node: NodeIndex, base: NodeIndex, target: NodeIndex) {
        if let Some(name) = self.special.get.filter(|_| self.is_instance(object)) {
            let method = self.look_up(object, name);
            self.constrain(method, Constraint::GetWith(node, base, target));
        }
    }

    /// The object is the value of an attribute to which a program stores: base, value.
    pub(super) fn set_descriptor(&mut self, object: ObjectIndex, node: NodeIndex, base: NodeIndex, value: NodeIndex) {
        if let Some(name) = self.special.set.filter(|_| self.is_instance(object)) {
            let method = self.look_up(object, name);
            self.constrain(method, Constraint::SetWith(node, base, value));
        }
    }

    /// Store to an attribute of an instance whose class may have a descriptor of this name.
    pub(super) fn store_special(&mut self, object: ObjectIndex, name: Name, origin: NodeIndex, base: NodeIndex) {
        if self.special.set.is_some()
            && !Names::is_hidden(name)
            && let Some(found) = self.class_attribute(object, name)
        {
            self.constrain(found, Constraint::SetDescriptor(base, origin));
        }
    }

    /// Look-up of a name in the class of an instance.
    fn class_attribute(&mut self, object: ObjectIndex, name: Name) -> Option<NodeIndex> {
        let class = match self.objects.kind(object) {
            ObjectKind::Instance(_, class) | ObjectKind::DefaultInstance(class) => class,
            _ => return None,
        };
        let prototype = self.objects.get(ObjectKind::Prototype(class))?;
        Some(self.look_up(prototype, name))
    }

    /// Calls the methods for names that instances do not have. False: there are none.
    pub(super) fn resolve_missing(&mut self) -> bool {
        let loads = std::mem::take(&mut self.missing);
        let is_any = !loads.is_empty();
        for (object, name, base, target) in loads {
            let found = self.look_up(object, name);
            if !self.objects_of(found).is_empty() || self.is_stored(object, name) {
                continue;
            }
            for method in [self.special.get_attribute, self.special.get_item].into_iter().flatten() {
                let method = self.look_up(object, method);
                self.constrain(method, Constraint::Get(base, target));
            }
        }
        is_any
    }

    /// True if the program stores a name to an instance, or to its class.
    fn is_stored(&self, object: ObjectIndex, name: Name) -> bool {
        let class = match self.objects.kind(object) {
            ObjectKind::Instance(_, class) | ObjectKind::DefaultInstance(class) => class,
            _ => return false,
        };
        let homes = [ObjectKind::Prototype(class), ObjectKind::DefaultInstance(class)];
        let others = homes.into_iter().filter_map(|kind| self.objects.get(kind));
        std::iter::once(object).chain(others).any(|home| self.has_store(home, name))
    }
}
