//! Reader of `yarn.lock`: the text format of Yarn 1, and YAML of later versions.

use serde_json::Value;

use super::yarn_classic;
use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::manifest::Manifest;
use crate::tree::{self, entries, text};

pub(crate) fn read(file: &str, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let manifest = manifest.map(Manifest::package_json).transpose()?;
    if file.lines().any(|line| line.starts_with("__metadata:")) {
        read_yaml(&tree::yaml(file)?, manifest.as_ref())
    } else {
        read_classic(file, manifest.as_ref())
    }
}

fn read_classic(file: &str, manifest: Option<&Manifest>) -> Result<DependencyGraph, PackageError> {
    let entries = yarn_classic::parse(file)?;
    let mut builder = Builder::new(Ecosystem::Npm);
    let mut indices = Vec::new();
    for entry in &entries {
        let first = entry.keys.first().map_or("", String::as_str);
        let (folder, range) = split(first);
        // `a@npm:b@^1` is the package b under the name a.
        let name = range.strip_prefix("npm:").map_or(folder, |alias| split(alias).0);
        let index = builder.add(name, &entry.version, first, false)?;
        for key in &entry.keys {
            builder.name(key.as_str(), index);
        }
        indices.push(index);
    }
    for (entry, from) in entries.iter().zip(indices) {
        for (name, range, kind) in &entry.needs {
            builder.depend_on_key(from, &format!("{name}@{range}"), *kind);
        }
    }
    if let Some(manifest) = manifest {
        let name = if manifest.name.is_empty() { "project" } else { &manifest.name };
        let root = builder.add(name, &manifest.version, "root", true)?;
        for requirement in &manifest.requirements {
            builder.depend_on_key(root, &format!("{}@{}", requirement.name, requirement.range), requirement.kind);
        }
    }
    builder.finish()
}

/// Packages of the workspace are entries themselves. The file does not say which of their dependencies are for development; the manifest
/// says it of the package that it describes.
fn read_yaml(file: &Value, manifest: Option<&Manifest>) -> Result<DependencyGraph, PackageError> {
    let mut builder = Builder::new(Ecosystem::Npm);
    let mut added = Vec::new();
    for (keys, entry) in entries(file).filter(|(key, _)| *key != "__metadata") {
        let resolution = text(&entry["resolution"]);
        let (name, place) = split(resolution);
        let is_root = place.starts_with("workspace:");
        if resolution.is_empty() || text(&entry["version"]).is_empty() {
            return Err(PackageError::new(format!(
                "the entry `{keys}` has no version or resolution; is the file cut?"
            )));
        }
        let version = if is_root { "" } else { text(&entry["version"]) };
        let index = builder.add(name, version, resolution, is_root)?;
        for key in keys.split(", ") {
            builder.name(key, index);
        }
        added.push((index, name, entry));
    }
    for (from, name, entry) in added {
        let manifest = manifest.filter(|manifest| manifest.name == name);
        for (needed, range) in entries(&entry["dependencies"]) {
            let of_manifest = manifest.and_then(|manifest| manifest.kind_of(&Ecosystem::Npm, needed));
            let is_optional = entry["dependenciesMeta"][needed]["optional"] == "true";
            let kind = if is_optional { DependencyKind::Optional } else { of_manifest.unwrap_or_default() };
            let range = text(range);
            // Files of Yarn 2 and 3 leave out the protocol.
            let keys = [format!("{needed}@{range}"), format!("{needed}@npm:{range}")];
            match keys.iter().find_map(|key| builder.find(key)) {
                Some(to) => builder.depend(from, to, kind),
                None => builder.miss(&keys[0], kind),
            }
        }
    }
    builder.finish()
}

/// Name and rest of `name@rest`. The name of a scoped package begins with an `@`.
fn split(key: &str) -> (&str, &str) {
    let start = usize::from(key.starts_with('@'));
    match key[start..].find('@') {
        Some(at) => (&key[..start + at], &key[start + at + 1..]),
        None => (key, ""),
    }
}
