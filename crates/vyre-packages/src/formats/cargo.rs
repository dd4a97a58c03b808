//! Reader of `Cargo.lock`.

use std::collections::HashMap;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::DependencyGraph;
use crate::manifest::Manifest;
use crate::tree::{self, items, text};

/// Packages without a source are those of the workspace, so they are the roots. The file does not say what a dependency is for. The
/// manifest says it of the package that it describes.
pub(crate) fn read(file: &str, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let file = tree::toml(file)?;
    let manifest = manifest.map(Manifest::cargo_toml).transpose()?;
    let mut builder = Builder::new(Ecosystem::Cargo);
    let mut indices: Vec<u32> = Vec::new();
    let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
    for package in items(&file["package"]) {
        let (name, version, source) = (text(&package["name"]), text(&package["version"]), text(&package["source"]));
        if name.is_empty() {
            return Err(PackageError::new("it has a package without a name"));
        }
        let index = builder.add(name, version, source, source.is_empty())?;
        builder.name(format!("{name} {version} ({source})"), index);
        builder.name(format!("{name} {version}"), index);
        by_name.entry(name).or_default().push(index);
        indices.push(index);
    }
    for (package, from) in items(&file["package"]).zip(indices) {
        let manifest = manifest.as_ref().filter(|manifest| manifest.name == text(&package["name"]));
        for dependency in items(&package["dependencies"]).map(text) {
            let name = dependency.split(' ').next().unwrap_or_default();
            let kind = manifest.and_then(|manifest| manifest.kind_of(&Ecosystem::Cargo, name)).unwrap_or_default();
            // The version is absent if there is only one.
            match by_name.get(dependency).map(Vec::as_slice) {
                Some([only]) => builder.depend(from, *only, kind),
                _ => builder.depend_on_key(from, dependency, kind),
            }
        }
    }
    if manifest.is_none() && builder.has_root() {
        builder.note("the file does not say which dependencies are for development only; all count as needed");
    }
    builder.finish()
}
