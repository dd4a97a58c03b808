//! Constants that modules export, where other modules use them as conditions or keys.
//!
//! A file is lowered without the others. Files that use such constants are lowered again with them, so that conditions and keys fold.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::flow::{Constant, FlowModule, Op, SymbolId, ValueId};
use crate::input::{Input, Resolution, Resolver, SourceFile};
use crate::lang::{ImportedConstant, ImportedConstants};

/// Most constants of a module.
const MOST: usize = 4096;

/// Constants of a module by the names of members.
type Exported = BTreeMap<String, ImportedConstant>;

/// Function that lowers a file with constants of other files.
type Lower<'l> = &'l (dyn Fn(&SourceFile, &ImportedConstants) -> Option<FlowModule> + Sync);

/// Lowers files again that use constants of other files. The modules are those of the files.
pub(super) fn lower_again(input: &Input, modules: &mut [Option<FlowModule>], lower: Lower<'_>) {
    let constants = imported(input, modules);
    let lowered: Vec<(usize, FlowModule)> = constants
        .par_iter()
        .filter_map(|(position, constants)| Some((*position, lower(&input.sources[*position], constants)?)))
        .collect();
    for (position, module) in lowered {
        modules[position] = Some(module);
    }
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
    if exported.iter().all(Exported::is_empty) {
        return Vec::new();
    }
    let positions: BTreeMap<_, _> =
        input.sources.iter().enumerate().map(|(position, source)| (source.file, position)).collect();
    let resolver = Resolver::new(input);
    let constants = modules.par_iter().enumerate().filter_map(|(position, module)| {
        let module = module.as_ref()?;
        let mut known = ImportedConstants::new();
        for (specifier, member) in used(module) {
            let text = module.text(specifier);
            let Resolution::File(file) = resolver.resolve(&input.sources[position].path, text) else { continue };
            let Some(exported) = positions.get(&file).map(|&other| &exported[other]) else { continue };
            let inside = format!("{member}.");
            let all = exported.range(member.to_owned()..);
            for (path, constant) in all.take_while(|(path, _)| path.starts_with(member)) {
                if path == member || path.starts_with(&inside) {
                    known.insert((text.to_owned(), path.clone()), constant.clone());
                }
            }
        }
        (!known.is_empty()).then_some((position, known))
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
    for instruction in &module.instructions {
        if let Op::StoreCell(cell, origin) = instruction.op {
            cells.entry(cell.0).or_default().extend(imported(origin));
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
