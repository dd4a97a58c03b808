//! What validation finds out about a program.

use std::sync::OnceLock;

use super::limits::Sizes;
use super::uniformity::Uniformity;
use crate::{DataType, Name, OpTable, Program, ProgramIdentity};

/// A program that breaks no rule, with the facts that were found on the way.
///
/// Lowering and running accept nothing else. Facts are looked up by the ordinals of a [`Traversal`](crate::Traversal).
#[derive(Clone, Debug)]
pub struct ValidProgram<'p> {
    program: &'p Program,
    ops: &'p OpTable,
    sizes: Sizes,
    resolved: Resolved,
    uniformity: Uniformity,
    /// Made when somebody asks.
    identity: OnceLock<ProgramIdentity>,
}

/// A `let` binding or loop variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, which others may have where it is not live.
    pub name: Name,
    /// Its type.
    pub ty: DataType,
    /// The ordinal of the statement that binds it.
    pub declared: u32,
    /// Whether it is a loop variable, which cannot be assigned.
    pub is_loop_variable: bool,
}

/// Types and references, by ordinal.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// The type of each expression; `None` for statements and for what failed.
    pub(super) types: Vec<Option<DataType>>,
    /// The variable or buffer that each statement or expression refers to.
    pub(super) targets: Vec<u32>,
    pub(super) variables: Vec<Variable>,
}

/// No variable and no buffer.
pub(super) const NO_TARGET: u32 = u32::MAX;

impl<'p> ValidProgram<'p> {
    pub(super) fn new(
        program: &'p Program,
        ops: &'p OpTable,
        sizes: Sizes,
        resolved: Resolved,
        uniformity: Uniformity,
    ) -> ValidProgram<'p> {
        ValidProgram { program, ops, sizes, resolved, uniformity, identity: OnceLock::new() }
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

    /// What the program and the ops that it calls are, as bytes: the key under which pipelines are kept. It is made once, at
    /// the cost of an encoding.
    #[must_use]
    pub fn identity(&self) -> &ProgramIdentity {
        self.identity.get_or_init(|| ProgramIdentity::of(self.program, self.ops))
    }

    /// How many statements and expressions the program has.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.sizes.nodes
    }

    /// How many it has with all calls expanded.
    #[must_use]
    pub fn expanded_node_count(&self) -> u64 {
        self.sizes.expanded_nodes
    }

    /// How deep its bodies are nested with all calls expanded; the entry has depth 0.
    #[must_use]
    pub fn nesting_depth(&self) -> u64 {
        self.sizes.nesting
    }

    /// The type of the expression with this ordinal; `None` for statements.
    #[must_use]
    pub fn type_of(&self, ordinal: u32) -> Option<DataType> {
        self.resolved.types.get(ordinal as usize).copied().flatten()
    }

    /// The variables, in the order in which they are bound; `let _` binds none.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.resolved.variables
    }

    /// The position in [`variables`](ValidProgram::variables) of what a `Var`, `Let`, `Assign` or `Loop` refers to, or
    /// the position in [`Program::buffers`] of what a `Load`, `Store`, `Atomic` or `BufLen` refers to.
    #[must_use]
    pub fn target(&self, ordinal: u32) -> Option<usize> {
        let target = *self.resolved.targets.get(ordinal as usize)?;
        (target != NO_TARGET).then_some(target as usize)
    }

    /// Whether all invocations of a workgroup agree on the value of this expression; of a statement, whether all of
    /// them reach it together.
    #[must_use]
    pub fn is_uniform(&self, ordinal: u32) -> bool {
        self.uniformity.is_uniform(ordinal)
    }

    /// Whether a variable, by its position in [`variables`](ValidProgram::variables), has the same value in all
    /// invocations of a workgroup wherever it is live.
    #[must_use]
    pub fn is_uniform_variable(&self, position: usize) -> bool {
        self.uniformity.is_uniform_variable(position)
    }
}
