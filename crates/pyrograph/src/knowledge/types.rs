//! Types: names that models give to API paths.

use std::collections::BTreeMap;

use super::Table;

/// Bounds chains of types, so that cycles end.
const MAX_ROUNDS: usize = 8;

/// Bounds the names that cycles of types yield.
const MAX_NAME_BYTES: usize = 512;

/// Names of types by path.
pub(super) struct Types {
    names: BTreeMap<String, String>,
}

impl Types {
    pub(super) fn new(names: BTreeMap<String, String>) -> Types {
        Types { names }
    }

    /// Gives a path another name, unless it has one.
    pub(super) fn alias(&mut self, path: String, name: &str) {
        if path != name {
            self.names.entry(path).or_insert_with(|| name.to_owned());
        }
    }

    /// Gives the default export of a package the name of the package.
    pub(super) fn alias_package(&mut self, package: &str) {
        self.alias(format!("{package}.default"), package);
    }

    /// Gives the module `package/name` the name of the member `package.name` of a path, and default exports that of the module.
    pub(super) fn alias_module(&mut self, path: &str) {
        let mut parts = path.split(['.', '(', ':']);
        let package = parts.next().unwrap_or_default();
        if matches!(package, "" | "*" | "global") {
            return;
        }
        self.alias_package(package);
        let Some(member) = parts.next() else { return };
        // A scope has one `/`; a module of a package is no package.
        let is_name = |text: &str| !text.is_empty() && !text.contains(['/', ')', '@', '%']);
        let is_package = !package.starts_with('@') || package.matches('/').count() == 1;
        if is_name(member) && is_package && path[package.len()..].starts_with('.') {
            let name = format!("{package}.{member}");
            self.alias(format!("{package}/{member}"), &name);
            self.alias(format!("{name}.default"), &name);
        }
    }

    /// Gives the modules of a package of the platform the names with `node:`.
    pub(super) fn alias_node(&mut self, package: &str) {
        let modules = format!("{package}/");
        let inside = self.names.range(modules.clone()..).take_while(|(path, _)| path.starts_with(&modules));
        let aliases: Vec<(String, String)> =
            inside.map(|(path, name)| (format!("node:{path}"), name.clone())).collect();
        aliases.into_iter().for_each(|(path, name)| self.alias(path, &name));
        self.alias(format!("node:{package}"), package);
    }

    /// Applies types to the paths and names of types, until nothing changes.
    pub(super) fn resolve(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut resolved = BTreeMap::new();
            for (path, name) in &self.names {
                let name = self.canonical(name);
                let path_of_program = self.canonical_beginning(path);
                for path in [path.clone(), path_of_program] {
                    if path != name {
                        resolved.entry(path).or_insert_with(|| name.clone());
                    }
                }
            }
            let is_stable = resolved == self.names;
            self.names = resolved;
            if is_stable {
                break;
            }
        }
    }

    /// Path that a program will have for a path: every beginning with a type has the name of the type.
    pub(super) fn canonical(&self, path: &str) -> String {
        let path = self.canonical_beginning(path);
        self.names.get(&path).cloned().unwrap_or(path)
    }

    /// Applies types to every proper beginning of a path.
    fn canonical_beginning(&self, path: &str) -> String {
        let mut current = String::with_capacity(path.len());
        let mut start = 0;
        for (at, character) in path.char_indices().skip(1) {
            if !matches!(character, '.' | '(' | ':') {
                continue;
            }
            current.push_str(&path[start..at]);
            start = at;
            if let Some(name) = self.names.get(&current).filter(|name| name.len() <= MAX_NAME_BYTES) {
                current.clone_from(name);
            }
        }
        current.push_str(&path[start..]);
        current
    }

    pub(super) fn finish(self) -> Table<Box<str>> {
        self.names.into_iter().map(|(path, name)| (path.into_boxed_str(), name.into_boxed_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(entries: &[(&str, &str)]) -> Types {
        let mut types = Types::new(entries.iter().map(|&(path, name)| (path.to_owned(), name.to_owned())).collect());
        types.resolve();
        types
    }

    #[test]
    fn beginnings_have_the_names_of_types() {
        let types =
            types(&[("a()", "a.App"), ("a.App.route()", "a.App"), ("b", "a"), ("a.App.get:1:0", "http.Request")]);
        assert_eq!(types.canonical("a().get"), "a.App.get");
        assert_eq!(types.canonical("b().route().get:1:0"), "http.Request");
        assert_eq!(types.canonical("b().route().get:1:1"), "a.App.get:1:1");
        assert_eq!(types.canonical("c().get"), "c().get");
    }

    #[test]
    fn cycles_end() {
        let types = types(&[("a", "b"), ("b", "a"), ("c", "c.d"), ("c.d", "c")]);
        assert!(!types.canonical("a.x").is_empty());
        assert!(types.canonical("c.d.d.d").len() < 2000);
    }

    #[test]
    fn modules_of_packages_are_members() {
        let mut types = types(&[]);
        types.alias_module("lodash.merge");
        types.alias_module("@koa/router.use");
        assert_eq!(types.canonical("lodash/merge"), "lodash.merge");
        assert_eq!(types.canonical("lodash/merge.default"), "lodash.merge");
        assert_eq!(types.canonical("lodash.default.merge"), "lodash.merge");
        assert_eq!(types.canonical("@koa/router.default"), "@koa/router");
    }
}
