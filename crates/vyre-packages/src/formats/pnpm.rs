//! Reader of `pnpm-lock.yaml`, versions 5 to 9.

use serde_json::Value;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::tree::{self, entries, text};

/// Lists of dependencies.
const LISTS: [(&str, DependencyKind); 3] = [
    ("dependencies", DependencyKind::Runtime),
    ("optionalDependencies", DependencyKind::Optional),
    ("devDependencies", DependencyKind::Development),
];

pub(crate) fn read(file: &str) -> Result<DependencyGraph, PackageError> {
    let file = tree::yaml(file)?;
    let version = text(&file["lockfileVersion"]);
    let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default();
    if !(5..=9).contains(&major) {
        return Err(PackageError::new(format!("its `lockfileVersion` is `{version}`; known are 5 to 9")));
    }
    let mut builder = Builder::new(Ecosystem::Npm);
    // From version 9 on, `packages` are without and `snapshots` with their dependencies.
    let packages = if file["snapshots"].is_object() { &file["snapshots"] } else { &file["packages"] };
    let mut added = Vec::new();
    for (key, package) in entries(packages) {
        let (name, version) = name_and_version(key, major);
        let name = package["name"].as_str().unwrap_or(name);
        let version = package["version"].as_str().unwrap_or(version);
        let index = builder.add(name, version, key, false)?;
        builder.name(key, index);
        added.push((index, "", package));
    }
    // A file without `importers` has one, itself.
    let own = [(".", &file)];
    let importers: Vec<(&str, &Value)> =
        if file["importers"].is_object() { entries(&file["importers"]).collect() } else { own.to_vec() };
    for &(path, importer) in &importers {
        let index = builder.add(if path == "." { "project" } else { path }, "", path, true)?;
        builder.name(format!("link:{path}"), index);
        added.push((index, path, importer));
    }
    for (from, path, package) in added {
        for (list, kind) in LISTS {
            for (name, value) in entries(&package[list]) {
                let version = value.as_str().unwrap_or_else(|| text(&value["version"]));
                match resolve(&builder, path, name, version) {
                    Some(to) => builder.depend(from, to, kind),
                    None => builder.miss(&format!("{name}@{version}"), kind),
                }
            }
        }
    }
    builder.finish()
}

/// The package of a dependency. Versions differ in the form of keys, and a version can be a key itself: an alias.
fn resolve(builder: &Builder, path: &str, name: &str, version: &str) -> Option<u32> {
    if let Some(link) = version.strip_prefix("link:") {
        return builder.find(&format!("link:{}", join(path, link)));
    }
    let keys = [format!("{name}@{version}"), format!("/{name}@{version}"), format!("/{name}/{version}")];
    let mut keys = keys.iter().map(String::as_str).chain([version]);
    keys.find_map(|key| builder.find(key))
}

/// Path of a folder, relative to another one.
fn join(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Name and version of a key: `/a/1.0.0_peer@2.0.0` of version 5, `/a@1.0.0(peer@2.0.0)` of version 6, `a@1.0.0(peer@2.0.0)` of version 9.
fn name_and_version(key: &str, major: u32) -> (&str, &str) {
    let plain = key.trim_start_matches('/').split('(').next().unwrap_or_default();
    if major == 5 {
        // Peers stand behind the version.
        let parts = if plain.starts_with('@') { 2 } else { 1 };
        let at = plain.match_indices('/').nth(parts - 1).map(|(at, _)| at);
        let (name, version) = at.map_or((plain, ""), |at| (&plain[..at], &plain[at + 1..]));
        return (name, version.split(['_', '/']).next().unwrap_or_default());
    }
    let start = usize::from(plain.starts_with('@'));
    match plain[start..].find('@') {
        Some(at) => (&plain[..start + at], &plain[start + at + 1..]),
        None => (plain, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_versions() {
        assert_eq!(name_and_version("/@a/b/1.0.0_c@2.0.0+d@1", 5), ("@a/b", "1.0.0"));
        assert_eq!(name_and_version("/b/1.0.0", 5), ("b", "1.0.0"));
        assert_eq!(name_and_version("/@a/b@1.0.0(c@2.0.0)", 6), ("@a/b", "1.0.0"));
        assert_eq!(name_and_version("b@1.0.0(c@2.0.0)", 9), ("b", "1.0.0"));
        assert_eq!(join("packages/a", "../b"), "packages/b");
        assert_eq!(join(".", "packages/b"), "packages/b");
        assert_eq!(join("a", ".."), ".");
    }
}
