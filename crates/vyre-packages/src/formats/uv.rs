//! Reader of `uv.lock`.

use std::collections::HashMap;

use serde_json::Value;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::tree::{self, entries, items, text};

/// Sources of packages of the project itself.
const OWN: [&str; 3] = ["editable", "virtual", "directory"];

/// Packages of a folder of the project are the roots.
pub(crate) fn read(file: &str) -> Result<DependencyGraph, PackageError> {
    let file = tree::toml(file)?;
    let mut builder = Builder::new(Ecosystem::Python);
    let mut by_name: HashMap<&str, Vec<(u32, &str)>> = HashMap::new();
    let mut indices = Vec::new();
    for package in items(&file["package"]) {
        let (name, version, source) = (text(&package["name"]), text(&package["version"]), &package["source"]);
        let is_root = OWN.iter().any(|key| source.get(key).is_some());
        let place = entries(source).map(|(_, place)| text(place)).next().unwrap_or_default();
        let index = builder.add(name, version, place, is_root)?;
        by_name.entry(name).or_default().push((index, version));
        indices.push(index);
    }
    let mut depend = |from: u32, list: &Value, kind: DependencyKind| {
        for dependency in items(list) {
            let (name, version) = (text(&dependency["name"]), text(&dependency["version"]));
            let candidates = by_name.get(name).map_or(&[][..], Vec::as_slice);
            if candidates.is_empty() {
                builder.miss(name, kind);
            }
            // The version is absent if there is only one.
            for &(to, _) in candidates.iter().filter(|(_, other)| version.is_empty() || *other == version) {
                builder.depend(from, to, kind);
            }
        }
    };
    for (package, from) in items(&file["package"]).zip(indices) {
        depend(from, &package["dependencies"], DependencyKind::Runtime);
        for (_, extra) in entries(&package["optional-dependencies"]) {
            depend(from, extra, DependencyKind::Optional);
        }
        for key in ["dev-dependencies", "dependency-groups"] {
            for (_, group) in entries(&package[key]) {
                depend(from, group, DependencyKind::Development);
            }
        }
    }
    builder.finish()
}
