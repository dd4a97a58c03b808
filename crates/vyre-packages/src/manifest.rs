//! Manifests of projects: what the project itself depends on, where the lock file does not say it.

use serde_json::Value;

use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::DependencyKind;
use crate::tree;

/// Name, version and dependencies of a project.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) requirements: Vec<Requirement>,
    /// Names of packages of Python with an extra that is required.
    pub(crate) extras: Vec<(String, String)>,
}

/// A dependency as a manifest states it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) name: String,
    pub(crate) range: String,
    pub(crate) kind: DependencyKind,
}

/// Lists of dependencies in `package.json` and in entries of lock files of npm.
pub(crate) const NPM_LISTS: [(&str, DependencyKind); 3] = [
    ("dependencies", DependencyKind::Runtime),
    ("optionalDependencies", DependencyKind::Optional),
    ("devDependencies", DependencyKind::Development),
];

impl Manifest {
    fn require(&mut self, name: &str, range: &str, kind: DependencyKind) {
        self.requirements.push(Requirement { name: name.to_owned(), range: range.to_owned(), kind });
    }

    /// Reads a `package.json`.
    pub(crate) fn package_json(text: &str) -> Result<Manifest, PackageError> {
        let file = tree::json(text)?;
        let mut manifest = Manifest::named(&file);
        for (list, kind) in NPM_LISTS {
            for (name, range) in tree::entries(&file[list]) {
                manifest.require(name, tree::text(range), kind);
            }
        }
        Ok(manifest)
    }

    /// Reads a `pyproject.toml`.
    pub(crate) fn pyproject(text: &str) -> Result<Manifest, PackageError> {
        let file = tree::toml(text)?;
        let (project, poetry) = (&file["project"], &file["tool"]["poetry"]);
        let mut manifest = Manifest::named(if project.is_object() { project } else { poetry });
        manifest.require_all(&project["dependencies"], DependencyKind::Runtime);
        for (_, extra) in tree::entries(&project["optional-dependencies"]) {
            manifest.require_all(extra, DependencyKind::Optional);
        }
        for (_, group) in tree::entries(&file["dependency-groups"]) {
            manifest.require_all(group, DependencyKind::Development);
        }
        manifest.require_table(&poetry["dependencies"], DependencyKind::Runtime);
        manifest.require_table(&poetry["dev-dependencies"], DependencyKind::Development);
        for (_, group) in tree::entries(&poetry["group"]) {
            manifest.require_table(&group["dependencies"], DependencyKind::Development);
        }
        Ok(manifest)
    }

    /// Reads a `Cargo.toml`.
    pub(crate) fn cargo_toml(text: &str) -> Result<Manifest, PackageError> {
        let file = tree::toml(text)?;
        let mut manifest = Manifest::named(&file["package"]);
        let targets = tree::entries(&file["target"]).map(|(_, target)| target);
        for table in std::iter::once(&file).chain(targets) {
            for (list, kind) in [
                ("dependencies", DependencyKind::Runtime),
                ("build-dependencies", DependencyKind::Build),
                ("dev-dependencies", DependencyKind::Development),
            ] {
                for (key, requirement) in tree::entries(&table[list]) {
                    let name = requirement["package"].as_str().unwrap_or(key);
                    let is_optional = requirement["optional"] == true;
                    manifest.require(name, "", if is_optional { DependencyKind::Optional } else { kind });
                }
            }
        }
        Ok(manifest)
    }

    fn named(value: &Value) -> Manifest {
        let (name, version) = (tree::text(&value["name"]).to_owned(), tree::text(&value["version"]).to_owned());
        Manifest { name, version, requirements: Vec::new(), extras: Vec::new() }
    }

    /// Adds requirements in the form of PEP 508. Tables that include other groups are left out: those groups are added themselves.
    fn require_all(&mut self, list: &Value, kind: DependencyKind) {
        for requirement in tree::items(list).filter_map(Value::as_str) {
            let (name, range) = pep508(requirement);
            self.require(name, range, kind);
            self.extras.extend(extras(requirement).map(|extra| (name.to_owned(), extra.to_owned())));
        }
    }

    /// Adds the requirements of a table of Poetry.
    fn require_table(&mut self, table: &Value, kind: DependencyKind) {
        for (name, requirement) in tree::entries(table).filter(|(name, _)| *name != "python") {
            let is_optional = requirement["optional"] == true;
            self.require(name, "", if is_optional { DependencyKind::Optional } else { kind });
            let extras = tree::items(&requirement["extras"]).map(tree::text);
            self.extras.extend(extras.map(|extra| (name.to_owned(), extra.to_owned())));
        }
    }

    /// The strongest kind in which the project requires a package. None: it does not.
    pub(crate) fn kind_of(&self, ecosystem: &Ecosystem, name: &str) -> Option<DependencyKind> {
        let name = ecosystem.normalized(name);
        let same = self.requirements.iter().filter(|requirement| ecosystem.normalized(&requirement.name) == name);
        same.map(|requirement| requirement.kind).min()
    }
}

/// Name and version specifiers of a requirement: `requests[socks] >=2,<3 ; python_version > '3'`.
pub(crate) fn pep508(requirement: &str) -> (&str, &str) {
    let requirement = requirement.split(';').next().unwrap_or_default().trim();
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = requirement.find(|letter| !is_of_name(letter)).unwrap_or(requirement.len());
    let (name, mut rest) = requirement.split_at(end);
    rest = rest.trim_start();
    if rest.starts_with('[') {
        rest = rest.split_once(']').map_or("", |(_, rest)| rest);
    }
    // An address in place of a version.
    let rest = if rest.trim_start().starts_with('@') { "" } else { rest };
    (name, rest.trim().trim_start_matches('(').trim_end_matches(')'))
}

/// Extras of a requirement in the form of PEP 508.
fn extras(requirement: &str) -> impl Iterator<Item = &str> {
    let requirement = requirement.split([';', '@']).next().unwrap_or_default();
    let list = requirement.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    list.map_or("", |(list, _)| list).split(',').map(str::trim).filter(|extra| !extra.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_of_python_have_names_and_ranges() {
        assert_eq!(pep508("requests[socks] >=2,<3 ; python_version > '3'"), ("requests", ">=2,<3"));
        assert_eq!(extras("requests[socks, Use_x] >=2 ; extra == 'a[b]'").collect::<Vec<_>>(), ["socks", "Use_x"]);
        assert_eq!(extras("a @ https://example.com/[x]").count() + extras("a >=1").count() + extras("a[").count(), 0);
        assert_eq!(pep508("Foo.Bar_baz"), ("Foo.Bar_baz", ""));
        assert_eq!(pep508("a (>=1)"), ("a", ">=1"));
        assert_eq!(pep508("a @ https://example.com/a.whl"), ("a", ""));
    }

    #[test]
    fn manifests_of_cargo_have_kinds() {
        let text = "[package]\nname = 'app'\nversion = '1.0.0'\n[dependencies]\na = '1'\nb = { version = '1', optional = true }\n\
                    [dev-dependencies]\nc = '1'\n[target.'cfg(unix)'.build-dependencies]\nd = '1'\nx = { package = 'y' }\n";
        let manifest = Manifest::cargo_toml(text).expect("a manifest");
        let kinds = ["a", "b", "c", "d", "y", "x"].map(|name| manifest.kind_of(&Ecosystem::Cargo, name));
        use DependencyKind::{Build, Development, Optional, Runtime};
        assert_eq!(kinds, [Some(Runtime), Some(Optional), Some(Development), Some(Build), Some(Build), None]);
    }
}
