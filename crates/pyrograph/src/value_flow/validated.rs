//! Values that a schema of a validation library has accepted, or that an earlier handler of a route has tested.
//!
//! Types of schemas are API paths: `schema.Clean`, `schema.Object`. The models say which calls make them, and the sanitizers of
//! `TYPE.parse` say for which rules an accepted value is clean. This file finds the schema of a member of an accepted value.

use super::build::Builder;
use super::graph::IDENTITY;
use crate::flow::{Constant, Op, Test};
use crate::knowledge::{RuleMask, TestFacts};
use crate::points_to::{ActualArgument, LibraryCall, NodeIndex};
use crate::program::{FunctionIndex, Name, ValueIndex};

/// Largest number of steps from a value to what was accepted, and of the calls that make a schema.
const MAX_STEPS: u32 = 24;

/// Largest number of handlers of a route that are looked at.
const MAX_HANDLERS: usize = 16;

/// Facts about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Validated {
    /// A schema of a library has accepted it.
    Schema(NodeIndex),
    /// A JSON schema has accepted it.
    Json(NodeIndex),
    /// The result of a validation, which has the accepted value in a field.
    Wrapped(NodeIndex),
    /// Member of the request of a handler.
    Request(FunctionIndex, Vec<Name>),
}

/// Middleware before a handler in a route.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// Handlers and validators.
    before: Vec<NodeIndex>,
    /// Options with JSON schemas.
    options: Option<NodeIndex>,
}

