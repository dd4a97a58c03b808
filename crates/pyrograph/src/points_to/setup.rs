//! Constraints of instructions.

use super::layout::{Formal, NodeIndex};
use super::objects::ObjectKind;
use super::solver::{Constraint, Solver};
use super::wrapped::is_imported;
use crate::flow::{AllocateKind, BinaryOp, FunctionId, FunctionKind, Op, SymbolId, TypedPlace, ValueId};
use crate::program::{ImportTarget, Module, Name, Names};

/// Methods that make a text of an object, in languages without and with classes.
const TO_STRING: &str = "toString";
const STR: &str = "__str__";
/// Method that `await` calls.
const THEN: &str = "then";
/// Modules that make functions of a library global, with the library.
const GLOBAL_FUNCTIONS: (&str, &str) = ("shelljs/global", "shelljs");

impl Solver<'_> {
    /// Adds the constraints of all instructions.
    pub(super) fn set_up(&mut self) {
        let program = self.program;
        for module in &program.modules {
            self.set_up_names(module);
            let exports = |op: &Op| matches!(op, Op::Exports | Op::ModuleObject);
            self.exporting.push(module.flow.instructions.iter().any(|instruction| exports(&instruction.op)));
        }
        for (number, module) in program.modules.iter().enumerate() {
            for &(name, child) in &module.children {
                let exports = self.object(ObjectKind::Exports(number as u32));
                let field = self.field(exports, name);
                let child = self.object(ObjectKind::Module(child));
                let exports = self.field(child, Names::EXPORTS);
                self.edge(exports, field);
            }
            self.set_up_functions(module);
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let value = module.values + position as u32;
                let function = module.function(instruction.function);
                self.set_up_instruction(number as u32, module, function, value, instruction.op);
            }
        }
    }

    /// Names of getters and setters, and calls whose exceptions are caught.
    fn set_up_names(&mut self, module: &Module) {
        for text in crate::program::defined_properties(&module.flow) {
            let names = &self.program.names;
            if let (Some(name), Some(getter), Some(setter)) =
                (names.get(text), names.get(&format!("get {text}")), names.get(&format!("set {text}")))
            {
                self.getters.insert(name, getter);
                self.setters.insert(name, setter);
            }
        }
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            match instruction.op {
                Op::DefineGetter(_, symbol, _) => {
                    let name = module.name(symbol);
                    if let Some(getter) = self.program.names.get(&format!("get {}", self.program.names.text(name))) {
                        self.getters.insert(name, getter);
                    }
                }
                Op::DefineSetter(_, symbol, _) => {
                    let name = module.name(symbol);
                    if let Some(setter) = self.program.names.get(&format!("set {}", self.program.names.text(name))) {
                        self.setters.insert(name, setter);
                    }
                }
                Op::StoreCell(cell, origin) if is_imported(self.knowledge, module, &self.imported_cells, origin, 0) => {
                    self.imported_cells.insert(module.cells + cell.0);
                }
                Op::StoreField(_, symbol, _) => {
                    self.has_iterators |= matches!(module.name(symbol), Names::ITERATOR | Names::ASYNC_ITERATOR);
                    self.has_conversions |= module.flow.text(symbol) == conversion(module);
                    self.has_thenables |= module.flow.text(symbol) == THEN;
                }
                Op::Import(symbol) => {
                    let is_global = |path: &str| path.replace('.', "/") == GLOBAL_FUNCTIONS.0;
                    self.has_shell_globals |=
                        matches!(module.import(symbol), Some(ImportTarget::Library(path)) if is_global(path));
                }
                Op::Function(id) if module.is_page_script && instruction.function.index() == 0 => {
                    self.page_functions.extend(module.flow.function(id).name.map(|name| module.name(name)));
                }
                Op::Catch(list) => {
                    for &thrower in module.flow.list(list) {
                        self.catches.entry(module.value(thrower)).or_insert(module.values + position as u32);
                    }
                }
                _ => {}
            }
        }
    }

    /// Types of results and fields that are classes of the program.
    fn set_up_types(&mut self, module: &Module) {
        for &(function, place, specifier, name) in &module.flow.types {
            let Some(&ImportTarget::Module(target)) = module.import(specifier) else { continue };
            let function = module.function(function);
            let node = match place {
                TypedPlace::Result => self.layout.formal(function, Formal::Return),
                TypedPlace::Field(field) => {
                    let exports = self.object(ObjectKind::Exports(target));
                    let class = self.look_up(exports, module.name(name));
                    self.typed_fields.push((function, module.name(field), class));
                    let prototype = self.object(ObjectKind::Prototype(function));
                    self.field(prototype, module.name(field))
                }
            };
            self.note_type(target, module.name(name), node);
        }
    }

    /// Fields of instances whose classes say their types.
    fn note_typed_fields(&mut self) {
        let fields = std::mem::take(&mut self.typed_fields);
        if fields.is_empty() {
            return;
        }
        for object in 0..self.objects.len() as u32 {
            let (ObjectKind::Instance(_, class) | ObjectKind::DefaultInstance(class)) = self.objects.kind(object)
            else {
                continue;
            };
            for &(_, name, typed) in fields.iter().filter(|(owner, _, _)| *owner == class) {
                if self.has_store(object, name) {
                    let field = self.field(object, name);
                    self.noted_types.push((typed, field));
                }
            }
        }
    }

    /// A node has instances of a class of a module, if nothing else is known of it.
    fn note_type(&mut self, module: u32, class: Name, node: NodeIndex) {
        let exports = self.object(ObjectKind::Exports(module));
        let class = self.look_up(exports, class);
        self.noted_types.push((class, node));
    }

    /// Uses types where nothing else is known. False: there is no such place.
    pub(super) fn use_types(&mut self) -> bool {
        let mut is_any = false;
        self.note_typed_fields();
        for (class, node) in std::mem::take(&mut self.noted_types) {
            let is_data = |&&object: &&u32| !matches!(self.objects.kind(object), ObjectKind::External(_));
            if self.objects_of(node).iter().find(is_data).is_none() {
                self.constrain(class, Constraint::Instance(node));
                is_any = true;
            }
        }
        is_any
    }

    /// Types of parameters by convention, and receivers of top-level code.
    fn set_up_functions(&mut self, module: &Module) {
        self.set_up_types(module);
        let exported = exported_functions(module);
        for (number, function) in module.flow.functions.iter().enumerate() {
            let index = module.functions + number as u32;
            if function.kind == FunctionKind::Module {
                continue;
            }
            let names: Vec<Option<&str>> =
                function.parameters.iter().map(|name| name.map(|name| module.flow.text(name))).collect();
            for &(position, specifier, name) in &function.parameter_types {
                if let (Some(&ImportTarget::Module(target)), true) =
                    (module.import(specifier), module.flow.calls_construct)
                    && let Some(node) = self.layout.parameter(index, position)
                {
                    self.note_type(target, module.name(name), node);
                }
                let Some(ImportTarget::Library(library)) = module.import(specifier) else { continue };
                let path = format!("{library}.{}", module.flow.text(name));
                if self.knowledge.knows(&path)
                    && let Some(node) = self.layout.parameter(index, position)
                {
                    let object = self.external(&path);
                    self.add(node, object);
                }
            }
            for &(_, export) in exported.iter().filter(|(id, _)| id.index() == number) {
                self.set_up_export(index, module.flow.text(export), &names);
            }
            for (position, name) in names.iter().enumerate() {
                let Some(name) = name else { continue };
                let Some(path) = self.knowledge.parameter_type(name, position, &names) else { continue };
                let path = path.to_owned();
                if let Some(node) = self.layout.parameter(index, position as u32) {
                    let object = self.external(&path);
                    self.add(node, object);
                }
            }
        }
    }

    /// Types of the parameters of an exported function: `export.handler:event`, or `export.handler:0` for a pattern.
    fn set_up_export(&mut self, function: u32, export: &str, names: &[Option<&str>]) {
        for (position, name) in names.iter().enumerate() {
            let path = match name {
                Some(name) => format!("export.{export}:{name}"),
                None => format!("export.{export}:{position}"),
            };
            if self.knowledge.canonical(&path).is_some()
                && let Some(node) = self.layout.parameter(function, position as u32)
            {
                let object = self.external(&path);
                self.add(node, object);
            }
        }
    }

    fn set_up_instruction(&mut self, number: u32, module: &Module, function: u32, value: u32, op: Op) {
        let node = |value: ValueId| -> NodeIndex { module.value(value) };
        let names = |symbol| -> Name { module.name(symbol) };
        match op {
            // Only texts are added to texts in a language with classes.
            Op::Binary(BinaryOp::Add, left, right) if !module.flow.calls_construct => {
                self.convert(module, left, value);
                self.convert(module, right, value);
            }
            Op::Constant(_) | Op::Binary(..) | Op::Unary(..) | Op::EnumerateKey(_) | Op::Markup(..) => {}
            Op::Concat(list) => {
                for &part in module.flow.list(list) {
                    self.convert(module, part, value);
                }
            }
            Op::Function(id) => {
                let object = self.object(ObjectKind::Function(module.function(id)));
                self.add(value, object);
                // Functions of a script of a page are global.
                if module.is_page_script
                    && module.instruction(value).function.index() == 0
                    && let Some(name) = module.flow.function(id).name
                {
                    let global = self.global(module.name(name));
                    self.inclusion(value, global);
                }
            }
            Op::Parameter(position) => {
                if let Some(formal) = self.layout.parameter(function, position) {
                    self.inclusion(formal, value);
                }
            }
            Op::RestParameter(_) => {
                let object = self.object(ObjectKind::Rest(function));
                self.add(value, object);
            }
            Op::KeywordParameters => {
                let object = self.object(ObjectKind::Keywords(function));
                self.add(value, object);
            }
            Op::Arguments => {
                let object = self.object(ObjectKind::Arguments(function));
                self.add(value, object);
            }
            Op::Receiver => self.inclusion(self.layout.formal(function, Formal::Receiver), value),
            Op::LoadCell(cell) => self.inclusion(self.layout.cell(module.cells + cell.0), value),
            Op::StoreCell(cell, origin) => self.inclusion(node(origin), self.layout.cell(module.cells + cell.0)),
            Op::Global(symbol) => {
                let name = names(symbol);
                let global = self.global(name);
                self.inclusion(global, value);
                if !(module.is_page_script && self.page_functions.contains(&name)) {
                    let path = format!("global.{}", self.program.names.text(name));
                    let object = self.external(&path);
                    self.add(value, object);
                }
                if self.has_shell_globals {
                    let path = format!("{}.{}", GLOBAL_FUNCTIONS.1, self.program.names.text(name));
                    if self.knowledge.knows(&path) {
                        let object = self.external(&path);
                        self.add(value, object);
                    }
                }
            }
            Op::StoreGlobal(symbol, origin) => {
                let global = self.global(names(symbol));
                self.inclusion(node(origin), global);
                let path = format!("global.{}", self.program.names.text(names(symbol)));
                self.store_handler(&path, node(origin));
            }
            Op::Import(symbol) => match module.import(symbol) {
                Some(ImportTarget::Module(_) | ImportTarget::Folder(_)) => {
                    for &target in module.imported_modules(symbol) {
                        let object = self.object(ObjectKind::Module(target));
                        let exports = self.field(object, Names::EXPORTS);
                        self.inclusion(exports, value);
                    }
                }
                Some(ImportTarget::Library(path)) => {
                    let object = self.external(path);
                    self.add(value, object);
                }
                Some(ImportTarget::Nothing) | None => {}
            },
            Op::Exports => {
                let object = self.object(ObjectKind::Exports(number));
                self.add(value, object);
                self.object(ObjectKind::Module(number));
            }
            Op::ModuleObject => {
                let object = self.object(ObjectKind::Module(number));
                self.add(value, object);
            }
            Op::Phi(list) => {
                for &origin in module.flow.list(list) {
                    self.inclusion(node(origin), value);
                }
            }
            Op::Copy(origin) | Op::Guard(origin, ..) => self.inclusion(node(origin), value),
            Op::Await(origin) => {
                self.inclusion(node(origin), value);
                let handler = self.catches.get(&node(origin)).copied();
                let target = handler.unwrap_or(self.layout.formal(function, Formal::Throw));
                self.constrain(node(origin), Constraint::Load(Names::ERROR, target));
                self.await_thenable(node(origin), value);
            }
            Op::Allocate(kind) => {
                let object = match kind {
                    AllocateKind::Array => ObjectKind::Array(value),
                    AllocateKind::Object | AllocateKind::Bare => ObjectKind::Allocation(value),
                };
                let object = self.object(object);
                self.add(value, object);
            }
            Op::LoadField(base, symbol) => {
                let name = names(symbol);
                self.constrain(node(base), Constraint::Load(name, value));
                // `arguments.callee` is the function.
                let owner = &module.flow.instructions[base.index()];
                if matches!(owner.op, Op::Arguments) && module.flow.text(symbol) == "callee" {
                    let object = self.object(ObjectKind::Function(module.function(owner.function)));
                    self.add(value, object);
                }
                // `(async () => {}).constructor` is the function that compiles texts.
                let path = match name {
                    Names::CONSTRUCTOR => "global.Function",
                    Names::PROTO => "global.Function.prototype",
                    _ => return,
                };
                if self.is_function_value(node(base)) {
                    let object = self.external(path);
                    self.add(value, object);
                }
            }
            Op::LoadKey(base, key) => {
                self.constrain(node(base), Constraint::LoadAny(value));
                if self.special.get_item.is_some() {
                    self.constrain(node(base), Constraint::Item(node(key), value));
                }
            }
            Op::Element(base) => self.load_elements(node(base), value),
            Op::StoreField(base, symbol, origin) => {
                self.constrain(node(base), Constraint::Store(names(symbol), node(origin)));
            }
            Op::StoreKey(base, key, origin) => {
                self.constrain(node(base), Constraint::Store(Names::ELEMENT, node(origin)));
                if self.special.set_item.is_some() {
                    self.constrain(node(base), Constraint::StoreItem(node(key), node(origin)));
                }
            }
            Op::DefineGetter(base, symbol, origin) => {
                if let Some(&getter) = self.getters.get(&names(symbol)) {
                    self.constrain(node(base), Constraint::Store(getter, node(origin)));
                }
            }
            Op::DefineSetter(base, symbol, origin) => {
                if let Some(&setter) = self.setters.get(&names(symbol)) {
                    self.constrain(node(base), Constraint::Store(setter, node(origin)));
                }
            }
            Op::CopyFields(target, origin) => {
                self.constrain(node(target), Constraint::Store(Names::COPIED, node(origin)));
            }
            Op::RestOf(origin, _) => {
                let object = self.object(ObjectKind::Allocation(value));
                self.add(value, object);
                let copied = self.field(object, Names::COPIED);
                self.inclusion(node(origin), copied);
            }
            Op::Inherit(child, parent) => {
                self.constrain(node(child), Constraint::Store(Names::PARENT, node(parent)));
            }
            Op::Call(call) => {
                let callee = module.flow.calls[call.index()].callee;
                self.constrain(node(callee), Constraint::Call(value));
            }
            Op::Return(origin) => self.inclusion(node(origin), self.layout.formal(function, Formal::Return)),
            Op::Throw(origin) => {
                let target = match self.catches.get(&value) {
                    Some(&handler) => handler,
                    None => self.layout.formal(function, Formal::Throw),
                };
                self.inclusion(node(origin), target);
            }
            Op::Catch(_) => {}
            Op::Yield(origin) => {
                self.inclusion(node(origin), self.layout.formal(function, Formal::Yield));
                let iterator = self.object(ObjectKind::Iterator(function));
                let sent = self.field(iterator, Names::SENT);
                self.inclusion(sent, value);
                let thrown = self.field(iterator, Names::THROWN);
                let handler = match self.catches.get(&value) {
                    Some(&handler) => handler,
                    None => self.layout.formal(function, Formal::Throw),
                };
                self.inclusion(thrown, handler);
            }
            Op::YieldAll(origin) => {
                let elements = self.layout.formal(function, Formal::Yield);
                self.load_elements(node(origin), elements);
                self.constrain(node(origin), Constraint::Load(Names::RETURNED, value));
                // What a consumer sends or throws reaches the iterator that the generator delegates to.
                let iterator = self.object(ObjectKind::Iterator(function));
                for name in [Names::SENT, Names::THROWN] {
                    let passed = self.field(iterator, name);
                    self.constrain(node(origin), Constraint::Store(name, passed));
                }
            }
        }
    }

    /// `await` calls the method `then` of an object of the program, with a function that gets the result.
    fn await_thenable(&mut self, origin: NodeIndex, value: NodeIndex) {
        let Some(name) = self.program.names.get(THEN).filter(|_| self.has_thenables) else { return };
        let (method, resolve, ignored) = (self.new_node(), self.new_node(), self.new_node());
        let resolver = self.object(ObjectKind::Resolver(value, 0));
        self.add(resolve, resolver);
        self.constrain(origin, Constraint::Load(name, method));
        self.constrain(method, Constraint::GetWith(origin, resolve, ignored));
    }

    /// An object becomes a part of a text: its method `toString` or `__str__` makes the part.
    fn convert(&mut self, module: &Module, part: ValueId, text: NodeIndex) {
        let is_text = matches!(
            module.flow.instructions[part.index()].op,
            Op::Constant(_) | Op::Concat(_) | Op::Binary(..) | Op::Unary(..)
        );
        if !self.has_conversions || is_text {
            return;
        }
        let Some(name) = self.program.names.get(conversion(module)) else { return };
        let method = self.new_node();
        self.constrain(module.value(part), Constraint::Load(name, method));
        self.constrain(method, Constraint::Get(module.value(part), text));
    }

    /// Reads the elements of arrays, sets and iterators.
    pub(super) fn load_elements(&mut self, base: NodeIndex, target: NodeIndex) {
        self.constrain(base, Constraint::LoadElements(target));
    }

    /// Node of a global variable.
    pub(super) fn global(&mut self, name: Name) -> NodeIndex {
        if let Some(&node) = self.globals.get(&name) {
            return node;
        }
        let node = self.new_node();
        self.globals.insert(name, node);
        node
    }
}

/// Functions that a module exports by name.
fn exported_functions(module: &Module) -> Vec<(FunctionId, SymbolId)> {
    let op = |value: ValueId| module.flow.instructions[value.index()].op;
    let is_module_exports =
        |object: ValueId, name: SymbolId| module.name(name) == Names::EXPORTS && matches!(op(object), Op::ModuleObject);
    // `module.exports = { handler }`.
    let mut literals = Vec::new();
    for instruction in &module.flow.instructions {
        if let Op::StoreField(base, name, origin) = instruction.op
            && is_module_exports(base, name)
        {
            literals.push(origin);
        }
    }
    let is_exports = |base: ValueId| match op(base) {
        Op::Exports => true,
        Op::LoadField(object, name) => is_module_exports(object, name),
        Op::Allocate(_) => literals.contains(&base),
        _ => false,
    };
    let mut exported = Vec::new();
    for instruction in &module.flow.instructions {
        if let Op::StoreField(base, name, origin) = instruction.op
            && let Op::Function(function) = op(origin)
            && is_exports(base)
        {
            exported.push((function, name));
        }
    }
    exported
}

/// Method that makes a text of an object.
fn conversion(module: &Module) -> &'static str {
    if module.flow.calls_construct { STR } else { TO_STRING }
}
