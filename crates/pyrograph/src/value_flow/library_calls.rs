//! Edges, sources and sinks of calls of library functions.

use super::build::Builder;
use super::graph::{ALL, EdgeKind, IDENTITY};
use super::roles::{Source, TextPart};
use crate::flow::{Constant, Op};
use crate::knowledge::{ApiModel, Endpoint, Root, RuleMask, Step};
use crate::points_to::{ActualArgument, Formal, LibraryCall, NodeIndex, ObjectKind};
use crate::program::{FunctionIndex, Names, ValueIndex};

/// Largest number of functions in an argument of an unknown function that it may call.
const MAX_CALLBACKS: usize = 8;
/// The same in a language with classes, where values with many functions are instances whose fields are not known apart.
const MAX_METHODS: usize = 3;

impl Builder<'_> {
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
            if let Some(part) = argument.node() {
                self.roles.parts.push(TextPart { part, whole: library.result });
            }
        }
    }

    /// Adds the flows of library functions, and those of calls about which nothing is known.
    pub(super) fn add_library_calls(&mut self) {
        let points_to = self.points_to;
        for library in &points_to.library_calls {
            self.add_library_call(library);
            self.add_text_parts(library);
            self.add_keyed_call(library);
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
                let arguments: Vec<ActualArgument> =
                    call.arguments.iter().map(|argument| ActualArgument::new(module, argument)).collect();
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
        let mut clean = if library.result == library.call { self.validated_mask(library.call) } else { 0 };
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
        for (endpoint, kind, conditions) in &model.conditional_sources {
            if conditions.iter().all(|condition| self.condition_may_hold(library, condition)) {
                self.model_source(library, endpoint, *kind);
            }
        }
        for (number, (endpoint, rules)) in model.sinks.iter().enumerate() {
            if self.return_sinks(library, endpoint, *rules, number as u32) {
                continue;
            }
            let nodes = self.read(library, endpoint, number as u32 + 1000);
            if !nodes.is_empty() {
                self.add_sink(library.call, *rules, number as u32, &nodes);
            }
        }
        self.conditional_sinks(library, &model);
    }

    /// Sinks that are results of functions which the program passes to a library: the places where they return. False: the
    /// endpoint is no such result, or the places do not count.
    fn return_sinks(&mut self, library: &LibraryCall, endpoint: &Endpoint, rules: RuleMask, number: u32) -> bool {
        let Some(position) = endpoint.steps.iter().position(|step| *step == Step::Return) else { return false };
        let field = match &endpoint.steps[position + 1..] {
            [] => None,
            [Step::Field(name)] => Some(name),
            _ => return false,
        };
        let bases = self.read(library, &endpoint.prefix(position), number + 1000);
        let functions: Vec<FunctionIndex> = bases.into_iter().flat_map(|base| self.functions_of(base)).collect();
        let mut is_found = false;
        for function in functions {
            let (module, _) = self.program.function(function);
            is_found |= module.flow.has_return_places;
            for (place, value) in self.return_places.get(&function).cloned().unwrap_or_default() {
                let node = match field {
                    None => value,
                    Some(name) => {
                        let Some(name) = self.program.names.get(name) else { continue };
                        // Only elements of what the function makes itself.
                        if self.points_to.objects_of(value).is_empty() {
                            continue;
                        }
                        let element = self.temporary(place, number);
                        self.load(value, name, element);
                        element
                    }
                };
                self.add_sink(place, rules, number, &[node]);
            }
        }
        is_found
    }

    fn conditional_sinks(&mut self, library: &LibraryCall, model: &ApiModel) {
        for (number, (endpoint, rules, conditions)) in model.conditional_sinks.iter().enumerate() {
            if !conditions.iter().all(|condition| self.condition_may_hold(library, condition)) {
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
        for node in arguments.iter().filter_map(|argument| argument.node()) {
            nodes.push(node);
            has_callbacks |= !self.callbacks_of(node).is_empty();
        }
        for &node in &nodes {
            self.flow(node, gathered, EdgeKind::Intra, mask);
        }
        for node in arguments.iter().filter_map(|argument| argument.node()) {
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
                let (ActualArgument::One(node) | ActualArgument::Named(node, _)) = argument else { continue };
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
        let limit = if self.calls_construct() { MAX_METHODS } else { MAX_CALLBACKS };
        if functions.len() > limit {
            self.limit("functions that are an argument of an unknown function");
            return Vec::new();
        }
        functions
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
        // The first element is the first result only if the call gives none.
        if from.root == Root::Receiver
            && (to.root, &to.steps[..]) == (Root::Argument(0), &[Step::Parameter(0)])
            && library.arguments.len() > 1
            && matches!(self.method_of(library.call), Some("reduce" | "reduceRight"))
        {
            return;
        }
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
                        let parameters = self.points_to.layout.parameters(function);
                        match before.last() {
                            Some(Step::Takes(count)) if parameters != *count => continue,
                            Some(Step::Except(count)) if parameters == *count => continue,
                            _ => {}
                        }
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
