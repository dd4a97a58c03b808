//! Constants that modules export, where other modules use them as conditions or keys, and calls that never return.
//!
//! A file is lowered without the others. Files that use such constants are lowered again with them, so that conditions and keys fold.
//! The same holds for files with calls of functions that never return.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::flow::{Constant, FlowModule, Op, Span, SymbolId, ValueId};
use crate::input::{Input, Resolution, Resolver, SourceFile};
use crate::lang::{ImportedConstant, ImportedConstants};

use super::ending::Stores;

/// Most constants of a module.
const MOST: usize = 4096;

/// Constants of a module by the names of members.
type Exported = BTreeMap<String, ImportedConstant>;

/// Function that lowers a file with constants of other files.
type Lower<'l> = &'l (dyn Fn(&SourceFile, &ImportedConstants) -> Option<FlowModule> + Sync);

/// Times that files are lowered again, because functions that never return call one another.
const MAX_ROUNDS: usize = 4;

/// Lowers files again that use constants of other files, or that call functions which never return. The modules are those of the files.
pub(super) fn lower_again(input: &Input, modules: &mut [Option<FlowModule>], lower: Lower<'_>) {
    let mut known: BTreeMap<usize, ImportedConstants> = imported(input, modules).into_iter().collect();
    let mut open: BTreeSet<usize> = known.keys().copied().collect();
    let positions = positions(input);
    let mut resolver = None;
    for _ in 0..MAX_ROUNDS {
        if modules.iter().flatten().any(|module| !module.ending.is_empty()) {
            let resolver = resolver.get_or_insert_with(|| Resolver::new(input));
            let calls = ending_calls(input, modules, resolver, &positions);
            for (position, calls) in calls {
                let known = &mut known.entry(position).or_default().ending_calls;
                let count = known.len();
                known.extend(calls);
                if known.len() > count {
                    open.insert(position);
                }
            }
        }
        if open.is_empty() {
            return;
        }
        let lowered: Vec<(usize, FlowModule)> = std::mem::take(&mut open)
            .into_par_iter()
            .filter_map(|position| Some((position, lower(&input.sources[position], known.get(&position)?)?)))
            .collect();
        for (position, module) in lowered {
            modules[position] = Some(module);
        }
    }
}

/// Positions of files among the sources.
fn positions(input: &Input) -> BTreeMap<u32, usize> {
    input.sources.iter().enumerate().map(|(position, source)| (source.file, position)).collect()
}

/// Calls of functions that never return, by position of the file.
fn ending_calls(
    input: &Input,
    modules: &[Option<FlowModule>],
    resolver: &Resolver<'_>,
    positions: &BTreeMap<u32, usize>,
) -> Vec<(usize, BTreeSet<Span>)> {
    let stores: Vec<Option<Stores<'_>>> = modules.par_iter().map(|module| module.as_ref().map(Stores::new)).collect();
    // A member that a module may change is no known function.
    let changed: BTreeSet<&str> = modules.iter().flatten().flat_map(changed_members).collect();
    let exported: Vec<BTreeSet<String>> = modules
        .par_iter()
        .zip(&stores)
        .map(|(module, stores)| match (module, stores) {
            (Some(module), Some(stores)) if !module.ending.is_empty() => {
                let functions = stores.exported().into_iter();
                let ending = functions.filter(|(_, function)| module.ending.contains(function));
                ending.map(|(name, _)| name).filter(|name| !changed.contains(name.as_str())).collect()
            }
            _ => BTreeSet::new(),
        })
        .collect();
    let calls = stores.par_iter().enumerate().filter_map(|(position, stores)| {
        let ends = |specifier: &str, name: &str| {
            let Resolution::File(file) = resolver.resolve(&input.sources[position].path, specifier) else {
                return false;
            };
            positions.get(&file).is_some_and(|&other| exported[other].contains(name))
        };
        let calls = stores.as_ref()?.calls(&ends);
        (!calls.is_empty()).then_some((position, calls))
    });
    calls.collect()
}

