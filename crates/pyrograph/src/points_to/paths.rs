//! API paths of library values, interned.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::objects::PathIndex;
use crate::knowledge::Knowledge;

/// Longest path in bytes. Longer ones are unknown values.
const MAX_PATH: usize = 160;

/// Path of all values of libraries about which nothing is known.
pub const UNKNOWN: &str = "?";

/// Table of API paths.
#[derive(Debug, Default)]
pub struct Paths {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, PathIndex, FixedState>,
}

impl Paths {
    /// Number of a path, after replacement by the type that a model gives it. Paths about which nothing is known are one
    /// path, [`UNKNOWN`].
    pub(super) fn intern(&mut self, path: &str, knowledge: &Knowledge) -> PathIndex {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        if path.starts_with(UNKNOWN) || path.len() > MAX_PATH || !knowledge.knows(path) {
            let number = match self.numbers.get(UNKNOWN) {
                Some(&number) => number,
                None => self.append(UNKNOWN),
            };
            if path.len() <= MAX_PATH {
                self.numbers.insert(path.into(), number);
            }
            return number;
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

    fn append(&mut self, path: &str) -> PathIndex {
        let number = self.texts.len() as u32;
        self.texts.push(path.into());
        self.numbers.insert(path.into(), number);
        number
    }

    /// Text of a path.
    #[must_use]
    pub fn text(&self, path: PathIndex) -> &str {
        &self.texts[path as usize]
    }
}
