//! Valid programs and the facts that validation derives.

use std::sync::OnceLock;

use super::check::EntryFacts;
use super::measure::ProgramSize;
use super::resolution::{NO_TARGET, Variable};
use crate::{DataType, OpTable, Program, ProgramIdentity};

/// A program that breaks no rule, with the facts that validation derived.
///
/// Lowering and dispatch accept only valid programs. Facts are indexed by the ordinals of a
/// [`Traversal`](crate::Traversal).
#[derive(Clone, Debug)]
pub struct ValidProgram<'p> {
    program: &'p Program,
    ops: &'p OpTable,
    size: ProgramSize,
    facts: EntryFacts,
    /// Computed on the first request.
    identity: OnceLock<ProgramIdentity>,
}

impl<'p> ValidProgram<'p> {
    pub(super) fn new(
        program: &'p Program,
        ops: &'p OpTable,
        size: ProgramSize,
        facts: EntryFacts,
    ) -> ValidProgram<'p> {
        ValidProgram { program, ops, size, facts, identity: OnceLock::new() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The ops that its calls refer to.
    #[must_use]
    pub fn ops(&self) -> &'p OpTable {
        self.ops
    }

    /// Canonical bytes of the program and of the ops that it calls: the key of caches. Computed once, at the cost of an
    /// encoding.
    #[must_use]
    pub fn identity(&self) -> &ProgramIdentity {
        self.identity.get_or_init(|| ProgramIdentity::of(self.program, self.ops))
    }

    /// Number of statements and expressions.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.size.nodes
    }

    /// Number of statements and expressions with all calls expanded.
    #[must_use]
    pub fn expanded_node_count(&self) -> u64 {
        self.size.expanded_nodes
    }

    /// Nesting depth of bodies with all calls expanded; the entry has depth 0.
    #[must_use]
    pub fn nesting_depth(&self) -> u64 {
        self.size.nesting
    }

    /// Type of the expression with this ordinal; `None` for statements.
    #[must_use]
    pub fn type_of(&self, ordinal: u32) -> Option<DataType> {
        self.facts.resolution.types.get(ordinal as usize).copied().flatten()
    }

    /// The variables, in the order in which they are bound; `let _` binds none.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.facts.resolution.variables
    }

    /// Position of the target of a statement or expression: in [`variables`](ValidProgram::variables) for a `Var`,
    /// `Let`, `Assign` or `Loop`, and in [`Program::buffers`] for a `Load`, `Store`, `Atomic` or `BufLen`.
    #[must_use]
    pub fn target(&self, ordinal: u32) -> Option<usize> {
        let target = *self.facts.resolution.targets.get(ordinal as usize)?;
        (target != NO_TARGET).then_some(target as usize)
    }

    /// True if an expression has the same value in all invocations of a workgroup, or if all of them reach a statement
    /// together.
    #[must_use]
    pub fn is_uniform(&self, ordinal: u32) -> bool {
        self.facts.uniformity.is_uniform(ordinal)
    }

    /// True if a variable, by its position in [`variables`](ValidProgram::variables), has the same value in all
    /// invocations of a workgroup throughout its scope.
    #[must_use]
    pub fn is_uniform_variable(&self, position: usize) -> bool {
        self.facts.uniformity.is_uniform_variable(position)
    }
}