/// Constants that each file imports and uses as a condition or key, by position of the file.
fn imported(input: &Input, modules: &[Option<FlowModule>]) -> Vec<(usize, ImportedConstants)> {
    let mut exported: Vec<Exported> =
        modules.par_iter().map(|module| module.as_ref().map_or_else(Exported::new, exported)).collect();
    // A member that a module may change is no constant.
    let changed: BTreeSet<&str> = modules.iter().flatten().flat_map(changed_members).collect();
    for exported in &mut exported {
        exported.retain(|path, _| !path.split('.').any(|name| changed.contains(name)));
    }
    // Neither is a member of a module that a function gets as a whole.
    if exported.iter().any(|exported| !exported.is_empty()) {
        let (positions, resolver) = (positions(input), Resolver::new(input));
        for (module, source) in modules.iter().zip(&input.sources) {
            for specifier in module.iter().flat_map(|module| passed(module).into_iter().map(|each| module.text(each))) {
                if let Resolution::File(file) = resolver.resolve(&source.path, specifier)
                    && let Some(&other) = positions.get(&file)
                {
                    exported[other].clear();
                }
            }
        }
    }
    if exported.iter().all(Exported::is_empty) {
        return Vec::new();
    }
    let positions = positions(input);
    let resolver = Resolver::new(input);
    let constants = modules.par_iter().enumerate().filter_map(|(position, module)| {
        let module = module.as_ref()?;
        let mut known = ImportedConstants::default();
        for (specifier, member) in used(module) {
            let text = module.text(specifier);
            let Resolution::File(file) = resolver.resolve(&input.sources[position].path, text) else { continue };
            let Some(exported) = positions.get(&file).map(|&other| &exported[other]) else { continue };
            let inside = format!("{member}.");
            let all = exported.range(member.to_owned()..);
            for (path, constant) in all.take_while(|(path, _)| path.starts_with(member)) {
                if path == member || path.starts_with(&inside) {
                    known.members.insert((text.to_owned(), path.clone()), constant.clone());
                }
            }
        }
        (!known.members.is_empty()).then_some((position, known))
    });
    constants.collect()
}

/// Members of other modules that a module uses as conditions or keys: specifier, name.
fn used(module: &FlowModule) -> BTreeSet<(SymbolId, &str)> {
    let op = |value: ValueId| module.instructions[value.index()].op;
    let imported = |value: ValueId| {
        let mut value = value;
        for _ in 0..4 {
            match op(value) {
                Op::Copy(origin) | Op::Guard(origin, ..) => value = origin,
                Op::LoadField(base, name) => match op(base) {
                    Op::Import(specifier) => return Some((specifier, module.text(name))),
                    _ => value = base,
                },
                _ => return None,
            }
        }
        None
    };
    // Variables that inner functions use.
    let mut cells: BTreeMap<u32, Vec<(SymbolId, &str)>> = BTreeMap::new();
    let mut namespaces: BTreeMap<u32, SymbolId> = BTreeMap::new();
    for instruction in &module.instructions {
        if let Op::StoreCell(cell, origin) = instruction.op {
            cells.entry(cell.0).or_default().extend(imported(origin));
            if let Op::Import(specifier) = op(origin) {
                namespaces.insert(cell.0, specifier);
            }
        }
    }
    let mut used = BTreeSet::new();
    let mut add = |value: ValueId| {
        used.extend(imported(value));
        let base = match op(value) {
            Op::LoadField(base, _) => base,
            _ => value,
        };
        if let Op::LoadCell(cell) = op(base) {
            used.extend(cells.get(&cell.0).into_iter().flatten().copied());
            if let (Some(&specifier), Op::LoadField(_, name)) = (namespaces.get(&cell.0), op(value)) {
                used.insert((specifier, module.text(name)));
            }
        }
    };
    for instruction in &module.instructions {
        match instruction.op {
            Op::LoadKey(_, key) | Op::StoreKey(_, key, _) => add(key),
            Op::Guard(value, ..) => add(value),
            Op::Binary(crate::flow::BinaryOp::Comparison, left, right) => {
                add(left);
                add(right);
            }
            _ => {}
        }
    }
    used
}

