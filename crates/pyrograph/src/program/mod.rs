//! Program: all flow modules of a scan in one numbering.
//!
//! Values, functions, cells and calls of all modules have global numbers: the number in the module plus an offset. Texts are
//! interned across modules.

mod names;
pub(crate) mod orders;
mod parts;

pub use names::{Name, Names};

use crate::finding::FileIndex;
use crate::flow::{Constant, FlowModule, FunctionId, FunctionKind, Instruction, Op, SymbolId, ValueId};

/// Global number of a function.
pub type FunctionIndex = u32;
/// Global number of a value.
pub type ValueIndex = u32;

/// A module of a program.
#[derive(Debug)]
pub struct Module {
    /// File.
    pub file: FileIndex,
    /// Instructions.
    pub flow: FlowModule,
    /// Global number of its first value.
    pub values: u32,
    /// Global number of its first function.
    pub functions: u32,
    /// Global number of its first cell.
    pub cells: u32,
    /// Interned texts by symbol.
    pub names: Vec<Name>,
    /// Modules that its specifiers name, by symbol. Sorted by symbol.
    pub imports: Vec<(SymbolId, ImportTarget)>,
    /// Versions of packages that the package of the file asks for: package, version or range.
    pub versions: Vec<(String, String)>,
    /// Modules whose exports are fields of the exports of this one: modules of a package.
    pub children: Vec<(Name, u32)>,
    /// The file is a script of a page: its functions are global.
    pub is_page_script: bool,
}

/// Target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// Module of the program.
    Module(u32),
    /// Modules of a folder of the program, one of which the program chooses when it runs.
    Folder(Vec<u32>),
    /// Library: name of the package, with the path inside it.
    Library(String),
    /// File of the input without code, such as JSON, or nothing.
    Nothing,
}

impl ImportTarget {
    /// Modules of the program that the import may be.
    #[must_use]
    pub fn modules(&self) -> &[u32] {
        match self {
            ImportTarget::Module(target) => std::slice::from_ref(target),
            ImportTarget::Folder(targets) => targets,
            ImportTarget::Library(_) | ImportTarget::Nothing => &[],
        }
    }
}

/// Modules in one numbering.
#[derive(Debug, Default)]
pub struct Program {
    /// Modules in order of files.
    pub modules: Vec<Module>,
    /// Texts.
    pub names: Names,
    /// Number of values.
    pub value_count: u32,
    /// Number of functions.
    pub function_count: u32,
    /// Number of cells.
    pub cell_count: u32,
    /// Module of each function.
    function_modules: Vec<u32>,
    /// Orders of classes with several base classes.
    pub(crate) orders: orders::Orders,
}

/// Error: the program has more than 2^30 values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Program {
    /// Appends a module.
    ///
    /// # Errors
    ///
    /// The program is too large. The module is not appended then.
    pub fn push(&mut self, file: FileIndex, flow: FlowModule) -> Result<u32, TooLarge> {
        let values = u32::try_from(flow.instructions.len()).map_err(|_| TooLarge)?;
        let total = self.value_count.checked_add(values).filter(|&total| total < 1 << 30).ok_or(TooLarge)?;
        let number = u32::try_from(self.modules.len()).map_err(|_| TooLarge)?;
        let names: Vec<Name> = flow.symbols.iter().map(|text| self.names.intern(text)).collect();
        for event in events(&flow) {
            self.names.intern(&Names::listeners(event));
        }
        for name in defined_properties(&flow) {
            self.names.intern(&format!("get {name}"));
            self.names.intern(&format!("set {name}"));
        }
        for instruction in &flow.instructions {
            let (kind, symbol) = match instruction.op {
                Op::DefineGetter(_, symbol, _) => ("get", symbol),
                Op::DefineSetter(_, symbol, _) => ("set", symbol),
                _ => continue,
            };
            self.names.intern(&format!("{kind} {}", flow.text(symbol)));
        }
        let (functions, cells) = (flow.functions.len() as u32, flow.cells.len() as u32);
        self.function_modules.extend(std::iter::repeat_n(number, flow.functions.len()));
        self.modules.push(Module {
            file,
            flow,
            values: self.value_count,
            functions: self.function_count,
            cells: self.cell_count,
            names,
            imports: Vec::new(),
            versions: Vec::new(),
            children: Vec::new(),
            is_page_script: false,
        });
        self.value_count = total;
        self.function_count += functions;
        self.cell_count += cells;
        Ok(number)
    }

    /// Module that contains a value.
    #[must_use]
    pub fn module_of_value(&self, value: ValueIndex) -> &Module {
        let position = self.modules.partition_point(|module| module.values <= value);
        &self.modules[position.saturating_sub(1)]
    }

    /// True for a module whose functions are called by its name: it is no object that they change.
    #[must_use]
    pub fn is_namespace(&self, value: ValueIndex) -> bool {
        if value >= self.value_count {
            return false;
        }
        let module = self.module_of_value(value);
        module.flow.calls_construct && matches!(module.instruction(value).op, Op::Import(_))
    }

    /// Number of the module of a function.
    #[must_use]
    pub fn number_of(&self, function: FunctionIndex) -> u32 {
        self.function_modules[function as usize]
    }

    /// Module that contains a function, and the function.
    #[must_use]
    pub fn function(&self, function: FunctionIndex) -> (&Module, FunctionId) {
        let module = &self.modules[self.function_modules[function as usize] as usize];
        (module, FunctionId(function - module.functions))
    }

    /// Name of a function, or a description.
    #[must_use]
    pub fn function_name(&self, function: FunctionIndex) -> &str {
        let (module, id) = self.function(function);
        let function = module.flow.function(id);
        match function.name {
            Some(name) => module.flow.text(name),
            None if function.kind == FunctionKind::Module => "top-level code",
            None => "anonymous function",
        }
    }
}

