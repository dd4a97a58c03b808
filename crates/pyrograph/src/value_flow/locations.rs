//! Locations: fields of objects as functions see them.

use super::build::Builder;
use super::graph::{ALL, Edge, EdgeKind, ExtraNode, IDENTITY};
use super::place::Place;
use crate::flow::Op;
use crate::knowledge::RuleMask;
use crate::points_to::{ActualArgument, Formal, NodeIndex, ObjectKind};
use crate::program::{Name, Names};

/// Largest number of shared objects that an access of a field touches. Values with more are known too badly to be useful.
const MAX_SHARED: usize = 8;
/// Largest number of field names of a location.
const MAX_PATH: u8 = 3;
/// Largest number of objects in a value as a function sees them.
const MAX_ROOTS: usize = 6;
/// Largest number of targets of a call that fields of arguments are passed to. Calls with more are known too badly.
const MAX_FIELD_TARGETS: usize = 6;
/// Largest number of flows between callers and fields of parameters of one function. Shallow fields come first.
const MAX_FORMAL_EDGES: u32 = 2000;
/// Largest number of locations: a constant and a part for each value.
const MIN_LOCATIONS: usize = 40_000;
const VALUES_PER_LOCATION: usize = 4;
/// Largest number of fields below a value, at all depths.
const MAX_ROOT_SIZE: u32 = 96;
/// Largest number of edges between fields in callers and callees: a constant, and as many as there are values.
const MIN_EDGES: usize = 200_000;

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
    fn modified(&mut self, location: NodeIndex) -> Option<NodeIndex> {
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
                Op::Allocate(_) | Op::Call(_) | Op::RestParameter(_) | Op::RestOf(..) => roots.push(node),
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
            self.limit("depth of fields");
            return parent;
        }
        if let Some(&known) = self.graph.numbers.get(&ExtraNode::Local(parent, name)) {
            return known;
        }
        if self.graph.extra.len() >= MIN_LOCATIONS + self.program.value_count as usize / VALUES_PER_LOCATION {
            self.limit("locations of the value-flow graph");
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
    fn store_shared(&mut self, origin: NodeIndex, object: u32, name: Name, kind: EdgeKind, mask: RuleMask) {
        let (stored, shared) = (self.stored(object, name), self.shared(object, name));
        self.flow(origin, stored, kind, mask);
        self.flow(stored, shared, EdgeKind::Heap, ALL & !IDENTITY);
    }

    /// Adds a flow into a place.
    pub(super) fn write_place(&mut self, origin: NodeIndex, place: Place, kind: EdgeKind, mask: RuleMask) {
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
            Names::CONTENT => matches!(name, Names::KEY | Names::VALUE) || !Names::is_hidden(name),
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
                        self.escaping[object as usize] && is_library_result
                    }
                };
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

    /// Contents of the objects inside the objects of a value.
    pub(super) fn inner_contents(&mut self, node: NodeIndex) -> Vec<NodeIndex> {
        let points_to = self.points_to;
        let is_data =
            |object: u32| matches!(points_to.objects.kind(object), ObjectKind::Allocation(_) | ObjectKind::Array(_));
        let mut objects: Vec<u32> = self.objects_of(node).iter().copied().filter(|&object| is_data(object)).collect();
        objects.truncate(MAX_SHARED);
        let outer = objects.len();
        let mut start = 0;
        for _ in 0..MAX_PATH {
            let end = objects.len();
            for position in start..end {
                for &(name, field) in points_to.fields_of(objects[position]) {
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
    fn has_callers(&self, function: u32, position: i64) -> bool {
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
            name => points_to.is_stored(object, name) || points_to.is_stored(object, Names::ELEMENT),
        }
    }

    /// True if an object comes into being at a value.
    fn is_own(&self, root: NodeIndex, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Allocation(value) | ObjectKind::Array(value) | ObjectKind::Instance(value, _) => value == root,
            ObjectKind::Rest(_) if root < self.program.value_count => {
                matches!(self.program.module_of_value(root).instruction(root).op, Op::RestParameter(_))
            }
            _ => false,
        }
    }

    fn shared_locations(&mut self, node: NodeIndex, name: Name, locations: &mut Vec<Place>, only_escaping: bool) {
        let points_to = self.points_to;
        let mut count = 0;
        for object in self.objects_of(node).to_vec() {
            if count >= MAX_SHARED {
                self.limit("shared objects of a value");
                break;
            }
            let is_data = match points_to.objects.kind(object) {
                ObjectKind::FunctionMethod(..) => false,
                // Nobody stores to most values of libraries.
                ObjectKind::External(_) => self.has_stores(object, name),
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
    fn path_locations(&mut self, node: NodeIndex, path: &[Name]) -> Vec<Place> {
        let Some((&first, rest)) = path.split_first() else { return Vec::new() };
        let locations = self.field_locations(node, first);
        self.locations_below(locations, rest)
    }

    /// Locations that a path of fields below a value is read from.
    fn path_origins(&mut self, node: NodeIndex, path: &[Name]) -> Vec<Place> {
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
                        && let Some(field) = points_to.field(object, field)
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
                next.push(Place::shared(self.shared(object, name)));
            }
            locations = next;
        }
        locations
    }

    /// Root of a location and the field names from it.
    fn path_of(&self, mut node: NodeIndex) -> (NodeIndex, Vec<Name>) {
        let mut path = Vec::new();
        while let Some(ExtraNode::Local(parent, name)) = self.graph.extra_node(node) {
            path.push(name);
            node = parent;
        }
        path.reverse();
        (node, path)
    }

    /// Connects new locations with the locations that they are in callers and callees.
    pub(super) fn connect_locations(&mut self) {
        while let Some(location) = self.new_locations.pop_front() {
            if (self.is_cancelled)() {
                return;
            }
            if self.graph.edges.len() > self.other_edges + MIN_EDGES + self.program.value_count as usize {
                self.limit("edges of the value-flow graph");
                self.new_locations.clear();
                return;
            }
            if let Some(ExtraNode::Modified(field)) = self.graph.extra_node(location) {
                self.connect_modified(location, field);
                continue;
            }
            let (root, path) = self.path_of(location);
            let is_collector = path.iter().any(|&name| matches!(name, Names::ANY | Names::CONTENT));
            if !is_collector {
                self.fill_by_copies(root, &path);
            }
            if let Some((function, position)) = self.points_to.layout.formal_of(root) {
                if position == i64::from(Formal::Return as u32) - 5 {
                    self.connect_returns(function, location, &path);
                } else {
                    self.connect_formal(function, position, location, &path);
                }
            } else if root < self.program.value_count || self.instances_of.contains_key(&root) {
                self.connect_value(root, location, &path, is_collector);
            }
        }
    }

    fn connect_returns(&mut self, function: u32, location: NodeIndex, path: &[Name]) {
        for value in self.returns.get(&function).cloned().unwrap_or_default() {
            for origin in self.path_origins(value, path) {
                self.flow(origin.node, location, origin.kind(), origin.mask());
            }
        }
    }

    /// Connects a field of a formal with what it is in callers.
    fn connect_formal(&mut self, function: u32, position: i64, location: NodeIndex, path: &[Name]) {
        for (instance, actual) in self.actuals_of(function, position) {
            for outer in self.path_origins(actual, path) {
                self.flow(outer.node, location, EdgeKind::Call(instance), outer.mask());
            }
        }
        for (_, origin) in self.copies.get(&self.path_of(location).0).cloned().unwrap_or_default() {
            for origin in self.path_origins(origin, path) {
                self.modify(origin.node, location, origin.kind(), origin.mask());
            }
        }
    }

    /// Functions that copy all fields of an object to a parameter do not name the fields. So each field of what callers pass becomes
    /// a field of the parameter.
    fn fill_by_copies(&mut self, root: NodeIndex, path: &[Name]) {
        for formal in self.filled.get(&root).cloned().unwrap_or_default() {
            path.iter().fold(formal, |location, &name| self.child(location, name));
        }
    }

    /// Collects the parameters that functions copy fields to, by the objects that callers pass.
    pub(super) fn collect_filled(&mut self) {
        let layout = &self.points_to.layout;
        let mut open: Vec<NodeIndex> =
            self.copies.keys().copied().filter(|&root| layout.formal_of(root).is_some()).collect();
        open.sort_unstable();
        let mut seen: std::collections::BTreeSet<NodeIndex> = open.iter().copied().collect();
        while let Some(formal) = open.pop() {
            let Some((function, position)) = self.points_to.layout.formal_of(formal) else { continue };
            for (_, actual) in self.actuals_of(function, position) {
                for root in self.roots(actual) {
                    let formals = self.filled.entry(root).or_default();
                    if !formals.contains(&formal) {
                        formals.push(formal);
                    }
                    if self.points_to.layout.formal_of(root).is_some() && seen.insert(root) {
                        open.push(root);
                    }
                }
            }
        }
    }

    /// Connects what a function stores to a field of a formal with what the field is in callers.
    fn connect_modified(&mut self, modified: NodeIndex, location: NodeIndex) {
        let (formal, path) = self.path_of(location);
        let points_to = self.points_to;
        let Some((function, position)) = points_to.layout.formal_of(formal) else { return };
        for (instance, actual) in self.actuals_of(function, position) {
            for outer in self.path_locations(actual, &path) {
                self.write_place(modified, outer, EdgeKind::Return(instance), ALL);
            }
        }
        // Without callers, and for objects that stand for all instances, the shared form is the only connection.
        let &[name] = path.as_slice() else { return };
        for &object in points_to.objects_of(formal).iter().take(MAX_SHARED) {
            let kind = points_to.objects.kind(object);
            if !self.has_callers(function, position) || matches!(kind, ObjectKind::DefaultInstance(_)) {
                self.store_shared(modified, object, name, EdgeKind::Heap, ALL & !IDENTITY);
            }
        }
    }

    /// Values that calls of a function pass as one of its formals, by call instance.
    fn actuals_of(&mut self, function: u32, position: i64) -> Vec<(u32, NodeIndex)> {
        let Some(instances) = self.callers.get(&function) else { return Vec::new() };
        let edges = self.formal_edges.entry(function).or_default();
        if *edges > MAX_FORMAL_EDGES {
            self.limit("fields of parameters of a function");
            return Vec::new();
        }
        *edges += instances.len() as u32;
        let is_receiver = position == i64::from(Formal::Receiver as u32) - 5;
        let mut actuals = Vec::with_capacity(instances.len());
        let mut left_out = 0;
        for &instance in instances {
            let call = self.graph.instances[instance as usize].call;
            if self.instances_of.get(&call).is_some_and(|targets| targets.len() > MAX_FIELD_TARGETS) {
                left_out += 1;
                continue;
            }
            let actual = match position {
                position if position >= 0 => match self.actuals[instance as usize].1.get(position as usize) {
                    Some(&ActualArgument::One(node)) => Some(node),
                    _ => None,
                },
                // Constructors that return an object lose their receiver.
                _ if is_receiver && self.is_new[instance as usize] && self.returns_object(function) => None,
                _ if is_receiver => self.actuals[instance as usize].0,
                _ => None,
            };
            actuals.extend(actual.map(|actual| (instance, actual)));
        }
        for _ in 0..left_out {
            self.limit("targets of a call whose arguments have fields");
        }
        actuals
    }

    /// Stores to the local form of a field are visible in the shared form. Loads read both; an edge back would make every
    /// store of the function visible to all of its callers.
    fn mirror(&mut self, object: u32, name: Name, location: NodeIndex, is_collector: bool) {
        if !is_collector {
            let shared = self.shared(object, name);
            let mask = if self.is_tuple(object, name) { ALL } else { ALL & !IDENTITY };
            self.flow(location, shared, EdgeKind::Heap, mask);
        }
    }

    /// True for a position of an array literal. Programs put objects together in such arrays: `queue.push([target, source])`.
    fn is_tuple(&self, object: u32, name: Name) -> bool {
        let ObjectKind::Array(value) = self.points_to.objects.kind(object) else { return false };
        value < self.program.value_count
            && self.program.names.is_position(name)
            && matches!(self.program.module_of_value(value).instruction(value).op, Op::Allocate(_))
    }

    fn connect_value(&mut self, root: NodeIndex, location: NodeIndex, path: &[Name], is_collector: bool) {
        let points_to = self.points_to;
        let is_call = root >= self.program.value_count || {
            let module = self.program.module_of_value(root);
            matches!(module.instruction(root).op, Op::Call(_))
        };
        if is_call {
            for instance in self.instances_of.get(&root).cloned().unwrap_or_default() {
                let function = self.graph.instances[instance as usize].function;
                if self.actuals[instance as usize].2 == Some(root) {
                    let formals: &[Formal] = match self.is_new[instance as usize] {
                        // Constructors that return an object yield it instead of the receiver.
                        true if !self.returns_object(function) => &[Formal::Receiver],
                        _ => &[Formal::Return],
                    };
                    for &formal in formals {
                        let mut inner = points_to.layout.formal(function, formal);
                        let mut mask = ALL;
                        for &name in path {
                            let child = Place::child(inner, self.child(inner, name));
                            inner = child.node;
                            mask &= child.mask();
                        }
                        // A new object has what its constructor stores.
                        let inner = match formal {
                            Formal::Receiver => self.modified(inner).unwrap_or(inner),
                            _ => inner,
                        };
                        self.flow(inner, location, EdgeKind::Return(instance), mask);
                    }
                }
            }
        }
        let copies = self.copies.get(&root).cloned().unwrap_or_default();
        for (position, &(_, origin)) in copies.iter().enumerate() {
            if is_collector || !self.is_overwritten(root, path[0], &copies, position) {
                for origin in self.path_origins(origin, path) {
                    self.flow(origin.node, location, origin.kind(), origin.mask());
                }
            }
        }
        let &[name] = path else { return };
        for &object in points_to.objects_of(root) {
            let is_own = self.is_own(root, points_to.objects.kind(object));
            if self.escaping[object as usize] && (is_own || self.is_foreign_result(root)) {
                self.mirror(object, name, location, is_collector);
            }
        }
    }

    /// True if a function returns objects, other than those that it makes itself without `new`.
    fn returns_object(&self, function: u32) -> bool {
        let points_to = self.points_to;
        let is_other = |&object: &u32| match points_to.objects.kind(object) {
            ObjectKind::Instance(_, class) | ObjectKind::DefaultInstance(class) => class != function,
            _ => true,
        };
        points_to.objects_of(points_to.layout.formal(function, Formal::Return)).iter().any(is_other)
    }

    /// True for results of calls whose objects other functions may hold too.
    fn is_foreign_result(&self, root: NodeIndex) -> bool {
        root < self.program.value_count
            && matches!(self.program.module_of_value(root).instruction(root).op, Op::Call(_))
    }
}

/// Bit that tells keys of shared fields from keys of local ones.
const SHARED: u32 = 1 << 31;
/// Bits of keys of what other functions store to shared fields.
const STORED: u32 = SHARED | 1 << 30;
