//! API paths of the values of a file: sparse forward propagation over its instructions.
//!
//! Imports, global variables and what the points-to analysis knows are the beginnings. A worklist carries their paths through copies,
//! joins, captured variables, members and calls until nothing changes, so the length of a chain of aliases does not matter. A value with
//! more than [`MAX_PATHS`] paths keeps the first ones, and all values that flow into it count as handed on: see [`Paths::overflows`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::flow::{Call, CallKind, Constant, FlowModule, FunctionId, FunctionKind, Op, SymbolId, ValueId};
use crate::points_to::PointsTo;
use crate::program::{ImportTarget, Module};

/// Most paths of a value.
const MAX_PATHS: usize = 16;

/// Longest path in bytes.
const MAX_BYTES: usize = 200;

/// Path of the function that loads a module by its name.
pub(super) const LOADER: &str = "global.require";

/// Functions that load a module by the name that is their first argument, beside [`LOADER`].
const LOADERS: &[&str] = &[
    LOADER,
    "global.import",
    "global.process.getBuiltinModule",
    "module._load",
    "global.__import__",
    "importlib.import_module",
    "importlib.__import__",
];

/// Objects of all global variables.
const GLOBAL_OBJECTS: &[&str] =
    &["global.globalThis", "global.window", "global.self", "global.global", "global.top", "global.__builtins__"];

/// API paths of the values of a file.
#[derive(Debug, Default)]
pub(super) struct Paths {
    sets: BTreeMap<ValueId, BTreeSet<String>>,
    /// Values with more paths than are kept.
    pub(super) overflows: BTreeSet<ValueId>,
    /// First elements of arrays, by the array.
    elements: BTreeMap<ValueId, ValueId>,
}

