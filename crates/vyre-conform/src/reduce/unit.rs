//! The programs of a case: its own, and those of its ops.

use vyre_ir::{Name, OpDef, OpTable, Program, validate};

use super::edit::{Change, apply};
use super::search::Search;
use super::survey::Survey;
use crate::Case;

/// One of the programs of a case.
#[derive(Clone, Debug)]
pub(super) enum Unit {
    /// The program that is run.
    Program,
    /// The program of the op with this id.
    Op(Name),
}

impl Unit {
    /// All programs of a case, that of the case first.
    pub(super) fn all(case: &Case) -> Vec<Unit> {
        let ops = case.ops.iter().map(|op| Unit::Op(op.id.clone()));
        std::iter::once(Unit::Program).chain(ops).collect()
    }

    /// The program, if the case has it.
    pub(super) fn program<'c>(&self, case: &'c Case) -> Option<&'c Program> {
        match self {
            Unit::Program => Some(&case.program),
            Unit::Op(id) => case.ops.get(id).map(|op| &op.program),
        }
    }

    /// The case with another program in this place. Contents of buffers that it does not have are left out.
    pub(super) fn with_program(&self, case: &Case, program: Program) -> Case {
        match self {
            Unit::Program => {
                let is_bound = |name: &Name| program.buffer(name).is_some();
                let contents = case.contents.iter().filter(|(name, _)| is_bound(name));
                let contents = contents.map(|(name, bytes)| (name.clone(), bytes.clone())).collect();
                Case { program, ops: case.ops.clone(), grid: case.grid, contents }
            }
            Unit::Op(id) => {
                let changed = |op: &OpDef| OpDef { program: program.clone(), ..op.clone() };
                with_ops(case, case.ops.iter().map(|op| if op.id == *id { changed(op) } else { op.clone() }))
            }
        }
    }

    /// What stands where in the program; `None` where it is invalid, as that of an op may be that nothing calls.
    pub(super) fn survey<'c>(&self, case: &'c Case) -> Option<Survey<'c>> {
        let program = self.program(case)?;
        Some(Survey::new(program, validate(program, &case.ops).ok()?))
    }

    /// Makes as many of the proposed changes as possible.
    pub(super) fn change(&self, search: &mut Search<'_>, propose: &dyn Fn(&Survey<'_>) -> Vec<Change>) {
        if search.is_over() {
            return;
        }
        let base = search.current().clone();
        let Some(survey) = self.survey(&base) else { return };
        let changes = propose(&survey);
        search.keep(&changes, &mut |chosen| self.with_program(&base, apply(&survey, &base.ops, chosen)));
    }
}

/// The case with other ops, whose ids are unique.
pub(super) fn with_ops(case: &Case, ops: impl IntoIterator<Item = OpDef>) -> Case {
    // Two ops with one id make no table; the case then stays as it is, and nothing is gained.
    let ops = OpTable::new(ops).unwrap_or_else(|_| case.ops.clone());
    Case { program: case.program.clone(), ops, grid: case.grid, contents: case.contents.clone() }
}
