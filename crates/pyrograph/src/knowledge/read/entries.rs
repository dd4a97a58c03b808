//! Tables about code: sources, sinks, sanitizers, functions, types, libraries.

use std::ops::Range;

use toml::de::DeTable;
use vyre_dataflow::rules::{RuleKind, Table};

use super::FileReader;
use crate::knowledge::builder::Detail;
use crate::knowledge::endpoint::{Condition, ConditionKind, Endpoint, Root};
use crate::knowledge::library::{Library, LibraryKind};
use crate::knowledge::own::OwnPattern;
use crate::knowledge::path::{self, PathPattern};
use crate::knowledge::version::VersionRange;
use crate::knowledge::{ApiModel, MemberModel, RuleMask, SourceKind, ThreatModel};

const EXPORTS: [&str; 1] = ["parameter"];
const KINDS: [&str; 2] = ["package", "builtin"];

impl FileReader<'_, '_> {
    pub(super) fn source(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let table = Table::Rule(RuleKind::Source);
        let label = self.required(table, entry, &span, "label").unwrap_or_default().to_owned();
        let rules = self.rules(entry).unwrap_or(self.ids.all());
        let is_export = entry.get("export").and_then(|value| self.reader.word("export", &EXPORTS, value)).is_some();
        let model = match entry.get("model") {
            None if is_export => ThreatModel::Library,
            _ => self.model(entry),
        };
        let kind = SourceKind { label: label.clone(), model, rules };
        let has_rules = rules != 0;
        let Some(source) = self.builder.source(kind) else {
            self.reader.report_text(span, "there are too many sources".to_owned());
            return;
        };
        let detail = |reader: &mut Self, what: &str| {
            reader.builder.detail(rules, Detail::Source, &format!("{label}: {what}"));
        };
        if is_export {
            detail(self, "parameters of exported functions");
            if has_rules {
                self.builder.export_source(source);
            }
        }
        for (text, _) in self.texts(entry, "parameter") {
            self.texts.push(text.to_owned());
            self.patterns.push(OwnPattern::Parameter(text.to_owned()));
            detail(self, &format!("parameters with the name `{text}`"));
            if has_rules {
                self.builder.parameter_source(text, source);
            }
        }
        for (path, _) in self.exact_paths(entry, "decorator") {
            self.texts.push(path.clone());
            self.patterns.push(OwnPattern::Path(PathPattern::Exact(path.clone())));
            detail(self, &format!("parameters with the decorator `{path}`"));
            if has_rules {
                self.builder.decorator_source(path, source);
            }
        }
        for (patterns, text) in self.paths(entry, "member") {
            detail(self, &format!("`{text}`"));
            if has_rules {
                let model = MemberModel { sources: vec![source], store_sinks: 0 };
                patterns.iter().for_each(|pattern| self.builder.member(pattern, &model));
            }
        }
        let at = self.endpoints(entry, Some(Endpoint::root(Root::Return)));
        let conditions = self.conditions(entry);
        let mut model = ApiModel::default();
        for endpoint in at.into_iter().filter(|_| has_rules) {
            match conditions.is_empty() {
                true => model.sources.push((endpoint, source)),
                false => model.conditional_sources.push((endpoint, source, conditions.clone())),
            }
        }
        for text in self.calls(entry, &model) {
            detail(self, &text);
        }
    }

    pub(super) fn sink(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let table = Table::Rule(RuleKind::Sink);
        let rules = self.required_rules(table, entry, &span);
        if entry.get("call").is_some() && entry.get("at").is_none() {
            self.missing(table, &span, "at");
        }
        for (patterns, text) in self.paths(entry, "store") {
            self.builder.detail(rules, Detail::Sink, &format!("`{text} = ...`"));
            let model = MemberModel { sources: Vec::new(), store_sinks: rules };
            patterns.iter().for_each(|pattern| self.builder.member(pattern, &model));
        }
        let at = self.endpoints(entry, None);
        let conditions = self.conditions(entry);
        let mut model = ApiModel::default();
        for endpoint in at.iter().filter(|_| rules != 0).cloned() {
            if conditions.is_empty() {
                model.sinks.push((endpoint, rules));
            } else {
                model.conditional_sinks.push((endpoint, rules, conditions.clone()));
            }
        }
        let places: Vec<String> = at.iter().map(Endpoint::to_string).collect();
        for text in self.calls(entry, &model) {
            self.builder.detail(rules, Detail::Sink, &format!("{text}, {}", places.join(", ")));
        }
    }

