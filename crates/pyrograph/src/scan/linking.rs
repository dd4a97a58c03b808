//! Linking: modules become a program, and imports get their targets.

use rayon::prelude::*;

use super::missing::missing_imports;
use super::{ScanControl, ScanStage, packages, pages};
use crate::coverage::FileOutcome;
use crate::finding::FileIndex;
use crate::flow::{FOLDER, FlowModule};
use crate::input::{Input, Language, Resolution, Resolver, join};
use crate::knowledge::Knowledge;
use crate::program::{ImportTarget, Program};

/// Largest number of modules of a folder that a program loads by names which it makes when it runs. Larger folders are tables of data,
/// such as translations.
const MAX_LOADED: usize = 64;

/// Links the modules: one program, with the targets of imports.
pub(super) fn link(
    input: &mut Input,
    modules: Vec<Option<FlowModule>>,
    knowledge: &Knowledge,
    control: &ScanControl,
) -> Program {
    let mut program = Program::default();
    let mut files: Vec<(FileIndex, u32)> = Vec::new();
    for (source, module) in input.sources.iter().zip(modules) {
        let Some(module) = module else { continue };
        match program.push(source.file, module) {
            Ok(number) => files.push((source.file, number)),
            Err(crate::program::TooLarge) => {
                input.coverage.files[source.file as usize].outcome =
                    FileOutcome::Failed("the program is too large".to_owned());
            }
        }
    }
    control.report(ScanStage::Link, 0, Some(program.modules.len() as u64));
    match input.sources.first().map(|source| source.language) {
        Some(Language::Python) => packages::link(input, &mut program, &files),
        _ => link_imports(input, &mut program, &files),
    }
    let missing = missing_imports(input, &program);
    input.coverage.missing_imports.extend(missing);
    keep_models(input, &mut program, knowledge);
    add_versions(input, &mut program, knowledge);
    program
}

/// Adds the versions of modelled packages that the packages of the files ask for.
fn add_versions(input: &Input, program: &mut Program, knowledge: &Knowledge) {
    for module in &mut program.modules {
        let libraries = module.imports.iter().filter_map(|(_, target)| match target {
            ImportTarget::Library(path) => knowledge.library_of(path),
            _ => None,
        });
        for library in libraries {
            if let Some(version) = input.dependency_version(module.file, &library.package) {
                module.versions.push((library.package.clone(), version.to_owned()));
            }
        }
    }
}

/// Modules of a folder that a program loads by names which it makes when it runs: `require("./commands/" + name)`.
fn folder_target(input: &Input, importer: &str, folder: &str, files: &[(FileIndex, u32)]) -> ImportTarget {
    let base = importer.rsplit_once('/').map_or("", |(base, _)| base);
    let Some(folder) = join(base, folder) else { return ImportTarget::Nothing };
    let is_inside = |path: &str| {
        let rest = match folder.is_empty() {
            true => Some(path),
            false => path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')),
        };
        rest.is_some_and(|name| match name.split_once('/') {
            None => true,
            Some((_, inner)) => inner.starts_with("index.") && !inner.contains('/'),
        })
    };
    let inside = files.iter().filter(|(file, _)| {
        let path = &input.coverage.files[*file as usize].path;
        path != importer && is_inside(path)
    });
    let modules: Vec<u32> = inside.map(|&(_, module)| module).take(MAX_LOADED + 1).collect();
    match modules.len() {
        1..=MAX_LOADED => ImportTarget::Folder(modules),
        _ => ImportTarget::Nothing,
    }
}

/// Sets the targets of imports.
fn link_imports(input: &Input, program: &mut Program, files: &[(FileIndex, u32)]) {
    let resolver = Resolver::new(input);
    let imports: Vec<_> = program
        .modules
        .par_iter()
        .map(|module| {
            let path = &input.coverage.files[module.file as usize].path;
            module
                .specifiers()
                .into_iter()
                .map(|symbol| {
                    if let Some(folder) = module.flow.text(symbol).strip_suffix(FOLDER) {
                        return (symbol, folder_target(input, path, folder, files));
                    }
                    let target = match resolver.resolve(path, module.flow.text(symbol)) {
                        Resolution::File(file) => match files.binary_search_by_key(&file, |(file, _)| *file) {
                            Ok(position) => ImportTarget::Module(files[position].1),
                            Err(_) => ImportTarget::Nothing,
                        },
                        Resolution::Package(name) => ImportTarget::Library(name),
                        Resolution::Folder(_) | Resolution::NotFound => ImportTarget::Nothing,
                    };
                    (symbol, target)
                })
                .collect::<Vec<_>>()
        })
        .collect();
    for (module, imports) in program.modules.iter_mut().zip(imports) {
        module.imports = imports;
    }
    pages::mark(input, program, files, &resolver);
}

/// Packages with models stay libraries, even if their code is there: the models know more than the code says.
fn keep_models(input: &Input, program: &mut Program, knowledge: &Knowledge) {
    let is_dependency: Vec<bool> = program.modules.iter().map(|module| input.is_dependency(module.file)).collect();
    if !is_dependency.contains(&true) {
        return;
    }
    for number in 0..program.modules.len() {
        if is_dependency[number] {
            continue;
        }
        let module = &mut program.modules[number];
        let names: Vec<(usize, String)> = module
            .imports
            .iter()
            .enumerate()
            .filter(
                |(_, (_, target))| matches!(target, ImportTarget::Module(target) if is_dependency[*target as usize]),
            )
            .map(|(position, (symbol, _))| (position, module.flow.text(*symbol).to_owned()))
            .collect();
        for (position, name) in names {
            if knowledge.library_of(&name).is_some() {
                module.imports[position].1 = ImportTarget::Library(name);
            }
        }
    }
}
