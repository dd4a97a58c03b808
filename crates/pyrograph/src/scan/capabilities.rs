//! Capabilities of a program: API paths that its code names or calls.
//!
//! Two sources complement each other. Names of imports and their members are followed within a file, through variables; so every
//! reference counts, called or not. The points-to analysis knows the calls whose function comes from elsewhere.

use std::collections::BTreeSet;

use super::analysed::Analysed;
use super::install;
use crate::capability::{Capability, CapabilityKind, Table};
use crate::finding::Location;
use crate::flow::{Call, Constant, Op, SymbolId, ValueId};
use crate::knowledge::Knowledge;
use crate::program::{ImportTarget, Module};

/// Most steps from a value to the import or global variable that it comes from.
const MAX_STEPS: usize = 8;

/// Most values of a variable that are followed.
const MAX_VALUES: usize = 4;

/// Name of the environment as a whole.
const ALL_VARIABLES: &str = "all variables";

/// Objects that are the environment.
const ENVIRONMENTS: &[&str] = &["global.process.env", "os.environ", "os.environb", "global.Bun.env", "global.Deno.env"];

/// Functions and methods that read a variable whose name is their first argument.
const GETTERS: &[&str] = &[
    "os.getenv",
    "os.environ.get",
    "os.environ.pop",
    "os.environ.setdefault",
    "os.environ.__getitem__",
    "global.Deno.env.get",
];

/// Capabilities of the code of a program, without dependencies that are there for the targets of calls only.
pub(super) fn of_program(analysed: &Analysed, knowledge: &Knowledge) -> Vec<Capability> {
    let Some(first) = analysed.input.sources.first() else { return Vec::new() };
    let table = Table::new(first.language == crate::input::Language::Python, knowledge);
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
            cells: cells(module),
            is_at_install: installed.contains(&(number as u32)),
            capabilities: &mut capabilities,
        };
        found.references();
        found.library_calls(analysed);
    }
    capabilities
}

/// Values that a module stores to its captured variables.
fn cells(module: &Module) -> Vec<Vec<ValueId>> {
    let mut cells = vec![Vec::new(); module.flow.cells.len()];
    for instruction in &module.flow.instructions {
        if let Op::StoreCell(cell, value) = instruction.op {
            cells[cell.index()].push(value);
        }
    }
    cells
}

