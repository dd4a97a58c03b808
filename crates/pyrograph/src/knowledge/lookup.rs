//! Look-up of knowledge by API path, name and test.

use std::sync::Arc;

use super::guard::{self, Shown, TestFacts};
use super::library::LibraryKind;
use super::own::OwnEntry;
use super::{
    ApiModel, Check, Condition, Endpoint, Knowledge, Library, Matchers, MemberModel, Root, Rule, RuleDetails, RuleMask,
    SourceIndex,
};

/// Knowledge that several entries can add to.
pub(super) trait Merge: Clone + Default {
    /// Adds the knowledge of another entry.
    fn merge(&mut self, other: &Self);
}

impl Merge for ApiModel {
    fn merge(&mut self, other: &ApiModel) {
        self.is_modelled |= other.is_modelled;
        extend(&mut self.flows, &other.flows);
        extend(&mut self.types, &other.types);
        extend(&mut self.sources, &other.sources);
        extend(&mut self.conditional_sources, &other.conditional_sources);
        extend(&mut self.sinks, &other.sinks);
        extend(&mut self.conditional_sinks, &other.conditional_sinks);
        extend(&mut self.sanitizes, &other.sanitizes);
        extend(&mut self.conditional_sanitizes, &other.conditional_sanitizes);
        extend(&mut self.guards, &other.guards);
    }
}

impl Merge for MemberModel {
    fn merge(&mut self, other: &MemberModel) {
        self.store_sinks |= other.store_sinks;
        extend(&mut self.sources, &other.sources);
    }
}

/// Appends what is not there yet.
fn extend<T: Clone + PartialEq>(items: &mut Vec<T>, others: &[T]) {
    for other in others {
        if !items.contains(other) {
            items.push(other.clone());
        }
    }
}

impl<T: Merge> Matchers<T> {
    /// Entries of a path: the exact one, and those of patterns.
    fn at(&self, path: &str) -> Option<Arc<T>> {
        let mut found = self.exact.get(path).cloned();
        for (_, model) in self.globs.iter().filter(|(glob, _)| glob.matches(path)) {
            found = Some(match found {
                None => model.clone(),
                Some(found) => {
                    let mut merged = T::clone(&found);
                    merged.merge(model);
                    Arc::new(merged)
                }
            });
        }
        found
    }
}

impl<T> Matchers<T> {
    /// All entries.
    fn all(&self) -> impl Iterator<Item = &T> {
        // The callers collect into ordered sets.
        let tables = self.exact.values().chain(self.names.values());
        tables.chain(self.globs.iter().map(|(_, entry)| entry)).map(AsRef::as_ref)
    }
}

