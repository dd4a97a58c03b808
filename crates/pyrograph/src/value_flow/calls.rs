//! Flows of calls: between callers and functions of the program, and through library functions.

use super::build::Builder;
use super::graph::{ALL, CallInstance, EdgeKind, ExtraNode, IDENTITY};
use super::roles::{Source, TextPart};
use crate::flow::{Constant, Op};
use crate::knowledge::{ApiModel, Endpoint, Root, RuleMask, Step};
use crate::points_to::{ActualArgument, Formal, LibraryCall, Link, NodeIndex, ObjectKind};
use crate::program::{FunctionIndex, Names, ValueIndex};

/// Largest number of functions in an argument of an unknown function that it may call.
const MAX_CALLBACKS: usize = 8;

impl Builder<'_> {
    /// New call instance.
    fn instance(
        &mut self,
        call: ValueIndex,
        function: FunctionIndex,
        receiver: Option<NodeIndex>,
        arguments: Vec<ActualArgument>,
        result: Option<NodeIndex>,
        is_new: bool,
    ) -> u32 {
        let number = self.graph.instances.len() as u32;
        self.graph.instances.push(CallInstance { call, function });
        self.actuals.push((receiver, arguments, result));
        self.is_new.push(is_new);
        self.callers.entry(function).or_default().push(number);
        if let Some(result) = result {
            self.instances_of.entry(result).or_default().push(number);
        }
        number
    }

    /// Connects calls with their targets in the program.
    pub(super) fn add_links(&mut self) {
        let points_to = self.points_to;
        for link in &points_to.links {
            self.instance(link.call, link.function, link.receiver, link.arguments.clone(), link.result, link.is_new);
        }
        for (number, link) in points_to.links.iter().enumerate() {
            self.add_link(number as u32, link);
        }
        for &(from, to) in &points_to.settlements {
            self.flow(from, to, EdgeKind::Heap, ALL);
        }
    }

    fn add_link(&mut self, instance: u32, link: &Link) {
        let points_to = self.points_to;
        let layout = &points_to.layout;
        if let Some(receiver) = link.receiver.filter(|_| !link.is_new) {
            self.flow(receiver, layout.formal(link.function, Formal::Receiver), EdgeKind::Call(instance), ALL);
        }
        for (position, &argument) in link.arguments.iter().enumerate() {
            match argument {
                ActualArgument::One(node) => self.pass(instance, link.function, position as u32, node, ALL),
                ActualArgument::Spread(node) => {
                    let elements = self.temporary(link.call, position as u32);
                    self.load(node, Names::ANY, elements);
                    let only_spread = link.arguments.len() == 1;
                    for parameter in position as u32..layout.parameters(link.function) {
                        let Some(formal) = layout.parameter(link.function, parameter) else { continue };
                        let name = self.program.names.get(&(parameter - position as u32).to_string());
                        match name {
                            Some(name) if only_spread => {
                                // Elements at constant positions stay apart.
                                self.flow(node, formal, EdgeKind::Call(instance), ALL & !IDENTITY);
                                for location in self.field_locations(node, name) {
                                    self.flow(location.node, formal, EdgeKind::Call(instance), location.mask());
                                }
                            }
                            _ => self.flow(elements, formal, EdgeKind::Call(instance), ALL),
                        }
                    }
                    self.pass_to_arrays(instance, link.function, None, elements, ALL);
                    break;
                }
            }
        }
        if let Some(result) = link.result {
            self.flow(layout.formal(link.function, Formal::Return), result, EdgeKind::Return(instance), ALL);
        }
        if link.call < self.program.value_count {
            let module = self.program.module_of_value(link.call);
            if matches!(module.instruction(link.call).op, Op::Call(_)) {
                let caller = module.function(module.instruction(link.call).function);
                let thrown = layout.formal(link.function, Formal::Throw);
                let handler = match (link.error, self.catches.get(&link.call)) {
                    (Some(error), _) => error,
                    (None, Some(&handler)) => handler,
                    (None, None) => layout.formal(caller, Formal::Throw),
                };
                self.flow(thrown, handler, EdgeKind::Return(instance), ALL);
                if link.result == Some(link.call) && self.rejects(link.function) {
                    let error = self.child(link.call, Names::ERROR);
                    self.flow(thrown, error, EdgeKind::Return(instance), ALL);
                }
            }
        }
    }

    /// True for async functions that may throw.
    fn rejects(&self, function: FunctionIndex) -> bool {
        let (module, id) = self.program.function(function);
        module.flow.function(id).is_async
            && (self.throwing.contains(&function)
                || !self.points_to.objects_of(self.points_to.layout.formal(function, Formal::Throw)).is_empty())
    }

    /// Passes a value as an argument.
    fn pass(&mut self, instance: u32, function: FunctionIndex, position: u32, node: NodeIndex, mask: RuleMask) {
        if let Some(formal) = self.points_to.layout.parameter(function, position) {
            self.flow(node, formal, EdgeKind::Call(instance), mask);
        }
        self.pass_to_arrays(instance, function, Some(position), node, mask);
    }

    /// Passes a value to `arguments` and the rest parameter.
    fn pass_to_arrays(
        &mut self,
        instance: u32,
        function: FunctionIndex,
        position: Option<u32>,
        node: NodeIndex,
        mask: RuleMask,
    ) {
        let name = |builder: &Self, position: Option<u32>| {
            position.and_then(|position| builder.program.names.get(&position.to_string())).unwrap_or(Names::ELEMENT)
        };
        let points_to = self.points_to;
        if points_to.objects.get(ObjectKind::Arguments(function)).is_some() {
            let all = points_to.layout.formal(function, Formal::Arguments);
            let field = name(self, position);
            let location = self.child(all, field);
            self.flow(node, location, EdgeKind::Call(instance), mask);
        }
        if let Some(&(rest, first)) = self.rest_values.get(&function) {
            let position = match position {
                Some(position) if position < first => return,
                Some(position) => Some(position - first),
                None => None,
            };
            let field = name(self, position);
            let location = self.child(rest, field);
            self.flow(node, location, EdgeKind::Call(instance), mask);
        }
    }

    /// Node for values that a call passes on.
    pub(super) fn temporary(&mut self, call: ValueIndex, number: u32) -> NodeIndex {
        let (node, _) = self.graph.node(ExtraNode::Temporary(call, number));
        self.depths.resize(self.graph.extra.len(), 0);
        node
    }

    /// Node for values that a library call passes on. Library functions that another one calls have nodes of their own.
    fn library_temporary(&mut self, library: &LibraryCall, number: u32) -> NodeIndex {
        let salt = match library.result == library.call {
            true => 0,
            false => (library.result % 2039 + 1) << 20,
        };
        self.temporary(library.call, number ^ salt)
    }

    /// Notes the parts of a text that a library function puts together, without its beginning.
    fn add_text_parts(&mut self, library: &LibraryCall) {
        let module = self.program.module_of_value(library.call);
        let Op::Call(call) = module.instruction(library.call).op else { return };
        let callee = module.flow.calls[call.index()].callee;
        let path = library.path.map(|path| self.points_to.paths.text(path));
        let is_path = path.is_some_and(|path| path.starts_with("path.") || path.starts_with("upath."));
        let method = match (path, module.flow.instructions[callee.index()].op) {
            (Some(path), _) => path.rsplit('.').next().unwrap_or_default(),
            (None, Op::LoadField(_, method)) => module.flow.text(method),
            _ => return,
        };
        let first = match method {
            "join" | "resolve" | "format" if is_path || method == "format" => 1,
            "join" => {
                // The elements of an array.
                if let Some(part) = library.receiver {
                    self.roles.parts.push(TextPart { part, whole: library.result });
                }
                return;
            }
            "concat" | "replace" | "replaceAll" => 0,
            _ => return,
        };
        for &argument in library.arguments.iter().skip(first) {
            let (ActualArgument::One(part) | ActualArgument::Spread(part)) = argument;
            self.roles.parts.push(TextPart { part, whole: library.result });
        }
    }

    /// Adds the flows of library functions, and those of calls about which nothing is known.
    pub(super) fn add_library_calls(&mut self) {
        let points_to = self.points_to;
        for library in &points_to.library_calls {
            self.add_library_call(library);
            self.add_text_parts(library);
            if (self.is_cancelled)() {
                return;
            }
        }
        let program = self.program;
        for module in &program.modules {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let Op::Call(call) = instruction.op else { continue };
                let value = module.values + position as u32;
                self.roles.calls += 1;
                let libraries = points_to.library_calls_of(value);
                if !points_to.links_of(value).is_empty() {
                    continue;
                }
                if libraries.iter().all(|library| library.model.is_none()) {
                    self.roles.unresolved += 1;
                }
                if !libraries.is_empty() || self.is_bind(value) {
                    continue;
                }
                let call = &module.flow.calls[call.index()];
                let arguments: Vec<ActualArgument> = call
                    .arguments
                    .iter()
                    .map(|argument| match argument.is_spread {
                        false => ActualArgument::One(module.value(argument.value)),
                        true => ActualArgument::Spread(module.value(argument.value)),
                    })
                    .collect();
                let receiver = call.receiver.map(|receiver| module.value(receiver));
                self.default_flows(value, value, receiver, &arguments);
            }
        }
    }

    /// True if a call makes a bound function, which is no data.
    fn is_bind(&self, call: ValueIndex) -> bool {
        let points_to = self.points_to;
        let is_bind =
            |&object: &u32| matches!(points_to.objects.kind(object), ObjectKind::Bound(bind, _) if bind == call);
        points_to.objects_of(call).iter().any(is_bind)
    }

    fn add_library_call(&mut self, library: &LibraryCall) {
        if let Some(path) = library.path {
            let text = self.points_to.paths.text(path).to_owned();
            if library.model.is_some() {
                self.count_library(&text);
            }
        }
        let Some(model) = library.model.clone() else {
            if self.is_bind(library.call) {
                return;
            }
            self.default_flows(library.call, library.result, library.receiver, &library.arguments);
            return;
        };
        let mut clean = 0;
        for (rules, conditions) in &model.conditional_sanitizes {
            if conditions.iter().all(|condition| self.condition_holds(library, condition)) {
                clean |= rules;
            }
        }
        if model.is_modelled {
            for (number, (from, to)) in model.flows.iter().enumerate() {
                self.model_flow(library, &model, from, to, number as u32, clean);
            }
        } else {
            let clean = model
                .sanitizes
                .iter()
                .filter(|(endpoint, _)| endpoint.root == Root::Return)
                .fold(clean, |mask, (_, rules)| mask | rules);
            self.default_flows_masked(library.call, library.result, library.receiver, &library.arguments, ALL & !clean);
        }
        for (endpoint, kind) in &model.sources {
            self.model_source(library, endpoint, *kind);
        }
        for (number, (endpoint, rules)) in model.sinks.iter().enumerate() {
            let nodes = self.read(library, endpoint, number as u32 + 1000);
            if !nodes.is_empty() {
                self.add_sink(library.call, *rules, number as u32, &nodes);
            }
        }
        self.conditional_sinks(library, &model);
    }

    fn conditional_sinks(&mut self, library: &LibraryCall, model: &ApiModel) {
        for (number, (endpoint, rules, conditions)) in model.conditional_sinks.iter().enumerate() {
            if !conditions.iter().all(|condition| self.condition_holds(library, condition)) {
                continue;
            }
            let number = number as u32 + 200;
            let nodes = self.read(library, endpoint, number + 1000);
            if !nodes.is_empty() {
                self.add_sink(library.call, *rules, number, &nodes);
            }
        }
    }

    /// Flows of an unknown function: arguments and receiver reach the result, and parameters of functions among them.
    fn default_flows(
        &mut self,
        call: ValueIndex,
        result: NodeIndex,
        receiver: Option<NodeIndex>,
        arguments: &[ActualArgument],
    ) {
        self.default_flows_masked(call, result, receiver, arguments, ALL);
    }

    fn default_flows_masked(
        &mut self,
        call: ValueIndex,
        target: NodeIndex,
        receiver: Option<NodeIndex>,
        arguments: &[ActualArgument],
        mask: RuleMask,
    ) {
        let mask = mask & !IDENTITY;
        let gathered = self.temporary(call, u32::MAX - if target == call { 0 } else { target % 2039 + 1 });
        let mut has_callbacks = false;
        let mut nodes: Vec<NodeIndex> = receiver.into_iter().collect();
        for &(ActualArgument::One(node) | ActualArgument::Spread(node)) in arguments {
            nodes.push(node);
            has_callbacks |= !self.callbacks_of(node).is_empty();
        }
        for &node in &nodes {
            self.flow(node, gathered, EdgeKind::Intra, mask);
        }
        for &(ActualArgument::One(node) | ActualArgument::Spread(node)) in arguments {
            for location in self.field_locations(node, Names::CONTENT) {
                self.flow(location.node, gathered, location.kind(), mask);
            }
            for location in self.inner_contents(node) {
                self.flow(location, gathered, EdgeKind::Heap, mask);
            }
        }
        self.flow(gathered, target, EdgeKind::Intra, mask);
        if has_callbacks {
            for &argument in arguments {
                let ActualArgument::One(node) = argument else { continue };
                for function in self.callbacks_of(node) {
                    let instance = self.instance(call, function, None, Vec::new(), Some(target), false);
                    for position in 0..self.points_to.layout.parameters(function) {
                        self.pass(instance, function, position, gathered, mask);
                    }
                    let result = self.points_to.layout.formal(function, Formal::Return);
                    self.flow(result, target, EdgeKind::Return(instance), mask);
                }
            }
        }
    }

    /// Functions that an unknown function may call because they are its argument. Arguments that may be many functions are
    /// known too badly.
    fn callbacks_of(&mut self, node: NodeIndex) -> Vec<FunctionIndex> {
        let functions = self.functions_of(node);
        if functions.len() > MAX_CALLBACKS {
            self.limit("functions that are an argument of an unknown function");
            return Vec::new();
        }
        functions
    }

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
                        ActualArgument::One(_) => None,
                    })
                    .collect(),
            },
            Root::ArgumentsFrom(position) => library
                .arguments
                .iter()
                .skip(position as usize)
                .map(|&(ActualArgument::One(node) | ActualArgument::Spread(node))| node)
                .collect(),
            Root::Receiver => library.receiver.into_iter().collect(),
            Root::Return => vec![library.result],
        }
    }

    /// Nodes whose taint is at an endpoint.
    fn read(&mut self, library: &LibraryCall, endpoint: &Endpoint, number: u32) -> Vec<NodeIndex> {
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
            }
        }
        let points_to = self.points_to;
        let mut depth = 0;
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

    fn model_flow(
        &mut self,
        library: &LibraryCall,
        model: &ApiModel,
        from: &Endpoint,
        to: &Endpoint,
        number: u32,
        clean: RuleMask,
    ) {
        let mut mask = if to.root == Root::Return { ALL & !clean } else { ALL };
        for (endpoint, rules) in &model.sanitizes {
            if endpoint.root == to.root {
                mask &= !rules;
            }
        }
        // A call that copies elements into its result makes a new object.
        let copies_elements = |(origin, target): &(Endpoint, Endpoint)| {
            (origin.root, target.root) == (from.root, to.root)
                && [&origin.steps, &target.steps].iter().all(|steps| steps[..] == [Step::Element])
        };
        if from.steps.last() == Some(&Step::Content)
            || (from.steps.is_empty() && to.steps.is_empty() && model.flows.iter().any(copies_elements))
        {
            mask &= !IDENTITY;
        }
        if from.root == Root::Receiver && to.root == Root::Return {
            mask &= !self.replacement_mask(library);
            if matches!(self.method_of(library.call), Some("filter" | "find" | "findLast")) {
                mask &= !self.accepted_mask(library, true);
            }
        }
        if to.root == Root::Return && from.root != Root::Return {
            mask &= !self.match_mask(library);
        }
        let origins = self.read(library, from, number);
        for origin in origins {
            self.write(library, to, origin, mask, number);
        }
    }

    /// Name of the method that a call calls.
    pub(super) fn method_of(&self, call: ValueIndex) -> Option<&str> {
        let module = self.program.module_of_value(call);
        let Op::Call(call) = module.instruction(call).op else { return None };
        let callee = module.flow.calls[call.index()].callee;
        match module.flow.instructions[callee.index()].op {
            Op::LoadField(_, method) => Some(module.flow.text(method)),
            _ => None,
        }
    }

    /// Rules for which the parts that a regular expression finds in a text are harmless, by the characters that they can have.
    fn match_mask(&self, library: &LibraryCall) -> RuleMask {
        if library.result != library.call {
            return 0;
        }
        let module = self.program.module_of_value(library.call);
        let Op::Call(call) = module.instruction(library.call).op else { return 0 };
        let call = &module.flow.calls[call.index()];
        let Op::LoadField(receiver, method) = module.flow.instructions[call.callee.index()].op else { return 0 };
        let pattern = match (module.flow.text(method), call.arguments.as_slice()) {
            ("match" | "matchAll", [pattern]) => pattern.value,
            ("exec", [_]) => receiver,
            _ => return 0,
        };
        match self.constant_of(module.value(pattern), 0) {
            Some((module, Constant::Regex(pattern, flags))) => {
                self.knowledge.match_sanitises(module.flow.text(pattern), module.flow.text(flags))
            }
            _ => 0,
        }
    }

    /// Rules for which the result of `replace` is harmless, by its regular expression.
    fn replacement_mask(&self, library: &LibraryCall) -> RuleMask {
        if library.result != library.call {
            return 0;
        }
        let module = self.program.module_of_value(library.call);
        let Op::Call(call) = module.instruction(library.call).op else { return 0 };
        let call = &module.flow.calls[call.index()];
        let Op::LoadField(_, method) = module.flow.instructions[call.callee.index()].op else { return 0 };
        if !matches!(module.flow.text(method), "replace" | "replaceAll") {
            return 0;
        }
        let Some(pattern) = call.arguments.first() else { return 0 };
        match self.constant_of(module.value(pattern.value), 0) {
            Some((module, Constant::Regex(pattern, flags))) => {
                let pattern = module.flow.text(pattern);
                let mut rules = self.knowledge.replace_sanitises(pattern, module.flow.text(flags));
                // A normalised path has `..` at its beginning only.
                let is_leading =
                    pattern.starts_with("^(") && pattern.contains(r"\.\.") && pattern.ends_with([')', '+', '*']);
                if is_leading && pattern.contains(['+', '*']) {
                    rules |= self.knowledge.leading_dots_sanitise(|calls| {
                        library.receiver.is_some_and(|receiver| self.comes_from_call(receiver, calls))
                    });
                }
                rules
            }
            _ => 0,
        }
    }

    /// Writes a node to an endpoint.
    fn write(&mut self, library: &LibraryCall, endpoint: &Endpoint, origin: NodeIndex, mask: RuleMask, number: u32) {
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
                Step::Parameter(_) | Step::Receiver | Step::Return | Step::Throw => None,
            };
            if let Some(name) = name {
                for location in self.field_locations(base, name) {
                    self.write_place(origin, location, location.kind(), mask);
                }
            }
        }
    }

    /// Name of the field that a step is.
    fn step_name(&self, step: &Step) -> Option<crate::program::Name> {
        match step {
            Step::Field(name) => self.program.names.get(name),
            Step::Element => Some(Names::ELEMENT),
            Step::Key => Some(Names::KEY),
            Step::Value => Some(Names::VALUE),
            Step::Content | Step::Parameter(_) | Step::Return | Step::Receiver | Step::Throw => None,
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

    /// Source at an endpoint of a library call.
    fn model_source(&mut self, library: &LibraryCall, endpoint: &Endpoint, kind: u16) {
        let Some((last, before)) = endpoint.steps.split_last() else {
            for node in self.root_nodes(library, endpoint.root) {
                self.roles.sources.push(Source { node, kind, value: Some(library.call) });
            }
            return;
        };
        let base = endpoint.prefix(before.len());
        if let (Step::Parameter(position), Some(site)) = (last, self.points_to.callbacks.site(library.result, &base))
            && site.has_wrapped
            && let Some(&node) = site.arguments.get(*position as usize)
        {
            self.roles.sources.push(Source { node, kind, value: Some(library.call) });
        }
        let bases = match before.is_empty() {
            true => self.root_nodes(library, endpoint.root),
            false => self.read(library, &base, 900),
        };
        for base in bases {
            match last {
                Step::Parameter(position) => {
                    for function in self.functions_of(base) {
                        if let Some(node) = self.points_to.layout.parameter(function, *position) {
                            self.roles.sources.push(Source { node, kind, value: None });
                        }
                    }
                }
                _ => self.roles.sources.push(Source { node: base, kind, value: Some(library.call) }),
            }
        }
    }
}
