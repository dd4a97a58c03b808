//! Classes with several base classes: the order in which names are looked up (C3), across files.
//!
//! The base classes of a class are found through imports, re-exports and star imports. What is not found so, such as a class of a
//! library, is a member of the order by its value.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::{FunctionIndex, ImportTarget, Module, Name, Program, ValueIndex};
use crate::flow::field::SUPER;
use crate::flow::{FunctionKind, Op, ValueId};

/// Longest order.
const MAX_ORDER: usize = 256;

/// Longest chain of base classes, and of re-exports of a name.
const MAX_CHAIN: usize = 48;

/// A class in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// Class of the program.
    Class(FunctionIndex),
    /// Another value.
    Value(ValueIndex),
}

/// Orders of the classes of a program.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    orders: HashMap<FunctionIndex, Vec<Base>, FixedState>,
    members: HashMap<FunctionIndex, BTreeSet<Name>, FixedState>,
    supers: HashMap<Name, (FunctionIndex, Name), FixedState>,
}

impl Orders {
    /// Classes in the order in which names of a class are looked up; the first one is the class.
    pub(crate) fn of(&self, class: FunctionIndex) -> Option<&[Base]> {
        self.orders.get(&class).map(Vec::as_slice)
    }

    /// True if a class itself has a name.
    pub(crate) fn has(&self, class: FunctionIndex, name: Name) -> bool {
        self.members.get(&class).is_some_and(|names| names.contains(&name))
    }

    /// Class and name of a look-up behind a class.
    pub(crate) fn behind(&self, name: Name) -> Option<(FunctionIndex, Name)> {
        self.supers.get(&name).copied()
    }
}

impl Program {
    /// Finds the orders of the classes. The targets of imports are known.
    pub(crate) fn order_classes(&mut self) {
        let mut orders = Orders::default();
        self.name_supers(&mut orders);
        let tables: Vec<Table> = self.modules.iter().map(Table::new).collect();
        for &(class, name, is_accessor) in tables.iter().flat_map(|table| &table.members) {
            let names = orders.members.entry(class).or_default();
            names.insert(name);
            if is_accessor {
                let text = self.names.text(name);
                let accessors = [format!("get {text}"), format!("set {text}")];
                names.extend(accessors.iter().filter_map(|text| self.names.get(text)));
            }
        }
        let finder = Finder { program: self, tables: &tables };
        let mut found = HashMap::default();
        for (number, table) in tables.iter().enumerate() {
            for &class in table.bases.keys() {
                finder.order(number as u32, class, &mut found, 0);
            }
        }
        orders.orders = found.into_iter().filter_map(|(class, order)| Some((class, order?))).collect();
        self.orders = orders;
    }

    /// Gives look-ups behind classes names that are unique in the program.
    fn name_supers(&mut self, orders: &mut Orders) {
        for module in &mut self.modules {
            for (symbol, text) in module.flow.symbols.iter().enumerate() {
                let Some((class, name)) = text.strip_prefix(SUPER).and_then(|rest| rest.split_once(' ')) else {
                    continue;
                };
                let Ok(class) = class.parse::<u32>() else { continue };
                let class = module.functions + class;
                let name = self.names.intern(name);
                let unique = self.names.intern(&format!("{SUPER}{class} of all {}", self.names.text(name)));
                module.names[symbol] = unique;
                orders.supers.insert(unique, (class, name));
            }
        }
    }
}

/// Classes and exports that the instructions of a module define.
struct Table {
    /// Values of base classes by class.
    bases: BTreeMap<FunctionIndex, Vec<ValueId>>,
    /// Classes by the values of their prototypes.
    prototypes: BTreeMap<ValueId, FunctionIndex>,
    /// Names of classes: class, name, and whether it is a getter or setter.
    members: Vec<(FunctionIndex, Name, bool)>,
    /// Exports by name.
    exports: BTreeMap<Name, ValueId>,
    /// Modules all of whose names are exports.
    stars: Vec<ValueId>,
    /// Values of cells that have one.
    cells: BTreeMap<u32, Option<ValueId>>,
}

impl Table {
    fn new(module: &Module) -> Table {
        let mut table = Table {
            bases: BTreeMap::new(),
            prototypes: BTreeMap::new(),
            members: Vec::new(),
            exports: BTreeMap::new(),
            stars: Vec::new(),
            cells: BTreeMap::new(),
        };
        if !module.flow.calls_construct {
            return table;
        }
        let op = |value: ValueId| module.flow.instructions[value.index()].op;
        let is_prototype =
            |value: ValueId| matches!(op(value), Op::LoadField(_, name) if module.flow.text(name) == "prototype");
        for (number, instruction) in (0_u32..).zip(&module.flow.instructions) {
            match instruction.op {
                Op::Function(id) if module.flow.function(id).kind == FunctionKind::Constructor => {
                    table.bases.entry(module.function(id)).or_default();
                }
                Op::LoadField(base, name) if module.flow.text(name) == "prototype" => {
                    if let Some(class) = class_of(module, op(base)) {
                        table.prototypes.entry(ValueId(number)).or_insert(class);
                    }
                }
                Op::StoreField(base, name, origin) => {
                    if let Some(&class) = table.prototypes.get(&base) {
                        table.members.push((class, module.name(name), false));
                    } else if matches!(op(base), Op::Exports) {
                        table.exports.insert(module.name(name), origin);
                    }
                }
                Op::DefineGetter(base, name, _) | Op::DefineSetter(base, name, _) => {
                    if let Some(&class) = table.prototypes.get(&base) {
                        table.members.push((class, module.name(name), true));
                    }
                }
                Op::CopyFields(base, origin) if matches!(op(base), Op::Exports) => table.stars.push(origin),
                Op::Inherit(child, parent) if !is_prototype(parent) => {
                    if let Some(class) = class_of(module, op(child)) {
                        let bases = table.bases.entry(class).or_default();
                        if !bases.contains(&parent) && bases.len() < MAX_ORDER {
                            bases.push(parent);
                        }
                    }
                }
                Op::StoreCell(cell, origin) => {
                    table.cells.entry(cell.0).and_modify(|known| *known = None).or_insert(Some(origin));
                }
                _ => {}
            }
        }
        table
    }
}

