//! Units of reduction: the program of a case, and the programs of its ops.

use vyre_ir::{Name, OpSpec, OpTable, Program, validate};

use super::changes::{Change, apply};
use super::program_index::ProgramIndex;
use super::search::Search;
use crate::Case;

/// One of the programs of a case.
#[derive(Clone, Debug)]
pub(super) enum Unit {
    /// The main program.
    Program,
    /// The program of the op with this id.
    Op(Name),
}

impl Unit {
    /// All units of a case, the main program first.
    pub(super) fn all(case: &Case) -> Vec<Unit> {
        let ops = case.ops.iter().map(|op| Unit::Op(op.id.clone()));
        std::iter::once(Unit::Program).chain(ops).collect()
    }

    /// Program of the unit, if the case has it.
    pub(super) fn program<'c>(&self, case: &'c Case) -> Option<&'c Program> {
        match self {
            Unit::Program => Some(&case.program),
            Unit::Op(id) => case.ops.get(id).map(|op| &op.program),
        }
    }

    /// Replaces the program of the unit. Contents of buffers that it does not declare are dropped.
    pub(super) fn with_program(&self, case: &Case, program: Program) -> Case {
        match self {
            Unit::Program => {
                let is_bound = |name: &Name| program.buffer(name).is_some();
                let contents = case.contents.iter().filter(|(name, _)| is_bound(name));
                let contents = contents.map(|(name, bytes)| (name.clone(), bytes.clone())).collect();
                Case { program, ops: case.ops.clone(), grid: case.grid, contents }
            }
            Unit::Op(id) => {
                let changed = |op: &OpSpec| OpSpec { program: program.clone(), ..op.clone() };
                with_ops(case, case.ops.iter().map(|op| if op.id == *id { changed(op) } else { op.clone() }))
            }
        }
    }

    /// Index of the program. `None` if it is invalid, which is possible for ops without a call.
    pub(super) fn index<'c>(&self, case: &'c Case) -> Option<ProgramIndex<'c>> {
        let program = self.program(case)?;
        Some(ProgramIndex::new(program, validate(program, &case.ops).ok()?))
    }

    /// Applies as many of the proposed changes as possible.
    pub(super) fn change(&self, search: &mut Search<'_>, propose: &dyn Fn(&ProgramIndex<'_>) -> Vec<Change>) {
        if search.is_exhausted() {
            return;
        }
        let base = search.current().clone();
        let Some(index) = self.index(&base) else { return };
        let changes = propose(&index);
        search.apply_most(&changes, &mut |chosen| self.with_program(&base, apply(&index, &base.ops, chosen)));
    }
}

/// Replaces the ops of a case. Ids must be unique.
pub(super) fn with_ops(case: &Case, ops: impl IntoIterator<Item = OpSpec>) -> Case {
    // A duplicate id leaves the case unchanged, which the search treats as no progress.
    let ops = OpTable::new(ops).unwrap_or_else(|_| case.ops.clone());
    Case { program: case.program.clone(), ops, grid: case.grid, contents: case.contents.clone() }
}
