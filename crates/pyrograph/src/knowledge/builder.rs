//! Construction of knowledge from the entries of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use vyre_dataflow::rules::Glob;

use super::guard::Guard;
use super::library::{Library, LibraryKind};
use super::lookup::{Merge, event_key};
use super::own::{OwnEntry, OwnPattern};
use super::path::PathPattern;
use super::read::RuleIds;
use super::types::Types;
use super::{
    ApiModel, Convention, Example, Knowledge, Matchers, MemberModel, Rule, RuleDetails, RuleMask, SourceIndex,
    SourceKind, Table,
};

/// Entries by path, by name, and by pattern, while they are collected.
struct Collected<T> {
    exact: BTreeMap<String, T>,
    names: BTreeMap<String, T>,
    globs: Vec<(Glob, T)>,
}

impl<T: Merge> Collected<T> {
    fn new() -> Collected<T> {
        Collected { exact: BTreeMap::new(), names: BTreeMap::new(), globs: Vec::new() }
    }

    fn add(&mut self, pattern: &PathPattern, model: &T) {
        match pattern {
            PathPattern::Exact(path) => self.exact.entry(path.clone()).or_default().merge(model),
            PathPattern::Name(name) => self.names.entry(name.clone()).or_default().merge(model),
            PathPattern::Glob(glob) => self.globs.push((glob.clone(), model.clone())),
        }
    }

    /// Gives entries the paths that programs will have.
    fn rename(&mut self, types: &Types) {
        for (path, model) in std::mem::take(&mut self.exact) {
            self.exact.entry(types.canonical(&path)).or_default().merge(&model);
        }
    }

    fn finish(self) -> Matchers<T> {
        Matchers {
            exact: shared(self.exact),
            names: shared(self.names),
            globs: self.globs.into_iter().map(|(glob, model)| (glob, Arc::new(model))).collect(),
        }
    }
}

fn shared<T>(entries: BTreeMap<String, T>) -> Table<Arc<T>> {
    entries.into_iter().map(|(key, model)| (key.into_boxed_str(), Arc::new(model))).collect()
}

fn boxed<T>(entries: BTreeMap<String, T>) -> Table<T> {
    entries.into_iter().map(|(key, value)| (key.into_boxed_str(), value)).collect()
}

/// Builder of [`Knowledge`].
pub(super) struct Builder {
    rules: Vec<Option<Rule>>,
    /// Texts of explanations: rule, kind, language of the file, text.
    details: Vec<(usize, Detail, Option<String>, String)>,
    sources: Vec<SourceKind>,
    notes: Vec<String>,
    libraries: Vec<Library>,
    types: BTreeMap<String, String>,
    calls: Collected<ApiModel>,
    events: Collected<ApiModel>,
    members: Collected<MemberModel>,
    conventions: Vec<Convention>,
    parameter_sources: BTreeMap<String, Vec<SourceIndex>>,
    decorator_sources: BTreeMap<String, Vec<SourceIndex>>,
    decorator_types: BTreeMap<String, Box<str>>,
    export_sources: Vec<SourceIndex>,
    guards: Vec<Guard>,
    own_entries: Vec<OwnEntry>,
    /// Properties of values that guards name.
    properties: Vec<String>,
    /// The entries that are read concern the code that is looked at. Others are explained only.
    pub(super) is_active: bool,
    /// Language of the entries that are read. None: all languages.
    pub(super) language: Option<String>,
}

/// Kinds of entries that explanations of rules list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Source,
    Sink,
    Sanitizer,
    Guard,
}

impl Builder {
    pub(super) fn new(ids: &RuleIds) -> Builder {
        Builder {
            rules: vec![None; ids.count],
            details: Vec::new(),
            sources: Vec::new(),
            notes: Vec::new(),
            libraries: Vec::new(),
            types: BTreeMap::new(),
            calls: Collected::new(),
            events: Collected::new(),
            members: Collected::new(),
            conventions: Vec::new(),
            parameter_sources: BTreeMap::new(),
            decorator_sources: BTreeMap::new(),
            decorator_types: BTreeMap::new(),
            export_sources: Vec::new(),
            guards: Vec::new(),
            own_entries: Vec::new(),
            properties: Vec::new(),
            is_active: true,
            language: None,
        }
    }

    /// Bit of a property of values. None: there are too many.
    pub(super) fn property(&mut self, name: &str) -> Option<u32> {
        let position = self.properties.iter().position(|each| each == name).unwrap_or_else(|| {
            self.properties.push(name.to_owned());
            self.properties.len() - 1
        });
        (position < 32).then(|| 1 << position)
    }

    /// Adds a rule at its position. False: the position is taken.
    pub(super) fn rule(&mut self, position: usize, rule: Rule) -> bool {
        match self.rules.get_mut(position) {
            Some(slot @ None) => {
                *slot = Some(rule);
                true
            }
            _ => false,
        }
    }

    /// Adds an example to a rule that was read before.
    pub(super) fn example(&mut self, position: usize, example: Example) -> bool {
        let rule = self.rules.get_mut(position).and_then(Option::as_mut);
        rule.map(|rule| rule.examples.push(example)).is_some()
    }

    /// Position of a kind of source.
    pub(super) fn source(&mut self, kind: SourceKind) -> Option<SourceIndex> {
        let position = self.sources.iter().position(|each| *each == kind).unwrap_or_else(|| {
            self.sources.push(kind);
            self.sources.len() - 1
        });
        SourceIndex::try_from(position).ok()
    }

    /// Adds knowledge about calls.
    pub(super) fn call(&mut self, pattern: &PathPattern, model: &ApiModel) {
        if self.is_active {
            self.calls.add(pattern, model);
        }
    }

