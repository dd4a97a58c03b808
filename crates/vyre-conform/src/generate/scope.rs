//! The variables that are live while a program is made.

use std::collections::HashSet;

use vyre_ir::{DataType, Name};

use super::choices::Choices;

/// A variable.
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: DataType,
    pub(super) is_loop_variable: bool,
    /// Whether all invocations of a workgroup hold the same value, all the time.
    pub(super) is_uniform: bool,
}

/// The live variables, outermost first.
#[derive(Default)]
pub(super) struct Scope {
    locals: Vec<Local>,
    names: HashSet<Name>,
    /// How many names have been given a number to make them unique.
    numbered: u32,
}

/// How far back a reference looks, so that a choice takes the same time however many variables are live.
const REACH: usize = 64;

impl Scope {
    pub(super) fn len(&self) -> usize {
        self.locals.len()
    }

    /// Ends the life of all variables but the first `length`.
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

    /// One of the variables bound last.
    pub(super) fn pick(&self, choices: &mut Choices<'_>) -> Option<&Local> {
        let recent = &self.locals[self.locals.len().saturating_sub(REACH)..];
        recent.get(choices.below(recent.len()))
    }
}
