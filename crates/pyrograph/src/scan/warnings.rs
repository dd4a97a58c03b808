//! Warnings about libraries whose models do not match.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::Input;
use crate::knowledge::Knowledge;
use crate::points_to::PointsTo;
use crate::program::{ImportTarget, Program};
use crate::value_flow::Roles;

/// Use of a package with a model.
#[derive(Clone, Debug)]
pub(super) struct ModelUse {
    /// Name of the package.
    package: String,
    /// Versions that the packages of the files ask for.
    versions: BTreeSet<String>,
    /// An entry of the model matches.
    is_matched: bool,
    /// The code uses more of the package than its import, and no entry of the model matches.
    is_unmatched: bool,
}

/// Uses of packages with models in a program.
pub(super) fn model_uses(
    input: &Input,
    program: &Program,
    knowledge: &Knowledge,
    points_to: &PointsTo,
    roles: &Roles,
) -> Vec<ModelUse> {
    let mut uses: BTreeMap<String, ModelUse> = BTreeMap::new();
    for module in &program.modules {
        for (_, target) in &module.imports {
            let ImportTarget::Library(path) = target else { continue };
            let Some(library) = knowledge.library_of(path) else { continue };
            let package = &library.package;
            let known = uses.entry(package.clone()).or_insert_with(|| ModelUse {
                package: package.clone(),
                versions: BTreeSet::new(),
                is_matched: points_to.paths.is_matched(package) || roles.libraries.contains_key(package),
                is_unmatched: points_to.paths.is_unmatched(package),
            });
            known.versions.extend(input.dependency_version(module.file, package).map(str::to_owned));
        }
    }
    uses.into_values().collect()
}

/// Warnings about uses in all programs of a scan, sorted. A scan that ended early cannot say which entries match nothing.
pub(super) fn warnings(knowledge: &Knowledge, uses: Vec<ModelUse>, is_whole: bool) -> Vec<String> {
    let mut packages: BTreeMap<String, ModelUse> = BTreeMap::new();
    for model in uses {
        match packages.get_mut(&model.package) {
            Some(known) => {
                known.versions.extend(model.versions);
                known.is_matched |= model.is_matched;
                known.is_unmatched |= model.is_unmatched;
            }
            None => {
                packages.insert(model.package.clone(), model);
            }
        }
    }
    let mut warnings = Vec::new();
    for (package, model) in packages {
        warnings.extend(model.versions.iter().filter_map(|version| knowledge.warn_version(&package, version)));
        if is_whole && model.is_unmatched && !model.is_matched {
            let version = model.versions.first().map(String::as_str);
            warnings.extend(knowledge.warn_unmatched(&package, version));
        }
    }
    warnings.sort();
    warnings
}
