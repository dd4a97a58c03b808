//! Capabilities of a program: API paths that its code names, calls or hands on.
//!
//! Every reference to a member of a library counts, called or not. A module that the program uses with a computed member, or hands on as
//! a value, gives the capability `module.*`. A function that loads modules, with a name that is no constant, gives a capability of its own.
//! The points-to analysis knows the calls whose function comes from elsewhere.

use super::analysed::Analysed;
use super::capability_paths::{Paths, imported, text};
use super::install;
use crate::capability::{Capability, CapabilityKind, Table};
use crate::finding::Location;
use crate::flow::{BinaryOp, Call, CallKind, Op, SymbolId, ValueId};
use crate::input::{Input, join};
use crate::knowledge::Knowledge;
use crate::program::{ImportTarget, Module};

/// Name of the environment as a whole.
const ALL_VARIABLES: &str = "all variables";

/// Objects that are the environment.
const ENVIRONMENTS: &[&str] = &["global.process.env", "os.environ", "os.environb", "global.Bun.env", "global.Deno.env"];

/// Functions and methods that read a variable whose name is their first argument.
const GETTERS: &[&str] = &[
    "os.getenv",
    "os.getenvb",
    "os.environ.get",
    "os.environ.pop",
    "os.environ.setdefault",
    "os.environ.__getitem__",
    "global.Deno.env.get",
];

/// Modules of Python's standard library that are capabilities, and that other modules of it import.
const REEXPORTED: &[&str] =
    &["os", "sys", "subprocess", "socket", "builtins", "importlib", "ctypes", "posix", "nt", "shutil", "spawn"];

/// Elements that make a page load or run code.
const LOADING_ELEMENTS: &[&str] = &["script", "iframe", "embed", "object"];

/// Capabilities of the code of a program, without dependencies that are there for the targets of calls only.
pub(super) fn of_program(analysed: &Analysed, knowledge: &Knowledge) -> Vec<Capability> {
    let Some(first) = analysed.input.sources.first() else { return Vec::new() };
    let is_python = first.language == crate::input::Language::Python;
    let table = Table::new(is_python, knowledge);
    let installed = install::modules(&analysed.input, &analysed.program);
    let mut capabilities = Vec::new();
    for (number, module) in analysed.program.modules.iter().enumerate() {
        if analysed.input.is_dependency(module.file) {
            continue;
        }
        let mut found = Finder {
            module,
            table: &table,
            knowledge,
            paths: Paths::new(module, &analysed.points_to, &|path| table.concerns(path)),
            is_python,
            is_at_install: installed.contains(&(number as u32)),
            capabilities: &mut capabilities,
        };
        found.instructions(&analysed.input);
        found.library_calls(analysed);
    }
    capabilities
}

struct Finder<'f> {
    module: &'f Module,
    table: &'f Table,
    knowledge: &'f Knowledge,
    paths: Paths,
    is_python: bool,
    is_at_install: bool,
    capabilities: &'f mut Vec<Capability>,
}

