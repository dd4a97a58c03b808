//! Reader of `package-lock.json`.

use std::collections::HashSet;

use serde_json::Value;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::manifest::{Manifest, NPM_LISTS};
use crate::tree::{self, entries, text};

/// Folder of dependencies.
const FOLDER: &str = "node_modules/";

/// Most folders of a path.
const MAX_FOLDERS: usize = 256;

/// Deepest nesting of a lock file of version 1.
const MAX_DEPTH: usize = 100;

pub(crate) fn read(file: &str, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let file = tree::json(file)?;
    match (file["lockfileVersion"].as_u64(), &file["packages"]) {
        (Some(2 | 3), Value::Object(_)) => read_packages(&file),
        (Some(1), _) => read_nested(&file, manifest),
        (Some(1..=3), _) => Err(PackageError::new("its `packages` are no object")),
        (Some(version), _) => {
            Err(PackageError::new(format!("its `lockfileVersion` is {version}; known are 1, 2 and 3")))
        }
        (None, _) => Err(PackageError::new("it has no `lockfileVersion`, so it is no lock file of npm")),
    }
}

/// Reads versions 2 and 3: `packages` by their path.
fn read_packages(file: &Value) -> Result<DependencyGraph, PackageError> {
    let mut builder = Builder::new(Ecosystem::Npm);
    let mut packages: Vec<(&str, &Value)> = entries(&file["packages"]).collect();
    // A copy near the project has the plain name.
    packages.sort_by_key(|(path, _)| (path.matches(FOLDER).count(), *path));
    let mut added: Vec<(&str, u32, &Value)> = Vec::new();
    let mut holders = Holders::default();
    for (path, _) in &packages {
        holders.add(path)?;
    }
    for &(path, package) in packages.iter().filter(|(_, package)| package["link"] != true) {
        let folder = path.rfind(FOLDER).map(|at| &path[at + FOLDER.len()..]);
        let last = path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("project");
        let name = package["name"].as_str().or(folder).or(file["name"].as_str()).unwrap_or(last);
        let index = builder.add(name, text(&package["version"]), path, folder.is_none())?;
        builder.name(path, index);
        added.push((path, index, package));
    }
    // A link is the folder that it names, such as a workspace.
    for &(path, package) in packages.iter().filter(|(_, package)| package["link"] == true) {
        let target = text(&package["resolved"]);
        let index = match builder.find(target) {
            Some(index) => index,
            None => builder.add(path.rsplit(FOLDER).next().unwrap_or(path), "", path, false)?,
        };
        builder.name(path, index);
    }
    for (path, index, package) in added {
        let folders = holders.around(path);
        for (list, kind) in NPM_LISTS {
            for (name, _) in entries(&package[list]) {
                depend(&mut builder, index, &folders, name, kind);
            }
        }
        for (name, _) in entries(&package["peerDependencies"]) {
            let is_optional = package["peerDependenciesMeta"][name]["optional"] == true;
            let kind = if is_optional { DependencyKind::Optional } else { DependencyKind::Runtime };
            depend(&mut builder, index, &folders, name, kind);
        }
    }
    builder.finish()
}

/// Folders that have packages in their `node_modules`.
#[derive(Default)]
struct Holders(HashSet<String>);

impl Holders {
    /// Adds the folder of a package. Paths of many folders are refused: a search from each of them would take minutes.
    fn add(&mut self, path: &str) -> Result<(), PackageError> {
        if path.matches('/').count() > MAX_FOLDERS {
            return Err(PackageError::new(format!("a path has more than {MAX_FOLDERS} folders")));
        }
        if let Some(at) = path.rfind(FOLDER) {
            self.0.insert(path[..at].trim_end_matches('/').to_owned());
        }
        Ok(())
    }

    /// Folders in which an import from a path looks for packages: its own and those around it, if they have packages.
    fn around<'p>(&self, path: &'p str) -> Vec<&'p str> {
        let ends = path.match_indices('/').map(|(at, _)| at).rev();
        let folders = std::iter::once(path).chain(ends.map(|at| &path[..at])).chain((!path.is_empty()).then_some(""));
        folders.filter(|folder| self.0.contains(*folder)).collect()
    }
}

/// Adds the dependency on the package that an import finds in the first of some folders.
fn depend(builder: &mut Builder, from: u32, folders: &[&str], name: &str, kind: DependencyKind) {
    for folder in folders {
        let slash = if folder.is_empty() { "" } else { "/" };
        if let Some(to) = builder.find(&format!("{folder}{slash}{FOLDER}{name}")) {
            return builder.depend(from, to, kind);
        }
    }
    builder.miss(name, kind);
}

/// Reads version 1: `dependencies` in `dependencies`. Only the manifest says which of them the project needs itself.
fn read_nested(file: &Value, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let mut builder = Builder::new(Ecosystem::Npm);
    let mut added: Vec<(String, u32, &Value)> = Vec::new();
    let mut holders = Holders::default();
    let mut level: Vec<(String, &Value)> = vec![(String::new(), file)];
    // Level by level, so that a copy near the project has the plain name.
    for depth in 0.. {
        if level.is_empty() {
            break;
        }
        if depth > MAX_DEPTH {
            return Err(PackageError::new(format!("its dependencies are nested more than {MAX_DEPTH} times")));
        }
        let mut next = Vec::new();
        for (parent, package) in level {
            for (folder, dependency) in entries(&package["dependencies"]) {
                let slash = if parent.is_empty() { "" } else { "/" };
                let path = format!("{parent}{slash}{FOLDER}{folder}");
                // `npm:other@1.0.0` is another package under this name.
                let version = text(&dependency["version"]);
                let alias = version.strip_prefix("npm:").and_then(|alias| alias.rsplit_once('@'));
                let (name, version) = alias.unwrap_or((folder, version));
                let index = builder.add(name, version, &path, false)?;
                builder.name(path.clone(), index);
                holders.add(&path)?;
                added.push((path.clone(), index, dependency));
                next.push((path, dependency));
            }
        }
        level = next;
    }
    for (path, index, dependency) in &added {
        let is_optional = dependency["optional"] == true;
        let kind = if is_optional { DependencyKind::Optional } else { DependencyKind::Runtime };
        let folders = holders.around(path);
        for (name, _) in entries(&dependency["requires"]) {
            depend(&mut builder, *index, &folders, name, kind);
        }
    }
    if let Some(manifest) = manifest {
        let manifest = Manifest::package_json(manifest)?;
        let name = if manifest.name.is_empty() { "project" } else { &manifest.name };
        let root = builder.add(name, &manifest.version, "root", true)?;
        for requirement in &manifest.requirements {
            depend(&mut builder, root, &[""], &requirement.name, requirement.kind);
        }
    }
    builder.finish()
}
