//! Endpoints of models: which nodes they are; and calls of library functions of what the program passes to them.
//!
//! A library function calls the objects at an endpoint such as `argument0` or `receiver.%listeners`. All flows of the model to
//! parameters of this endpoint meet in the nodes of one [`CallbackSite`]. A function that arrives at the endpoint is called
//! with these nodes as arguments, as from a call of the program. So bound functions, promisified functions and functions of
//! libraries are called as well.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::calls::PendingCall;
use super::layout::NodeIndex;
use super::links::{ActualArgument, CallbackSite};
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::CallKind;
use crate::knowledge::{ApiModel, Endpoint, Root, Step};
use crate::program::{Name, Names};

/// Type of results that are texts, and no objects.
const TEXT: &str = "text";

/// Nodes and objects of endpoints, by the node of the call's result and the endpoint.
#[derive(Debug, Default)]
pub struct Callbacks {
    sites: Vec<CallbackSite>,
    numbers: HashMap<(NodeIndex, Endpoint), u32, FixedState>,
    inputs: HashMap<(NodeIndex, Endpoint), NodeIndex, FixedState>,
    parts: HashMap<(NodeIndex, Endpoint), ObjectIndex, FixedState>,
    part_count: u32,
}

impl Callbacks {
    /// Calls of what is at an endpoint of a library call.
    #[must_use]
    pub fn site(&self, result: NodeIndex, base: &Endpoint) -> Option<&CallbackSite> {
        self.sites.get(*self.numbers.get(&(result, base.clone()))? as usize)
    }

    /// Node of what the program passes to a function that it gets from a library call.
    #[must_use]
    pub fn input(&self, result: NodeIndex, endpoint: &Endpoint) -> Option<NodeIndex> {
        self.inputs.get(&(result, endpoint.clone())).copied()
    }

    /// Object that a library call makes at an endpoint.
    #[must_use]
    pub fn part(&self, result: NodeIndex, endpoint: &Endpoint) -> Option<ObjectIndex> {
        self.parts.get(&(result, endpoint.clone())).copied()
    }

    /// All sites.
    #[must_use]
    pub fn sites(&self) -> &[CallbackSite] {
        &self.sites
    }
}