impl Finder<'_> {
    fn add(&mut self, kind: CapabilityKind, name: String, value: ValueId) {
        let span = self.module.flow.instructions[value.index()].span;
        let location = Location { file: self.module.file, span };
        self.capabilities.push(Capability { kind, name, is_at_install: self.is_at_install, location });
    }

    /// Members of libraries, and global variables, that the code names.
    fn instructions(&mut self, input: &Input) {
        let module = self.module;
        let flow = &module.flow;
        let overflowing = self.paths.overflowing_cells(flow);
        for (position, instruction) in flow.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            match instruction.op {
                Op::Import(symbol) => {
                    self.import(symbol, value, input);
                    self.reference(value);
                }
                Op::LoadField(base, name) => {
                    if self.is_environment(base) {
                        self.variable(name, value);
                    }
                    self.member(base, flow.text(name), value);
                    self.reference(value);
                }
                Op::LoadKey(base, key) => match text(flow, key) {
                    Some(name) => {
                        if self.is_environment(base) {
                            self.add(CapabilityKind::Environment, name.to_owned(), value);
                        }
                        self.member(base, name, value);
                        self.reference(value);
                    }
                    None => self.whole(base, value),
                },
                Op::Global(name) => {
                    // Members of the object of a `with` statement look like this.
                    if !self.is_python {
                        self.named(flow.text(name), value);
                    }
                    self.reference(value);
                }
                // The names of a module of Python are its exports, and the points-to analysis follows them.
                Op::StoreField(object, ..) if self.is_python && flow.instructions[object.index()].op == Op::Exports => {
                }
                Op::EnumerateKey(base) | Op::RestOf(base, _) | Op::CopyFields(_, base) | Op::Element(base) => {
                    self.whole(base, value);
                }
                Op::StoreField(_, _, stored) | Op::StoreKey(_, _, stored) | Op::StoreGlobal(_, stored) => {
                    self.hand_on(stored, value);
                }
                Op::Return(given) | Op::Yield(given) | Op::YieldAll(given) | Op::Throw(given) => {
                    self.hand_on(given, value);
                }
                Op::Phi(list) if self.paths.overflows.contains(&value) => {
                    flow.list(list).iter().for_each(|&origin| self.hand_on(origin, value));
                }
                Op::StoreCell(cell, stored) if overflowing.contains(&cell.0) => self.hand_on(stored, value),
                Op::Call(call) => self.call(&flow.calls[call.index()], value),
                _ => {}
            }
        }
    }

    /// Import of a module, or of a file that is code whatever its name says.
    fn import(&mut self, symbol: SymbolId, value: ValueId, input: &Input) {
        let specifier = self.module.flow.text(symbol);
        let scheme = specifier.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("data" | "blob" | "file") => {
                let name = format!("import {}:", scheme.unwrap_or_default());
                self.add(CapabilityKind::DynamicCode, name, value);
            }
            Some("http" | "https") => {
                let address = specifier.split(['?', '#']).next().unwrap_or(specifier);
                self.add(CapabilityKind::DynamicCode, format!("import {address}"), value);
            }
            _ => {}
        }
        if let Some(found) = imported(self.module, symbol).and_then(|path| self.table.import(&path)) {
            self.add(found.kind, found.name, value);
        }
        if specifier.starts_with('.') && specifier.ends_with(".node") {
            self.add(CapabilityKind::NativeCode, specifier.to_owned(), value);
        }
        if let (Some(ImportTarget::Nothing), true) = (self.module.import(symbol), specifier.starts_with('.')) {
            let record = input.coverage.files.get(self.module.file as usize);
            let folder = record.and_then(|record| record.path.rsplit_once('/')).map_or("", |(folder, _)| folder);
            let path = join(folder, specifier);
            if let Some(name) = path.and_then(|path| input.unread.get(&path).and_then(|file| file.loaded(&path))) {
                self.add(CapabilityKind::OtherCode, name, value);
            }
        }
    }

    /// Capability of a value by its API paths.
    fn reference(&mut self, value: ValueId) {
        let mut found = Vec::new();
        for path in self.paths.of(value) {
            let model = self.knowledge.api(&self.knowledge.canonical_path(path));
            // The mode of a file that is opened tells whether it is written; calls see it.
            if !is_open(path) {
                found.extend(self.table.find(path, model.as_deref()));
            }
        }
        found.into_iter().for_each(|found| self.add(found.kind, found.name, value));
    }

    /// Members that are capabilities by their names, whatever the object is.
    fn member(&mut self, base: ValueId, name: &str, value: ValueId) {
        self.named(name, value);
        self.reexport(base, name, value);
        // `[].at.constructor.constructor` and `(() => {}).constructor` are `Function`.
        let base = self.module.flow.instructions[base.index()].op;
        let is_function = match base {
            Op::Function(_) => true,
            Op::LoadField(_, inner) => self.module.flow.text(inner) == "constructor",
            _ => false,
        };
        if name == "constructor" && is_function {
            self.add(CapabilityKind::DynamicCode, "Function".to_owned(), value);
        }
    }

    /// A module that another module of Python has as a member: `shutil.os`.
    fn reexport(&mut self, base: ValueId, name: &str, value: ValueId) {
        let Op::Import(symbol) = self.module.flow.instructions[base.index()].op else { return };
        let module = self.module.flow.text(symbol);
        let is_known = self.is_python && REEXPORTED.contains(&name.trim_start_matches('_'));
        if is_known
            && !module.starts_with('.')
            && !self.paths.of(value).any(|path| self.table.find(path, None).is_some())
        {
            self.add(CapabilityKind::ModuleLoad, format!("{module}.{name}"), value);
        }
    }

    fn named(&mut self, name: &str, value: ValueId) {
        let Some(kind) = Table::member(name) else { return };
        if !self.paths.of(value).any(|path| self.table.find(path, None).is_some()) {
            self.add(kind, name.to_owned(), value);
        }
    }

    fn is_environment(&self, value: ValueId) -> bool {
        self.paths.of(value).any(|path| ENVIRONMENTS.contains(&path))
    }

    /// A variable of the environment, or a method of the object that has all of them.
    fn variable(&mut self, name: SymbolId, value: ValueId) {
        let name = self.module.flow.text(name);
        let is_method = name.chars().any(|character| character.is_lowercase()) && METHODS.contains(&name);
        match is_method {
            true if matches!(name, "get" | "pop" | "setdefault" | "__getitem__") => {}
            true => self.add(CapabilityKind::Environment, ALL_VARIABLES.to_owned(), value),
            false => self.add(CapabilityKind::Environment, name.to_owned(), value),
        }
    }

    /// A use of an object by a computed member.
    fn whole(&mut self, base: ValueId, value: ValueId) {
        if self.is_environment(base) {
            self.add(CapabilityKind::Environment, ALL_VARIABLES.to_owned(), value);
        }
        let found: Vec<_> = self.paths.of(base).filter_map(|path| self.table.whole(path)).collect();
        found.into_iter().for_each(|found| self.add(found.kind, found.name, value));
    }

    /// A value that code elsewhere gets. The object of all global variables, and that of the process, are handed on for harmless reasons,
    /// and the points-to analysis follows them.
    fn hand_on(&mut self, given: ValueId, value: ValueId) {
        if self.is_environment(given) {
            self.add(CapabilityKind::Environment, ALL_VARIABLES.to_owned(), value);
        }
        if self.paths.is_loader(given) {
            self.add(CapabilityKind::ModuleLoad, "require as a value".to_owned(), value);
        }
        let is_rare = |path: &&str| !path.starts_with("global") || self.is_python;
        let found: Vec<_> = self.paths.of(given).filter(is_rare).filter_map(|path| self.table.whole(path)).collect();
        found.into_iter().for_each(|found| self.add(found.kind, found.name, value));
    }

    fn call(&mut self, call: &Call, value: ValueId) {
        let flow = &self.module.flow;
        let callees: Vec<String> = self.paths.of(call.callee).map(str::to_owned).collect();
        let is = |known: &str| callees.iter().any(|path| path == known);
        let first = call.arguments.first();
        let first_text = first.filter(|argument| !argument.is_spread).and_then(|argument| text(flow, argument.value));
        if callees.iter().any(|path| GETTERS.contains(&path.as_str())) {
            let name = first_text.unwrap_or(ALL_VARIABLES).to_owned();
            self.add(CapabilityKind::Environment, name, value);
        }
        match self.paths.specifier(call) {
            Some(specifier) => self.load(specifier, &callees, value),
            None => {
                let shows = |first: bool| callees.iter().any(|path| shows_members(path, first));
                let (shows_first, shows_others) = (shows(true), shows(false));
                for (position, argument) in call.arguments.iter().enumerate() {
                    self.hand_on(argument.value, value);
                    if if position == 0 { shows_first } else { shows_others } {
                        self.whole(argument.value, value);
                    }
                }
            }
        }
        for path in callees.iter().filter(|path| is_open(path)) {
            let is_mode = |name: SymbolId| flow.text(name) == "mode";
            let named = call.arguments.iter().find(|argument| argument.name.is_some_and(is_mode));
            let positional = call.arguments.get(1).filter(|argument| argument.name.is_none());
            // A mode that is no constant may be any.
            let mode = named.or(positional).map_or("r", |argument| text(flow, argument.value).unwrap_or("w"));
            let kind = match mode.contains(['w', 'a', 'x', '+']) {
                true => CapabilityKind::FileWrite,
                false => CapabilityKind::FileRead,
            };
            self.add(kind, path.strip_prefix("global.").unwrap_or(path).to_owned(), value);
        }
        if (is("global.setTimeout") || is("global.setInterval") || is("global.setImmediate"))
            && first.is_some_and(|first| is_text(flow.instructions[first.value.index()].op))
        {
            self.add(CapabilityKind::DynamicCode, "setTimeout with a text".to_owned(), value);
        }
        if is("global.document.createElement")
            && let Some(element) = first_text.filter(|element| LOADING_ELEMENTS.contains(element))
        {
            self.add(CapabilityKind::DynamicCode, format!("document.createElement {element}"), value);
        }
        self.constructor_call(call, value);
        // `[]["fl" + "at"]["const" + name](code)`: obfuscated code finds functions like this.
        if let Some((inner, _)) = self.computed_member(call.callee)
            && self.computed_member(inner).is_some()
        {
            self.add(CapabilityKind::DynamicCode, "a computed member of a computed member".to_owned(), value);
        }
    }

    /// Object and key of a load whose key is a text that the program puts together.
    fn computed_member(&self, value: ValueId) -> Option<(ValueId, ValueId)> {
        let flow = &self.module.flow;
        let Op::LoadKey(base, key) = flow.instructions[value.index()].op else { return None };
        let is_built = matches!(flow.instructions[key.index()].op, Op::Concat(_) | Op::Binary(BinaryOp::Add, ..));
        is_built.then_some((base, key))
    }

    /// `value.constructor("code")`: a function is made of a text, if the value is a function.
    fn constructor_call(&mut self, call: &Call, value: ValueId) {
        let flow = &self.module.flow;
        let Op::LoadField(base, name) = flow.instructions[call.callee.index()].op else { return };
        let is_made = call.kind == CallKind::Call && !call.arguments.is_empty();
        let is_receiver = matches!(flow.instructions[base.index()].op, Op::Receiver);
        if flow.text(name) == "constructor" && is_made && !is_receiver {
            self.add(CapabilityKind::DynamicCode, "Function".to_owned(), value);
        }
    }

    /// A call that loads a module.
    fn load(&mut self, specifier: Option<ValueId>, callees: &[String], value: ValueId) {
        let flow = &self.module.flow;
        if let Some(name) = specifier.and_then(|specifier| text(flow, specifier)) {
            let found = self.paths.of(value).find_map(|path| self.table.import(path));
            if let Some(found) = found {
                self.add(found.kind, found.name, value);
            } else if name.ends_with(".node") {
                self.add(CapabilityKind::NativeCode, name.to_owned(), value);
            }
            return;
        }
        let callee = callees.first().map_or("require", String::as_str);
        let callee = callee.strip_prefix("global.").unwrap_or(callee);
        let callee = callee.strip_suffix(".call").or(callee.strip_suffix(".apply")).unwrap_or(callee);
        // A name that begins with a folder of the package stands for its modules.
        let folder = specifier.and_then(|specifier| match flow.instructions[specifier.index()].op {
            Op::Concat(parts) => text(flow, *flow.list(parts).first()?),
            _ => None,
        });
        let folder = folder.filter(|folder| folder.starts_with("./") || folder.starts_with("../"));
        let folder = folder.and_then(|folder| folder.rsplit_once('/')).map(|(folder, _)| folder);
        let name = match folder {
            Some(folder) => format!("{callee} of a computed name in {folder}"),
            None => format!("{callee} of a computed name"),
        };
        self.add(CapabilityKind::ModuleLoad, name, value);
    }

    /// Calls of library functions that the program gets from elsewhere.
    fn library_calls(&mut self, analysed: &Analysed) {
        let (start, end) = (self.module.values, self.module.values + self.module.flow.instructions.len() as u32);
        let calls = &analysed.points_to.library_calls;
        let from = calls.partition_point(|call| call.call < start);
        for library in calls[from..].iter().take_while(|call| call.call < end) {
            let Some(path) = library.path else { continue };
            let name = analysed.points_to.paths.text(path);
            let value = ValueId(library.call - start);
            let Op::Call(call) = self.module.flow.instructions[value.index()].op else { continue };
            let callee = self.module.flow.calls[call.index()].callee;
            // References are there already.
            if is_open(name) || self.paths.has(callee) {
                continue;
            }
            if let Some(found) = self.table.find(name, library.model.as_deref()) {
                self.add(found.kind, found.name, value);
            }
        }
    }
}

