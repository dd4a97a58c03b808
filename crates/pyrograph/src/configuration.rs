//! Project configuration: the file `vyre.toml`.
//!
//! A configuration is a file of rules with one more table, `[scan]`, that has defaults of the options of a scan. So it can have sources,
//! sinks, sanitizers and guards of the project, and `vyre rules test vyre.toml` checks its examples.

use toml::de::DeTable;
use vyre_dataflow::rules::Table;
use vyre_dataflow::rules::reader::{Reader, read_document};
use vyre_ir::spelling::counted;

use crate::knowledge::Problem;

/// Name of the file in the folder that is scanned.
pub const FILE_NAME: &str = "vyre.toml";

/// Values of `sources`.
pub const SOURCES: [&str; 4] = ["auto", "application", "library", "both"];

/// Values of `fail-on`.
pub const FAIL_ON: [&str; 6] = ["critical", "high", "medium", "low", "note", "none"];

/// Tables of rules, in the order of descriptions: key, noun.
const TABLES: [(&str, &str); 11] = [
    ("rule", "rule"),
    ("source", "source"),
    ("sink", "sink"),
    ("sanitizer", "sanitizer"),
    ("guard", "guard"),
    ("propagator", "propagator"),
    ("function", "function"),
    ("type", "type"),
    ("library", "library"),
    ("convention", "convention"),
    ("example", "example"),
];

/// Settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// Patterns of paths to scan.
    pub include: Vec<String>,
    /// Patterns of paths to skip.
    pub exclude: Vec<String>,
    /// Threat models: one of [`SOURCES`].
    pub sources: Option<String>,
    /// Output format.
    pub format: Option<String>,
    /// Severity of the mildest findings that fail: one of [`FAIL_ON`].
    pub fail_on: Option<String>,
    /// Files with more rules, relative to the folder of the configuration.
    pub rules: Vec<String>,
    /// Rules that are used. Empty: all.
    pub rule: Vec<String>,
    /// Scans folders of dependencies too.
    pub dependencies: bool,
    /// Reads folders of dependencies for the targets of calls.
    pub with_deps: bool,
    /// Number of tables of rules by key, without keys that do not occur.
    pub tables: Vec<(&'static str, usize)>,
}

impl Configuration {
    /// Reads a configuration. `formats` are the known output formats.
    ///
    /// # Errors
    ///
    /// All problems of the table `[scan]`, and unknown tables. Problems of the tables of rules are found when they are loaded.
    pub fn parse(name: &str, text: &str, formats: &[&str]) -> Result<Configuration, Vec<Problem>> {
        let read = read_document(text, |reader, file| read(reader, file, formats));
        read.map_err(|error| Problem::all(name, &error))
    }

    /// True if a file has settings of scans, and not only rules.
    #[must_use]
    pub fn has_settings(text: &str) -> bool {
        // A document with mistakes has the tables that could be read.
        let mut has_settings = false;
        let _ = read_document(text, |_, file| has_settings = file.contains_key(Table::Scan.key()));
        has_settings
    }

    /// True if the file has rules of its own.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.tables.is_empty()
    }

    /// Settings of the configuration as a text, for reports.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        for (key, patterns) in [("include", &self.include), ("exclude", &self.exclude)] {
            if !patterns.is_empty() {
                parts.push(format!("{key} {}", patterns.join(", ")));
            }
        }
        for (key, value) in [("sources", &self.sources), ("format", &self.format), ("fail on", &self.fail_on)] {
            parts.extend(value.as_ref().map(|value| format!("{key} {value}")));
        }
        for (key, values) in [("rules of", &self.rules), ("only the rules", &self.rule)] {
            if !values.is_empty() {
                parts.push(format!("{key} {}", values.join(", ")));
            }
        }
        for (key, is_set) in [("dependencies", self.dependencies), ("with-deps", self.with_deps)] {
            if is_set {
                parts.push(key.to_owned());
            }
        }
        for (key, count) in &self.tables {
            let noun = TABLES.iter().find(|(known, _)| known == key).map_or(*key, |(_, noun)| noun);
            parts.push(counted(count, noun));
        }
        if parts.is_empty() { "no settings".to_owned() } else { parts.join("; ") }
    }
}

/// Reads a file. Only the table `[scan]` and the keys of the file are checked.
fn read(reader: &mut Reader<'_>, file: &DeTable<'_>, formats: &[&str]) -> Configuration {
    let mut configuration = Configuration::default();
    if !reader.format(file) {
        return configuration;
    }
    let known: Vec<&str> =
        ["format", Table::Scan.key()].into_iter().chain(TABLES.into_iter().map(|(key, _)| key)).collect();
    for (key, value) in file {
        let name = key.get_ref().as_ref();
        if !known.contains(&name) {
            reader.unknown_word(key.span(), name, "no key of a configuration", &known);
        }
        if let Some((table, _)) = TABLES.iter().find(|(table, _)| *table == name) {
            let count = value.get_ref().as_array().map_or(1, |tables| tables.len());
            configuration.tables.push((table, count));
        }
        if name == Table::Scan.key() {
            match value.get_ref().as_table() {
                Some(table) => scan(reader, table, formats, &mut configuration),
                None => reader.wrong_type(name, "a table", value),
            }
        }
    }
    configuration.tables.sort_by_key(|(key, _)| TABLES.iter().position(|(known, _)| known == key));
    configuration
}

/// Reads the table `[scan]`.
fn scan(reader: &mut Reader<'_>, table: &DeTable<'_>, formats: &[&str], configuration: &mut Configuration) {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let mut texts = || reader.texts(name, value).into_iter().map(|(text, _)| text.to_owned()).collect();
        match name {
            "include" => configuration.include = texts(),
            "exclude" => configuration.exclude = texts(),
            "rule" => configuration.rule = texts(),
            "rules" => {
                for (text, span) in reader.texts(name, value) {
                    match is_inside(text) {
                        true => configuration.rules.push(text.to_owned()),
                        false => reader.report_text(
                            span,
                            format!("`{text}` is outside of the folder of the configuration; `--rules` can name it"),
                        ),
                    }
                }
            }
            "sources" => configuration.sources = reader.word(name, &SOURCES, value).map(str::to_owned),
            "format" => configuration.format = reader.word(name, formats, value).map(str::to_owned),
            "fail-on" => configuration.fail_on = reader.word(name, &FAIL_ON, value).map(str::to_owned),
            "dependencies" => configuration.dependencies = reader.bool(name, value).unwrap_or_default(),
            "with-deps" => configuration.with_deps = reader.bool(name, value).unwrap_or_default(),
            _ => drop(reader.unknown_key(key, Table::Scan)),
        }
    }
}

/// True for a relative path that stays in its folder.
fn is_inside(path: &str) -> bool {
    let mut components = std::path::Path::new(path).components();
    components.all(|component| {
        matches!(component, std::path::Component::Normal(_) | std::path::Component::CurDir) && !path.contains('\\')
    })
}

#[cfg(test)]
mod tests;
