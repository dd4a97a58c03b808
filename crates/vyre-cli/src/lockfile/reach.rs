//! Reachability: dependencies to which a chain of imports leads from the code of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::parse::Lockfile;

/// Reachability of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    Reachable,
    /// No chain was found, but imports of some code are not known.
    Unknown,
    NotReachable,
}

impl Reach {
    /// Name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Reach::Reachable => "reachable",
            Reach::Unknown => "unknown",
            Reach::NotReachable => "not reachable",
        }
    }
}

/// Reachability of each entry of a lockfile.
///
/// `project` are the packages that the code of the project imports. `imports` are those of the packages by their folder; a folder
/// without an entry there has imports that are not known. `is_known` is false if the code of the project is not known as a whole.
pub(crate) fn reach<'l>(
    lockfile: &'l Lockfile,
    project: &BTreeSet<String>,
    imports: &BTreeMap<String, BTreeSet<String>>,
    is_known: bool,
) -> BTreeMap<&'l str, Reach> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let own = lockfile.folders.iter().map(String::as_str);
    let pairs = own.flat_map(|folder| project.iter().map(move |package| (folder, package)));
    let mut waiting: Vec<&str> = pairs.filter_map(|(folder, package)| lockfile.resolve(folder, package)).collect();
    let mut is_known = is_known;
    while let Some(folder) = waiting.pop() {
        if !found.insert(folder) {
            continue;
        }
        match imports.get(folder) {
            Some(packages) => waiting.extend(packages.iter().filter_map(|package| lockfile.resolve(folder, package))),
            None => is_known = false,
        }
    }
    let other = if is_known { Reach::NotReachable } else { Reach::Unknown };
    let reach =
        |path: &'l String| (path.as_str(), if found.contains(path.as_str()) { Reach::Reachable } else { other });
    lockfile.entries.keys().map(reach).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_imports_lead_to_packages() {
        let text = r#"{"lockfileVersion": 3, "packages": {
            "node_modules/a": {"version": "1.0.0"},
            "node_modules/b": {"version": "1.0.0"},
            "node_modules/a/node_modules/b": {"version": "2.0.0"},
            "node_modules/c": {"version": "1.0.0"}}}"#;
        let lockfile = Lockfile::parse(text).expect("a lockfile");
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        imports.insert("node_modules/a".to_owned(), set(&["b", "missing"]));
        imports.insert("node_modules/a/node_modules/b".to_owned(), set(&["a"]));
        let states = |imports: &BTreeMap<String, BTreeSet<String>>, is_known| {
            reach(&lockfile, &set(&["a"]), imports, is_known).into_values().collect::<Vec<Reach>>()
        };
        use Reach::{NotReachable, Reachable, Unknown};
        assert_eq!(states(&imports, true), [Reachable, Reachable, NotReachable, NotReachable]);
        assert_eq!(states(&imports, false), [Reachable, Reachable, Unknown, Unknown]);
        imports.remove("node_modules/a/node_modules/b");
        assert_eq!(states(&imports, true), [Reachable, Reachable, Unknown, Unknown]);
    }
}