/// Methods of objects that hold the environment.
const METHODS: &[&str] = &[
    "get",
    "pop",
    "setdefault",
    "__getitem__",
    "items",
    "keys",
    "values",
    "copy",
    "update",
    "toObject",
    "has",
    "set",
    "delete",
    "clear",
    "popitem",
    "toString",
    "hasOwnProperty",
];

/// True for functions whose second argument is the mode of a file.
fn is_open(path: &str) -> bool {
    matches!(path, "global.open" | "io.open" | "codecs.open" | "os.fdopen")
}

/// True for functions that give members of their first argument, or of a later one.
fn shows_members(path: &str, is_first: bool) -> bool {
    match path {
        "global.Object.assign" => !is_first,
        "global.getattr"
        | "global.vars"
        | "global.Reflect.get"
        | "global.Reflect.getOwnPropertyDescriptor"
        | "global.Object.values"
        | "global.Object.entries"
        | "global.Object.getOwnPropertyDescriptor"
        | "global.Object.getOwnPropertyDescriptors"
        | "inspect.getmembers" => is_first,
        _ => false,
    }
}

/// True if the result of an operation is a text.
fn is_text(op: Op) -> bool {
    matches!(op, Op::Constant(crate::flow::Constant::String(_)) | Op::Concat(_))
}