impl Solver<'_> {
    /// An argument of a call by an endpoint.
    fn root_nodes(&mut self, pending: &PendingCall, endpoint: &Endpoint) -> Vec<NodeIndex> {
        match endpoint.root {
            Root::Keywords => {
                let Some(Step::Field(name)) = endpoint.steps.first() else { return Vec::new() };
                let Some(name) = self.program.names.get(name) else { return Vec::new() };
                let mut nodes = Vec::new();
                for &argument in &pending.arguments {
                    match argument {
                        ActualArgument::Named(node, known) if known == name => nodes.push(node),
                        ActualArgument::Keywords(node) => {
                            let target = self.new_node();
                            self.constrain(node, Constraint::Load(name, target));
                            nodes.push(target);
                        }
                        _ => {}
                    }
                }
                nodes
            }
            Root::Argument(position) => match pending.arguments.get(position as usize) {
                Some(&ActualArgument::One(node)) => vec![node],
                _ => Vec::new(),
            },
            Root::ArgumentsFrom(position) => {
                pending.arguments.iter().skip(position as usize).filter_map(|argument| argument.node()).collect()
            }
            Root::Receiver => {
                pending.receiver.into_iter().filter(|&receiver| !self.program.is_namespace(receiver)).collect()
            }
            Root::Return => pending.result.into_iter().collect(),
        }
    }

    /// Types of results and parameters.
    pub(super) fn apply_types(&mut self, pending: &PendingCall, model: &ApiModel) {
        for (endpoint, path) in &model.types {
            let object = self.external(path);
            let node = self.new_node();
            self.add(node, object);
            self.write_endpoint(pending, model, endpoint, node);
        }
    }

    /// Flows of a model, and the calls that its sources need.
    pub(super) fn apply_flows(&mut self, pending: &PendingCall, model: &ApiModel) {
        for (from, to) in &model.flows {
            if from.steps.last() == Some(&Step::Content) {
                continue;
            }
            // Parts of texts and keys of dictionaries are texts, not the object that they come from.
            let is_part = self.has_text_results
                && (from.root == Root::Receiver || returns_text(model))
                && to.root == Root::Return
                && from.steps.is_empty()
                && !to.steps.is_empty();
            let origins = match is_part {
                true => vec![self.new_node()],
                false => self.read_endpoint(pending, model, from, false),
            };
            for origin in origins {
                self.write_endpoint(pending, model, to, origin);
            }
        }
        // The function is called, even if nothing flows to its parameters.
        for (_, to) in &model.flows {
            if let Some((Step::Parameter(_) | Step::Receiver, before)) = to.steps.split_last() {
                self.site(pending, model, &to.prefix(before.len()));
            }
        }
        let sinks = model.sinks.iter().map(|(endpoint, _)| endpoint);
        for endpoint in sinks.chain(model.conditional_sinks.iter().map(|(endpoint, ..)| endpoint)) {
            if endpoint.steps.contains(&Step::Return) {
                self.read_endpoint(pending, model, endpoint, false);
            }
        }
        let conditional = model.conditional_sources.iter().map(|(endpoint, ..)| endpoint);
        for endpoint in model.sources.iter().map(|(endpoint, _)| endpoint).chain(conditional) {
            if let Some((Step::Parameter(_), before)) = endpoint.steps.split_last() {
                self.site(pending, model, &endpoint.prefix(before.len()));
            }
        }
    }

    /// Names of the field that a step is.
    fn step_names(&self, pending: &PendingCall, step: &Step, is_write: bool) -> Vec<Name> {
        let name = match step {
            Step::Field(name) => match self.program.names.get(name) {
                Some(name) => name,
                None => return Vec::new(),
            },
            Step::Element => Names::ELEMENT,
            Step::Key => Names::KEY,
            Step::Value => Names::VALUE,
            Step::Content
            | Step::Parameter(_)
            | Step::Return
            | Step::Receiver
            | Step::Throw
            | Step::Takes(_)
            | Step::Except(_) => return Vec::new(),
        };
        if name != Names::LISTENERS {
            return vec![name];
        }
        // Listeners of constant events are told apart.
        let event = self.listened_event(pending).and_then(|event| self.program.names.get(&Names::listeners(event)));
        match (event, is_write) {
            (Some(event), true) => vec![event, Names::LISTENERS],
            (Some(event), false) => vec![event, Names::ANY_EVENT],
            (None, true) => vec![Names::ANY_EVENT, Names::LISTENERS],
            (None, false) => vec![Names::LISTENERS],
        }
    }

    /// Nodes of an endpoint. With `makes`, the call makes the objects on the way, where they are its own.
    fn read_endpoint(
        &mut self,
        pending: &PendingCall,
        model: &ApiModel,
        endpoint: &Endpoint,
        makes: bool,
    ) -> Vec<NodeIndex> {
        let mut nodes = self.root_nodes(pending, endpoint);
        let mut is_own = endpoint.root == Root::Return;
        if makes && is_own {
            self.add_part(pending, &endpoint.prefix(0), &nodes);
        }
        // The name of a named argument belongs to the root.
        let mut depth = usize::from(endpoint.root == Root::Keywords);
        while let Some(step) = endpoint.steps.get(depth) {
            depth += 1;
            let before = endpoint.prefix(depth - 1);
            match step {
                Step::Parameter(position) => {
                    let passes = matches!(endpoint.steps.get(depth), Some(Step::Parameter(_)));
                    if passes || is_own {
                        // What the program passes to a function that it gets from the library.
                        depth += usize::from(passes);
                        nodes = self.input(pending, model, &endpoint.prefix(depth)).into_iter().collect();
                        is_own = false;
                        continue;
                    }
                    let site = self.site(pending, model, &before);
                    nodes = self.callbacks.sites[site as usize]
                        .arguments
                        .get(*position as usize)
                        .copied()
                        .into_iter()
                        .collect();
                    is_own = true;
                    if makes {
                        self.add_part(pending, &endpoint.prefix(depth), &nodes);
                    }
                }
                Step::Return | Step::Throw | Step::Receiver => {
                    let site = self.site(pending, model, &before);
                    let site = &self.callbacks.sites[site as usize];
                    nodes = match step {
                        Step::Return => vec![site.result],
                        Step::Throw => site.error.into_iter().collect(),
                        _ => site.receiver.into_iter().collect(),
                    };
                    is_own = false;
                }
                // The site of the calls asks for the number of parameters.
                Step::Takes(_) | Step::Except(_) => {}
                _ if makes && (is_own || *step == Step::Element) => {
                    let node = self.new_node();
                    self.add_part(pending, &endpoint.prefix(depth), &[node]);
                    for name in self.step_names(pending, step, true) {
                        for &base in &nodes {
                            self.constrain(base, Constraint::Store(name, node));
                        }
                    }
                    nodes = vec![node];
                }
                _ => {
                    let mut next = Vec::with_capacity(nodes.len());
                    for node in nodes {
                        let target = self.new_node();
                        match step {
                            Step::Element | Step::Content => self.load_elements(node, target),
                            _ => {
                                for name in self.step_names(pending, step, false) {
                                    self.constrain(node, Constraint::Load(name, target));
                                }
                                if *step == Step::Value && endpoint.root != Root::Receiver {
                                    self.constrain(node, Constraint::LoadAny(target));
                                }
                            }
                        }
                        next.push(target);
                    }
                    nodes = next;
                }
            }
        }
        nodes
    }

    /// Adds the object that a call makes at an endpoint.
    fn add_part(&mut self, pending: &PendingCall, endpoint: &Endpoint, nodes: &[NodeIndex]) {
        let result = pending.result.unwrap_or(pending.call);
        let kind = match endpoint.steps.is_empty() && result == pending.call {
            true => ObjectKind::Array(pending.call),
            false => match self.callbacks.parts.get(&(result, endpoint.clone())) {
                Some(&part) => self.objects.kind(part),
                None => {
                    self.callbacks.part_count += 1;
                    ObjectKind::Part(self.callbacks.part_count)
                }
            },
        };
        let part = self.object(kind);
        self.callbacks.parts.insert((result, endpoint.clone()), part);
        for &node in nodes {
            self.add(node, part);
        }
    }

    /// Writes a node to an endpoint.
    fn write_endpoint(&mut self, pending: &PendingCall, model: &ApiModel, endpoint: &Endpoint, origin: NodeIndex) {
        let Some((last, before)) = endpoint.steps.split_last() else {
            let is_typed = endpoint.root == Root::Return && (self.has_typed_result || returns_text(model));
            let is_result = endpoint.root == Root::Return && self.has_text_results || is_typed;
            for node in self.root_nodes(pending, endpoint) {
                match is_result {
                    // Texts have no members that matter. What a sanitizer returns is new, and so is a value with a type of its own.
                    true => self.constrain(origin, Constraint::Result(node, is_typed || !model.sanitizes.is_empty())),
                    false => self.edge(origin, node),
                }
            }
            return;
        };
        let base = endpoint.prefix(before.len());
        match last {
            Step::Parameter(position) => {
                let site = self.site(pending, model, &base);
                if let Some(&argument) = self.callbacks.sites[site as usize].arguments.get(*position as usize) {
                    self.edge(origin, argument);
                }
            }
            Step::Receiver => {
                let site = self.site(pending, model, &base);
                if let Some(receiver) = self.callbacks.sites[site as usize].receiver {
                    self.edge(origin, receiver);
                }
            }
            Step::Return | Step::Throw | Step::Content | Step::Takes(_) | Step::Except(_) => {}
            Step::Field(_) | Step::Element | Step::Key | Step::Value => {
                let names = self.step_names(pending, last, true);
                if names == [Names::ERROR] && before.is_empty() && endpoint.root == Root::Return {
                    if let Some(result) = pending.result {
                        self.constrain(origin, Constraint::Reject(result));
                    }
                    return;
                }
                for base in self.read_endpoint(pending, model, &base, true) {
                    for &name in &names {
                        self.constrain(base, Constraint::Store(name, origin));
                    }
                }
            }
        }
    }

    /// Adds an object to the result of a function of a library.
    pub(super) fn add_result(&mut self, object: ObjectIndex, target: NodeIndex, is_new: bool) {
        // A new value is no object of the program. The unknown value of libraries says so: it has no methods of the program.
        if is_new && self.has_text_results {
            if self.is_unknown(self.objects.kind(object)) {
                self.add(target, object);
            }
            return;
        }
        if let ObjectKind::External(path) = self.objects.kind(object)
            && (is_new || !self.knowledge.knows(self.paths.text(path)))
        {
            return;
        }
        self.add(target, object);
    }

    /// Site of the calls of what is at an endpoint.
    fn site(&mut self, pending: &PendingCall, model: &ApiModel, base: &Endpoint) -> u32 {
        let result = pending.result.unwrap_or(pending.call);
        if let Some(&site) = self.callbacks.numbers.get(&(result, base.clone())) {
            return site;
        }
        let (mut count, mut has_receiver, mut has_error) = (0, false, false);
        let flows = model.flows.iter().flat_map(|(from, to)| [from, to]);
        let types = model.types.iter().map(|(endpoint, _)| endpoint);
        let sources = model.sources.iter().map(|(endpoint, _)| endpoint);
        for endpoint in flows.chain(types).chain(sources) {
            if endpoint.root == base.root && endpoint.steps.starts_with(&base.steps) {
                match endpoint.steps.get(base.steps.len()) {
                    Some(Step::Parameter(position)) => count = count.max(position + 1),
                    Some(Step::Receiver) => has_receiver = true,
                    Some(Step::Throw) => has_error = true,
                    _ => {}
                }
            }
        }
        // A function in a field is a method.
        let is_method = matches!(base.steps.last(), Some(Step::Field(_)));
        let site = CallbackSite {
            arguments: (0..count).map(|_| self.new_node()).collect(),
            receiver: (has_receiver || is_method).then(|| self.new_node()),
            result: self.new_node(),
            error: has_error.then(|| self.new_node()),
            takes: match base.steps.last() {
                Some(Step::Takes(count)) => Some((*count, true)),
                Some(Step::Except(count)) => Some((*count, false)),
                _ => None,
            },
            has_wrapped: false,
        };
        let number = self.callbacks.sites.len() as u32;
        self.callbacks.numbers.insert((result, base.clone()), number);
        self.site_calls.push(PendingCall {
            call: pending.call,
            receiver: site.receiver,
            arguments: site.arguments.iter().map(|&node| ActualArgument::One(node)).collect(),
            result: Some(site.result),
            error: site.error,
            kind: CallKind::Call,
        });
        let receiver = site.receiver;
        self.callbacks.sites.push(site);
        if is_method && let Some(receiver) = receiver {
            let owner = base.prefix(base.steps.len() - 1);
            for node in self.read_endpoint(pending, model, &owner, false) {
                self.edge(node, receiver);
            }
        }
        for node in self.read_endpoint(pending, model, base, false) {
            self.constrain(node, Constraint::Callback(number));
        }
        number
    }

    /// Node of what the program passes to a function that it gets from the library. The last step is the parameter.
    fn input(&mut self, pending: &PendingCall, model: &ApiModel, endpoint: &Endpoint) -> Option<NodeIndex> {
        let result = pending.result.unwrap_or(pending.call);
        if let Some(&input) = self.callbacks.inputs.get(&(result, endpoint.clone())) {
            return Some(input);
        }
        let (Step::Parameter(position), before) = endpoint.steps.split_last()? else { return None };
        let input = self.new_node();
        self.callbacks.inputs.insert((result, endpoint.clone()), input);
        let resolver = self.object(ObjectKind::Resolver(input, *position));
        if let Some((Step::Parameter(outer), base)) = before.split_last() {
            let site = self.site(pending, model, &endpoint.prefix(base.len()));
            if let Some(&argument) = self.callbacks.sites[site as usize].arguments.get(*outer as usize) {
                self.add(argument, resolver);
            }
        } else {
            let node = self.new_node();
            self.add(node, resolver);
            self.write_endpoint(pending, model, &endpoint.prefix(before.len()), node);
        }
        Some(input)
    }

    /// An object arrives at an endpoint whose objects a library function calls.
    pub(super) fn callback(&mut self, site: u32, object: ObjectIndex) {
        if let Some((count, takes)) = self.callbacks.sites[site as usize].takes {
            let has_count = match self.objects.kind(object) {
                ObjectKind::Function(function) => self.layout.parameters(function) == count,
                _ => false,
            };
            if has_count != takes {
                return;
            }
        }
        let Some(pending) = self.site_calls.get(site as usize).cloned() else { return };
        if !matches!(self.objects.kind(object), ObjectKind::Function(_)) {
            self.callbacks.sites[site as usize].has_wrapped = true;
        }
        self.call_object(&pending, object, 0);
    }

    /// An object arrives at the reason of a rejected promise: the result of a call is the promise.
    pub(super) fn reject(&mut self, reason: NodeIndex, result: NodeIndex) {
        let promise = match result < self.program.value_count {
            true => self.object(ObjectKind::Allocation(result)),
            false => {
                let part = Endpoint::root(Root::Return);
                match self.callbacks.parts.get(&(result, part.clone())) {
                    Some(&part) => part,
                    None => {
                        self.callbacks.part_count += 1;
                        let object = self.object(ObjectKind::Part(self.callbacks.part_count));
                        self.callbacks.parts.insert((result, part), object);
                        object
                    }
                }
            }
        };
        self.add(result, promise);
        self.store(promise, Names::ERROR, reason, result);
    }
}

/// True if the result of a call is a text, or a collection of texts.
fn returns_text(model: &ApiModel) -> bool {
    model.types.iter().any(|(at, name)| at.root == Root::Return && at.steps.is_empty() && name == TEXT)
}
