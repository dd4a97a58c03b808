//! Result of the points-to analysis.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::callbacks::Callbacks;
use super::iteration::Iteration;
use super::layout::{Layout, NodeIndex};
use super::links::{Definition, LibraryCall, Link};
use super::objects::{ObjectIndex, ObjectKind, Objects};
use super::paths::Paths;
use super::sets::PointsToSet;
use crate::program::{FunctionIndex, Name, ValueIndex};

/// Frozen result of the points-to analysis.
#[derive(Debug)]
pub struct PointsTo {
    /// Numbering of nodes.
    pub layout: Layout,
    /// Objects.
    pub objects: Objects,
    /// API paths.
    pub paths: Paths,
    /// Calls with targets in the program, in order of calls.
    pub links: Vec<Link>,
    /// Calls of library functions and unknown functions, in order of calls.
    pub library_calls: Vec<LibraryCall>,
    /// Flows into the results of calls that functions made by the analysis settle, such as `resolve` of a promise.
    pub settlements: Vec<(NodeIndex, NodeIndex)>,
    /// Calls, targets and origins of copied fields (`Object.assign` and the like), in the order of the origins.
    pub copies: Vec<(ValueIndex, NodeIndex, NodeIndex)>,
    /// Results of calls that are one of their arguments.
    pub aliases: Vec<(NodeIndex, NodeIndex)>,
    /// Properties that calls define.
    pub definitions: Vec<Definition>,
    /// Calls of library functions of what the program passes to them.
    pub callbacks: Callbacks,
    /// Elements of objects that have iterators of their own.
    pub iterations: HashMap<ObjectIndex, Vec<Iteration>, FixedState>,
    /// Nodes of objects whose elements the program reads by iterators of their own.
    pub iterated: Vec<NodeIndex>,
    /// Limits that were reached, with the number of times.
    pub limits: BTreeMap<&'static str, u64>,
    pub(super) stored: HashSet<(ObjectIndex, Name), FixedState>,
    pub(super) sets: Vec<PointsToSet>,
    pub(super) fields: HashMap<(ObjectIndex, Name), NodeIndex, FixedState>,
    pub(super) object_fields: Vec<Vec<(Name, NodeIndex)>>,
    pub(super) globals: HashMap<Name, NodeIndex, FixedState>,
}

impl PointsTo {
    /// Objects that a node may be.
    #[must_use]
    pub fn objects_of(&self, node: NodeIndex) -> &[ObjectIndex] {
        self.sets.get(node as usize).map_or(&[], PointsToSet::items)
    }

    /// Functions that a node may be.
    pub fn functions_of(&self, node: NodeIndex) -> impl Iterator<Item = FunctionIndex> + '_ {
        self.objects_of(node).iter().filter_map(|&object| match self.objects.kind(object) {
            ObjectKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// API paths that a node may be.
    pub fn paths_of(&self, node: NodeIndex) -> impl Iterator<Item = &str> + '_ {
        self.objects_of(node).iter().filter_map(|&object| match self.objects.kind(object) {
            ObjectKind::External(path) => Some(self.paths.text(path)),
            _ => None,
        })
    }

    /// Node of a field, if anything stored or loaded it.
    #[must_use]
    pub fn field(&self, object: ObjectIndex, name: Name) -> Option<NodeIndex> {
        self.fields.get(&(object, name)).copied()
    }

    /// Fields of an object in order of creation.
    #[must_use]
    pub fn fields_of(&self, object: ObjectIndex) -> &[(Name, NodeIndex)] {
        self.object_fields.get(object as usize).map_or(&[], Vec::as_slice)
    }

    /// True if the program stores to a field of an object.
    #[must_use]
    pub fn is_stored(&self, object: ObjectIndex, name: Name) -> bool {
        self.stored.contains(&(object, name))
    }

    /// Node of a global variable that the program stores.
    #[must_use]
    pub fn global(&self, name: Name) -> Option<NodeIndex> {
        self.globals.get(&name).copied()
    }

    /// Objects that fields, globals or these nodes hold, so that several functions may see them.
    #[must_use]
    pub fn escaping(&self, shared: impl Iterator<Item = NodeIndex>) -> Vec<bool> {
        let mut escaping = vec![false; self.objects.len()];
        let mut mark = |node: NodeIndex| {
            for &object in self.objects_of(node) {
                escaping[object as usize] = true;
            }
        };
        for fields in &self.object_fields {
            for &(name, node) in fields {
                if name != crate::program::Names::COPIED {
                    mark(node);
                }
            }
        }
        let mut globals: Vec<NodeIndex> = self.globals.values().copied().collect();
        globals.sort_unstable();
        globals.into_iter().chain(shared).for_each(&mut mark);
        // What is copied to such an object is visible where the object is.
        let copied = |object: u32| self.field(object, crate::program::Names::COPIED);
        let mut open: Vec<u32> = (0..escaping.len() as u32).filter(|&object| escaping[object as usize]).collect();
        while let Some(object) = open.pop() {
            for &origin in copied(object).map_or(&[][..], |node| self.objects_of(node)) {
                if !std::mem::replace(&mut escaping[origin as usize], true) {
                    open.push(origin);
                }
            }
        }
        escaping
    }

    /// Links of a call.
    #[must_use]
    pub fn links_of(&self, call: ValueIndex) -> &[Link] {
        let start = self.links.partition_point(|link| link.call < call);
        let end = self.links.partition_point(|link| link.call <= call);
        &self.links[start..end]
    }

    /// Library calls of a call instruction.
    #[must_use]
    pub fn library_calls_of(&self, call: ValueIndex) -> &[LibraryCall] {
        let start = self.library_calls.partition_point(|library| library.call < call);
        let end = self.library_calls.partition_point(|library| library.call <= call);
        &self.library_calls[start..end]
    }
}

impl PointsTo {
    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> NodeIndex {
        self.sets.len() as NodeIndex
    }
}
