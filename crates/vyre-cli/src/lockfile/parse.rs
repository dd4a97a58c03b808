//! Reader of `package-lock.json`, versions 1 to 3.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use serde_json::Value;

/// Folder of dependencies.
const FOLDER: &str = "node_modules/";

/// Deepest nesting of a lockfile of version 1.
const MAX_DEPTH: usize = 100;

/// Dependencies of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lockfile {
    /// Entries by their path: `node_modules/a/node_modules/b`.
    pub(crate) entries: BTreeMap<String, Entry>,
    /// Folders of packages of the project itself, such as workspaces. The folder of the lockfile is the empty one.
    pub(crate) folders: Vec<String>,
}

/// A dependency in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Name of the package, which may differ from that of the folder.
    pub(crate) name: String,
    pub(crate) version: String,
    /// Checksums of the archive. None: the lockfile has none.
    pub(crate) integrity: Option<String>,
    pub(crate) origin: Origin,
    /// Only development needs it.
    pub(crate) is_development: bool,
}

/// Origin of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A registry.
    Registry,
    /// Part of the archive of the package around it.
    Bundled,
    /// Anything else, such as a repository: the address.
    Elsewhere(String),
}

impl Lockfile {
    /// Reads the text of a lockfile.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Lockfile> {
        let file: Value = serde_json::from_str(text).context("it is not valid JSON")?;
        let mut lockfile = Lockfile { entries: BTreeMap::new(), folders: vec![String::new()] };
        match (file["lockfileVersion"].as_u64(), file.get("packages"), file.get("dependencies")) {
            (Some(2 | 3), Some(Value::Object(packages)), _) => {
                for (path, package) in packages {
                    lockfile.add(path, package);
                }
            }
            (Some(1), _, Some(Value::Object(_))) => lockfile.add_nested(&file)?,
            (Some(1..=3), None, None) => {}
            (Some(1..=3), ..) => bail!("its `packages` or `dependencies` are no object"),
            (Some(version), ..) => bail!("its `lockfileVersion` is {version}; known are 1, 2 and 3"),
            (None, ..) => bail!("it has no `lockfileVersion`, so it is no lockfile of npm"),
        }
        lockfile.folders.sort();
        lockfile.check_bundled();
        Ok(lockfile)
    }

    /// Adds an entry of `packages`.
    fn add(&mut self, path: &str, package: &Value) {
        // A link to a folder of the project, such as a workspace, is the project itself.
        let target = package["resolved"].as_str().unwrap_or_default();
        if package["link"] == true && is_inside(target) {
            return;
        }
        let Some(folder) = path.rfind(FOLDER).map(|at| &path[at + FOLDER.len()..]) else {
            if !path.is_empty() && is_inside(path) {
                self.folders.push(path.to_owned());
            }
            return;
        };
        let name = package["name"].as_str().unwrap_or(folder).to_owned();
        self.entries.insert(path.to_owned(), entry(name, package, package["inBundle"] == true));
    }

    /// Makes entries that no other package contains not bundled, whatever the lockfile says.
    fn check_bundled(&mut self) {
        let has_owner = |path: &str| {
            let owner = path.rfind(FOLDER).map_or("", |at| path[..at].trim_end_matches('/'));
            self.entries.contains_key(owner)
        };
        let alone: Vec<String> = (self.entries.iter())
            .filter(|(path, entry)| entry.origin == Origin::Bundled && !has_owner(path))
            .map(|(path, _)| path.clone())
            .collect();
        for path in alone {
            if let Some(entry) = self.entries.get_mut(&path) {
                entry.origin = Origin::Elsewhere("it is bundled, but no package contains it".to_owned());
            }
        }
    }

    /// Adds the nested `dependencies` of version 1.
    fn add_nested(&mut self, file: &Value) -> anyhow::Result<()> {
        let mut waiting: Vec<(String, &Value, usize)> = vec![(String::new(), file, 0)];
        while let Some((parent, package, depth)) = waiting.pop() {
            if depth > MAX_DEPTH {
                bail!("its dependencies are nested more than {MAX_DEPTH} times");
            }
            let Some(dependencies) = package["dependencies"].as_object() else { continue };
            for (folder, dependency) in dependencies {
                let path =
                    if parent.is_empty() { format!("{FOLDER}{folder}") } else { format!("{parent}/{FOLDER}{folder}") };
                // `npm:other@1.0.0` is another package under this name.
                let alias = dependency["version"].as_str().and_then(|version| version.strip_prefix("npm:"));
                let entry = match alias.and_then(|alias| alias.rsplit_once('@')) {
                    Some((name, version)) => {
                        let mut dependency = dependency.clone();
                        dependency["version"] = version.into();
                        entry(name.to_owned(), &dependency, false)
                    }
                    None => entry(folder.clone(), dependency, dependency["bundled"] == true),
                };
                self.entries.insert(path.clone(), entry);
                waiting.push((path, dependency, depth + 1));
            }
        }
        Ok(())
    }

    /// Entry that an import of a package from a folder finds: in the folder itself, or in one around it.
    pub(crate) fn resolve(&self, folder: &str, package: &str) -> Option<&str> {
        let mut folder = Some(folder);
        while let Some(inner) = folder {
            let path =
                if inner.is_empty() { format!("{FOLDER}{package}") } else { format!("{inner}/{FOLDER}{package}") };
            if let Some((path, _)) = self.entries.get_key_value(&path) {
                return Some(path);
            }
            folder = match inner.rsplit_once('/') {
                Some((outer, _)) => Some(outer),
                None if inner.is_empty() => None,
                None => Some(""),
            };
        }
        None
    }
}