impl Paths {
    /// Paths of the values of a module. `is_followed` selects what the analysis of the program knows.
    pub(super) fn new(module: &Module, points_to: &PointsTo, is_followed: &dyn Fn(&str) -> bool) -> Paths {
        let flow = &module.flow;
        let users = Users::new(flow);
        let mut paths = Paths::default();
        let mut waiting = VecDeque::new();
        let global = functions_of_globals(flow);
        for (position, instruction) in flow.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            if let Op::StoreField(array, name, element) = instruction.op
                && flow.text(name) == "0"
            {
                paths.elements.insert(array, element);
            }
            let found: BTreeSet<String> = match instruction.op {
                Op::Import(symbol) => imported(module, symbol).into_iter().collect(),
                Op::Global(name) => [normal(format!("global.{}", flow.text(name)))].into(),
                Op::ModuleObject => ["global.module".to_owned()].into(),
                Op::Call(call) if is_call_of(flow, &flow.calls[call.index()], &global) => ["global".to_owned()].into(),
                _ => BTreeSet::new(),
            };
            if !found.is_empty() {
                paths.sets.insert(value, found);
                waiting.extend(users.of(value));
            }
        }
        paths.propagate(module, &users, waiting);
        // The analysis of the program knows what comes from elsewhere.
        let mut waiting = VecDeque::new();
        for (position, instruction) in flow.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            let mut found = BTreeSet::new();
            if !paths.has(value) && !matches!(instruction.op, Op::Constant(_) | Op::Function(_) | Op::Allocate(_)) {
                let known = points_to.paths_of(module.value(value));
                let known = known.filter(|path| !path.contains(['(', ':', '?']) && is_followed(path));
                found.extend(known.map(|path| normal(path.to_owned())));
            }
            if !found.is_empty() {
                paths.sets.insert(value, found);
                waiting.extend(users.of(value));
            }
        }
        paths.propagate(module, &users, waiting);
        paths
    }

    /// Updates values until nothing changes.
    fn propagate(&mut self, module: &Module, users: &Users, mut waiting: VecDeque<ValueId>) {
        let mut is_waiting: BTreeSet<ValueId> = waiting.iter().copied().collect();
        while let Some(value) = waiting.pop_front() {
            is_waiting.remove(&value);
            if self.update(module, value, users) {
                waiting.extend(users.of(value).filter(|user| is_waiting.insert(*user)));
            }
        }
    }

    /// Captured variables with more paths than are kept.
    pub(super) fn overflowing_cells(&self, flow: &FlowModule) -> BTreeSet<u32> {
        let cell = |value: &ValueId| match flow.instructions[value.index()].op {
            Op::LoadCell(cell) => Some(cell.0),
            _ => None,
        };
        self.overflows.iter().filter_map(cell).collect()
    }

    /// Paths of a value.
    pub(super) fn of(&self, value: ValueId) -> impl Iterator<Item = &str> {
        self.sets.get(&value).into_iter().flatten().map(String::as_str)
    }

    /// True if a value has a path.
    pub(super) fn has(&self, value: ValueId) -> bool {
        self.sets.contains_key(&value)
    }

    /// Argument of a call that is the name of the module, if the call loads one.
    pub(super) fn specifier(&self, call: &Call) -> Option<Option<ValueId>> {
        self.of(call.callee).find_map(|path| self.specifier_of(path, call))
    }

    /// The same for a path of the function that is called.
    fn specifier_of(&self, path: &str, call: &Call) -> Option<Option<ValueId>> {
        let argument = |position: usize| {
            call.arguments.get(position).filter(|argument| !argument.is_spread).map(|argument| argument.value)
        };
        if LOADERS.contains(&path) {
            return Some(argument(0));
        }
        let (function, method) = path.rsplit_once('.')?;
        match method {
            "call" | "bind" if LOADERS.contains(&function) && (method == "call" || call.arguments.len() > 1) => {
                Some(argument(1))
            }
            "apply" if LOADERS.contains(&function) => {
                Some(argument(1).and_then(|list| self.elements.get(&list)).copied())
            }
            // `Reflect.apply(require, null, ["fs"])`.
            "apply" if function == "global.Reflect" && self.is_loader(argument(0)?) => {
                Some(argument(2).and_then(|list| self.elements.get(&list)).copied())
            }
            _ => None,
        }
    }

    /// True if a value may be a function that loads modules.
    pub(super) fn is_loader(&self, value: ValueId) -> bool {
        self.of(value).any(|path| LOADERS.contains(&path))
    }

    /// Adds what the operands of a value say. True: it has more paths now.
    fn update(&mut self, module: &Module, value: ValueId, users: &Users) -> bool {
        let flow = &module.flow;
        let mut found = BTreeSet::new();
        match flow.instructions[value.index()].op {
            Op::Copy(origin) | Op::Guard(origin, ..) | Op::Await(origin) => found.extend(self.owned(origin)),
            Op::Phi(list) => flow.list(list).iter().for_each(|&origin| found.extend(self.owned(origin))),
            Op::LoadCell(cell) => {
                users.stores[cell.index()].iter().for_each(|&origin| found.extend(self.owned(origin)));
            }
            Op::LoadField(base, name) => found.extend(self.of(base).map(|path| member(path, flow.text(name)))),
            Op::LoadKey(base, key) => {
                let Some(name) = text(flow, key) else { return false };
                found.extend(self.of(base).map(|path| member(path, name)));
            }
            Op::Call(call) => {
                let call = &flow.calls[call.index()];
                for path in self.of(call.callee) {
                    found.extend(self.result(flow, path, call));
                }
            }
            _ => return false,
        }
        let kept = self.sets.entry(value).or_default();
        let before = kept.len();
        for path in found.into_iter().filter(|path| path.len() <= MAX_BYTES) {
            if kept.len() < MAX_PATHS || kept.contains(&path) {
                kept.insert(path);
            } else {
                self.overflows.insert(value);
            }
        }
        let has_changed = kept.len() > before;
        if kept.is_empty() {
            self.sets.remove(&value);
        }
        has_changed
    }

    /// Path of the result of a call of a function with a path.
    fn result(&self, flow: &FlowModule, path: &str, call: &Call) -> Option<String> {
        if let Some(specifier) = self.specifier_of(path, call) {
            return library(text(flow, specifier?)?);
        }
        match path.rsplit_once('.') {
            // A bound function is the function, as far as its arguments do not matter.
            Some((function, "bind")) => Some(function.to_owned()),
            Some((function, "call" | "apply")) => Some(format!("{function}()")),
            Some(("global.Reflect", "get")) => {
                let [object, key, ..] = call.arguments.as_slice() else { return None };
                let name = text(flow, key.value)?;
                self.of(object.value).next().map(|path| member(path, name))
            }
            _ => {
                let end = if call.kind == CallKind::New { ".new()" } else { "()" };
                Some(normal(format!("{path}{end}")))
            }
        }
    }

    fn owned(&self, value: ValueId) -> Vec<String> {
        self.of(value).map(str::to_owned).collect()
    }
}

