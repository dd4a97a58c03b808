//! Calls of library functions, by their models; and calls about which nothing is known.

use std::sync::Arc;

use super::calls::{PendingCall, first_argument, passed_on};
use super::keywords::position_of;
use super::layout::NodeIndex;
use super::links::{ActualArgument, Definition, LibraryCall};
use super::objects::{ObjectIndex, ObjectKind, PathIndex};
use super::solver::{Constraint, Solver};
use crate::flow::{CallKind, Constant, FunctionKind, Op, ValueId};
use crate::knowledge::{ApiModel, Root};
use crate::program::{Module, Name, Names, ValueIndex};

/// Largest number of methods with the same name that a call with an unknown receiver may have as targets.
const MAX_CANDIDATES: usize = 25;

/// Functions that copy all fields of later arguments into the first one.
const ASSIGN: &[&str] = &[
    "global.Object.assign",
    "lodash.assign",
    "lodash.extend",
    "lodash.assignIn",
    "lodash.defaults",
    "underscore.extend",
    "object-assign",
    "xtend",
    "extend",
    "util._extend",
    "lodash.merge",
    "lodash.defaultsDeep",
    "merge-descriptors",
    "xtend/mutable",
    "xtend.mutable",
    "assign-deep",
    "deep-assign",
    "extend-shallow",
    "mixin-deep",
    "util-extend",
];

