//! Resolved names and types of a program, by ordinal.

use crate::{DataType, Name};

/// A `let` binding or loop variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name. Variables with disjoint scopes may share a name.
    pub name: Name,
    /// Type.
    pub ty: DataType,
    /// Ordinal of the statement that binds the variable.
    pub declared: u32,
    /// True for a loop variable, which cannot be assigned.
    pub is_loop_variable: bool,
}

/// Types and targets of statements and expressions.
#[derive(Clone, Debug)]
pub(super) struct Resolution {
    /// Type of each expression; `None` for statements and for expressions that failed.
    pub(super) types: Vec<Option<DataType>>,
    /// Variable or buffer that each statement or expression refers to, or [`NO_TARGET`].
    pub(super) targets: Vec<u32>,
    pub(super) variables: Vec<Variable>,
}

/// Target of a statement or expression that refers to no variable and no buffer.
pub(super) const NO_TARGET: u32 = u32::MAX;
