//! Links of languages whose modules are members of packages.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::finding::FileIndex;
use crate::flow::field::STAR;
use crate::flow::{Builder, Constant, Function, FunctionKind, Op, Span};
use crate::input::{Input, PythonResolver, Resolution};
use crate::program::{ImportTarget, Program};

/// Sets the targets of imports, and the modules of packages. Folders without a file of their own become modules without code.
pub(super) fn link(input: &Input, program: &mut Program, files: &[(FileIndex, u32)]) {
    let resolver = PythonResolver::new(input);
    let module_of = |file: FileIndex| {
        let position = files.binary_search_by_key(&file, |(file, _)| *file).ok()?;
        Some(files[position].1)
    };
    let resolved: Vec<Vec<_>> = program
        .modules
        .par_iter()
        .map(|module| {
            let path = &input.coverage.files[module.file as usize].path;
            let specifiers = module.specifiers().into_iter();
            specifiers.map(|symbol| (symbol, resolver.resolve(path, module.flow.text(symbol)))).collect()
        })
        .collect();
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    for (_, resolution) in resolved.iter().flatten() {
        if let Resolution::Folder(folder) = resolution {
            waiting.insert(folder.clone());
        }
    }
    // Folders of packages, and folders in them.
    let mut packages: BTreeMap<String, u32> = BTreeMap::new();
    for (path, file) in resolver.packages() {
        if let Some(module) = module_of(file) {
            waiting.extend(resolver.folders(path).map(str::to_owned));
            packages.insert(path.to_owned(), module);
        }
    }
    let file = program.modules.first().map_or(0, |module| module.file);
    while let Some(folder) = waiting.pop_first() {
        if packages.contains_key(&folder) {
            continue;
        }
        let Ok(module) = program.push(file, empty_module()) else { break };
        waiting.extend(resolver.folders(&folder).map(str::to_owned));
        packages.insert(folder, module);
    }
    for (path, &module) in &packages {
        let mut children: Vec<(&str, u32)> =
            resolver.children(path).filter_map(|(name, file)| Some((name, module_of(file)?))).collect();
        for folder in resolver.folders(path) {
            if let Some(&child) = packages.get(folder) {
                children.push((folder.rsplit('/').next().unwrap_or(folder), child));
            }
        }
        for (name, child) in children {
            let name = program.names.intern(name);
            if child != module {
                program.modules[module as usize].children.push((name, child));
            }
        }
    }
    for (number, resolutions) in resolved.into_iter().enumerate() {
        let targets = resolutions.into_iter().map(|(symbol, resolution)| {
            let target = match resolution {
                Resolution::File(file) => module_of(file).map_or(ImportTarget::Nothing, ImportTarget::Module),
                Resolution::Folder(folder) => {
                    packages.get(&folder).map_or(ImportTarget::Nothing, |&module| ImportTarget::Module(module))
                }
                Resolution::Package(name) => ImportTarget::Library(name),
                Resolution::NotFound => ImportTarget::Nothing,
            };
            (symbol, target)
        });
        let targets: Vec<_> = targets.collect();
        program.modules[number].imports = targets;
    }
    hide_names(program);
}

/// Names that modules do not offer to imports of all their names come from elsewhere.
fn hide_names(program: &mut Program) {
    let mut hidden: Vec<(usize, usize)> = Vec::new();
    for (number, module) in program.modules.iter().enumerate() {
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            let Op::LoadField(base, name) = instruction.op else { continue };
            let Op::Import(specifier) = module.flow.instructions[base.index()].op else { continue };
            if !module.flow.text(specifier).starts_with(STAR) {
                continue;
            }
            let Some(&ImportTarget::Module(target)) = module.import(specifier) else { continue };
            if !program.modules[target as usize].flow.offers(module.flow.text(name)) {
                hidden.push((number, position));
            }
        }
    }
    for (module, position) in hidden {
        program.modules[module].flow.instructions[position].op = Op::Constant(Constant::Undefined);
    }
}

/// A module without code.
fn empty_module() -> crate::flow::FlowModule {
    let mut builder = Builder::new();
    let function = builder.function(Function {
        name: None,
        parent: None,
        parameters: Vec::new(),
        kind: FunctionKind::Module,
        is_async: false,
        is_generator: false,
        decorators: Vec::new(),
        parameter_decorators: Vec::new(),
        predicate: None,
        parameter_types: Vec::new(),
        span: Span::default(),
    });
    builder.push(function, Op::Exports, Span::default());
    builder.finish()
}
