//! Reader of `uv.lock`.

use std::collections::{HashMap, HashSet};

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
    let wanted = wanted_extras(&file);
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
        for (extra, list) in entries(&package["optional-dependencies"]) {
            let is_wanted = wanted.contains(&(text(&package["name"]), extra));
            depend(from, list, if is_wanted { DependencyKind::Runtime } else { DependencyKind::Optional });
        }
        for key in ["dev-dependencies", "dependency-groups"] {
            for (_, group) in entries(&package[key]) {
                depend(from, group, DependencyKind::Development);
            }
        }
    }
    builder.finish()
}

/// Packages and their extras that some package of the file depends on.
fn wanted_extras(file: &Value) -> HashSet<(&str, &str)> {
    let mut wanted = HashSet::new();
    for package in items(&file["package"]) {
        let tables =
            ["optional-dependencies", "dev-dependencies", "dependency-groups"].map(|key| entries(&package[key]));
        let lists = tables.into_iter().flatten().map(|(_, list)| list);
        for dependency in std::iter::once(&package["dependencies"]).chain(lists).flat_map(items) {
            wanted.extend(items(&dependency["extra"]).map(|extra| (text(&dependency["name"]), text(extra))));
        }
    }
    wanted
}
