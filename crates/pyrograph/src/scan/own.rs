//! Sources, sinks, sanitizers and guards of the user's own files that match no code of a scan.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::spelling::{agreeing, counted};

use super::analysed::Analysed;
use crate::flow::Op;
use crate::knowledge::{Knowledge, OwnEntry, OwnPattern, PathPattern};

/// Maximum number of entries that a warning names.
const MAX_NAMES: usize = 5;

/// Entries of the user's own files, and whether they match code.
#[derive(Debug, Default)]
pub(super) struct OwnEntries {
    /// File and line of each entry: its description, and whether it matches.
    entries: BTreeMap<(String, u32), (String, bool)>,
}

impl OwnEntries {
    /// Adds the matches in a program.
    pub(super) fn add(&mut self, analysed: &Analysed, knowledge: &Knowledge) {
        if knowledge.own_entries().is_empty() {
            return;
        }
        let names = Names::new(analysed);
        for entry in knowledge.own_entries() {
            let OwnEntry { file, line, table, texts, patterns } = entry;
            let texts: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
            let known = self.entries.entry((file.clone(), *line));
            let (_, is_matched) = known.or_insert_with(|| (format!("{table} {}", texts.join(", ")), false));
            *is_matched = *is_matched || patterns.iter().any(|pattern| names.has(analysed, pattern));
        }
    }

    /// Warnings about entries that match nothing, one for each file.
    pub(super) fn warnings(self) -> Vec<String> {
        let mut files: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
        for ((file, line), (text, _)) in self.entries.into_iter().filter(|(_, (_, is_matched))| !is_matched) {
            files.entry(file).or_default().push((line, text));
        }
        let warning = |(file, entries): (String, Vec<(u32, String)>)| {
            let count = entries.len();
            let mut names: Vec<String> =
                (entries.into_iter().take(MAX_NAMES)).map(|(line, text)| format!("line {line} ({text})")).collect();
            if count > MAX_NAMES {
                names.push(format!("{} more", count - MAX_NAMES));
            }
            let (entries, verb) = (counted(count, "entry"), agreeing(count, "matches", "match"));
            format!("{file}: {entries} {verb} nothing in the code: {}", names.join(", "))
        };
        files.into_iter().map(warning).collect()
    }
}

/// Names of a program.
struct Names<'p> {
    fields: BTreeSet<&'p str>,
    parameters: BTreeSet<&'p str>,
}

impl<'p> Names<'p> {
    fn new(analysed: &'p Analysed) -> Names<'p> {
        let mut names = Names { fields: BTreeSet::new(), parameters: BTreeSet::new() };
        for module in &analysed.program.modules {
            for instruction in &module.flow.instructions {
                if let Op::LoadField(_, name) | Op::StoreField(_, name, _) = instruction.op {
                    names.fields.insert(module.flow.text(name));
                }
            }
            let parameters = module.flow.functions.iter().flat_map(|function| &function.parameters);
            names.parameters.extend(parameters.flatten().map(|&name| module.flow.text(name)));
        }
        names
    }

    /// True if the program has what a pattern matches.
    fn has(&self, analysed: &Analysed, pattern: &OwnPattern) -> bool {
        let paths = &analysed.points_to.paths;
        match pattern {
            OwnPattern::Path(PathPattern::Exact(path)) => paths.contains(path),
            OwnPattern::Path(PathPattern::Name(name)) => self.fields.contains(name.as_str()),
            OwnPattern::Path(PathPattern::Glob(glob)) => paths.any(|path| glob.matches(path)),
            OwnPattern::Parameter(name) => self.parameters.contains(name.as_str()),
        }
    }
}