/// Values that depend on a value.
struct Users {
    users: Vec<Vec<ValueId>>,
    /// Values that are stored to each captured variable.
    stores: Vec<Vec<ValueId>>,
}

impl Users {
    fn new(flow: &FlowModule) -> Users {
        let mut users = Users { users: vec![Vec::new(); flow.instructions.len()], stores: Vec::new() };
        users.stores.resize(flow.cells.len(), Vec::new());
        let mut loads: Vec<Vec<ValueId>> = vec![Vec::new(); flow.cells.len()];
        for (position, instruction) in flow.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            let mut uses = |origin: ValueId| users.users[origin.index()].push(value);
            match instruction.op {
                Op::Copy(origin) | Op::Guard(origin, ..) | Op::Await(origin) => uses(origin),
                Op::LoadField(base, _) | Op::LoadKey(base, _) => uses(base),
                Op::Phi(list) => flow.list(list).iter().for_each(|&origin| uses(origin)),
                Op::Call(call) => {
                    let call = &flow.calls[call.index()];
                    uses(call.callee);
                    // `Reflect.get(object, key)` and `Reflect.apply(function, ...)`.
                    if let Some(first) = call.arguments.first() {
                        uses(first.value);
                    }
                }
                Op::LoadCell(cell) => loads[cell.index()].push(value),
                Op::StoreCell(cell, origin) => users.stores[cell.index()].push(origin),
                _ => {}
            }
        }
        for (stored, loads) in users.stores.iter().zip(&loads) {
            for origin in stored {
                users.users[origin.index()].extend(loads);
            }
        }
        users
    }

    fn of(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        self.users[value.index()].iter().copied()
    }
}

/// Functions that return their receiver, which is the object of all global variables without one.
fn functions_of_globals(flow: &FlowModule) -> BTreeSet<FunctionId> {
    let returned = flow.instructions.iter().filter_map(|instruction| match instruction.op {
        Op::Return(value) if flow.instructions[value.index()].op == Op::Receiver => Some(instruction.function),
        _ => None,
    });
    returned.filter(|function| flow.functions[function.index()].kind == FunctionKind::Ordinary).collect()
}

/// True for a call of one of these functions without a receiver.
fn is_call_of(flow: &FlowModule, call: &Call, functions: &BTreeSet<FunctionId>) -> bool {
    let Op::Function(function) = flow.instructions[call.callee.index()].op else { return false };
    call.receiver.is_none() && call.kind == CallKind::Call && functions.contains(&function)
}

/// Text of a constant.
pub(super) fn text(flow: &FlowModule, value: ValueId) -> Option<&str> {
    match flow.instructions[value.index()].op {
        Op::Constant(Constant::String(text)) => Some(flow.text(text)),
        Op::Copy(origin) | Op::Guard(origin, ..) => match flow.instructions[origin.index()].op {
            Op::Constant(Constant::String(text)) => Some(flow.text(text)),
            _ => None,
        },
        _ => None,
    }
}

/// Path of the module of a library.
pub(super) fn imported(module: &Module, symbol: SymbolId) -> Option<String> {
    let Some(ImportTarget::Library(path)) = module.import(symbol) else { return None };
    library(path)
}

/// Path of a module by its specifier. None: a file.
fn library(specifier: &str) -> Option<String> {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    Some(match name {
        "process" => "global.process".to_owned(),
        "builtins" | "__builtin__" => "global".to_owned(),
        "fs/promises" => "fs.promises".to_owned(),
        "os.path" => "posixpath".to_owned(),
        name if name.starts_with(['.', '/']) => return None,
        name => name.to_owned(),
    })
}

/// Path of a member.
fn member(base: &str, name: &str) -> String {
    match name {
        "default" | "__dict__" => base.to_owned(),
        name => normal(format!("{base}.{name}")),
    }
}

/// One path for values that programs get in several ways.
fn normal(path: String) -> String {
    if GLOBAL_OBJECTS.contains(&path.as_str()) {
        return "global".to_owned();
    }
    if let Some(module) = path.strip_prefix("sys.modules.").filter(|name| !matches!(*name, "get" | "pop")) {
        return library(module).unwrap_or_default();
    }
    match path.as_str() {
        "global.process.mainModule" | "global.require.main" | "global.module.parent" => "global.module".to_owned(),
        "global.module.require" | "module.createRequire()" => LOADER.to_owned(),
        "global.module.constructor" | "module.Module" | "module.constructor" => "module".to_owned(),
        "module._load.call" => "module._load".to_owned(),
        _ => path,
    }
}