impl Module {
    /// Instruction of a global value of this module.
    #[must_use]
    pub fn instruction(&self, value: ValueIndex) -> &Instruction {
        &self.flow.instructions[(value - self.values) as usize]
    }

    /// Global number of a value.
    #[must_use]
    pub fn value(&self, value: ValueId) -> ValueIndex {
        self.values + value.0
    }

    /// Global number of a function.
    #[must_use]
    pub fn function(&self, function: FunctionId) -> FunctionIndex {
        self.functions + function.0
    }

    /// Interned text.
    #[must_use]
    pub fn name(&self, symbol: SymbolId) -> Name {
        self.names[symbol.index()]
    }

    /// True if the module assigns `module.exports`.
    #[must_use]
    pub fn assigns_exports(&self) -> bool {
        self.flow.instructions.iter().any(|instruction| match instruction.op {
            Op::StoreField(base, symbol, _) => {
                self.name(symbol) == Names::EXPORTS
                    && matches!(self.flow.instructions[base.index()].op, Op::ModuleObject)
            }
            _ => false,
        })
    }

    /// Target of an import.
    #[must_use]
    pub fn import(&self, symbol: SymbolId) -> Option<&ImportTarget> {
        let position = self.imports.binary_search_by_key(&symbol, |(symbol, _)| *symbol).ok()?;
        Some(&self.imports[position].1)
    }

    /// Modules of the program that an import may be.
    #[must_use]
    pub fn imported_modules(&self, symbol: SymbolId) -> &[u32] {
        self.import(symbol).map_or(&[], ImportTarget::modules)
    }

    /// Specifiers of all imports, sorted, each once.
    #[must_use]
    pub fn specifiers(&self) -> Vec<SymbolId> {
        let mut specifiers: Vec<SymbolId> = self
            .flow
            .instructions
            .iter()
            .filter_map(|instruction| match instruction.op {
                Op::Import(symbol) => Some(symbol),
                _ => None,
            })
            .collect();
        let types = self.flow.functions.iter().flat_map(|function| &function.parameter_types);
        specifiers.extend(types.map(|&(_, specifier, _)| specifier));
        specifiers.extend(self.flow.types.iter().map(|&(_, _, specifier, _)| specifier));
        specifiers.sort_unstable();
        specifiers.dedup();
        specifiers
    }
}

/// Constant names of events for which calls add listeners.
fn events(flow: &FlowModule) -> Vec<&str> {
    let mut names = Vec::new();
    for call in &flow.calls {
        let Op::LoadField(_, method) = flow.instructions[call.callee.index()].op else { continue };
        if matches!(
            flow.text(method),
            "on" | "once"
                | "addListener"
                | "prependListener"
                | "prependOnceListener"
                | "addEventListener"
                | "subscribe"
                | "emit"
                | "trigger"
        ) {
            for event in call.arguments.iter().take(2) {
                if let Op::Constant(Constant::String(name)) = flow.instructions[event.value.index()].op {
                    names.push(flow.text(name));
                    break;
                }
            }
        }
    }
    names
}

/// Constant names of properties that calls of `defineProperty`, `defineProperties` and `create` define.
pub(crate) fn defined_properties(flow: &FlowModule) -> Vec<&str> {
    let mut names = Vec::new();
    let mut tables: Vec<ValueId> = Vec::new();
    for call in &flow.calls {
        let Op::LoadField(_, method) = flow.instructions[call.callee.index()].op else { continue };
        let Some(second) = call.arguments.get(1) else { continue };
        match (flow.text(method), flow.instructions[second.value.index()].op) {
            ("defineProperty", Op::Constant(Constant::String(name))) => names.push(flow.text(name)),
            ("defineProperties" | "create", Op::Allocate(_)) => tables.push(second.value),
            _ => {}
        }
    }
    if !tables.is_empty() {
        tables.sort_unstable();
        for instruction in &flow.instructions {
            if let Op::StoreField(table, name, _) = instruction.op
                && tables.binary_search(&table).is_ok()
            {
                names.push(flow.text(name));
            }
        }
    }
    names
}
