//! Tables about rules: `[[rule]]`, `[[example]]`, `[[guard]]`.

use std::ops::Range;

use toml::de::DeTable;
use vyre_dataflow::rules::{RuleDescription, Table};

use super::FileReader;
use crate::knowledge::builder::Detail;
use crate::knowledge::endpoint::{Endpoint, Root};
use crate::knowledge::guard::{Guard, GuardTest, PrefixForm};
use crate::knowledge::regex_shape::CharSet;
use crate::knowledge::{ApiModel, Check, Example, MAX_RULES, Rule, ThreatModel};

const MODELS: [&str; 2] = ["application", "library"];
const TESTS: [&str; 16] = [
    "constant",
    "value",
    "member",
    "own-key",
    "truthy",
    "type",
    "differs",
    "lacks",
    "characters",
    "starts",
    "inside",
    "prefix",
    "method",
    "quoted",
    "part",
    "field",
];

impl FileReader<'_, '_> {
    pub(super) fn rule(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let description = self.reader.description(entry, &span);
        let library_severity = self.reader.severity(entry, "library_severity");
        let check = match entry.get("check").and_then(|value| self.reader.word("check", &CHECKS, value)) {
            Some("prototype-pollution") => Check::PrototypePollution,
            Some("path") => Check::Path,
            _ => Check::Flow,
        };
        let languages = self.owned_texts(entry, "languages");
        let Some(RuleDescription { id, title, severity, message, help, cwe }) = description else { return };
        let library_severity = library_severity.unwrap_or(severity);
        let Some(Some(position)) = self.ids.positions.get(&id).copied() else { return };
        if position >= MAX_RULES {
            self.reader.report_text(span, format!("there are more than {MAX_RULES} rules"));
            return;
        }
        let examples = Vec::new();
        let rule = Rule { id, title, severity, library_severity, cwe, message, help, examples, check, languages };
        let shown = rule.id.clone();
        if !self.builder.rule(position, rule) {
            self.reader.report_text(span, format!("there is already a rule `{shown}`"));
        }
    }

    /// Threat model of an entry.
    pub(super) fn model(&mut self, entry: &DeTable<'_>) -> ThreatModel {
        match entry.get("model").and_then(|value| self.reader.word("model", &MODELS, value)) {
            Some("library") => ThreatModel::Library,
            _ => ThreatModel::Application,
        }
    }

    pub(super) fn example(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let table = Table::Example;
        let model = self.model(entry);
        let file = self.text(entry, "file").unwrap_or("example.js").to_owned();
        let position = self.required(table, entry, &span, "rule").and_then(|id| {
            let position = self.ids.positions.get(id).copied();
            if position.is_none() {
                let known: Vec<&str> = self.ids.positions.keys().map(String::as_str).collect();
                let place = entry.get("rule").map_or_else(|| span.clone(), |value| value.span());
                self.reader.unknown_word(place, id, "no rule", &known);
            }
            position.flatten()
        });
        let (bad, good) = (self.text(entry, "bad"), self.text(entry, "good"));
        let (code, is_bad) = match (bad, good) {
            (Some(code), None) => (code.to_owned(), true),
            (None, Some(code)) => (code.to_owned(), false),
            _ => {
                self.reader.report_text(span, format!("{table} has either `bad` or `good`"));
                return;
            }
        };
        if let Some(position) = position {
            let place = format!("{}:{}", self.name, self.reader.line(span.start));
            self.builder.example(position, Example { is_bad, file, code, model, place });
        }
    }