    fn conditions(&mut self, entry: &DeTable<'_>) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for (key, is_negated) in [("when", false), ("unless", true)] {
            for (text, span) in self.texts(entry, key) {
                conditions.extend(self.parsed(Condition::parse(text, is_negated), span));
            }
        }
        if let (Some(text), Some(value)) = (self.text(entry, "versions"), entry.get("versions")) {
            let span = value.span();
            match VersionRange::parse(text) {
                Some(range) => {
                    conditions.push(Condition { kind: ConditionKind::Version(range), is_negated: false });
                }
                None => self.reader.report_text(span, format!("`{text}` is no range of versions such as `>=3 <6`")),
            }
        }
        conditions
    }

    pub(super) fn sanitizer(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let rules = self.required_rules(Table::Rule(RuleKind::Sanitizer), entry, &span);
        let at = self.endpoints(entry, Some(Endpoint::root(Root::Return)));
        let sanitizes: Vec<(Endpoint, RuleMask)> =
            at.into_iter().filter(|_| rules != 0).map(|endpoint| (endpoint, rules)).collect();
        let conditions = self.conditions(entry);
        let model = match conditions.is_empty() {
            true => ApiModel { sanitizes, ..ApiModel::default() },
            false => ApiModel { conditional_sanitizes: vec![(rules, conditions)], ..ApiModel::default() },
        };
        for text in self.calls(entry, &model) {
            self.builder.detail(rules, Detail::Sanitizer, &text);
        }
    }

    /// Reads `[[function]]` and `[[propagator]]`.
    pub(super) fn function(&mut self, table: Table, entry: &DeTable<'_>, span: Range<usize>) {
        let mut model = ApiModel { is_modelled: entry.get("flows").is_some(), ..ApiModel::default() };
        if let Some(value) =
            entry.get("flows").filter(|value| value.get_ref().as_array().is_none_or(|list| !list.is_empty()))
        {
            for (text, span) in self.reader.texts("flows", value) {
                self.flow(text, span, &mut model);
            }
        }
        for (text, span) in self.texts(entry, "types") {
            let Some((endpoint, name)) = text.rsplit_once(" : ") else {
                self.reader.report_text(span, format!("`{text}` is no `endpoint : type`"));
                continue;
            };
            if let Some(endpoint) = self.parsed(Endpoint::parse(endpoint), span) {
                model.types.push((endpoint, name.trim().to_owned()));
            }
        }
        if let Some(name) = self.text(entry, "returns") {
            model.types.push((Endpoint::root(Root::Return), name.to_owned()));
        }
        if !model.is_modelled && model.types.is_empty() {
            self.missing(table, &span, "flows");
        }
        self.calls(entry, &model);
    }

    /// Reads a flow: `argument0, argument1 -> return`.
    fn flow(&mut self, text: &str, span: Range<usize>, model: &mut ApiModel) {
        let Some((from, to)) = text.split_once("->") else {
            self.reader.report_text(span, format!("`{text}` is no flow `endpoint -> endpoint`"));
            return;
        };
        let Some(to) = self.parsed(Endpoint::parse(to), span.clone()) else { return };
        for from in from.split(',') {
            if let Some(from) = self.parsed(Endpoint::parse(from), span.clone()) {
                model.flows.push((from, to.clone()));
            }
        }
    }

    /// Adds a model to the calls that an entry names. Returns the calls as texts.
    fn calls(&mut self, entry: &DeTable<'_>, model: &ApiModel) -> Vec<String> {
        let events = self.texts(entry, "event");
        let mut texts = Vec::new();
        for (patterns, text) in self.paths(entry, "call") {
            if events.is_empty() {
                texts.push(format!("`{text}()`"));
            }
            for (event, span) in &events {
                texts.push(format!("`{text}(\"{event}\")`"));
                let has_glob = patterns.iter().any(|pattern| !self.builder.event(pattern, event, model));
                if has_glob {
                    let message = "an entry with `event` has paths, or patterns of the form `*.name`";
                    self.reader.report_text(span.clone(), message.to_owned());
                }
            }
            if events.is_empty() {
                patterns.iter().for_each(|pattern| self.builder.call(pattern, model));
            }
        }
        texts
    }

    pub(super) fn type_entry(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let Some(name) = self.required(Table::Type, entry, &span, "name") else { return };
        if entry.get("from").is_none() && entry.get("decorator").is_none() {
            self.missing(Table::Type, &span, "from");
        }
        for (path, span) in self.exact_paths(entry, "from") {
            if name.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with(['.', '(', ':'])) {
                let message = format!("the name `{name}` begins with `{path}`, so that it would apply to itself");
                self.reader.report_text(span, message);
                continue;
            }
            if let Some(other) = self.builder.type_name(path.clone(), name) {
                self.reader.report_text(span, format!("`{path}` already has the type `{other}`"));
            }
        }
        for (path, _) in self.exact_paths(entry, "decorator") {
            self.builder.decorator_type(path, name);
        }
    }

    pub(super) fn convention(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let split = |text: &str| text.split('|').map(|name| name.trim().to_owned()).collect();
        let parameters: Vec<Vec<String>> =
            self.texts(entry, "parameters").into_iter().map(|(text, _)| split(text)).collect();
        let name = |(text, _): (&str, Range<usize>)| (text != "-").then(|| text.to_owned());
        let types: Vec<Option<String>> = self.texts(entry, "types").into_iter().map(name).collect();
        if parameters.is_empty() || parameters.len() != types.len() {
            let message = "[[convention]] has as many `types` as `parameters`; `-` stands for no type";
            self.reader.report_text(span, message.to_owned());
            return;
        }
        self.builder.convention(parameters, types);
    }

    pub(super) fn library(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        if entry.get("package").is_none() {
            self.missing(Table::Library, &span, "package");
        }
        let mut versions = VersionRange::default();
        if let (Some(text), Some(value)) = (self.text(entry, "versions"), entry.get("versions")) {
            match VersionRange::parse(text) {
                Some(range) => versions = range,
                None => {
                    let message = format!("`{text}` is no range of versions; `>=3 <6` is one");
                    self.reader.report_text(value.span(), message);
                }
            }
        }
        let kind = match entry.get("kind").and_then(|value| self.reader.word("kind", &KINDS, value)) {
            Some("builtin") => LibraryKind::Builtin,
            _ => LibraryKind::Package,
        };
        for (text, span) in self.texts(entry, "package") {
            match path::patterns(text) {
                Ok(patterns) => {
                    for pattern in patterns {
                        let PathPattern::Exact(package) = pattern else {
                            self.reader.report_text(span.clone(), "`package` has no patterns".to_owned());
                            continue;
                        };
                        self.builder.library(Library { package, versions: versions.clone(), kind });
                    }
                }
                Err(problem) => self.reader.report_text(span, format!("`package`: {problem}")),
            }
        }
    }
}