/// Modules that a module passes to functions as a whole.
fn passed(module: &FlowModule) -> BTreeSet<SymbolId> {
    let mut passed = BTreeSet::new();
    for argument in module.calls.iter().flat_map(|call| &call.arguments) {
        if let Op::Import(specifier) = module.instructions[argument.value.index()].op {
            passed.insert(specifier);
        }
    }
    passed
}

/// Names of the members that a module stores to objects which it may share with others.
fn changed_members(module: &FlowModule) -> impl Iterator<Item = &str> {
    module.instructions.iter().filter_map(|instruction| {
        let Op::StoreField(base, name, _) = instruction.op else { return None };
        let is_own = match module.instructions[base.index()].op {
            Op::Allocate(_) | Op::Exports | Op::ModuleObject | Op::Receiver => true,
            Op::LoadField(object, _) => matches!(module.instructions[object.index()].op, Op::ModuleObject),
            _ => false,
        };
        (!is_own).then(|| module.text(name))
    })
}

/// Constants that a module exports, by name, and those in objects that it exports.
fn exported(module: &FlowModule) -> Exported {
    let op = |value: ValueId| module.instructions[value.index()].op;
    let is_module_exports =
        |object: ValueId, name: SymbolId| module.text(name) == "exports" && matches!(op(object), Op::ModuleObject);
    let mut stores: BTreeMap<ValueId, Vec<(SymbolId, ValueId)>> = BTreeMap::new();
    let mut changed: BTreeSet<ValueId> = BTreeSet::new();
    let mut literals = Vec::new();
    for instruction in &module.instructions {
        match instruction.op {
            Op::StoreField(base, name, origin) => {
                stores.entry(base).or_default().push((name, origin));
                if is_module_exports(base, name) {
                    literals.push(origin);
                }
            }
            Op::StoreKey(base, ..) | Op::CopyFields(base, _) => drop(changed.insert(base)),
            _ => {}
        }
    }
    let is_exports = |base: ValueId| match op(base) {
        Op::Exports => true,
        Op::LoadField(object, name) => is_module_exports(object, name),
        Op::Allocate(_) => literals.as_slice() == [base],
        _ => false,
    };
    let constant = |value: ValueId| match op(value) {
        Op::Constant(Constant::String(text)) => Some(ImportedConstant::String(module.text(text).to_owned())),
        Op::Constant(Constant::Number(number)) => Some(ImportedConstant::Number(number)),
        Op::Constant(Constant::Bool(flag)) => Some(ImportedConstant::Bool(flag)),
        _ => None,
    };
    // A name with several values has no known one.
    let mut values: BTreeMap<String, Vec<Option<ImportedConstant>>> = BTreeMap::new();
    for (base, fields) in stores.iter().filter(|(base, _)| is_exports(**base)) {
        for &(name, origin) in fields {
            let name = module.text(name);
            let is_changed = changed.contains(base);
            values.entry(name.to_owned()).or_default().push(constant(origin).filter(|_| !is_changed));
            if matches!(op(origin), Op::Allocate(_)) && !changed.contains(&origin) && !is_changed {
                for &(member, value) in stores.get(&origin).into_iter().flatten() {
                    values.entry(format!("{name}.{}", module.text(member))).or_default().push(constant(value));
                }
            }
        }
        if values.len() > MOST {
            return Exported::new();
        }
    }
    let known = values.into_iter().filter_map(|(name, values)| match values.as_slice() {
        [Some(constant)] => Some((name, constant.clone())),
        _ => None,
    });
    known.collect()
}