    pub(super) fn guard(&mut self, entry: &DeTable<'_>, span: Range<usize>) {
        let (proves, needs) = (self.properties(entry, "proves"), self.properties(entry, "needs"));
        let of: Vec<String> = self.exact_paths(entry, "of").into_iter().map(|(path, _)| path).collect();
        let except: Vec<String> = self.exact_paths(entry, "except").into_iter().map(|(path, _)| path).collect();
        let rules = match proves {
            0 => self.required_rules(Table::Guard, entry, &span),
            _ => self.rules(entry).unwrap_or(0),
        };
        let holds = entry.get("holds").and_then(|value| self.reader.bool("holds", value));
        if entry.get("call").is_some() {
            let at = self.endpoints(entry, Some(Endpoint::root(Root::Argument(0))));
            let holds = holds.unwrap_or(true);
            let guards = at.into_iter().map(|endpoint| (endpoint, holds, rules)).collect();
            let model = ApiModel { guards, ..ApiModel::default() };
            for (patterns, text) in self.paths(entry, "call") {
                patterns.iter().for_each(|pattern| self.builder.call(pattern, &model));
                self.builder.detail(rules, Detail::Guard, &format!("`{text}()` is {holds}"));
            }
        }
        let Some(word) = entry.get("test").and_then(|value| self.reader.word("test", &TESTS, value)) else { return };
        let texts = self.owned_texts(entry, "texts");
        let (test, default) = match word {
            "constant" => (GuardTest::Constant, true),
            "value" => (GuardTest::Value, true),
            "member" => (GuardTest::Member, true),
            "own-key" => (GuardTest::OwnKey, true),
            "quoted" => (GuardTest::Quoted(self.needed(entry, &span, "texts")), true),
            "part" => (GuardTest::Part(texts.clone()), true),
            "field" => (GuardTest::Field(self.needed(entry, &span, "texts")), true),
            "truthy" => (GuardTest::Truthy, false),
            "type" => (GuardTest::Type(self.needed(entry, &span, "types")), true),
            "differs" => (GuardTest::Differs(self.needed(entry, &span, "texts")), false),
            "lacks" => (GuardTest::Lacks(self.needed(entry, &span, "texts")), false),
            "characters" => {
                let excludes = self.needed(entry, &span, "excludes");
                let sets: Vec<CharSet> = excludes.iter().map(|text| CharSet::of(text)).collect();
                // The same sets serve a match of a whole text and a search that finds nothing.
                let test = GuardTest::Characters(sets.clone());
                self.builder.guard(Guard {
                    test,
                    holds: false,
                    rules,
                    proves,
                    needs,
                    of: of.clone(),
                    except: except.clone(),
                });
                (GuardTest::Characters(sets), true)
            }
            "method" => (GuardTest::Method(self.needed(entry, &span, "methods"), texts), true),
            word => {
                let forms = self.forms(entry, &span);
                let test = match word {
                    "starts" => GuardTest::Starts(forms),
                    "inside" => GuardTest::Inside(forms),
                    _ => GuardTest::Prefix(forms),
                };
                (test, true)
            }
        };
        let holds = holds.unwrap_or(default);
        if !holds && matches!(word, "starts" | "inside" | "prefix" | "characters" | "quoted" | "part" | "field")
            || holds && matches!(word, "differs" | "lacks")
        {
            self.reader.report_text(span, format!("the test `{word}` has no `holds = {holds}`"));
            return;
        }
        self.builder.detail(rules, Detail::Guard, &described(&test, holds));
        self.builder.guard(Guard { test, holds, rules, proves, needs, of, except });
    }

    /// Bits of the properties of a key.
    fn properties(&mut self, entry: &DeTable<'_>, key: &'static str) -> u32 {
        let mut bits = 0;
        for (text, span) in self.texts(entry, key) {
            match self.builder.property(text) {
                Some(bit) => bits |= bit,
                None => self.reader.report_text(span, "there are more than 32 properties".to_owned()),
            }
        }
        bits
    }

    /// Texts of a key that a test needs.
    fn needed(&mut self, entry: &DeTable<'_>, span: &Range<usize>, key: &'static str) -> Vec<String> {
        if entry.get(key).is_none() {
            self.missing(Table::Guard, span, key);
        }
        self.owned_texts(entry, key)
    }

    fn forms(&mut self, entry: &DeTable<'_>, span: &Range<usize>) -> Vec<PrefixForm> {
        if entry.get("forms").is_none() {
            self.missing(Table::Guard, span, "forms");
        }
        let known = PrefixForm::ALL.map(|(name, _)| name);
        let mut forms = Vec::new();
        for (text, span) in self.texts(entry, "forms") {
            match PrefixForm::ALL.into_iter().find(|(name, _)| *name == text) {
                Some((_, form)) => forms.push(form),
                None => self.reader.unknown_word(span, text, "no form", &known),
            }
        }
        forms
    }
}

const CHECKS: [&str; 3] = ["flow", "prototype-pollution", "path"];

/// Text of a guard for explanations.
fn described(test: &GuardTest, holds: bool) -> String {
    let list = |texts: &[String]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    let not = if holds { "" } else { "not " };
    match test {
        GuardTest::Constant => format!("the value is {not}a constant or one of several"),
        GuardTest::Value => format!("the value does {not}equal another one that untrusted data does not reach"),
        GuardTest::Member => format!("the value is {not}in a collection"),
        GuardTest::OwnKey => format!("the value is {not}a key of an object itself"),
        GuardTest::Quoted(texts) => {
            format!("the value stands in quotes, and a replacement treats {} in it", list(texts))
        }
        GuardTest::Part(names) if names.is_empty() => "the value becomes a part of a text".to_owned(),
        GuardTest::Part(names) => {
            format!("the value becomes a part of a text, and the program does not use {}", list(names))
        }
        GuardTest::Field(names) => format!("the value is in a field {}", list(names)),
        GuardTest::Truthy => format!("the value is {not}true"),
        GuardTest::Type(types) => format!("the type of the value is {not}{}", list(types)),
        GuardTest::Differs(texts) => format!("the value differs from {}", list(texts)),
        GuardTest::Lacks(texts) => format!("the value does not contain {}", list(texts)),
        GuardTest::Characters(_) => "a regular expression shows that dangerous characters are absent".to_owned(),
        GuardTest::Starts(_) => "the value starts with a trusted text".to_owned(),
        GuardTest::Inside(_) => "the absolute path of the value starts with a trusted text".to_owned(),
        GuardTest::Prefix(_) => "the value stands behind a trusted text".to_owned(),
        GuardTest::Method(methods, texts) if texts.is_empty() => format!("the method {} is {holds}", list(methods)),
        GuardTest::Method(methods, texts) => format!("the method {} of {} is {holds}", list(methods), list(texts)),
    }
}