impl Builder<'_> {
    /// Collects the routes of handlers that others precede, and whether the program validates anything.
    pub(super) fn collect_validations(&mut self) {
        let points_to = self.points_to;
        for library in &points_to.library_calls {
            let Some(path) = library.path.map(|path| points_to.paths.text(path)) else { continue };
            if path.starts_with("schema.") || path.starts_with("joi.") || path.starts_with("ajv.") {
                self.validates = true;
            }
            self.has_validation_result |= path == "express-validator.validationResult";
            let is_route = path.starts_with("express.Application.") || path.starts_with("fastify.Application.");
            if is_route && library.result == library.call {
                self.collect_route(library, path.starts_with("fastify"));
            }
        }
        self.validates |=
            self.routes.values().flatten().any(|route| !route.before.is_empty() || route.options.is_some());
    }

    fn collect_route(&mut self, library: &LibraryCall, has_options: bool) {
        let mut before = Vec::new();
        let mut options = None;
        for &argument in library.arguments.iter().take(MAX_HANDLERS) {
            let ActualArgument::One(node) = argument else { return };
            let mut nodes = vec![node];
            let list = self.definition(node);
            if list < self.program.value_count
                && matches!(self.program.module_of_value(list).instruction(list).op, Op::Allocate(_))
            {
                for name in (0..MAX_HANDLERS).map_while(|position| self.program.names.get(&position.to_string())) {
                    nodes.extend(self.stored.get(&(list, name)).into_iter().flatten().copied());
                }
                if has_options {
                    options = Some(list);
                    let handler = self.program.names.get("handler").and_then(|name| self.stored.get(&(list, name)));
                    nodes.extend(handler.into_iter().flatten().copied());
                }
            }
            for node in nodes {
                for function in self.functions_of(node) {
                    let route = Route { before: before.clone(), options };
                    self.routes.entry(function).or_default().push(route);
                }
                before.push(node);
            }
        }
    }

    /// Rules for which a value is clean, because something has accepted it.
    pub(super) fn validated_mask(&self, value: ValueIndex) -> RuleMask {
        if !self.validates || value >= self.program.value_count {
            return 0;
        }
        match self.validated(value, 0) {
            Some(Validated::Schema(schema)) => self.schema_mask(schema, 0) & !IDENTITY,
            Some(Validated::Json(schema)) => self.json_mask(schema) & !IDENTITY,
            Some(Validated::Request(function, path)) => self.request_mask(function, &path) & !IDENTITY,
            Some(Validated::Wrapped(_)) | None => 0,
        }
    }

    fn validated(&self, value: ValueIndex, depth: u32) -> Option<Validated> {
        if depth > MAX_STEPS || value >= self.program.value_count {
            return None;
        }
        let module = self.program.module_of_value(value);
        match module.instruction(value).op {
            Op::Guard(origin, test, holds) => {
                // `ajv.compile(schema)(value)`
                if let (Test::Call(call, 0), true) = (&module.flow.tests[test.index()], holds)
                    && let Op::Call(id) = module.flow.instructions[call.index()].op
                    && let Some(schema) = self.compiled_schema(module.value(module.flow.calls[id.index()].callee))
                {
                    return Some(Validated::Json(schema));
                }
                self.validated(module.value(origin), depth + 1)
            }
            Op::Copy(origin) | Op::Await(origin) => self.validated(module.value(origin), depth + 1),
            Op::Call(_) => self.points_to.library_calls_of(value).iter().find_map(|library| self.accepted(library)),
            Op::LoadField(base, symbol) => {
                let name = module.name(symbol);
                match self.validated(module.value(base), depth + 1)? {
                    Validated::Wrapped(schema) => match module.flow.text(symbol) {
                        "data" | "value" | "output" => Some(Validated::Schema(schema)),
                        _ => None,
                    },
                    Validated::Schema(schema) => self.member_schema(schema, name, 0).map(Validated::Schema),
                    Validated::Json(schema) => self.json_member(schema, name).map(Validated::Json),
                    Validated::Request(function, mut path) => {
                        path.push(name);
                        Some(Validated::Request(function, path))
                    }
                }
            }
            Op::Element(base) | Op::LoadKey(base, _) => match self.validated(module.value(base), depth + 1)? {
                Validated::Schema(schema) => self.element_schema(schema, 0).map(Validated::Schema),
                _ => None,
            },
            Op::Parameter(0) => {
                let function = module.function(module.instruction(value).function);
                self.routes.contains_key(&function).then(|| Validated::Request(function, Vec::new()))
            }
            _ => None,
        }
    }

    /// Kind of the result of a call of a validation library.
    fn accepted(&self, library: &LibraryCall) -> Option<Validated> {
        let path = self.points_to.paths.text(library.path?);
        let method = path.rsplit('.').next()?;
        let is_joi = path.starts_with("joi.");
        if !is_joi && !path.starts_with("schema.") {
            return None;
        }
        match method {
            "attempt" => match library.arguments.get(1) {
                Some(&ActualArgument::One(schema)) => Some(Validated::Schema(schema)),
                _ => None,
            },
            "validate" | "safeParse" | "safeParseAsync" if is_joi || method != "validate" => {
                library.receiver.map(Validated::Wrapped)
            }
            "parse" | "parseAsync" | "validate" | "validateSync" | "cast" | "validateAsync" => {
                library.receiver.map(Validated::Schema)
            }
            _ => None,
        }
    }

    /// Where a value is made, also in another file.
    fn definition(&self, value: NodeIndex) -> NodeIndex {
        let mut value = self.resolved(value);
        for _ in 0..6 {
            if value >= self.program.value_count {
                break;
            }
            let module = self.program.module_of_value(value);
            let Op::LoadField(base, symbol) = module.instruction(value).op else { break };
            let &[object] = self.points_to.objects_of(module.value(base)) else { break };
            match self.stored_once(object, module.name(symbol)) {
                Some(stored) if stored != value => value = self.resolved(stored),
                _ => break,
            }
        }
        value
    }

    /// The call that makes a value: its method, receiver and arguments.
    fn making_call(&self, value: NodeIndex) -> Option<(&str, NodeIndex, Vec<NodeIndex>)> {
        let value = self.definition(value);
        if value >= self.program.value_count {
            return None;
        }
        let module = self.program.module_of_value(value);
        let Op::Call(id) = module.instruction(value).op else { return None };
        let call = &module.flow.calls[id.index()];
        let arguments = call.arguments.iter().map(|argument| module.value(argument.value)).collect();
        let callee = self.definition(module.value(call.callee));
        let receiver = call.receiver.map(|receiver| module.value(receiver));
        let target = if callee < self.program.value_count { callee } else { module.value(call.callee) };
        let of = self.program.module_of_value(target);
        match of.instruction(target).op {
            Op::LoadField(base, name) => {
                Some((of.flow.text(name), receiver.unwrap_or_else(|| of.value(base)), arguments))
            }
            _ => None,
        }
    }

    /// Rules for which a value is clean that a schema has accepted.
    fn schema_mask(&self, schema: NodeIndex, depth: u32) -> RuleMask {
        let schema = self.definition(schema);
        let mut rules = 0;
        for path in self.points_to.paths_of(schema) {
            rules |= self.knowledge.sanitised_members(&format!("{path}.parse"));
        }
        let is_text = self.points_to.paths_of(schema).any(|path| path.ends_with(".Text"));
        if depth < MAX_STEPS
            && is_text
            && let Some((method, receiver, arguments)) = self.making_call(schema)
        {
            if matches!(method, "regex" | "matches" | "pattern")
                && let Some(&pattern) = arguments.first()
                && let Some((module, Constant::Regex(pattern, flags))) = self.constant_of(pattern, 0)
            {
                let facts = TestFacts::Matches { pattern: module.flow.text(pattern), flags: module.flow.text(flags) };
                rules |= self.knowledge.guard(&facts, true);
            }
            rules |= self.schema_mask(receiver, depth + 1);
        }
        rules
    }

    /// Schema of a member of what a schema accepts.
    fn member_schema(&self, schema: NodeIndex, name: Name, depth: u32) -> Option<NodeIndex> {
        if depth > MAX_STEPS || !self.points_to.paths_of(self.definition(schema)).any(|path| path.ends_with(".Object"))
        {
            return None;
        }
        let (method, receiver, arguments) = self.making_call(schema)?;
        if let ("object" | "strictObject" | "looseObject" | "extend" | "keys" | "shape" | "append", Some(&members)) =
            (method, arguments.first())
        {
            let members = self.definition(members);
            match self.stored.get(&(members, name)).map(Vec::as_slice) {
                Some(&[member]) => return Some(member),
                Some(_) => return None,
                None => {}
            }
        }
        self.member_schema(receiver, name, depth + 1)
    }

    /// Schema of the elements of what a schema accepts.
    fn element_schema(&self, schema: NodeIndex, depth: u32) -> Option<NodeIndex> {
        if depth > MAX_STEPS || !self.points_to.paths_of(self.definition(schema)).any(|path| path.ends_with(".Array")) {
            return None;
        }
        let (method, receiver, arguments) = self.making_call(schema)?;
        match (method, arguments.as_slice()) {
            ("array" | "items" | "of", [element]) => Some(*element),
            _ => self.element_schema(receiver, depth + 1),
        }
    }

    /// The JSON schema of a function that `compile` has made.
    fn compiled_schema(&self, function: NodeIndex) -> Option<NodeIndex> {
        let made = self.definition(function);
        let is_compiled = |library: &&LibraryCall| {
            library.path.is_some_and(|path| self.points_to.paths.text(path) == "ajv.Ajv.compile")
        };
        let library = self.points_to.library_calls_of(made).iter().find(is_compiled)?;
        match library.arguments.first() {
            Some(&ActualArgument::One(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The value of a field of an object literal.
    fn literal_field(&self, literal: NodeIndex, name: &str) -> Option<NodeIndex> {
        let name = self.program.names.get(name)?;
        match self.stored.get(&(self.definition(literal), name)).map(Vec::as_slice) {
            Some(&[value]) => Some(value),
            _ => None,
        }
    }

    fn json_member(&self, schema: NodeIndex, name: Name) -> Option<NodeIndex> {
        let members = self.literal_field(schema, "properties").unwrap_or(schema);
        self.literal_field(members, self.program.names.text(name))
    }

    /// Rules for which a value is clean that a JSON schema has accepted.
    fn json_mask(&self, schema: NodeIndex) -> RuleMask {
        let text = |name: &str| self.constant_text(self.definition(self.literal_field(schema, name)?));
        let clean = || self.knowledge.sanitised_members("schema.Clean.parse");
        if self.literal_field(schema, "enum").is_some() || self.literal_field(schema, "const").is_some() {
            return clean();
        }
        match text("type").as_deref() {
            Some("number" | "integer" | "boolean" | "null") => clean(),
            Some("string") => {
                let of_format = match text("format").as_deref() {
                    Some("uuid" | "date" | "time" | "date-time" | "ipv4" | "ipv6") => clean(),
                    _ => 0,
                };
                let of_pattern = text("pattern").map_or(0, |pattern| {
                    self.knowledge.guard(&TestFacts::Matches { pattern: &pattern, flags: "" }, true)
                });
                of_format | of_pattern
            }
            _ => 0,
        }
    }

    /// Rules for which a member of a request is clean in all routes of a handler.
    fn request_mask(&self, function: FunctionIndex, path: &[Name]) -> RuleMask {
        let Some(routes) = self.routes.get(&function) else { return 0 };
        let of_route = |route: &Route| {
            let before = route.before.iter().fold(0, |rules, &node| rules | self.before_mask(node, path));
            before | route.options.map_or(0, |options| self.options_mask(options, path))
        };
        routes.iter().map(of_route).reduce(|one, other| one & other).unwrap_or(0)
    }

    /// Rules for which a member of a request is clean after a handler or validator.
    fn before_mask(&self, node: NodeIndex, path: &[Name]) -> RuleMask {
        let functions = self.functions_of(node);
        let of_functions = functions.iter().map(|&function| self.passed_mask(function, path));
        let of_functions = of_functions.reduce(|one, other| one & other).unwrap_or(0);
        of_functions | self.chain_mask(node, path)
    }

    /// Rules for which a member of a request is clean wherever a handler calls the next one.
    fn passed_mask(&self, function: FunctionIndex, path: &[Name]) -> RuleMask {
        let (module, id) = self.program.function(function);
        let passes = module.flow.passes.iter().filter(|(function, _)| *function == id);
        let of_pass = |tested: &[crate::flow::ValueId]| {
            tested.iter().fold(0, |rules, &guard| match self.path_in_request(module.value(guard)) {
                Some(tested) if tested == path => rules | self.guard_mask(module, guard),
                _ => rules,
            })
        };
        passes.map(|(_, tested)| of_pass(tested)).reduce(|one, other| one & other).unwrap_or(0)
    }

    /// Names of the members that lead from the first parameter to a value.
    fn path_in_request(&self, value: ValueIndex) -> Option<Vec<Name>> {
        let mut path = Vec::new();
        let mut value = self.unnamed(value);
        for _ in 0..8 {
            let module = self.program.module_of_value(value);
            match module.instruction(value).op {
                Op::LoadField(base, symbol) => {
                    path.push(module.name(symbol));
                    value = self.unnamed(module.value(base));
                }
                Op::Parameter(0) => {
                    path.reverse();
                    return Some(path);
                }
                _ => return None,
            }
        }
        None
    }

    /// Rules for which a member of a request is clean after a chain of express-validator: `body("age").isInt()`.
    fn chain_mask(&self, node: NodeIndex, path: &[Name]) -> RuleMask {
        let mut rules = 0;
        for each in self.points_to.paths_of(self.definition(node)) {
            if each.starts_with("express-validator.") {
                rules |= self.knowledge.sanitised_members(&format!("{each}.convert"));
                if self.has_validation_result {
                    rules |= self.knowledge.sanitised_members(&format!("{each}.check"));
                }
            }
        }
        if rules == 0 {
            return 0;
        }
        let mut chain = node;
        for _ in 0..MAX_STEPS {
            let made = self.definition(chain);
            let path_of = |library: &LibraryCall| library.path.map(|path| self.points_to.paths.text(path));
            let start = self.points_to.library_calls_of(made).iter().find_map(path_of);
            let place = start.and_then(|start| start.strip_prefix("express-validator."));
            if let Some(place @ ("body" | "query" | "param" | "cookie" | "header" | "check")) = place {
                let module = self.program.module_of_value(made);
                let Op::Call(id) = module.instruction(made).op else { return 0 };
                let first = module.flow.calls[id.index()].arguments.first();
                let field = first.and_then(|first| self.constant_text(self.definition(module.value(first.value))));
                let member = match place {
                    "param" => "params",
                    "cookie" => "cookies",
                    "header" => "headers",
                    place => place,
                };
                let [of, rest @ ..] = path else { return 0 };
                let of = self.program.names.text(*of);
                let names: Vec<&str> = rest.iter().map(|&name| self.program.names.text(name)).collect();
                let is_place = of == member
                    || member == "check" && matches!(of, "body" | "query" | "params" | "cookies" | "headers");
                return if is_place && field == Some(names.join(".")) { rules } else { 0 };
            }
            match self.making_call(chain) {
                Some((_, receiver, _)) => chain = receiver,
                None => return 0,
            }
        }
        0
    }

    /// Rules for which a member of a request is clean by the JSON schemas of a route.
    fn options_mask(&self, options: NodeIndex, path: &[Name]) -> RuleMask {
        let [of, names @ ..] = path else { return 0 };
        let Some(schemas) = self.literal_field(options, "schema") else { return 0 };
        let of = match self.program.names.text(*of) {
            "query" => self.literal_field(schemas, "querystring").or_else(|| self.literal_field(schemas, "query")),
            of @ ("params" | "body" | "headers") => self.literal_field(schemas, of),
            _ => None,
        };
        let schema = names.iter().try_fold(of, |schema, &name| Some(self.json_member(schema?, name)));
        schema.flatten().filter(|_| !names.is_empty()).map_or(0, |schema| self.json_mask(schema))
    }
}