/// True for a path inside of the folder of the lockfile.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains([':', '\\'])
        && path.split('/').all(|part| part != "..")
}

fn entry(name: String, package: &Value, is_bundled: bool) -> Entry {
    let version = package["version"].as_str().unwrap_or_default().to_owned();
    let resolved = package["resolved"].as_str().unwrap_or_default();
    // Version 1 has addresses in place of versions.
    let address = if resolved.is_empty() && version.contains([':', '/']) { version.as_str() } else { resolved };
    let is_link = package["link"] == true;
    let integrity = package["integrity"].as_str().map(str::to_owned);
    let is_address = address.starts_with("https://") || address.starts_with("http://");
    // The registry of the user has the archive with the checksum. Without one, another address may mean another archive.
    let is_registry = address.is_empty() || is_address && integrity.is_some();
    let origin = if is_bundled {
        Origin::Bundled
    } else if is_link {
        Origin::Elsewhere(format!("a link to {address}"))
    } else if version.is_empty() {
        Origin::Elsewhere("the lockfile has no version of it".to_owned())
    } else if is_registry {
        Origin::Registry
    } else {
        Origin::Elsewhere(address.to_owned())
    };
    Entry { name, version, integrity, origin, is_development: package["dev"] == true }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION_3: &str = r#"{"lockfileVersion": 3, "packages": {
        "": {"name": "app"},
        "packages/tool": {"name": "tool"},
        "node_modules/tool": {"link": true, "resolved": "packages/tool"},
        "node_modules/a": {"version": "1.0.0", "resolved": "https://registry.example/a/-/a-1.0.0.tgz", "integrity": "sha512-x"},
        "node_modules/a/node_modules/@s/b": {"version": "2.0.0", "inBundle": true},
        "node_modules/@s/b": {"version": "1.0.0", "dev": true, "name": "other"},
        "node_modules/g": {"version": "1.0.0", "resolved": "git+ssh://git@github.com/x/g.git#1"},
        "node_modules/h": {"version": "1.0.0", "resolved": "https://example.com/h.tgz"},
        "node_modules/i": {}
    }}"#;

    #[test]
    fn entries_have_origins_and_names() {
        let lockfile = Lockfile::parse(VERSION_3).expect("a lockfile");
        assert_eq!(lockfile.folders, ["", "packages/tool"]);
        let origins: Vec<(&str, &Origin)> =
            lockfile.entries.values().map(|entry| (entry.name.as_str(), &entry.origin)).collect();
        let git = Origin::Elsewhere("git+ssh://git@github.com/x/g.git#1".to_owned());
        let archive = Origin::Elsewhere("https://example.com/h.tgz".to_owned());
        let none = Origin::Elsewhere("the lockfile has no version of it".to_owned());
        let expected = [
            ("other", &Origin::Registry),
            ("a", &Origin::Registry),
            ("@s/b", &Origin::Bundled),
            ("g", &git),
            ("h", &archive),
            ("i", &none),
        ];
        assert_eq!(origins, expected);
        assert!(lockfile.entries["node_modules/@s/b"].is_development);
    }

    #[test]
    fn what_a_lockfile_claims_is_checked() {
        let text = r#"{"lockfileVersion": 3, "packages": {
            "../evil": {"version": "1.0.0"},
            "node_modules/evil": {"resolved": "../evil", "link": true},
            "node_modules/alone": {"version": "1.0.0", "integrity": "sha512-x", "inBundle": true},
            "node_modules/other": {"version": "1.0.0", "resolved": "https://example.com/a/-/a-1.0.0.tgz"}
        }}"#;
        let lockfile = Lockfile::parse(text).expect("a lockfile");
        assert_eq!(lockfile.folders, [""]);
        assert_eq!(lockfile.entries.len(), 3);
        for entry in lockfile.entries.values() {
            assert!(matches!(entry.origin, Origin::Elsewhere(_)), "{entry:?}");
        }
    }

    #[test]
    fn imports_find_the_nearest_folder() {
        let lockfile = Lockfile::parse(VERSION_3).expect("a lockfile");
        assert_eq!(lockfile.resolve("node_modules/a", "@s/b"), Some("node_modules/a/node_modules/@s/b"));
        assert_eq!(lockfile.resolve("node_modules/g", "@s/b"), Some("node_modules/@s/b"));
        assert_eq!(lockfile.resolve("", "@s/b"), Some("node_modules/@s/b"));
        assert_eq!(lockfile.resolve("packages/tool", "a"), Some("node_modules/a"));
        assert_eq!(lockfile.resolve("", "none"), None);
    }

    #[test]
    fn version_1_is_nested() {
        let text = r#"{"lockfileVersion": 1, "dependencies": {
            "a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}},
            "c": {"version": "npm:d@3.0.0"},
            "e": {"version": "github:x/e#1"}}}"#;
        let lockfile = Lockfile::parse(text).expect("a lockfile");
        let names: Vec<(&str, &str)> =
            lockfile.entries.values().map(|entry| (entry.name.as_str(), entry.version.as_str())).collect();
        assert_eq!(names, [("a", "1.0.0"), ("b", "2.0.0"), ("d", "3.0.0"), ("e", "github:x/e#1")]);
        assert!(matches!(lockfile.entries["node_modules/e"].origin, Origin::Elsewhere(_)));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, message) in [
            ("{", "it is not valid JSON"),
            ("{}", "it has no `lockfileVersion`, so it is no lockfile of npm"),
            (r#"{"dependencies": {"a": "^1"}}"#, "it has no `lockfileVersion`, so it is no lockfile of npm"),
            (r#"{"lockfileVersion": 3, "packages": []}"#, "its `packages` or `dependencies` are no object"),
            (r#"{"lockfileVersion": 9, "packages": {}}"#, "its `lockfileVersion` is 9; known are 1, 2 and 3"),
        ] {
            assert_eq!(Lockfile::parse(text).expect_err(text).to_string(), message);
        }
    }
}
