//! Endpoints of models as nodes of the graph: what a call reads and writes.

use super::build::Builder;
use super::graph::{ALL, EdgeKind, IDENTITY};
use crate::knowledge::{Endpoint, Root, RuleMask, Step};
use crate::points_to::{ActualArgument, LibraryCall, NodeIndex};
use crate::program::Names;

impl Builder<'_> {
    /// Nodes of the root of an endpoint.
    pub(super) fn root_nodes(&self, library: &LibraryCall, root: Root) -> Vec<NodeIndex> {
        match root {
            Root::Argument(position) => match library.arguments.get(position as usize) {
                Some(&ActualArgument::One(node)) => vec![node],
                // A spread argument may be at this position.
                _ => library
                    .arguments
                    .iter()
                    .take(position as usize + 1)
                    .filter_map(|argument| match argument {
                        ActualArgument::Spread(node) => Some(*node),
                        _ => None,
                    })
                    .collect(),
            },
            Root::ArgumentsFrom(position) => {
                library.arguments.iter().skip(position as usize).filter_map(|argument| argument.node()).collect()
            }
            // Their names are steps, see `named_nodes`.
            Root::Keywords => Vec::new(),
            Root::Receiver => {
                library.receiver.into_iter().filter(|&receiver| !self.program.is_namespace(receiver)).collect()
            }
            Root::Return => vec![library.result],
        }
    }

    /// Nodes of the named argument that the first step of an endpoint names.
    pub(super) fn named_nodes(&self, library: &LibraryCall, endpoint: &Endpoint) -> Vec<NodeIndex> {
        let (Root::Keywords, Some(Step::Field(name))) = (endpoint.root, endpoint.steps.first()) else {
            return Vec::new();
        };
        let name = self.program.names.get(name);
        let node = |argument: &ActualArgument| match *argument {
            ActualArgument::Named(node, known) if Some(known) == name => Some(node),
            _ => None,
        };
        library.arguments.iter().filter_map(node).collect()
    }

    /// Nodes whose taint is at an endpoint.
    pub(super) fn read(&mut self, library: &LibraryCall, endpoint: &Endpoint, number: u32) -> Vec<NodeIndex> {
        let mut nodes = self.root_nodes(library, endpoint.root);
        if let Root::Argument(position) = endpoint.root {
            // Elements of spread arguments.
            let spread = library.arguments.iter().position(|argument| matches!(argument, ActualArgument::Spread(_)));
            if let Some(spread) = spread.filter(|&spread| spread <= position as usize)
                && let ActualArgument::Spread(array) = library.arguments[spread]
            {
                let element = self.library_temporary(library, 8000 + position);
                let name = self.program.names.get(&(position as usize - spread).to_string());
                self.load(array, name.unwrap_or(Names::ANY), element);
                nodes = vec![element];
                // Arguments behind it may be at this position too.
                let behind = library.arguments[spread + 1..].iter().take(position as usize - spread + 1);
                nodes.extend(behind.filter_map(|argument| match argument {
                    ActualArgument::One(node) => Some(*node),
                    _ => None,
                }));
            }
        }
        if let Root::ArgumentsFrom(first) = endpoint.root {
            for (position, argument) in library.arguments.iter().enumerate().skip(first as usize) {
                if let ActualArgument::Spread(array) = *argument {
                    let element = self.library_temporary(library, 8500 + position.min(255) as u32);
                    self.load(array, Names::ANY, element);
                    nodes.push(element);
                }
            }
        }
        let points_to = self.points_to;
        let mut depth = 0;
        if endpoint.root == Root::Keywords {
            nodes = self.named_nodes(library, endpoint);
            // Named arguments that are fields of a value.
            if let Some(Step::Field(name)) = endpoint.steps.first() {
                let name = self.program.names.get(name).unwrap_or(Names::OTHER);
                for (position, argument) in library.arguments.iter().enumerate() {
                    if let ActualArgument::Keywords(table) = *argument {
                        let target = self.library_temporary(library, 9000 + number * 64 + position.min(63) as u32);
                        self.load(table, name, target);
                        nodes.push(target);
                    }
                }
            }
            depth = 1;
        }
        while let Some(step) = endpoint.steps.get(depth) {
            let site = || points_to.callbacks.site(library.result, &endpoint.prefix(depth));
            let name = match step {
                Step::Field(name) => match self.program.names.get(name) {
                    Some(name) => name,
                    // No code uses the field; a tainted object still has it.
                    None => {
                        depth += 1;
                        continue;
                    }
                },
                Step::Element => Names::ANY,
                Step::Key => Names::KEY,
                Step::Value => Names::VALUE,
                Step::Content => Names::CONTENT,
                Step::Return => {
                    nodes = site().map(|site| site.result).into_iter().collect();
                    depth += 1;
                    continue;
                }
                Step::Takes(_) | Step::Except(_) => {
                    depth += 1;
                    continue;
                }
                Step::Throw => {
                    nodes = site().and_then(|site| site.error).into_iter().collect();
                    depth += 1;
                    continue;
                }
                Step::Receiver => {
                    nodes = site().and_then(|site| site.receiver).into_iter().collect();
                    depth += 1;
                    continue;
                }
                Step::Parameter(position) => {
                    let passed = match endpoint.steps.get(depth + 1) {
                        Some(Step::Parameter(_)) => depth + 2,
                        _ => depth + 1,
                    };
                    if let Some(input) = points_to.callbacks.input(library.result, &endpoint.prefix(passed)) {
                        nodes = vec![input];
                        depth = passed;
                        continue;
                    }
                    nodes =
                        site().and_then(|site| site.arguments.get(*position as usize).copied()).into_iter().collect();
                    depth += 1;
                    continue;
                }
            };
            let mut next = Vec::new();
            for (position, node) in nodes.into_iter().enumerate() {
                let number = number * 64 + depth as u32 * 8 + position.min(7) as u32;
                let target = self.library_temporary(library, number);
                self.load(node, name, target);
                if let Step::Field(field) = step {
                    self.field_source(target, node, field, library.call);
                }
                if name == Names::VALUE {
                    // Values under constant keys.
                    let keyed = match endpoint.root == Root::Receiver && endpoint.steps.len() == 1 {
                        true => self.slot_of(library).unwrap_or(Names::KEYED),
                        false => Names::KEYED,
                    };
                    if keyed != Names::KEYED || self.has_keyed {
                        self.load(node, keyed, target);
                    }
                }
                let is_argument = endpoint.root != Root::Receiver;
                if name == Names::VALUE && is_argument {
                    // Fields of an object by an unknown key.
                    self.load(node, Names::ANY, target);
                } else if name == Names::KEY && is_argument {
                    self.flow(node, target, EdgeKind::Intra, ALL & !IDENTITY);
                }
                next.push(target);
            }
            nodes = next;
            depth += 1;
        }
        nodes
    }

    /// Writes a node to an endpoint.
    pub(super) fn write(
        &mut self,
        library: &LibraryCall,
        endpoint: &Endpoint,
        origin: NodeIndex,
        mask: RuleMask,
        number: u32,
    ) {
        let Some((last, before)) = endpoint.steps.split_last() else {
            for node in self.root_nodes(library, endpoint.root) {
                self.flow(origin, node, EdgeKind::Intra, mask);
            }
            return;
        };
        let descends =
            before.iter().all(|step| matches!(step, Step::Field(_) | Step::Element | Step::Key | Step::Value))
                && matches!(last, Step::Field(_) | Step::Element | Step::Key | Step::Value);
        let base = endpoint.prefix(before.len());
        let points_to = self.points_to;
        match last {
            Step::Parameter(position) => {
                let Some(site) = points_to.callbacks.site(library.result, &base) else { return };
                if let Some(&argument) = site.arguments.get(*position as usize) {
                    self.write_site(argument, origin, mask);
                }
                if let Some(receiver) = site.receiver {
                    self.write_receiver(library, &base, receiver);
                }
                return;
            }
            Step::Receiver => {
                if let Some(receiver) = points_to.callbacks.site(library.result, &base).and_then(|site| site.receiver) {
                    self.write_site(receiver, origin, mask);
                }
                return;
            }
            _ => {}
        }
        if let (Some(name), Some(part)) = (self.step_name(last), points_to.callbacks.part(library.result, &base))
            && !base.steps.is_empty()
        {
            let shared = self.shared(part, name);
            self.flow(origin, shared, EdgeKind::Heap, mask);
        }
        let bases = match before.is_empty() || descends {
            true => self.root_nodes(library, endpoint.root),
            false => self.read(library, &base, number + 500),
        };
        if descends && !before.is_empty() {
            // Fields of fields of what the call makes.
            for base in bases {
                let mut locations: Vec<NodeIndex> = self.roots(base);
                for step in &endpoint.steps {
                    let Some(name) = self.step_name(step) else { continue };
                    locations = locations.into_iter().map(|location| self.child(location, name)).collect();
                }
                for location in locations {
                    self.modify(origin, location, EdgeKind::Intra, mask);
                }
            }
            return;
        }
        for base in bases {
            let name = match last {
                Step::Field(name) => self.program.names.get(name),
                Step::Element => Some(Names::ELEMENT),
                Step::Key => Some(Names::KEY),
                Step::Value => Some(Names::VALUE),
                Step::Content => {
                    self.flow(origin, base, EdgeKind::Intra, mask & !IDENTITY);
                    None
                }
                Step::Parameter(_) | Step::Receiver | Step::Return | Step::Throw | Step::Takes(_) | Step::Except(_) => {
                    None
                }
            };
            let slot = match endpoint.root == Root::Receiver && name == Some(Names::VALUE) {
                true => self.slot_of(library),
                false => None,
            };
            let names = match slot {
                Some(slot) => [Some(slot), Some(Names::KEYED)],
                None => [name, None],
            };
            for name in names.into_iter().flatten() {
                for location in self.field_locations(base, name) {
                    self.write_place(origin, location, location.kind(), mask);
                }
            }
        }
    }

    /// Field of a map under a constant key: `map.get("name")`, `map.set("name", value)`.
    fn slot_of(&self, library: &LibraryCall) -> Option<crate::program::Name> {
        let &ActualArgument::One(key) = library.arguments.first()? else { return None };
        if !matches!(self.method_of(library.call), Some("get" | "set")) {
            return None;
        }
        self.map_slots.get(&self.constant_text(self.resolved(key))?).copied()
    }

    /// Numbers the constant keys of maps. Keys beyond the number of fields share one with others.
    pub(super) fn collect_map_keys(&mut self) {
        let mut keys = std::collections::BTreeSet::new();
        for library in &self.points_to.library_calls {
            let method = self.method_of(library.call);
            let Some(&ActualArgument::One(key)) = library.arguments.first() else { continue };
            if matches!(method, Some("get" | "set"))
                && let Some(text) = self.constant_text(self.resolved(key))
            {
                self.has_keyed |= method == Some("set");
                keys.insert(text);
            }
        }
        if self.has_keyed {
            let slots = keys.into_iter().enumerate().map(|(number, key)| (key, Names::slot(number)));
            self.map_slots = slots.collect();
        }
    }

    /// Name of the field that a step is.
    fn step_name(&self, step: &Step) -> Option<crate::program::Name> {
        match step {
            Step::Field(name) => self.program.names.get(name),
            Step::Element => Some(Names::ELEMENT),
            Step::Key => Some(Names::KEY),
            Step::Value => Some(Names::VALUE),
            Step::Content
            | Step::Parameter(_)
            | Step::Return
            | Step::Receiver
            | Step::Throw
            | Step::Takes(_)
            | Step::Except(_) => None,
        }
    }

    /// A library function passes a value to a node of the calls that it makes.
    fn write_site(&mut self, target: NodeIndex, origin: NodeIndex, mask: RuleMask) {
        self.flow(origin, target, EdgeKind::Intra, mask);
        if mask & IDENTITY != 0 {
            let origins = self.aliases.entry(target).or_default();
            if !origins.contains(&origin) {
                origins.push(origin);
                self.root_cache.remove(&target);
            }
        }
    }

    /// The receiver of a function in a field is the object of the field.
    fn write_receiver(&mut self, library: &LibraryCall, base: &Endpoint, receiver: NodeIndex) {
        if matches!(base.steps.last(), Some(Step::Field(_))) && !self.aliases.contains_key(&receiver) {
            for owner in self.read(library, &base.prefix(base.steps.len() - 1), 960) {
                self.write_site(receiver, owner, ALL);
            }
        }
    }
}