impl Knowledge {
    /// Rule and its position by identifier.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<(usize, &Rule)> {
        self.rules.iter().enumerate().find(|(_, rule)| rule.id == id)
    }

    /// What concerns a rule, as texts for explanations.
    #[must_use]
    pub fn details(&self, rule: usize) -> Option<&RuleDetails> {
        self.details.get(rule)
    }

    /// Sources, sinks, sanitizers and guards of files that are not built in.
    pub(crate) fn own_entries(&self) -> &[OwnEntry] {
        &self.own_entries
    }

    /// Notes about entries that a scan does not use, such as rules of graphs.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Name of the type that a model gives to a path.
    #[must_use]
    pub fn canonical(&self, path: &str) -> Option<&str> {
        self.types.get(path).map(AsRef::as_ref)
    }

    /// Path with the names of types in place of the paths that models give them to, from the beginning on.
    #[must_use]
    pub fn canonical_path(&self, path: &str) -> String {
        let mut canonical = String::with_capacity(path.len());
        for part in path.split('.') {
            if !canonical.is_empty() {
                canonical.push('.');
            }
            canonical.push_str(part);
            if let Some(name) = self.canonical(&canonical) {
                canonical = name.to_owned();
            }
        }
        canonical
    }

    /// True if an entry names this path, or a path that begins with it.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        let prefixes = self.prefixes.get_or_init(|| {
            let types = self.types.iter().flat_map(|(path, name)| [path, name]);
            let calls = self.calls.exact.keys();
            let members = self.members.exact.keys();
            let mut prefixes = std::collections::HashSet::default();
            let decorators = self.decorator_sources.keys().chain(self.decorator_types.keys());
            for known in types.chain(calls).chain(members).chain(decorators) {
                for (end, character) in known.char_indices() {
                    if matches!(character, '.' | '(' | ':') {
                        prefixes.insert(known[..end].into());
                    }
                }
                prefixes.insert(known.clone());
                // Events are calls with a text.
            }
            prefixes
        });
        if prefixes.contains(path) {
            return true;
        }
        let begins = |prefix: &str| !prefix.is_empty() && (prefix.starts_with(path) || path.starts_with(prefix));
        self.calls.globs.iter().any(|(glob, _)| begins(glob.prefix()))
            || self.members.globs.iter().any(|(glob, _)| begins(glob.prefix()))
            || self.events.exact.keys().any(|key| key.starts_with(path))
    }

    /// Knowledge about a call of an API path, with `new` or without.
    #[must_use]
    pub fn api(&self, path: &str) -> Option<Arc<ApiModel>> {
        self.calls.at(path)
    }

    /// Rules for which a member with this path is clean: those of a sanitizer with the path.
    #[must_use]
    pub fn sanitised_members(&self, path: &str) -> RuleMask {
        let Some(model) = self.calls.at(path) else { return 0 };
        let is_result = |endpoint: &Endpoint| endpoint.root == Root::Return && endpoint.steps.is_empty();
        model.sanitizes.iter().filter(|(endpoint, _)| is_result(endpoint)).fold(0, |mask, (_, rules)| mask | rules)
    }

    /// Knowledge about a call of a method of a value about which nothing is known.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<Arc<ApiModel>> {
        self.calls.names.get(name).cloned()
    }

    /// Knowledge about a call of an API path whose first argument is this constant text. It adds to [`Knowledge::api`].
    #[must_use]
    pub fn event(&self, path: &str, event: &str) -> Option<Arc<ApiModel>> {
        self.events.at(&event_key(path, event))
    }

    /// Knowledge about a call of a method of an unknown value whose first argument is this constant text. It adds to
    /// [`Knowledge::method`].
    #[must_use]
    pub fn method_event(&self, name: &str, event: &str) -> Option<Arc<ApiModel>> {
        self.events.names.get(event_key(name, event).as_str()).cloned()
    }

    /// Knowledge about loads and stores of an API path.
    #[must_use]
    pub fn member(&self, path: &str) -> Option<MemberModel> {
        self.members.at(path).map(|model| MemberModel::clone(&model))
    }

    /// Knowledge about loads and stores of a field of any value.
    #[must_use]
    pub fn member_by_name(&self, name: &str) -> Option<MemberModel> {
        self.members.names.get(name).map(|model| MemberModel::clone(model))
    }

    /// Type of a parameter that has a usual name, if its neighbours have theirs too: `req` before `res`.
    #[must_use]
    pub fn parameter_type(&self, name: &str, position: usize, parameters: &[Option<&str>]) -> Option<&str> {
        for convention in &self.conventions {
            for (offset, (names, type_name)) in convention.parameters.iter().zip(&convention.types).enumerate() {
                let (Some(type_name), Some(start)) = (type_name, position.checked_sub(offset)) else { continue };
                if !names.iter().any(|each| each == name) {
                    continue;
                }
                let fits = convention.parameters.iter().enumerate().all(|(at, names)| {
                    let found = parameters.get(start + at).copied().flatten();
                    found.is_some_and(|found| names.iter().any(|each| each == found))
                });
                if fits {
                    return Some(type_name);
                }
            }
        }
        None
    }

    /// Sources that a parameter is because of its name.
    #[must_use]
    pub fn parameter_sources(&self, name: &str) -> &[SourceIndex] {
        self.parameter_sources.get(name).map_or(&[], Vec::as_slice)
    }

    /// Sources that parameters of exported functions are.
    pub fn export_sources(&self) -> impl Iterator<Item = SourceIndex> + '_ {
        self.export_sources.iter().copied()
    }

    /// Sources that a parameter is because of its decorator, such as `@nestjs/common.Query`.
    #[must_use]
    pub fn decorator_sources(&self, path: &str) -> &[SourceIndex] {
        self.decorator_sources.get(path).map_or(&[], Vec::as_slice)
    }

    /// Type of a parameter with a decorator, such as `@nestjs/common.Req`.
    #[must_use]
    pub fn decorator_type(&self, path: &str) -> Option<&str> {
        self.decorator_types.get(path).map(AsRef::as_ref)
    }

    /// Rules for which a value is harmless where a test of it has a result, whatever its origin is and other tests of it say.
    #[must_use]
    pub fn guard(&self, test: &TestFacts<'_>, holds: bool) -> RuleMask {
        let mut shown = Shown::default();
        self.show(test, holds, &mut shown);
        let holds = |&&(needs, guard, _): &&(u32, usize, RuleMask)| {
            needs & !shown.properties == 0 && self.guard_origins(guard).is_empty()
        };
        shown.conditional.iter().filter(holds).fold(shown.rules, |rules, (_, _, more)| rules | more)
    }

    /// Adds what a test of a value shows where it has a result.
    pub fn show(&self, test: &TestFacts<'_>, holds: bool, shown: &mut Shown) {
        guard::show(&self.guards, test, holds, shown);
    }

    /// API paths of the calls whose result a value must be, so that a guard concerns it. Empty: any value.
    #[must_use]
    pub fn guard_origins(&self, guard: usize) -> &[String] {
        self.guards.get(guard).map_or(&[], |guard| guard.of.as_slice())
    }

    /// API paths of the calls whose result a guard does not concern.
    #[must_use]
    pub fn guard_exceptions(&self, guard: usize) -> &[String] {
        self.guards.get(guard).map_or(&[], |guard| guard.except.as_slice())
    }

    /// Rules for which a value behind a quote is harmless, if a replacement treats all quotes of this kind in it.
    #[must_use]
    pub fn quote_sanitises(&self, quote: &str) -> RuleMask {
        guard::sanitised_in_quotes(&self.guards, quote)
    }

    /// Rules for which a value is harmless as a part of a text, given which names the program uses.
    #[must_use]
    pub fn part_sanitises(&self, is_used: impl Fn(&str) -> bool) -> RuleMask {
        guard::sanitised_as_part(&self.guards, is_used)
    }

    /// Rules for which a value in a field with this name is harmless.
    #[must_use]
    pub fn field_sanitises(&self, field: &str) -> RuleMask {
        guard::sanitised_in_field(&self.guards, field)
    }

    /// Rules for which the parts of a text behind this constant text are harmless.
    #[must_use]
    pub fn concat_sanitises(&self, prefix: &str) -> RuleMask {
        guard::sanitised_behind(&self.guards, prefix)
    }

    /// Rules for which a text is harmless with this constant text before or behind it: a key that has a constant word in it is
    /// not the name of a prototype. Texts with separators are paths, which programs split again.
    #[must_use]
    pub fn extension_sanitises(&self, text: &str) -> RuleMask {
        let is_word =
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#'));
        if !is_word || ["__proto__", "constructor", "prototype"].iter().any(|name| name.contains(text)) {
            return 0;
        }
        let rules = self.rules.iter().enumerate().filter(|(_, rule)| rule.check == Check::PrototypePollution);
        rules.fold(0, |mask, (number, _)| mask | 1 << number)
    }

    /// Rules for which a text is harmless after `replace` or `replaceAll` with this regular expression.
    #[must_use]
    pub fn replace_sanitises(&self, pattern: &str, flags: &str) -> RuleMask {
        guard::sanitised_by_replacement(&self.guards, pattern, flags)
    }

    /// Rules for which the parts of a text are harmless that a regular expression finds: matches and groups.
    #[must_use]
    pub fn match_sanitises(&self, pattern: &str, flags: &str) -> RuleMask {
        let whole = format!("^(?:{pattern})$");
        let flags: String = flags.chars().filter(|&flag| flag == 'i').collect();
        let mut shown = Shown::default();
        guard::show(&self.guards, &TestFacts::Matches { pattern: &whole, flags: &flags }, true, &mut shown);
        shown.rules
    }

    /// Reports whether a guard asks for values that are certainly results of its calls: texts from which an enumerated key
    /// differs. For other guards, values of unknown origin count.
    #[must_use]
    pub fn guard_is_certain(&self, guard: usize) -> bool {
        self.guards.get(guard).is_some_and(|guard| matches!(guard.test, guard::GuardTest::Differs(_)))
    }

    /// Rules for which a path without `..` at its beginning is harmless, if it is the result of calls that guards of
    /// beginnings ask for.
    #[must_use]
    pub fn leading_dots_sanitise(&self, is_result_of: impl Fn(&[String]) -> bool) -> RuleMask {
        guard::sanitised_without_dots(&self.guards, is_result_of)
    }

    /// Names of the fields in endpoints of models and rules.
    #[must_use]
    pub fn field_names(&self) -> std::collections::BTreeSet<&str> {
        let mut names = std::collections::BTreeSet::new();
        for model in self.calls.all().chain(self.events.all()) {
            let flows = model.flows.iter().flat_map(|(from, to)| [from, to]);
            let types = model.types.iter().map(|(endpoint, _)| endpoint);
            let sources = model.sources.iter().map(|(endpoint, _)| endpoint);
            let sinks = model.sinks.iter().map(|(endpoint, _)| endpoint);
            let conditional = model.conditional_sinks.iter().flat_map(|(endpoint, _, conditions)| {
                std::iter::once(endpoint).chain(conditions.iter().filter_map(Condition::endpoint))
            });
            for endpoint in flows.chain(types).chain(sources).chain(sinks).chain(conditional) {
                for step in &endpoint.steps {
                    if let super::Step::Field(name) = step {
                        names.insert(name.as_str());
                    }
                }
            }
        }
        names
    }

    /// Libraries that models describe.
    #[must_use]
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }

    /// Library to which an API path belongs: the longest package name at its beginning.
    #[must_use]
    pub fn library_of(&self, path: &str) -> Option<&Library> {
        let mut end = path.len();
        loop {
            if let Some(&at) = self.packages.get(&path[..end]) {
                return self.libraries.get(at);
            }
            end = path[..end].rfind(['.', '/', '(', ':'])?;
        }
    }

    /// Warning for a program that imports a modelled package, no entry of whose model matches anything in the program.
    ///
    /// `version` is the version or range of `package.json`. None is returned for packages without a model.
    #[must_use]
    pub fn warn_unmatched(&self, package: &str, version: Option<&str>) -> Option<String> {
        let library = self.packages.get(package).and_then(|&at| self.libraries.get(at))?;
        if library.kind == LibraryKind::Builtin || !self.has_entries(package) {
            return None;
        }
        let mut warning = format!("{package} is imported, but no entry of its model matches");
        if let Some(version) = version.filter(|version| library.versions.contains(version) == Some(false)) {
            warning +=
                &format!("; the model is of versions {}, the package asks for {version}", library.versions.text());
        }
        Some(warning)
    }

    /// True if an entry of a model or rule is about a package.
    fn has_entries(&self, package: &str) -> bool {
        let is_of = |path: &str| {
            path.strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', ':', '/']) && rest != ".default")
        };
        let calls = self.calls.exact.keys().chain(self.members.exact.keys()).chain(self.events.exact.keys());
        let decorators = self.decorator_sources.keys().chain(self.decorator_types.keys());
        calls.chain(decorators).any(|path| is_of(path)) || self.types.keys().any(|path| is_of(path))
    }

    /// Warning for a program that imports a version of a package which its model does not describe.
    #[must_use]
    pub fn warn_version(&self, package: &str, version: &str) -> Option<String> {
        let library = self.packages.get(package).and_then(|&at| self.libraries.get(at))?;
        (library.versions.contains(version) == Some(false)).then(|| {
            let versions = library.versions.text();
            format!("the model of {package} is of versions {versions}, but the package asks for {version}")
        })
    }
}

/// Key of a call with a constant first argument.
pub(super) fn event_key(path: &str, event: &str) -> String {
    format!("{path}({event})")
}
