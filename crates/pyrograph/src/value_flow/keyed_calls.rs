//! Functions of libraries that read or write a member by a key: `Reflect.set(object, key, value)`, `_.get(object, path)`.

use super::build::Builder;
use super::roles::KeyUse;
use crate::knowledge::VersionRange;
use crate::points_to::{ActualArgument, LibraryCall, NodeIndex, ObjectKind};

/// Functions of an object and a key that return the member. Those of `dot-prop` follow prototypes in old versions only.
const LOADS: &[(&str, &str)] = &[
    ("global.Reflect.get", ""),
    ("lodash.get", ""),
    ("get-value", ""),
    ("dlv", ""),
    ("dot-prop.get", "<4.2.1 || >=5 <5.1.1"),
];

/// Functions of an object, a key and a value.
const STORES: &[&str] = &["global.Reflect.set"];

/// Functions of an object, a key and a descriptor.
const DEFINITIONS: &[&str] = &["global.Object.defineProperty", "global.Reflect.defineProperty"];

impl Builder<'_> {
    /// Notes a call that reads or writes a member by a computed key.
    pub(super) fn add_keyed_call(&mut self, library: &LibraryCall) {
        let Some(path) = library.path else { return };
        let path = self.points_to.paths.text(path);
        let load = LOADS.iter().find(|(name, _)| *name == path);
        let is_definition = DEFINITIONS.contains(&path);
        if load.is_none() && !is_definition && !STORES.contains(&path) {
            return;
        }
        let argument = |position: usize| match library.arguments.get(position) {
            Some(&ActualArgument::One(node)) => Some(node),
            _ => None,
        };
        let (Some(base), Some(key)) = (argument(0), argument(1)) else { return };
        if self.constant_of(key, 0).is_some() || library.result != library.call {
            return;
        }
        let stored = match load {
            Some((_, versions)) => {
                let is_safe = VersionRange::parse(versions)
                    .zip(self.version_of(library))
                    .is_some_and(|(range, version)| range.contains(version) == Some(false));
                if is_safe || self.is_part_of(key, base) || self.is_bare(base) {
                    return;
                }
                None
            }
            None => match argument(2) {
                Some(descriptor) if is_definition && self.has_no_value(descriptor) => return,
                Some(stored) => Some(stored),
                None => return,
            },
        };
        let module = self.program.module_of_value(library.call);
        let function = module.function(module.instruction(library.call).function);
        self.roles.keys.push(KeyUse { value: library.call, base, key, stored, function, is_default: false });
    }

    /// True for a descriptor of a property with accessors only.
    fn has_no_value(&self, descriptor: NodeIndex) -> bool {
        let points_to = self.points_to;
        let Some(name) = self.program.names.get("value") else { return false };
        let objects = points_to.objects_of(descriptor);
        let lacks = |&object: &u32| {
            matches!(points_to.objects.kind(object), ObjectKind::Allocation(_)) && !points_to.is_stored(object, name)
        };
        !objects.is_empty() && objects.iter().all(lacks)
    }
}
