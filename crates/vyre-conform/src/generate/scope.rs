//! Live variables.

use std::collections::HashSet;

use vyre_ir::{DataType, Name};

use super::choices::Choices;

/// A variable.
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: DataType,
    pub(super) is_loop_variable: bool,
    /// True if the value is uniform for the whole lifetime of the variable.
    pub(super) is_uniform: bool,
}

/// Live variables, outermost first.
#[derive(Default)]
pub(super) struct Scope {
    locals: Vec<Local>,
    names: HashSet<Name>,
    /// Number of names that were made unique by a number.
    numbered: u32,
}

/// Number of recent variables that a reference selects from, which bounds the time of a choice.
const REACH: usize = 64;

impl Scope {
    pub(super) fn len(&self) -> usize {
        self.locals.len()
    }

    /// Removes all variables but the first `length`.
    pub(super) fn truncate(&mut self, length: usize) {
        for local in self.locals.drain(length.min(self.locals.len())..) {
            self.names.remove(&local.name);
        }
    }

    pub(super) fn bind(&mut self, local: Local) {
        self.names.insert(local.name.clone());
        self.locals.push(local);
    }

    /// A name that is not live.
    pub(super) fn fresh_name(&mut self, choices: &mut Choices<'_>) -> Name {
        let stem = choices.pick(&["a", "b", "c", "d", "n", "x"]);
        if !self.names.contains(stem) {
            return Name::from(stem);
        }
        self.numbered += 1;
        Name::from(format!("{stem}{}", self.numbered))
    }

    /// One of the most recent variables.
    pub(super) fn pick(&self, choices: &mut Choices<'_>) -> Option<&Local> {
        let recent = &self.locals[self.locals.len().saturating_sub(REACH)..];
        recent.get(choices.below(recent.len()))
    }
}
