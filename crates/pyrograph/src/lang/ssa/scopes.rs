//! Names of a file: variables, the functions that they belong to, and what loops and protected blocks may change.

/// A variable.
#[derive(Debug)]
pub(in crate::lang) struct Variable<'a> {
    /// Name.
    pub(in crate::lang) name: &'a str,
    /// Declaring function.
    pub(in crate::lang) function: u32,
    /// Functions inside the declaring one use it.
    pub(in crate::lang) is_captured: bool,
    /// Functions inside the declaring one assign it.
    pub(in crate::lang) is_assigned_inside: bool,
    /// Number of assignments, with the initial one.
    pub(in crate::lang) assignments: u32,
    /// Number of assignments by functions inside the declaring one.
    pub(in crate::lang) inner_assignments: u32,
    /// Innermost function inside the declaring one that all those assignments are in. 0: there is none.
    pub(in crate::lang) assigner: u32,
    /// The first assignment is part of the declaration.
    pub(in crate::lang) is_initialised: bool,
    /// It exists from the start of its function: `var`, parameter.
    pub(in crate::lang) is_hoisted: bool,
    /// Reads.
    pub(in crate::lang) reads: u32,
    /// Reads of which only a member is read.
    pub(in crate::lang) member_reads: u32,
}

/// A function.
#[derive(Debug)]
pub(in crate::lang) struct Scope {
    /// Function around it.
    pub(in crate::lang) parent: u32,
    /// It has no receiver of its own.
    pub(in crate::lang) is_arrow: bool,
    /// Variable that arrow functions read the receiver from.
    pub(in crate::lang) this: Option<u32>,
    /// Variable `arguments`.
    pub(in crate::lang) arguments: Option<u32>,
    /// Variables of functions around it that it or functions inside it use: the first ones.
    pub(in crate::lang) captures: Vec<u32>,
}

/// What a loop or a protected block may change.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::lang) struct Region {
    /// Range of [`Scopes::region_variables`]: variables of the same function that are assigned.
    pub(in crate::lang) variables: (u32, u32),
    /// Range of [`Scopes::region_fields`]: names of stored fields.
    pub(in crate::lang) fields: (u32, u32),
    /// It calls something, or stores to a computed key.
    pub(in crate::lang) changes_all: bool,
}

/// Names of a file.
#[derive(Debug, Default)]
pub(in crate::lang) struct Scopes<'a> {
    /// Variables by number.
    pub(in crate::lang) variables: Vec<Variable<'a>>,
    /// Functions by number. The first one is the file.
    pub(in crate::lang) functions: Vec<Scope>,
    /// Regions by number.
    pub(in crate::lang) regions: Vec<Region>,
    /// Variables of regions.
    pub(in crate::lang) region_variables: Vec<u32>,
    /// Fields of regions.
    pub(in crate::lang) region_fields: Vec<&'a str>,
    /// Names of all fields that the file assigns. None: they are not known.
    pub(in crate::lang) stored_fields: Option<std::collections::HashSet<&'a str>>,
}