    /// Adds knowledge about calls with a constant first argument. False: a pattern cannot have one.
    pub(super) fn event(&mut self, pattern: &PathPattern, event: &str, model: &ApiModel) -> bool {
        let pattern = match pattern {
            PathPattern::Exact(path) => PathPattern::Exact(event_key(path, event)),
            PathPattern::Name(name) => PathPattern::Name(event_key(name, event)),
            PathPattern::Glob(_) => return false,
        };
        if self.is_active {
            self.events.add(&pattern, model);
        }
        true
    }

    /// Adds knowledge about members.
    pub(super) fn member(&mut self, pattern: &PathPattern, model: &MemberModel) {
        if self.is_active {
            self.members.add(pattern, model);
        }
    }

    pub(super) fn parameter_source(&mut self, name: &str, source: SourceIndex) {
        if self.is_active {
            self.parameter_sources.entry(name.to_owned()).or_default().push(source);
        }
    }

    pub(super) fn decorator_source(&mut self, path: String, source: SourceIndex) {
        if self.is_active {
            self.decorator_sources.entry(path).or_default().push(source);
        }
    }

    pub(super) fn decorator_type(&mut self, path: String, name: &str) {
        if self.is_active {
            self.decorator_types.insert(path, name.into());
        }
    }

    pub(super) fn export_source(&mut self, source: SourceIndex) {
        if self.is_active {
            self.export_sources.push(source);
        }
    }

    /// Gives a path the name of a type. Returns the type that the path already has, if it is another one.
    pub(super) fn type_name(&mut self, path: String, name: &str) -> Option<String> {
        if path == name || !self.is_active {
            return None;
        }
        let before = self.types.insert(path, name.to_owned());
        before.filter(|before| before != name)
    }

    pub(super) fn convention(&mut self, parameters: Vec<Vec<String>>, types: Vec<Option<String>>) {
        if self.is_active {
            self.conventions.push(Convention { parameters, types });
        }
    }

    pub(super) fn guard(&mut self, guard: Guard) {
        if self.is_active {
            self.guards.push(guard);
        }
    }

    pub(super) fn own_entry(&mut self, entry: OwnEntry) {
        if self.is_active {
            self.own_entries.push(entry);
        }
    }

    pub(super) fn library(&mut self, library: Library) {
        if self.is_active {
            self.libraries.push(library);
        }
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Adds a text to the explanations of rules.
    pub(super) fn detail(&mut self, rules: RuleMask, kind: Detail, text: &str) {
        for position in (0..self.rules.len()).filter(|&position| rules >> position & 1 == 1) {
            self.details.push((position, kind, self.language.clone(), text.to_owned()));
        }
    }

    /// Explanations of the rules. Entries of another language than those of a rule do not concern it.
    fn explanations(&mut self) -> Vec<RuleDetails> {
        let mut explanations = vec![RuleDetails::default(); self.rules.len()];
        for (position, kind, language, text) in std::mem::take(&mut self.details) {
            let languages = self.rules[position].as_ref().map_or(&[][..], |rule| rule.languages.as_slice());
            if !languages.is_empty() && language.is_some_and(|language| !languages.contains(&language)) {
                continue;
            }
            let details = &mut explanations[position];
            let texts = match kind {
                Detail::Source => &mut details.sources,
                Detail::Sink => &mut details.sinks,
                Detail::Sanitizer => &mut details.sanitizers,
                Detail::Guard => &mut details.guards,
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        explanations
    }

    /// Finished knowledge.
    pub(super) fn finish(mut self, files: Vec<(String, String)>) -> Knowledge {
        let mut packages = BTreeMap::new();
        let mut types = Types::new(self.types.clone());
        for (position, library) in self.libraries.iter().enumerate() {
            let package = &library.package;
            packages.insert(package.clone(), position);
            types.alias_package(package);
            if library.kind == LibraryKind::Builtin {
                packages.insert(format!("node:{package}"), position);
            }
        }
        let paths = self.calls.exact.keys().chain(self.events.exact.keys()).chain(self.members.exact.keys());
        let paths: Vec<&String> = paths.chain(self.types.iter().flat_map(|(path, name)| [path, name])).collect();
        paths.into_iter().for_each(|path| types.alias_module(path));
        for library in self.libraries.iter().filter(|library| library.kind == LibraryKind::Builtin) {
            types.alias_node(&library.package);
        }
        types.resolve();
        self.calls.rename(&types);
        self.events.rename(&types);
        self.members.rename(&types);
        for path in self.guards.iter_mut().flat_map(|guard| &mut guard.of) {
            *path = types.canonical(path);
        }
        for pattern in self.own_entries.iter_mut().flat_map(|entry| &mut entry.patterns) {
            if let OwnPattern::Path(PathPattern::Exact(path)) = pattern {
                *path = types.canonical(path);
            }
        }
        let details = self.explanations();
        Knowledge {
            own_entries: self.own_entries,
            prefixes: std::sync::OnceLock::new(),
            rules: self.rules.into_iter().flatten().collect(),
            sources: self.sources,
            files,
            selected: None,
            others: std::sync::Mutex::default(),
            notes: self.notes,
            details,
            libraries: self.libraries,
            packages: boxed(packages),
            types: types.finish(),
            calls: self.calls.finish(),
            events: self.events.finish(),
            members: self.members.finish(),
            conventions: self.conventions,
            parameter_sources: boxed(self.parameter_sources),
            decorator_sources: boxed(self.decorator_sources),
            decorator_types: boxed(self.decorator_types),
            export_sources: self.export_sources,
            guards: self.guards,
        }
    }
}
