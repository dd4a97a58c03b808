//! Reader of `poetry.lock`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::manifest::{Manifest, pep508};
use crate::tree::{self, entries, items, text};
use crate::version::Range;

/// The packages of a lock file by their normalized name.
type ByName<'f> = HashMap<String, Vec<(u32, &'f str)>>;

/// The lock file does not have the project. The manifest says what the project depends on.
pub(crate) fn read(file: &str, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let file = tree::toml(file)?;
    let mut builder = Builder::new(Ecosystem::Python);
    let mut by_name = ByName::new();
    let mut indices = Vec::new();
    for package in items(&file["package"]) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let index = builder.add(name, version, text(&package["source"]["url"]), false)?;
        by_name.entry(Ecosystem::Python.normalized(name)).or_default().push((index, version));
        indices.push(index);
    }
    let manifest = manifest.map(Manifest::pyproject).transpose()?;
    let wanted = wanted_extras(&file, manifest.as_ref());
    for (package, from) in items(&file["package"]).zip(indices) {
        let of_extras = needed_for_extras(package, &wanted);
        for (name, requirement) in entries(&package["dependencies"]) {
            // A list has one requirement for each environment.
            let all = requirement.as_array().map_or(std::slice::from_ref(requirement), Vec::as_slice);
            for requirement in all {
                let range = requirement.as_str().unwrap_or_else(|| text(&requirement["version"]));
                let is_optional =
                    requirement["optional"] == true && !of_extras.contains(&Ecosystem::Python.normalized(name));
                let kind = if is_optional { DependencyKind::Optional } else { DependencyKind::Runtime };
                depend(&mut builder, &by_name, from, (name, range), kind);
            }
        }
    }
    if let Some(manifest) = manifest {
        let name = if manifest.name.is_empty() { "project" } else { &manifest.name };
        let root = builder.add(name, &manifest.version, "root", true)?;
        for requirement in &manifest.requirements {
            depend(&mut builder, &by_name, root, (&requirement.name, &requirement.range), requirement.kind);
        }
    }
    builder.finish()
}

/// Normalized names of packages and their extras that the project or some package of the file depends on.
fn wanted_extras(file: &Value, manifest: Option<&Manifest>) -> HashSet<(String, String)> {
    let normalized = |name: &str, extra: &str| [name, extra].map(|text| Ecosystem::Python.normalized(text)).into();
    let mut wanted = HashSet::new();
    for (name, extra) in manifest.into_iter().flat_map(|manifest| &manifest.extras) {
        wanted.insert(normalized(name, extra));
    }
    for package in items(&file["package"]) {
        for (name, requirement) in entries(&package["dependencies"]) {
            let all = requirement.as_array().map_or(std::slice::from_ref(requirement), Vec::as_slice);
            for extra in all.iter().flat_map(|requirement| items(&requirement["extras"])) {
                wanted.insert(normalized(name, text(extra)));
            }
        }
    }
    wanted
}

/// Normalized names of what a package needs for the extras of it that are wanted.
fn needed_for_extras(package: &Value, wanted: &HashSet<(String, String)>) -> HashSet<String> {
    let name = Ecosystem::Python.normalized(text(&package["name"]));
    let is_wanted = |extra: &str| wanted.contains(&(name.clone(), Ecosystem::Python.normalized(extra)));
    let lists = entries(&package["extras"]).filter(|(extra, _)| is_wanted(extra)).map(|(_, list)| list);
    lists.flat_map(items).map(|requirement| Ecosystem::Python.normalized(pep508(text(requirement)).0)).collect()
}

/// Adds the dependencies on all packages of a name whose version is in a range: environments may need different ones.
fn depend(builder: &mut Builder, packages: &ByName<'_>, from: u32, needed: (&str, &str), kind: DependencyKind) {
    let (name, range) = needed;
    let candidates = packages.get(&Ecosystem::Python.normalized(name)).map_or(&[][..], Vec::as_slice);
    let range = Range::parse(range).ok();
    let fits = |version: &str| range.as_ref().is_none_or(|range| range.contains(&Ecosystem::Python, version));
    let has_fitting = candidates.iter().any(|(_, version)| fits(version));
    for &(to, version) in candidates {
        // The lock file is right, even if the range is not understood.
        if !has_fitting || fits(version) {
            builder.depend(from, to, kind);
        }
    }
    if candidates.is_empty() {
        builder.miss(name, kind);
    }
}