impl Solver<'_> {
    /// A call of an API path.
    pub(super) fn call_library(&mut self, pending: &PendingCall, path: PathIndex) {
        // `super(...)` makes the receiver.
        let made;
        let pending = match pending.kind {
            CallKind::Super if pending.receiver.is_some() => {
                made = PendingCall { result: pending.receiver, ..pending.clone() };
                &made
            }
            _ => pending,
        };
        let node = pending.result.unwrap_or(pending.call);
        if !self.library_set.insert((node, Some(path))) || !self.count_target(pending.call) {
            return;
        }
        let text = self.paths.text(path).to_owned();
        let method = match node == pending.call {
            true => self.method_name(pending).unwrap_or_default().to_owned(),
            // Another library function calls this one.
            false => String::new(),
        };
        let exact = self.knowledge.api(&text).filter(|model| model.is_modelled || !model.types.is_empty());
        let any = self.knowledge.api(&text);
        let model = match (exact, any) {
            (Some(exact), _) => Some(exact),
            // Rules know the path, a model may know the method.
            (None, Some(rules)) => Some(match self.knowledge.method(&method).filter(|_| pending.receiver.is_some()) {
                Some(by_name) if by_name.is_modelled && !rules.is_modelled => {
                    let mut merged = (*rules).clone();
                    merged.flows.clone_from(&by_name.flows);
                    merged.is_modelled = true;
                    Arc::new(merged)
                }
                _ => rules,
            }),
            (None, None) => self.knowledge.method(&method).filter(|_| pending.receiver.is_some()),
        };
        let event = self.event(pending).and_then(|event| {
            let by_path = self.knowledge.event(&text, event);
            by_path.or_else(|| self.knowledge.method_event(&method, event).filter(|_| pending.receiver.is_some()))
        });
        let model = merged(model, event);
        let has_types = model.as_ref().is_some_and(|model| !model.types.is_empty());
        let result = if pending.kind == CallKind::New { format!("{text}.new()") } else { format!("{text}()") };
        if let Some(model) = &model {
            let is_typed = self.knowledge.canonical(&result).is_some();
            let before = std::mem::replace(&mut self.has_typed_result, is_typed);
            self.apply_types(pending, model);
            self.apply_flows(pending, model);
            self.has_typed_result = before;
        }
        let is_special = self.special(pending, &text)
            || self.call_helper(pending, &text)
            || self.call_promised(pending, &text)
            || pending.kind == CallKind::Super;
        let is_plain = !has_types && !model.as_ref().is_some_and(|model| model.is_modelled && !model.flows.is_empty());
        if !is_special
            && (is_plain || self.knowledge.canonical(&result).is_some())
            && let Some(target) = pending.result
        {
            let object = self.external(&result);
            self.add(target, object);
        }
        if pending.kind == CallKind::New
            && let Some(target) = pending.result
        {
            // The new object has fields of its own, such as listeners.
            let object = self.object(ObjectKind::Allocation(pending.call));
            self.add(target, object);
        }
        if model.is_none() && !is_special {
            self.note_wrapper(pending);
        }
        for (position, argument) in pending.arguments.iter().enumerate() {
            if let ActualArgument::One(node) = *argument {
                self.constrain(node, Constraint::LibraryArgument(path, position as u32));
            }
        }
        self.library_calls.push(LibraryCall {
            call: pending.call,
            path: Some(path),
            model,
            arguments: pending.arguments.clone(),
            receiver: pending.receiver,
            result: node,
        });
    }

    /// A function is an argument of a library function: its parameters are values of the library.
    pub(super) fn library_argument(&mut self, object: ObjectIndex, path: PathIndex, position: u32) {
        let (function, bound) = match self.objects.kind(object) {
            ObjectKind::Function(function) => (function, 0),
            ObjectKind::Bound(bind, target) => match (self.objects.kind(target), self.call_of(bind)) {
                (ObjectKind::Function(function), Some((call, _))) => {
                    (function, call.arguments.len().saturating_sub(1) as u32)
                }
                _ => return,
            },
            _ => return,
        };
        for parameter in 0..self.layout.parameters(function).saturating_sub(bound).min(6) {
            let text = format!("{}:{position}:{parameter}", self.paths.text(path));
            if self.knowledge.canonical(&text).is_some()
                && let Some(node) = self.layout.parameter(function, parameter + bound)
            {
                let object = self.external(&text);
                self.add(node, object);
            }
        }
    }

    /// Functions whose effect on objects no model can express.
    /// True: they make the result.
    fn special(&mut self, pending: &PendingCall, path: &str) -> bool {
        let first = first_argument(&pending.arguments);
        let second = match pending.arguments.get(1) {
            Some(&ActualArgument::One(node)) => Some(node),
            _ => None,
        };
        if ASSIGN.contains(&path) {
            let Some(target) = first else { return false };
            for argument in pending.arguments.iter().skip(1) {
                let ActualArgument::One(origin) = *argument else { continue };
                self.constrain(target, Constraint::Store(Names::COPIED, origin));
                self.copies.push((pending.call, target, origin));
            }
            if let Some(result) = pending.result {
                self.edge(target, result);
                self.aliases.push((result, target));
            }
            return false;
        }
        match path {
            "global.getattr" => {
                if let (Some(object), Some(result)) = (first, pending.result) {
                    self.constrain(object, Constraint::LoadAttributes(result));
                }
            }
            // The elements keep their positions.
            "global.Promise.all" | "global.Promise.props" => {
                if let (Some(first), true) = (first, pending.result == Some(pending.call)) {
                    let array = self.object(ObjectKind::Array(pending.call));
                    self.add(pending.call, array);
                    self.constrain(pending.call, Constraint::Store(Names::COPIED, first));
                    self.copies.push((pending.call, pending.call, first));
                }
            }
            "lodash.flow"
            | "lodash.pipe"
            | "lodash/fp.flow"
            | "lodash/fp.pipe"
            | "ramda.pipe"
            | "fp-ts/function.flow" => {
                return self.compose(pending, false);
            }
            "lodash.flowRight"
            | "lodash.compose"
            | "lodash/fp.flowRight"
            | "lodash/fp.compose"
            | "ramda.compose"
            | "redux.compose" => return self.compose(pending, true),
            "util.promisify"
            | "global.Promise.promisify"
            | "bluebird.promisify"
            | "q.denodeify"
            | "q.nfbind"
            | "q.nodeify"
            | "pify"
            | "es6-promisify"
            | "es6-promisify.promisify"
            | "util-promisify"
            | "universalify.fromCallback"
            | "thenify"
            | "thunkify" => {
                if let (Some(function), Some(result)) = (first, pending.result) {
                    self.constrain(function, Constraint::Promisify(result));
                }
                return true;
            }
            "global.Object.create" => {
                let object = self.object(ObjectKind::Allocation(pending.call));
                self.add(pending.call, object);
                let parent = self.field(object, Names::PARENT);
                if let Some(first) = first {
                    self.edge(first, parent);
                }
                if let Some(table) = second {
                    self.constrain(table, Constraint::Define(pending.call, pending.call));
                }
            }
            "global.Object.defineProperties" => {
                if let (Some(target), Some(table)) = (first, second) {
                    self.constrain(table, Constraint::Define(pending.call, target));
                    if let Some(result) = pending.result {
                        self.edge(target, result);
                        self.aliases.push((result, target));
                    }
                }
            }
            "global.Object.setPrototypeOf" | "global.Reflect.setPrototypeOf" => {
                if let (Some(child), Some(parent)) = (first, second) {
                    self.constrain(child, Constraint::Store(Names::PARENT, parent));
                }
            }
            "global.Object.getPrototypeOf" | "global.Reflect.getPrototypeOf" => {
                if let (Some(first), Some(result)) = (first, pending.result) {
                    self.constrain(first, Constraint::Load(Names::PARENT, result));
                    if self.is_function_value(first) {
                        let prototype = self.external("global.Function.prototype");
                        self.add(result, prototype);
                    }
                }
            }
            "util.inherits" | "inherits" => {
                let (Some(child), Some(parent)) = (first, second) else { return false };
                let (prototype, inherited) = (self.new_node(), self.new_node());
                self.constrain(child, Constraint::Load(Names::PROTOTYPE, prototype));
                self.constrain(parent, Constraint::Load(Names::PROTOTYPE, inherited));
                self.constrain(prototype, Constraint::Store(Names::PARENT, inherited));
            }
            "global.Object.freeze" | "global.Object.seal" | "global.Object.preventExtensions" => {
                if let (Some(first), Some(result)) = (first, pending.result) {
                    self.edge(first, result);
                    self.aliases.push((result, first));
                }
            }
            "global.Object.defineProperty" | "global.Reflect.defineProperty" => {
                let (Some(target), Some(&ActualArgument::One(descriptor))) = (first, pending.arguments.get(2)) else {
                    return false;
                };
                let name = second.and_then(|key| self.constant_name(key)).unwrap_or(Names::ELEMENT);
                self.define(pending.call, target, name, descriptor);
            }
            _ => {}
        }
        false
    }

    /// A call defines a property of an object by a descriptor.
    pub(super) fn define(&mut self, call: ValueIndex, target: NodeIndex, name: Name, descriptor: NodeIndex) {
        let value = self.new_node();
        if let Some(field) = self.program.names.get("value") {
            self.constrain(descriptor, Constraint::Load(field, value));
        }
        let accessors = [("get", self.getters.get(&name)), ("set", self.setters.get(&name))];
        for (field, accessor) in accessors.map(|(field, accessor)| (field, accessor.copied())) {
            if let (Some(field), Some(accessor)) = (self.program.names.get(field), accessor) {
                let function = self.new_node();
                self.constrain(descriptor, Constraint::Load(field, function));
                self.constrain(target, Constraint::Store(accessor, function));
            }
        }
        // What getters under computed keys return is read under any name: bundlers export functions by such getters.
        if name == Names::ELEMENT
            && let Some(field) = self.program.names.get("get")
        {
            let function = self.new_node();
            self.constrain(descriptor, Constraint::Load(field, function));
            self.constrain(function, Constraint::Get(target, value));
        }
        self.constrain(target, Constraint::Store(name, value));
        self.definitions.push(Definition { call, object: target, name, origin: descriptor, is_value: false });
    }

    /// A call defines properties by a table of descriptors.
    pub(super) fn define_all(&mut self, table: ObjectIndex, call: ValueIndex, target: NodeIndex) {
        for (name, descriptor) in self.fields_of(table).to_vec() {
            if !Names::is_hidden(name) {
                self.define(call, target, name, descriptor);
            }
        }
    }

    /// Name that a constant text is.
    pub(super) fn constant_name(&self, node: NodeIndex) -> Option<Name> {
        if node >= self.program.value_count {
            return None;
        }
        let module = self.program.module_of_value(node);
        match module.instruction(node).op {
            Op::Constant(Constant::String(symbol)) => Some(module.name(symbol)),
            _ => None,
        }
    }

    /// A value is stored to a member of a library: if a model gives the parameter of a function there a type, it has it.
    /// `window.onmessage = (event) => ...`
    pub(super) fn store_handler(&mut self, path: &str, origin: NodeIndex) {
        if self.knowledge.canonical(&format!("{path}:0:0")).is_some() {
            let path = self.paths.intern(path, self.knowledge);
            self.constrain(origin, Constraint::LibraryArgument(path, 0));
        }
    }

    /// True for a value that is the creation of a function.
    pub(super) fn is_function_value(&self, node: NodeIndex) -> bool {
        node < self.program.value_count
            && matches!(self.program.module_of_value(node).instruction(node).op, Op::Function(_))
    }

    /// Name of the called method.
    fn method_name(&self, pending: &PendingCall) -> Option<&str> {
        let module = self.program.module_of_value(pending.call);
        let Op::Call(call) = module.instruction(pending.call).op else { return None };
        match module.flow.instructions[module.flow.calls[call.index()].callee.index()].op {
            Op::LoadField(_, symbol) => Some(module.flow.text(symbol)),
            _ => None,
        }
    }

    /// Constant text of the first argument, `null` or `undefined`.
    pub(super) fn event(&self, pending: &PendingCall) -> Option<&str> {
        let first = first_argument(&pending.arguments)?;
        if let Some(name) = self.constant_name(first) {
            return Some(self.program.names.text(name));
        }
        if first >= self.program.value_count {
            return None;
        }
        match self.program.module_of_value(first).instruction(first).op {
            Op::Constant(Constant::Null) => Some("null"),
            Op::Constant(Constant::Undefined) => Some("undefined"),
            _ => None,
        }
    }

    /// Constant name of the event of a call. `events.once(emitter, name)` has it as its second argument.
    pub(super) fn listened_event(&self, pending: &PendingCall) -> Option<&str> {
        let is_function = pending.receiver.is_none() || matches!(self.method_name(pending), Some("once" | "on"));
        match (self.event(pending), pending.arguments.get(1)) {
            (None, Some(&ActualArgument::One(second))) if is_function => {
                Some(self.program.names.text(self.constant_name(second)?))
            }
            (event, _) => event,
        }
    }

    /// Resolves calls that have no target so far: by the model of a method with this name, or by the methods of the program
    /// with this name. False: nothing changed.
    pub(super) fn resolve_unknown_calls(&mut self) -> bool {
        let mut changed = false;
        let program = self.program;
        let mut candidates = None;
        let groups = program.import_groups();
        for (number, module) in program.modules.iter().enumerate() {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let Op::Call(call) = instruction.op else { continue };
                let value = module.values + position as u32;
                if self.targets.contains_key(&value) {
                    continue;
                }
                let call = &module.flow.calls[call.index()];
                let Op::LoadField(_, symbol) = module.flow.instructions[call.callee.index()].op else { continue };
                let name = module.name(symbol);
                let Some(pending) = self.pending(value) else { continue };
                let (name, pending) = match self.method_of_method(module, call.callee, &pending) {
                    Some(inner) => inner,
                    None => (name, pending),
                };
                let event =
                    self.event(&pending).and_then(|event| self.knowledge.method_event(program.names.text(name), event));
                if let Some(model) = merged(self.knowledge.method(program.names.text(name)), event) {
                    self.targets.insert(value, 1);
                    self.apply_types(&pending, &model);
                    self.apply_flows(&pending, &model);
                    self.library_calls.push(LibraryCall {
                        call: value,
                        path: None,
                        model: Some(model),
                        arguments: pending.arguments.clone(),
                        receiver: pending.receiver,
                        result: value,
                    });
                    changed = true;
                    continue;
                }
                if module.flow.calls_construct && !self.may_have_methods(&pending, name) {
                    continue;
                }
                let candidates: &std::collections::BTreeMap<Name, Vec<u32>> =
                    candidates.get_or_insert_with(|| self.methods_by_name());
                // Files that no import connects, such as several builds of a package, do not call each other.
                let group = groups[number];
                let is_near = |function: &&u32| groups[program.number_of(**function) as usize] == group;
                let functions = candidates.get(&name).into_iter().flatten();
                let functions: Vec<u32> = functions.filter(is_near).copied().collect();
                let functions = match module.flow.calls_construct {
                    true => {
                        functions.into_iter().filter(|&function| self.is_callable_method(&pending, function)).collect()
                    }
                    false => functions,
                };
                if functions.len() > MAX_CANDIDATES {
                    self.limit("methods with the name of an unresolved call");
                    continue;
                }
                for function in functions {
                    self.link(&pending, function);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Method and call that `list.push.apply(list, values)` or `[].push.call(list, value)` stands for, if the method changes the list.
    fn method_of_method(&self, module: &Module, callee: ValueId, pending: &PendingCall) -> Option<(Name, PendingCall)> {
        let op = |value: ValueId| module.flow.instructions[value.index()].op;
        let Op::LoadField(method, through) = op(callee) else { return None };
        let Op::LoadField(_, symbol) = op(method) else { return None };
        let through = module.name(through);
        if !matches!(through, Names::CALL | Names::APPLY) {
            return None;
        }
        // Other methods are unknown functions: all that they get reaches their results.
        let name = module.name(symbol);
        let model = self.knowledge.method(self.program.names.text(name))?;
        if !model.flows.iter().any(|(_, to)| to.root == Root::Receiver) {
            return None;
        }
        let mut inner = pending.clone();
        inner.receiver = first_argument(&pending.arguments);
        inner.arguments = passed_on(through, &pending.arguments);
        Some((name, inner))
    }

    /// False where the receiver of a call, in a language with classes and modules, has no methods of the program: operators are
    /// methods of any value, and modules, containers and values of libraries are no instances of classes of the program.
    fn may_have_methods(&self, pending: &PendingCall, name: Name) -> bool {
        if self.program.names.text(name).starts_with("__") {
            return false;
        }
        let objects = pending.receiver.map(|receiver| self.objects_of(receiver)).unwrap_or_default();
        let is_instance = |&object: &ObjectIndex| {
            matches!(
                self.objects.kind(object),
                ObjectKind::Instance(..)
                    | ObjectKind::DefaultInstance(_)
                    | ObjectKind::Function(_)
                    | ObjectKind::Prototype(_)
            )
        };
        objects.is_empty() || objects.iter().any(is_instance)
    }

    /// True if a function is a method that can take the arguments of a call.
    fn is_callable_method(&self, pending: &PendingCall, function: u32) -> bool {
        let (module, id) = self.program.function(function);
        if module.flow.function(id).kind != FunctionKind::Method {
            return false;
        }
        let mut position = 0;
        pending.arguments.iter().all(|argument| match *argument {
            ActualArgument::One(_) => {
                position += 1;
                position <= self.layout.parameters(function) || !self.layout.has_position(function, position - 1)
            }
            ActualArgument::Named(_, name) => {
                self.layout.has_keywords(function) || position_of(self.program, function, name).is_some()
            }
            ActualArgument::Spread(_) | ActualArgument::Keywords(_) | ActualArgument::Absent => true,
        })
    }
}

/// Union of the knowledge about a call and about its first argument.
fn merged(model: Option<Arc<ApiModel>>, event: Option<Arc<ApiModel>>) -> Option<Arc<ApiModel>> {
    let (mut union, event) = match (model, event) {
        (Some(model), Some(event)) => ((*model).clone(), event),
        (model, event) => return model.or(event),
    };
    union.flows.extend(event.flows.iter().cloned());
    union.is_modelled |= event.is_modelled;
    union.types.extend(event.types.iter().cloned());
    union.sources.extend(event.sources.iter().cloned());
    union.conditional_sources.extend(event.conditional_sources.iter().cloned());
    union.sinks.extend(event.sinks.iter().cloned());
    union.conditional_sinks.extend(event.conditional_sinks.iter().cloned());
    union.sanitizes.extend(event.sanitizes.iter().cloned());
    union.conditional_sanitizes.extend(event.conditional_sanitizes.iter().cloned());
    union.guards.extend(event.guards.iter().cloned());
    Some(Arc::new(union))
}
