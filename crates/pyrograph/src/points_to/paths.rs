//! API paths of library values, interned.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::objects::PathIndex;
use crate::knowledge::Knowledge;

/// Longest path in bytes. Longer ones are unknown values.
const MAX_PATH: usize = 160;

/// Path of all values of libraries about which nothing is known.
pub const UNKNOWN: &str = "?";

/// Number of [`UNKNOWN`].
const UNKNOWN_PATH: PathIndex = 0;

/// Table of API paths.
#[derive(Debug)]
pub struct Paths {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, PathIndex, FixedState>,
    /// Packages with a model of which the program uses a member or function: true if an entry of the model has given it a type.
    packages: BTreeMap<String, bool>,
}

impl Default for Paths {
    fn default() -> Paths {
        let mut paths = Paths { texts: Vec::new(), numbers: HashMap::default(), packages: BTreeMap::new() };
        paths.append(UNKNOWN);
        paths
    }
}

impl Paths {
    /// True for the path of values of libraries about which nothing is known.
    #[must_use]
    pub fn is_unknown(path: PathIndex) -> bool {
        path == UNKNOWN_PATH
    }

    /// Number of a path, after replacement by the type that a model gives it. Paths about which nothing is known are one
    /// path, [`UNKNOWN`].
    pub(super) fn intern(&mut self, path: &str, knowledge: &Knowledge) -> PathIndex {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        self.note_package(path, knowledge);
        if path.starts_with(UNKNOWN) || path.len() > MAX_PATH || !knowledge.knows(path) {
            if path.len() <= MAX_PATH {
                self.numbers.insert(path.into(), UNKNOWN_PATH);
            }
            return UNKNOWN_PATH;
        }
        let number = match knowledge.canonical(path) {
            Some(canonical) if canonical != path => {
                let canonical = canonical.to_owned();
                match self.numbers.get(canonical.as_str()) {
                    Some(&number) => number,
                    None => self.append(&canonical),
                }
            }
            _ => return self.append(path),
        };
        self.numbers.insert(path.into(), number);
        number
    }

    /// Notes the use of a path for its package.
    fn note_package(&mut self, path: &str, knowledge: &Knowledge) {
        let Some(library) = knowledge.library_of(path) else { return };
        // Another spelling of the same path is no entry of a model.
        let spelled = path.strip_suffix(".default").unwrap_or(path).replace('/', ".");
        let has_type = knowledge.canonical(path).is_some_and(|canonical| canonical.replace('/', ".") != spelled);
        let is_import = path == library.package || path == format!("{}.default", library.package);
        if has_type || !is_import {
            *self.packages.entry(library.package.clone()).or_default() |= has_type;
        }
    }

    /// True if the program uses more of a package than its import, and no entry of its model has given a value a type.
    #[must_use]
    pub fn is_unmatched(&self, package: &str) -> bool {
        self.packages.get(package) == Some(&false)
    }

    /// True if an entry of the model of a package has given a value a type.
    #[must_use]
    pub fn is_matched(&self, package: &str) -> bool {
        self.packages.get(package) == Some(&true)
    }

    fn append(&mut self, path: &str) -> PathIndex {
        let number = self.texts.len() as u32;
        self.texts.push(path.into());
        self.numbers.insert(path.into(), number);
        number
    }

    /// True if the program has a value with this path.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.numbers.get(path).is_some_and(|&number| !Paths::is_unknown(number))
    }

    /// True if a path of the program meets a condition.
    pub fn any(&self, is_met: impl FnMut(&str) -> bool) -> bool {
        self.texts.iter().map(AsRef::as_ref).any(is_met)
    }

    /// Text of a path.
    #[must_use]
    pub fn text(&self, path: PathIndex) -> &str {
        &self.texts[path as usize]
    }
}
