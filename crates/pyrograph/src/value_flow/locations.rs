//! Locations: fields of objects as functions see them.

use super::build::Builder;
use super::graph::{ALL, Edge, EdgeKind, ExtraNode, IDENTITY};
use super::place::Place;
use crate::flow::Op;
use crate::knowledge::RuleMask;
use crate::points_to::{Formal, NodeIndex, ObjectKind, PathIndex, Paths};
use crate::program::{Name, Names};

/// Largest number of shared objects that an access of a field touches. Values with more are known too badly to be useful.
pub(super) const MAX_SHARED: usize = 8;
/// Largest number of field names of a location.
const MAX_PATH: u8 = 3;
/// Largest number of objects in a value as a function sees them.
const MAX_ROOTS: usize = 6;
/// Largest number of locations: a constant and a part for each value.
const MIN_LOCATIONS: usize = 40_000;
const VALUES_PER_LOCATION: usize = 4;
/// Largest number of fields below a value, at all depths.
const MAX_ROOT_SIZE: u32 = 96;
impl Builder<'_> {
    /// Adds an edge.
    pub(super) fn flow(&mut self, from: NodeIndex, to: NodeIndex, kind: EdgeKind, mask: RuleMask) {
        if from != to && mask != 0 {
            self.graph.edges.push(Edge { from, to, kind, mask });
        }
    }

    /// Adds a flow into a field. Callers see what a function stores to fields of its parameters and its receiver.
    pub(super) fn modify(&mut self, from: NodeIndex, location: NodeIndex, kind: EdgeKind, mask: RuleMask) {
        self.flow(from, location, kind, mask);
        if let Some(modified) = self.modified(location) {
            self.flow(from, modified, kind, mask);
        }
    }

    /// Node of what a function stores to a field of a parameter or its receiver. None for other fields.
    pub(super) fn modified(&mut self, location: NodeIndex) -> Option<NodeIndex> {
        if let Some(&known) = self.graph.numbers.get(&ExtraNode::Modified(location)) {
            return Some(known);
        }
        let (root, path) = self.path_of(location);
        let (_, position) = self.points_to.layout.formal_of(root)?;
        let is_collector = path.iter().any(|&name| matches!(name, Names::ANY | Names::CONTENT));
        if path.is_empty() || is_collector || position == i64::from(Formal::Return as u32) - 5 {
            return None;
        }
        let (node, _) = self.graph.node(ExtraNode::Modified(location));
        self.depths.resize(self.graph.extra.len(), 0);
        self.new_locations.push_back(node);
        Some(node)
    }

    /// Nodes that hold the fields of a value, as its function sees them: roots and local fields.
    pub(super) fn roots(&mut self, node: NodeIndex) -> Vec<NodeIndex> {
        if let Some(roots) = self.root_cache.get(&node) {
            return roots.clone();
        }
        // Cycles of phis see no roots of the value that is being computed.
        self.root_cache.insert(node, Vec::new());
        let roots = self.compute_roots(node);
        self.root_cache.insert(node, roots.clone());
        roots
    }

    fn compute_roots(&mut self, start: NodeIndex) -> Vec<NodeIndex> {
        let mut roots = Vec::new();
        let mut stack = vec![start];
        let mut seen = vec![start];
        while let Some(node) = stack.pop() {
            if node >= self.program.value_count {
                // Formal nodes are roots; cells and fields are not.
                let is_local = matches!(self.graph.extra_node(node), Some(ExtraNode::Local(..)));
                // So are results of functions that library functions call.
                let is_result = self.instances_of.contains_key(&node);
                if self.points_to.layout.formal_of(node).is_some() || is_local || is_result {
                    roots.push(node);
                }
                for &origin in self.aliases.get(&node).into_iter().flatten() {
                    if seen.len() < 64 && !seen.contains(&origin) {
                        seen.push(origin);
                        stack.push(origin);
                    }
                }
                continue;
            }
            let module = self.program.module_of_value(node);
            let function = module.function(module.instruction(node).function);
            let layout = &self.points_to.layout;
            match module.instruction(node).op {
                Op::Parameter(position) => roots.extend(layout.parameter(function, position)),
                Op::Receiver => roots.push(layout.formal(function, Formal::Receiver)),
                Op::Arguments => roots.push(layout.formal(function, Formal::Arguments)),
                Op::Call(_) if self.aliases.contains_key(&node) => {
                    for &origin in self.aliases.get(&node).into_iter().flatten() {
                        if seen.len() < 64 && !seen.contains(&origin) {
                            seen.push(origin);
                            stack.push(origin);
                        }
                    }
                }
                Op::Allocate(_) | Op::Call(_) | Op::RestParameter(_) | Op::KeywordParameters | Op::RestOf(..) => {
                    roots.push(node)
                }
                Op::Copy(origin) | Op::Await(origin) | Op::Guard(origin, ..) => {
                    let origin = module.value(origin);
                    if !seen.contains(&origin) {
                        seen.push(origin);
                        stack.push(origin);
                    }
                }
                Op::Phi(list) => {
                    for &origin in module.flow.list(list) {
                        let origin = module.value(origin);
                        if seen.len() < 64 && !seen.contains(&origin) {
                            seen.push(origin);
                            stack.push(origin);
                        }
                    }
                }
                Op::LoadField(base, _) | Op::Element(base) | Op::LoadKey(base, _) => {
                    let name = match module.instruction(node).op {
                        Op::LoadField(_, symbol) => module.name(symbol),
                        _ => Names::ANY,
                    };
                    let base = module.value(base);
                    // Bounded: a field path has at most three names, then the node itself stands for its content.
                    if self.root_depth < 64 {
                        self.root_depth += 1;
                        let bases = self.roots(base);
                        self.root_depth -= 1;
                        for base in bases {
                            let child = self.child(base, name);
                            if child != base {
                                roots.push(child);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        roots.sort_unstable();
        roots.dedup();
        if roots.len() > MAX_ROOTS {
            self.limit("objects of a value in a function");
            roots.truncate(MAX_ROOTS);
        }
        roots
    }

    /// Number of field names of a location.
    fn depth(&self, node: NodeIndex) -> u8 {
        match self.graph.extra_node(node) {
            Some(ExtraNode::Local(..)) => self.depths[(node - self.graph.base) as usize],
            _ => 0,
        }
    }

    /// Name of the location of a field: fields that nobody stores by name have the same values.
    fn field_name(&self, name: Name) -> Name {
        match self.stored_names.get(name.0 as usize) {
            Some(false) if !matches!(name, Names::LENGTH | Names::SIZE) => Names::OTHER,
            _ => name,
        }
    }

    /// Local field of a node. At the maximum depth the node itself.
    pub(super) fn child(&mut self, parent: NodeIndex, name: Name) -> NodeIndex {
        let name = self.field_name(name);
        let depth = self.depth(parent);
        if depth >= MAX_PATH {
            // Deeper fields are those of the parent: no flow is lost.
            return parent;
        }
        if let Some(&known) = self.graph.numbers.get(&ExtraNode::Local(parent, name)) {
            return known;
        }
        if self.graph.extra.len() >= MIN_LOCATIONS + self.program.value_count as usize / VALUES_PER_LOCATION {
            self.limit("fields with nodes of their own");
            return parent;
        }
        let (root, _) = self.path_of(parent);
        let count = self.root_sizes.entry(root).or_default();
        if *count >= MAX_ROOT_SIZE && !matches!(name, Names::ANY | Names::CONTENT) {
            self.limit("fields of a value");
            return parent;
        }
        *count += 1;
        let (node, is_new) = self.graph.node(ExtraNode::Local(parent, name));
        if is_new {
            self.depths.resize(self.graph.extra.len(), 0);
            self.depths[(node - self.graph.base) as usize] = depth + 1;
            self.connect_siblings(parent, node, name, EdgeKind::Intra);
            self.new_locations.push_back(node);
        }
        node
    }

    /// Shared field of an object.
    pub(super) fn shared(&mut self, object: u32, name: Name) -> NodeIndex {
        let name = self.field_name(name);
        let (node, is_new) = self.graph.node(ExtraNode::Shared(object, name));
        if is_new {
            self.depths.resize(self.graph.extra.len(), 0);
            self.connect_siblings(SHARED | object, node, name, EdgeKind::Heap);
        }
        node
    }

    /// What other functions store to a shared field.
    fn stored(&mut self, object: u32, name: Name) -> NodeIndex {
        let name = self.field_name(name);
        let (node, is_new) = self.graph.node(ExtraNode::Stored(object, name));
        if is_new {
            self.depths.resize(self.graph.extra.len(), 0);
            self.connect_siblings(STORED | object, node, name, EdgeKind::Heap);
        }
        node
    }

    /// Adds a flow from a function that did not make an object to a shared field of it.
    pub(super) fn store_shared(&mut self, origin: NodeIndex, object: u32, name: Name, kind: EdgeKind, mask: RuleMask) {
        let (stored, shared) = (self.stored(object, name), self.shared(object, name));
        self.flow(origin, stored, kind, mask);
        self.flow(stored, shared, EdgeKind::Heap, ALL & !IDENTITY);
    }

    /// Adds a flow into a place.
    pub(super) fn write_place(&mut self, origin: NodeIndex, place: Place, kind: EdgeKind, mask: RuleMask) {
        // Beyond a limit, a field has no node of its own. In a language with classes, objects have many fields, and what one of them
        // holds is not in all others.
        let is_local = matches!(self.graph.extra_node(place.node), Some(ExtraNode::Local(..)));
        if place.is_collapsed && !is_local && self.calls_construct() {
            return;
        }
        match self.graph.extra_node(place.node) {
            Some(ExtraNode::Shared(object, name)) => self.store_shared(origin, object, name, kind, mask & place.mask()),
            _ => self.modify(origin, place.node, kind, mask & place.mask()),
        }
    }

    /// Connects a new field with the fields of the same object that stand for several.
    fn connect_siblings(&mut self, parent: u32, node: NodeIndex, name: Name, kind: EdgeKind) {
        let siblings = self.children.entry(parent).or_default().clone();
        let mixes = |name: Name| {
            !matches!(name, Names::LENGTH | Names::SIZE | Names::ANY | Names::CONTENT | Names::ELEMENT)
                && !Names::is_hidden(name)
        };
        // Fields that a collector collects.
        let is_collected = |collector: Name, name: Name| match collector {
            Names::CONTENT => matches!(name, Names::KEY | Names::VALUE | Names::KEYED) || !Names::is_hidden(name),
            _ => !Names::is_hidden(name),
        };
        for (other, sibling) in siblings {
            match (name, other) {
                (Names::ANY | Names::CONTENT, Names::ANY | Names::CONTENT) => {}
                (Names::ANY | Names::CONTENT, other) if is_collected(name, other) => {
                    self.flow(sibling, node, kind, ALL)
                }
                (name, Names::ANY | Names::CONTENT) if is_collected(other, name) => self.flow(node, sibling, kind, ALL),
                (Names::ELEMENT, other) if mixes(other) => self.flow(node, sibling, kind, ALL),
                (name, Names::ELEMENT) if mixes(name) => self.flow(sibling, node, kind, ALL),
                _ => {}
            }
        }
        self.children.entry(parent).or_default().push((name, node));
        if kind == EdgeKind::Intra {
            self.connect_element_fields(parent, node, name);
        }
        if kind == EdgeKind::Intra {
            self.connect_content(parent, node, name);
        }
    }

    /// Content collects all fields below a value, not only its own.
    fn connect_content(&mut self, parent: NodeIndex, node: NodeIndex, name: Name) {
        let is_collector = |name: Name| matches!(name, Names::ANY | Names::CONTENT);
        if name == Names::CONTENT {
            let mut below: Vec<(Name, NodeIndex)> = self.children.get(&parent).cloned().unwrap_or_default();
            while let Some((field, child)) = below.pop() {
                if is_collector(field) {
                    continue;
                }
                // Its own fields are connected already.
                let fields = self.children.get(&child).cloned().unwrap_or_default();
                for &(inner, field) in &fields {
                    if !is_collector(inner) {
                        self.flow(field, node, EdgeKind::Intra, ALL);
                    }
                }
                below.extend(fields);
            }
        } else if !is_collector(name) {
            let mut above = parent;
            while let Some(ExtraNode::Local(owner, _)) = self.graph.extra_node(above) {
                if let Some(&content) = self.graph.numbers.get(&ExtraNode::Local(owner, Names::CONTENT)) {
                    self.flow(node, content, EdgeKind::Intra, ALL);
                }
                above = owner;
            }
        }
    }

    /// Fields of any element are the fields of all elements.
    fn connect_element_fields(&mut self, parent: NodeIndex, node: NodeIndex, name: Name) {
        let is_collector = |name: Name| matches!(name, Names::ANY | Names::CONTENT) || Names::is_hidden(name);
        // A new field of the collector `any` of an object.
        if let Some(ExtraNode::Local(owner, Names::ANY)) = self.graph.extra_node(parent) {
            for (other, sibling) in self.children.get(&owner).cloned().unwrap_or_default() {
                if !is_collector(other) {
                    let field = self.child(sibling, name);
                    self.flow(field, node, EdgeKind::Intra, ALL);
                }
            }
        }
        // A new element of an object whose collector has fields.
        if !is_collector(name)
            && let Some(&any) = self.graph.numbers.get(&ExtraNode::Local(parent, Names::ANY))
        {
            for (field, target) in self.children.get(&any).cloned().unwrap_or_default() {
                let origin = self.child(node, field);
                self.flow(origin, target, EdgeKind::Intra, ALL);
            }
        }
    }

    /// Locations of a field of a value: local ones, and shared ones of objects that other functions see.
    pub(super) fn field_locations(&mut self, node: NodeIndex, name: Name) -> Vec<Place> {
        let roots = self.roots(node);
        let only_roots = roots.iter().all(|&root| self.depth(root) == 0);
        let mut locations: Vec<Place> = Vec::new();
        for &root in &roots {
            locations.push(Place::child(root, self.child(root, name)));
        }
        if roots.is_empty() || !only_roots {
            self.shared_locations(node, name, &mut locations, !roots.is_empty());
        }
        locations
    }

    /// Locations that a load of a field reads: those of the function, and those that other functions may write.
    pub(super) fn read_locations(&mut self, node: NodeIndex, name: Name) -> Vec<Place> {
        let mut locations = self.field_locations(node, name);
        let points_to = self.points_to;
        for root in self.roots(node) {
            if self.depth(root) > 0 {
                continue;
            }
            let formal = points_to.layout.formal_of(root);
            let has_callers = formal.is_some_and(|(function, position)| self.has_callers(function, position));
            for &object in points_to.objects_of(root).iter().take(MAX_SHARED) {
                let kind = points_to.objects.kind(object);
                let is_read = match formal {
                    Some(_) => !has_callers || matches!(kind, ObjectKind::DefaultInstance(_)),
                    None => {
                        let is_library_result = !self.instances_of.contains_key(&root) && self.is_foreign_result(root);
                        let is_shared = self.is_common(kind, name);
                        (self.escaping[object as usize] || is_shared) && is_library_result
                    }
                };
                if is_read && !self.tells_apart(object, name) {
                    continue;
                }
                if is_read {
                    let is_tuple = self.is_tuple(object, name);
                    locations.push(Place { is_tuple, ..Place::shared(self.shared(object, name)) });
                } else if self.escaping[object as usize] && self.is_own(root, kind) {
                    locations.push(Place::shared(self.stored(object, name)));
                }
            }
        }
        locations
    }

    /// True for fields that all values with an API path share: those with names such as `%%errors`, and reasons of promises.
    pub(super) fn is_common(&self, kind: ObjectKind, name: Name) -> bool {
        matches!(kind, ObjectKind::External(_))
            && (name == Names::ERROR || self.program.names.text(name).starts_with("%%"))
    }

    /// Contents of the objects inside the objects of a value.
    pub(super) fn inner_contents(&mut self, node: NodeIndex) -> Vec<NodeIndex> {
        let points_to = self.points_to;
        let is_data =
            |object: u32| matches!(points_to.objects.kind(object), ObjectKind::Allocation(_) | ObjectKind::Array(_));
        let mut objects: Vec<u32> = self.objects_of(node).iter().copied().filter(|&object| is_data(object)).collect();
        objects.truncate(MAX_SHARED);
        let outer = objects.len();
        let mut start = 0;
        'full: for _ in 0..MAX_PATH {
            let end = objects.len();
            for position in start..end {
                for &(name, field) in points_to.fields_of(objects[position]) {
                    if objects.len() >= outer + MAX_SHARED {
                        break 'full;
                    }
                    if matches!(name, Names::PARENT | Names::COPIED) {
                        continue;
                    }
                    for &object in points_to.objects_of(field) {
                        if is_data(object) && objects.len() < outer + MAX_SHARED && !objects.contains(&object) {
                            objects.push(object);
                        }
                    }
                }
            }
            start = end;
        }
        objects.drain(..outer);
        objects.into_iter().map(|object| self.shared(object, Names::CONTENT)).collect()
    }

    /// True if calls of a function pass this formal.
    pub(super) fn has_callers(&self, function: u32, position: i64) -> bool {
        let is_receiver = position == i64::from(Formal::Receiver as u32) - 5;
        self.callers.get(&function).is_some_and(|callers| {
            !is_receiver || callers.iter().any(|&caller| self.actuals[caller as usize].0.is_some())
        })
    }

    /// True if the program stores to a field of an object, or to one that stands for it.
    fn has_stores(&self, object: u32, name: Name) -> bool {
        let points_to = self.points_to;
        match name {
            Names::ANY | Names::CONTENT => {
                points_to.fields_of(object).iter().any(|&(name, _)| points_to.is_stored(object, name))
            }
            name if Names::is_keyed(name) => points_to.is_stored(object, Names::VALUE),
            name => points_to.is_stored(object, name) || points_to.is_stored(object, Names::ELEMENT),
        }
    }

    /// False for fields of values about which nothing is known, unless they have a name: one object stands for all of these values,
    /// and what one of them holds is not in the others. In a language with classes, this holds for the values of a type too.
    pub(super) fn tells_apart(&self, object: u32, name: Name) -> bool {
        match self.points_to.objects.kind(object) {
            ObjectKind::External(path) if self.stands_for_many(path) => {
                // Programs in a language with classes rarely give names to fields of values that libraries make.
                let is_known = !Paths::is_unknown(path) || !self.calls_construct();
                is_known
                    && !Names::is_hidden(name)
                    && !matches!(name, Names::ANY | Names::CONTENT | Names::ELEMENT | Names::OTHER)
                    && !self.program.names.is_position(name)
            }
            _ => true,
        }
    }

    /// True if an API path is that of many values: unknown ones, results of calls, and instances of a class.
    fn stands_for_many(&self, path: PathIndex) -> bool {
        if Paths::is_unknown(path) || !self.calls_construct() {
            return Paths::is_unknown(path);
        }
        let path = self.points_to.paths.text(path);
        let last = path.rsplit('.').next().unwrap_or(path);
        path.contains("()") || path.starts_with("global.") || last.starts_with(|first: char| first.is_uppercase())
    }

    /// True if an object comes into being at a value.
    pub(super) fn is_own(&self, root: NodeIndex, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Allocation(value) | ObjectKind::Array(value) | ObjectKind::Instance(value, _) => value == root,
            ObjectKind::Keywords(_) if root < self.program.value_count => {
                matches!(self.program.module_of_value(root).instruction(root).op, Op::KeywordParameters)
            }
            ObjectKind::Rest(_) if root < self.program.value_count => {
                matches!(self.program.module_of_value(root).instruction(root).op, Op::RestParameter(_))
            }
            _ => false,
        }
    }

    fn shared_locations(&mut self, node: NodeIndex, name: Name, locations: &mut Vec<Place>, only_escaping: bool) {
        let points_to = self.points_to;
        let mut count = 0;
        let before = locations.len();
        for object in self.objects_of(node).to_vec() {
            if count >= MAX_SHARED {
                // In a language with classes, a value that may be any object is known too badly to be one of the first ones.
                if self.calls_construct() {
                    locations.truncate(before);
                }
                self.limit("shared objects of a value");
                break;
            }
            let is_data = match points_to.objects.kind(object) {
                ObjectKind::FunctionMethod(..) => false,
                // Nobody stores to most values of libraries.
                ObjectKind::External(_) => self.has_stores(object, name) && self.tells_apart(object, name),
                _ => true,
            };
            let is_external = matches!(points_to.objects.kind(object), ObjectKind::External(_));
            if is_data && (!only_escaping || is_external || self.escaping[object as usize]) {
                count += 1;
                let shared = self.shared(object, name);
                locations.push(Place::shared(shared));
                // Copied fields are parents of the object.
                if let Some(parent) = points_to.field(object, Names::COPIED)
                    && !matches!(name, Names::CONTENT)
                {
                    for &inherited in points_to.objects_of(parent) {
                        if matches!(
                            points_to.objects.kind(inherited),
                            ObjectKind::Allocation(_) | ObjectKind::Array(_) | ObjectKind::Exports(_)
                        ) {
                            let inherited = self.shared(inherited, name);
                            self.flow(inherited, shared, EdgeKind::Heap, ALL);
                        }
                    }
                }
            }
        }
    }

    /// Locations that a path of fields below a value is stored to.
    pub(super) fn path_locations(&mut self, node: NodeIndex, path: &[Name]) -> Vec<Place> {
        let Some((&first, rest)) = path.split_first() else { return Vec::new() };
        let locations = self.field_locations(node, first);
        self.locations_below(locations, rest)
    }

    /// Locations that a path of fields below a value is read from.
    pub(super) fn path_origins(&mut self, node: NodeIndex, path: &[Name]) -> Vec<Place> {
        let Some((&first, rest)) = path.split_first() else { return Vec::new() };
        let locations = self.read_locations(node, first);
        self.locations_below(locations, rest)
    }

    /// Locations of a path of fields below locations.
    fn locations_below(&mut self, mut locations: Vec<Place>, rest: &[Name]) -> Vec<Place> {
        let mut objects: Vec<u32> = Vec::new();
        for &name in rest {
            // Shared parts continue with the objects in the field.
            let points_to = self.points_to;
            let mut next = Vec::new();
            for location in locations {
                if location.is_shared {
                    if let Some(ExtraNode::Shared(object, field) | ExtraNode::Stored(object, field)) =
                        self.graph.extra_node(location.node)
                        && let Some(field) = points_to.field(object, plain(field))
                    {
                        objects.extend_from_slice(points_to.objects_of(field));
                    }
                } else {
                    let child = Place::child(location.node, self.child(location.node, name));
                    next.push(Place { is_collapsed: child.is_collapsed || location.is_collapsed, ..child });
                }
            }
            objects.sort_unstable();
            objects.dedup();
            for object in std::mem::take(&mut objects).into_iter().take(8) {
                if !self.tells_apart(object, name) {
                    continue;
                }
                next.push(Place::shared(self.shared(object, name)));
            }
            locations = next;
        }
        locations
    }

    /// Root of a location and the field names from it.
    pub(super) fn path_of(&self, mut node: NodeIndex) -> (NodeIndex, Vec<Name>) {
        let mut path = Vec::new();
        while let Some(ExtraNode::Local(parent, name)) = self.graph.extra_node(node) {
            path.push(name);
            node = parent;
        }
        path.reverse();
        (node, path)
    }
}

/// Bit that tells keys of shared fields from keys of local ones.
const SHARED: u32 = 1 << 31;
/// Bits of keys of what other functions store to shared fields.
const STORED: u32 = SHARED | 1 << 30;

/// Name that the points-to analysis has for a field: it does not tell keys of maps apart.
pub(super) fn plain(name: Name) -> Name {
    if Names::is_keyed(name) { Names::VALUE } else { name }
}
