//! Loading of rules and models.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError};

use vyre_dataflow::rules::reader::read_document;

use super::builder::Builder;
use super::problem::Problem;
use super::read::{self, RuleIds};
use super::{Knowledge, builtin};

/// A rule that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// Identifier.
    pub id: String,
    /// Identifiers that exist.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rule `{}`; known are {}", self.id, self.known.join(", "))
    }
}

impl std::error::Error for UnknownRule {}

impl Knowledge {
    /// Built-in rules and models. Tests show that these files have no problems.
    #[must_use]
    pub fn builtin() -> Arc<Knowledge> {
        static BUILTIN: LazyLock<Arc<Knowledge>> = LazyLock::new(|| {
            let files: &[(&str, &str)] = &[];
            Arc::new(Knowledge::load(files, true).unwrap_or_default())
        });
        BUILTIN.clone()
    }

    /// Reads files of rules and models, each with its name, and the built-in ones if `include_builtin`.
    ///
    /// # Errors
    ///
    /// All problems of all files.
    pub fn load<N: AsRef<str>, T: AsRef<str>>(
        extra_files: &[(N, T)],
        include_builtin: bool,
    ) -> Result<Knowledge, Vec<Problem>> {
        let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        let builtin = if include_builtin { builtin::FILES } else { &[] };
        let extra = extra_files.iter().map(|(name, text)| own((name.as_ref(), text.as_ref())));
        Knowledge::compile(builtin.iter().copied().map(own).chain(extra).collect(), None, builtin::LANGUAGE)
    }

    /// The same knowledge with some of the rules only.
    ///
    /// # Errors
    ///
    /// The first identifier that no rule has.
    pub fn only<I: AsRef<str>>(&self, ids: &[I]) -> Result<Knowledge, UnknownRule> {
        let known = || self.rules.iter().map(|rule| rule.id.clone());
        for id in ids {
            if self.rule(id.as_ref()).is_none() {
                return Err(UnknownRule { id: id.as_ref().to_owned(), known: known().collect() });
            }
        }
        let selected: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        // The files were read before, so they have no problems.
        Ok(Knowledge::compile(self.files.clone(), Some(&selected), builtin::LANGUAGE).unwrap_or_default())
    }

    /// The same knowledge with all rules. None: all are selected.
    #[must_use]
    pub fn with_all_rules(&self) -> Option<Knowledge> {
        self.selected.as_ref()?;
        // The files were read before, so they have no problems.
        Some(Knowledge::compile(self.files.clone(), None, builtin::LANGUAGE).unwrap_or_default())
    }

    /// Identifiers of all rules, also of those that are not selected, in alphabetical order.
    #[must_use]
    pub fn all_rule_ids(&self) -> Vec<String> {
        match self.selected {
            None => self.rules.iter().map(|rule| rule.id.clone()).collect(),
            Some(_) => rule_ids(&self.files, None).positions.into_keys().collect(),
        }
    }

    /// Positions of the rules that the user asks for: the selected ones, or those of files that are not built in.
    #[must_use]
    pub fn requested_rules(&self) -> Vec<usize> {
        let builtin = Knowledge::builtin();
        let is_requested = |id: &str| self.selected.is_some() || builtin.rule(id).is_none();
        (0..self.rules.len()).filter(|&position| is_requested(&self.rules[position].id)).collect()
    }

    /// The same rules with what concerns the code of a language. The numbers of rules and sources are the same.
    #[must_use]
    pub fn of_language(self: &Arc<Knowledge>, language: &str) -> Arc<Knowledge> {
        if language == builtin::LANGUAGE {
            return Arc::clone(self);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let known = others.entry(language.to_owned()).or_insert_with(|| {
            let selected = self.selected.as_ref().map(|ids| ids.iter().map(String::as_str).collect::<Vec<_>>());
            // The files were read before, so they have no problems.
            Arc::new(Knowledge::compile(self.files.clone(), selected.as_deref(), language).unwrap_or_default())
        });
        Arc::clone(known)
    }

    fn compile(
        files: Vec<(String, String)>,
        selected: Option<&[&str]>,
        language: &str,
    ) -> Result<Knowledge, Vec<Problem>> {
        let ids = rule_ids(&files, selected);
        let mut builder = Builder::new(&ids);
        let mut problems = Vec::new();
        for (name, text) in &files {
            let of_file = builtin::language_of(name);
            builder.is_active = of_file.is_none_or(|of_file| of_file == language);
            builder.language = of_file.map(str::to_owned);
            let read = read_document(text, |reader, file| read::file(reader, file, name, &ids, &mut builder));
            if let Err(error) = read {
                problems.extend(Problem::all(name, &error));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut knowledge = builder.finish(files);
        knowledge.selected = selected.map(|ids| ids.iter().map(|&id| id.to_owned()).collect());
        Ok(knowledge)
    }
}

/// Identifiers of the rules of all files, in their order. Mistakes are found later.
fn rule_ids(files: &[(String, String)], selected: Option<&[&str]>) -> RuleIds {
    let mut ids = RuleIds { positions: BTreeMap::new(), count: 0 };
    for (_, text) in files {
        // A document with mistakes has the rules that could be read.
        let _ = read_document(text, |_, file| {
            for id in read::rule_ids_of(file) {
                let is_selected = selected.is_none_or(|selected| selected.contains(&id.as_str()));
                let position = is_selected.then_some(ids.count);
                if !ids.positions.contains_key(&id) {
                    ids.count += usize::from(is_selected);
                    ids.positions.insert(id, position);
                }
            }
        });
    }
    ids
}