/// Class that an instruction makes.
fn class_of(module: &Module, op: Op) -> Option<FunctionIndex> {
    match op {
        Op::Function(id) if module.flow.function(id).kind == FunctionKind::Constructor => Some(module.function(id)),
        _ => None,
    }
}

/// Kind of a value.
enum Found {
    Class(FunctionIndex),
    Module(u32),
    /// A class without names that matter: `object`, `ABC`.
    Empty,
}

struct Finder<'a> {
    program: &'a Program,
    tables: &'a [Table],
}

impl Finder<'_> {
    fn find(&self, number: u32, value: ValueId, depth: usize) -> Option<Found> {
        if depth > MAX_CHAIN {
            return None;
        }
        let module = &self.program.modules[number as usize];
        let table = &self.tables[number as usize];
        match module.flow.instructions[value.index()].op {
            Op::Function(id) => class_of(module, Op::Function(id)).map(Found::Class),
            Op::Copy(origin) | Op::Guard(origin, ..) => self.find(number, origin, depth + 1),
            Op::LoadCell(cell) => self.find(number, (*table.cells.get(&cell.0)?)?, depth + 1),
            Op::Global(name) => (module.flow.text(name) == "object").then_some(Found::Empty),
            Op::Import(symbol) => match module.import(symbol)? {
                &ImportTarget::Module(target) => Some(Found::Module(target)),
                _ => None,
            },
            Op::LoadField(base, name) => {
                if let Op::Import(symbol) = module.flow.instructions[base.index()].op
                    && let Some(ImportTarget::Library(library)) = module.import(symbol)
                {
                    let is_empty = matches!(
                        (library.as_str(), module.flow.text(name)),
                        ("abc", "ABC") | ("typing" | "typing_extensions", "Generic" | "Protocol")
                    );
                    return is_empty.then_some(Found::Empty);
                }
                match self.find(number, base, depth + 1)? {
                    Found::Module(target) => self.export(target, module.name(name), depth + 1),
                    Found::Empty => Some(Found::Empty),
                    Found::Class(_) => None,
                }
            }
            // `Generic[T]`, `Base[int]`.
            Op::LoadKey(base, _) => match self.find(number, base, depth + 1)? {
                Found::Module(_) => None,
                found => Some(found),
            },
            _ => None,
        }
    }

    /// Export of a module by name.
    fn export(&self, number: u32, name: Name, depth: usize) -> Option<Found> {
        let table = &self.tables[number as usize];
        if let Some(&value) = table.exports.get(&name) {
            return self.find(number, value, depth + 1);
        }
        let children = &self.program.modules[number as usize].children;
        if let Some(&(_, child)) = children.iter().find(|(child, _)| *child == name) {
            return Some(Found::Module(child));
        }
        let stars = table.stars.iter().take(MAX_CHAIN / 4);
        let mut found = stars.filter_map(|&star| match self.find(number, star, depth + 1)? {
            Found::Module(target) if depth < MAX_CHAIN / 4 => self.export(target, name, depth + MAX_CHAIN / 8),
            _ => None,
        });
        found.next()
    }

    /// Order of a class. None: there is none, or the chain of classes is too long.
    fn order(
        &self,
        number: u32,
        class: FunctionIndex,
        orders: &mut HashMap<FunctionIndex, Option<Vec<Base>>, FixedState>,
        depth: usize,
    ) -> Option<Vec<Base>> {
        if let Some(order) = orders.get(&class) {
            return order.clone();
        }
        if depth > MAX_CHAIN {
            return None;
        }
        // A class is no base class of itself.
        orders.insert(class, None);
        let module = &self.program.modules[number as usize];
        let mut lines = Vec::new();
        let mut bases = Vec::new();
        for &value in self.tables[number as usize].bases.get(&class)? {
            match self.find(number, value, 0) {
                Some(Found::Class(base)) => {
                    let home = self.program.number_of(base);
                    lines.push(self.order(home, base, orders, depth + 1)?);
                    bases.push(Base::Class(base));
                }
                Some(Found::Empty) => {}
                Some(Found::Module(_)) | None => {
                    lines.push(vec![Base::Value(module.value(value))]);
                    bases.push(Base::Value(module.value(value)));
                }
            }
        }
        lines.push(bases);
        let mut order = vec![Base::Class(class)];
        order.extend(merged(lines)?);
        orders.insert(class, Some(order.clone()));
        Some(order)
    }
}

/// One order of several (C3). None: there is none.
fn merged(mut lines: Vec<Vec<Base>>) -> Option<Vec<Base>> {
    let mut order = Vec::new();
    loop {
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() {
            return Some(order);
        }
        let is_free = |class: &Base| lines.iter().all(|line| !line[1..].contains(class));
        let next = lines.iter().map(|line| line[0]).find(is_free).filter(|_| order.len() < MAX_ORDER)?;
        order.push(next);
        for line in &mut lines {
            if line.first() == Some(&next) {
                line.remove(0);
            }
        }
    }
}
