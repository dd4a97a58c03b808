//! Sources that are no calls: threat models, parameters of exports, names and decorators of parameters.

use std::collections::{BTreeMap, BTreeSet};

use super::ScanOptions;
use crate::finding::FileIndex;
use crate::flow::Op;
use crate::input::Input;
use crate::knowledge::{Knowledge, ThreatModel};
use crate::points_to::{Formal, PointsTo};
use crate::program::Program;
use crate::value_flow::exports::exported_functions;
use crate::value_flow::{Roles, Source};

/// Threat models: those of the options, or those of the packages.
pub(super) fn threat_models(input: &Input, options: &ScanOptions) -> Vec<ThreatModel> {
    let mut models = options.models.clone();
    if models.is_empty() {
        for source in &input.sources {
            match input.package_of(source.file).map(|package| package.models.as_slice()) {
                // Files of no package, and of packages that do not say, are of both kinds.
                None | Some([]) => models.extend([ThreatModel::Application, ThreatModel::Library]),
                Some(known) => models.extend_from_slice(known),
            }
            models.sort_unstable();
            models.dedup();
        }
    }
    if models.is_empty() {
        models = vec![ThreatModel::Application, ThreatModel::Library];
    }
    models.sort_unstable();
    models.dedup();
    models
}

/// Sources of the library model: parameters of exported functions.
pub(super) fn add_exports(
    input: &Input,
    program: &Program,
    knowledge: &Knowledge,
    points_to: &PointsTo,
    roles: &mut Roles,
) {
    // Entries of packages; every module of a file that belongs to no package, or to one without entries.
    let named: BTreeSet<FileIndex> =
        input.packages.iter().flat_map(|package| package.entries.iter().copied()).collect();
    let has_entries = |file: FileIndex| input.package_of(file).is_some_and(|package| !package.entries.is_empty());
    let modules = program.modules.iter().zip(0_u32..);
    let entries: Vec<u32> = modules
        .filter(|(module, _)| named.contains(&module.file) || !has_entries(module.file))
        .filter(|(module, _)| !input.is_dependency(module.file))
        .map(|(_, number)| number)
        .collect();
    let kinds: Vec<_> = knowledge.export_sources().collect();
    let rest_parameters = rest_parameters(program);
    for function in exported_functions(program, points_to, &entries) {
        for position in 0..points_to.layout.parameters(function) {
            let Some(node) = points_to.layout.parameter(function, position) else { continue };
            for &kind in &kinds {
                roles.sources.push(Source { node, kind, value: None });
            }
        }
        if let Some(&rest) = rest_parameters.get(&function) {
            for &kind in &kinds {
                roles.sources.push(Source { node: rest, kind, value: Some(rest) });
            }
        }
        let arguments = points_to.layout.formal(function, Formal::Arguments);
        for &kind in &kinds {
            roles.sources.push(Source { node: arguments, kind, value: None });
        }
    }
    roles.sources.sort_unstable();
    roles.sources.dedup();
}

/// Values of rest parameters, by function.
fn rest_parameters(program: &Program) -> BTreeMap<u32, u32> {
    let mut values = BTreeMap::new();
    for module in &program.modules {
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            if let Op::RestParameter(_) = instruction.op {
                values.entry(module.function(instruction.function)).or_insert(module.values + position as u32);
            }
        }
    }
    values
}

/// Sources by names of parameters, and by decorators.
pub(super) fn add_conventions(program: &Program, knowledge: &Knowledge, points_to: &PointsTo, roles: &mut Roles) {
    for module in &program.modules {
        for (number, function) in module.flow.functions.iter().enumerate() {
            let index = module.functions + number as u32;
            for (position, name) in function.parameters.iter().enumerate() {
                let Some(name) = name else { continue };
                let Some(node) = points_to.layout.parameter(index, position as u32) else { continue };
                for &kind in knowledge.parameter_sources(module.flow.text(*name)) {
                    roles.sources.push(Source { node, kind, value: None });
                }
            }
            for &(position, decorator) in &function.parameter_decorators {
                let Some(node) = points_to.layout.parameter(index, position) else { continue };
                // `@Query("q")` is a call of the decorator, `@Query` the decorator itself. Pipes among its arguments convert the value.
                let mut clean = 0;
                let decorator = match module.flow.instructions[decorator.index()].op {
                    Op::Call(call) => {
                        let call = &module.flow.calls[call.index()];
                        for argument in &call.arguments {
                            for path in points_to.paths_of(module.value(argument.value)) {
                                clean |= knowledge.sanitised_members(&format!("{path}.transform"));
                            }
                        }
                        call.callee
                    }
                    _ => decorator,
                };
                for path in points_to.paths_of(module.value(decorator)) {
                    if !knowledge.decorator_sources(path).is_empty() || knowledge.decorator_type(path).is_some() {
                        roles.count_library(knowledge, path);
                    }
                    for &kind in knowledge.decorator_sources(path) {
                        if knowledge.sources[usize::from(kind)].rules & !clean == 0 {
                            continue;
                        }
                        roles.sources.push(Source { node, kind, value: None });
                    }
                }
            }
        }
    }
    roles.sources.sort_unstable();
    roles.sources.dedup();
}
