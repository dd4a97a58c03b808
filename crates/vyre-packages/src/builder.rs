//! Construction of dependency graphs by keys of a file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{Dependency, DependencyGraph, DependencyKind, Package};

/// Graph under construction. Keys identify packages in a file, such as a path or a name with a range.
pub(crate) struct Builder {
    ecosystem: Ecosystem,
    graph: DependencyGraph,
    keys: HashMap<String, u32>,
    ids: BTreeSet<String>,
    missing: BTreeSet<String>,
}

impl Builder {
    pub(crate) fn new(ecosystem: Ecosystem) -> Builder {
        let graph = DependencyGraph::default();
        Builder { ecosystem, graph, keys: HashMap::new(), ids: BTreeSet::new(), missing: BTreeSet::new() }
    }

    /// Adds a package of the ecosystem of the file. `place` distinguishes further copies of the same version.
    pub(crate) fn add(&mut self, name: &str, version: &str, place: &str, is_root: bool) -> Result<u32, PackageError> {
        let ecosystem = self.ecosystem.clone();
        self.add_of(ecosystem, name, version, place, is_root)
    }

    /// Adds a package.
    pub(crate) fn add_of(
        &mut self,
        ecosystem: Ecosystem,
        name: &str,
        version: &str,
        place: &str,
        is_root: bool,
    ) -> Result<u32, PackageError> {
        let plain = if version.is_empty() { name.to_owned() } else { format!("{name}@{version}") };
        let id = self.unique(plain, place);
        let index = u32::try_from(self.graph.packages.len())
            .map_err(|_| PackageError::new("it has more than 2^32 packages"))?;
        let (name, version) = (name.to_owned(), version.to_owned());
        self.graph.packages.push(Package { id, name, version, ecosystem, is_root });
        Ok(index)
    }

    fn unique(&mut self, plain: String, place: &str) -> String {
        if self.ids.insert(plain.clone()) {
            return plain;
        }
        let placed = format!("{plain} [{place}]");
        let mut candidate = placed.clone();
        let mut copy = 1;
        while !self.ids.insert(candidate.clone()) {
            copy += 1;
            candidate = format!("{placed} ({copy})");
        }
        candidate
    }

    /// Adds a key of a package. The first package of a key keeps it.
    pub(crate) fn name(&mut self, key: impl Into<String>, package: u32) {
        self.keys.entry(key.into()).or_insert(package);
    }

    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.keys.get(key).copied()
    }

    pub(crate) fn depend(&mut self, from: u32, to: u32, kind: DependencyKind) {
        self.graph.dependencies.push(Dependency { from, to, kind });
    }

    /// Adds the dependency on the package of a key. A package that is missing is reported, unless the dependency is optional: these
    /// are often not installed.
    pub(crate) fn depend_on_key(&mut self, from: u32, key: &str, kind: DependencyKind) {
        match self.find(key) {
            Some(to) => self.depend(from, to, kind),
            None => self.miss(key, kind),
        }
    }

    /// Reports that a package is missing, unless the dependency on it is optional.
    pub(crate) fn miss(&mut self, key: &str, kind: DependencyKind) {
        if kind != DependencyKind::Optional {
            self.missing.insert(key.to_owned());
        }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.graph.notes.push(note.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.graph.packages.is_empty()
    }

    pub(crate) fn has_root(&self) -> bool {
        self.graph.packages.iter().any(|package| package.is_root)
    }

    /// Adds a root that depends on the packages that no other package needs.
    fn add_assumed_root(&mut self) -> Result<(), PackageError> {
        let mut is_needed = vec![false; self.graph.packages.len()];
        for dependency in &self.graph.dependencies {
            if dependency.from != dependency.to {
                is_needed[dependency.to as usize] = true;
            }
        }
        let root = self.add("project", "", "root", true)?;
        let mut count = 0;
        for (package, _) in (0..).zip(&is_needed).filter(|(_, is_needed)| !**is_needed) {
            self.depend(root, package, DependencyKind::Runtime);
            count += 1;
        }
        self.note(format!(
            "the file does not say what the project itself depends on; assumed are the {count} packages that no other package \
             needs"
        ));
        Ok(())
    }

    /// The graph. Without a root, one is assumed.
    pub(crate) fn finish(mut self) -> Result<DependencyGraph, PackageError> {
        if !self.has_root() && !self.graph.packages.is_empty() {
            self.add_assumed_root()?;
        }
        if let Some(first) = self.missing.first() {
            let (count, first) = (self.missing.len(), first.clone());
            let subject = if count == 1 { "1 dependency is".to_owned() } else { format!("{count} dependencies are") };
            self.note(format!("{subject} not in the file, such as `{first}`"));
        }
        // The kind that is needed most counts where a package names another one twice.
        let mut kinds: BTreeMap<(u32, u32), DependencyKind> = BTreeMap::new();
        for dependency in &self.graph.dependencies {
            let kind = kinds.entry((dependency.from, dependency.to)).or_insert(dependency.kind);
            *kind = dependency.kind.min(*kind);
        }
        self.graph.dependencies = kinds.into_iter().map(|((from, to), kind)| Dependency { from, to, kind }).collect();
        Ok(self.graph)
    }
}