struct Finder<'f> {
    module: &'f Module,
    table: &'f Table,
    knowledge: &'f Knowledge,
    cells: Vec<Vec<ValueId>>,
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
    fn references(&mut self) {
        let module = self.module;
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            match instruction.op {
                Op::Import(symbol) => {
                    if let Some(path) = self.imported(symbol)
                        && let Some(found) = self.table.import(&path)
                    {
                        self.add(found.kind, found.name, value);
                    }
                    self.reference(value);
                }
                Op::LoadField(base, name) => {
                    if self.paths(base, MAX_STEPS).iter().any(|path| ENVIRONMENTS.contains(&path.as_str())) {
                        self.variable(name, value);
                    }
                    self.reference(value);
                }
                Op::Global(_) => self.reference(value),
                Op::LoadKey(base, _) | Op::EnumerateKey(base) | Op::RestOf(base, _) | Op::CopyFields(_, base) => {
                    self.environment(base, value);
                }
                Op::Call(call) => self.call(&module.flow.calls[call.index()], value),
                _ => {}
            }
        }
    }

    /// Capability of a value by its API paths.
    fn reference(&mut self, value: ValueId) {
        for path in self.paths(value, MAX_STEPS) {
            let model = self.knowledge.api(&self.knowledge.canonical_path(&path));
            // The mode of a file that is opened tells whether it is written; calls see it.
            if !is_open(&path)
                && let Some(found) = self.table.find(&path, model.as_deref())
            {
                self.add(found.kind, found.name, value);
            }
        }
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

    /// A use of the whole environment.
    fn environment(&mut self, base: ValueId, value: ValueId) {
        if self.paths(base, MAX_STEPS).iter().any(|path| ENVIRONMENTS.contains(&path.as_str())) {
            self.add(CapabilityKind::Environment, ALL_VARIABLES.to_owned(), value);
        }
    }

    fn call(&mut self, call: &Call, value: ValueId) {
        for argument in &call.arguments {
            self.environment(argument.value, value);
        }
        let paths = self.paths(call.callee, MAX_STEPS);
        if paths.iter().any(|path| GETTERS.contains(&path.as_str())) {
            let name = call.arguments.first().and_then(|argument| self.constant(argument.value));
            let name = name.unwrap_or(ALL_VARIABLES).to_owned();
            self.add(CapabilityKind::Environment, name, value);
        }
        for path in paths.iter().filter(|path| is_open(path)) {
            let is_mode = |name: SymbolId| self.module.flow.text(name) == "mode";
            let named = call.arguments.iter().find(|argument| argument.name.is_some_and(is_mode));
            let positional = call.arguments.get(1).filter(|argument| argument.name.is_none());
            let mode = named.or(positional).and_then(|argument| self.constant(argument.value)).unwrap_or("r");
            let kind = match mode.contains(['w', 'a', 'x', '+']) {
                true => CapabilityKind::FileWrite,
                false => CapabilityKind::FileRead,
            };
            self.add(kind, path.strip_prefix("global.").unwrap_or(path).to_owned(), value);
        }
    }

    /// Calls of library functions that the program gets from elsewhere.
    fn library_calls(&mut self, analysed: &Analysed) {
        let (start, end) = (self.module.values, self.module.values + self.module.flow.instructions.len() as u32);
        let calls = &analysed.points_to.library_calls;
        let from = calls.partition_point(|call| call.call < start);
        for library in calls[from..].iter().take_while(|call| call.call < end) {
            let Some(path) = library.path else { continue };
            let text = analysed.points_to.paths.text(path);
            let value = ValueId(library.call - start);
            let Op::Call(call) = self.module.flow.instructions[value.index()].op else { continue };
            let callee = self.module.flow.calls[call.index()].callee;
            // References are there already.
            if is_open(text) || !self.paths(callee, MAX_STEPS).is_empty() {
                continue;
            }
            if let Some(found) = self.table.find(text, library.model.as_deref()) {
                self.add(found.kind, found.name, value);
            }
        }
    }

    /// Text of a constant.
    fn constant(&self, value: ValueId) -> Option<&str> {
        match self.module.flow.instructions[value.index()].op {
            Op::Constant(Constant::String(text)) => Some(self.module.flow.text(text)),
            _ => None,
        }
    }

    /// API path of the module of a library.
    fn imported(&self, symbol: SymbolId) -> Option<String> {
        let Some(ImportTarget::Library(path)) = self.module.import(symbol) else { return None };
        let path = path.strip_prefix("node:").unwrap_or(path);
        Some(match path {
            "process" => "global.process".to_owned(),
            "builtins" | "__builtin__" => "global".to_owned(),
            "fs/promises" => "fs.promises".to_owned(),
            path => path.to_owned(),
        })
    }

    /// API paths that a value has in its file.
    fn paths(&self, value: ValueId, steps: usize) -> Vec<String> {
        let Some(steps) = steps.checked_sub(1) else { return Vec::new() };
        let flow = &self.module.flow;
        let all = |values: &[ValueId]| -> Vec<String> {
            let paths: BTreeSet<String> =
                values.iter().take(MAX_VALUES).flat_map(|&value| self.paths(value, steps)).collect();
            paths.into_iter().take(MAX_VALUES).collect()
        };
        match flow.instructions[value.index()].op {
            Op::Copy(origin) | Op::Guard(origin, ..) | Op::Await(origin) => self.paths(origin, steps),
            Op::Phi(list) => all(flow.list(list)),
            Op::LoadCell(cell) => all(&self.cells[cell.index()]),
            Op::Import(symbol) => self.imported(symbol).into_iter().collect(),
            Op::Global(name) => vec![format!("global.{}", flow.text(name))],
            Op::LoadField(base, name) => {
                let name = flow.text(name);
                let member = |base: String| match (base.as_str(), name) {
                    (_, "default") => base,
                    ("global.globalThis" | "global.window" | "global.self" | "global.global", name) => {
                        format!("global.{name}")
                    }
                    (base, name) => format!("{base}.{name}"),
                };
                self.paths(base, steps).into_iter().map(member).collect()
            }
            Op::Call(call) => {
                let end = if flow.calls[call.index()].kind == crate::flow::CallKind::New { ".new()" } else { "()" };
                let callee = flow.calls[call.index()].callee;
                self.paths(callee, steps).into_iter().map(|path| path + end).collect()
            }
            _ => Vec::new(),
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
    matches!(path, "global.open" | "io.open" | "codecs.open")
}
