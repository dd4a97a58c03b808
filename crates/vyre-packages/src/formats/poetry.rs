//! Reader of `poetry.lock`.

use std::collections::HashMap;

use serde_json::Value;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::manifest::Manifest;
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
    for (package, from) in items(&file["package"]).zip(indices) {
        for (name, requirement) in entries(&package["dependencies"]) {
            // A list has one requirement for each environment.
            let all = requirement.as_array().map_or(std::slice::from_ref(requirement), Vec::as_slice);
            for requirement in all {
                let range = requirement.as_str().unwrap_or_else(|| text(&requirement["version"]));
                depend(&mut builder, &by_name, from, (name, range), kind(requirement));
            }
        }
    }
    if let Some(manifest) = manifest {
        let manifest = Manifest::pyproject(manifest)?;
        let name = if manifest.name.is_empty() { "project" } else { &manifest.name };
        let root = builder.add(name, &manifest.version, "root", true)?;
        for requirement in &manifest.requirements {
            depend(&mut builder, &by_name, root, (&requirement.name, &requirement.range), requirement.kind);
        }
    }
    builder.finish()
}

fn kind(requirement: &Value) -> DependencyKind {
    if requirement["optional"] == true { DependencyKind::Optional } else { DependencyKind::Runtime }
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
