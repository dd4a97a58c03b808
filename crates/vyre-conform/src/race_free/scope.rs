//! Scopes: live variables, and expressions that may be repeated.

use vyre_ir::{DataType, Expr, Name};

use super::buffers::Phase;
use super::grid::Numbering;
use super::random::Random;
use crate::pool::ODD_NAMES;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: DataType,
    /// True if the value is uniform for the whole lifetime of the variable.
    pub(super) is_uniform: bool,
    /// True if statements may assign to it.
    pub(super) is_mutable: bool,
    pub(super) role: Role,
}

/// Known meaning of a variable that is never assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Any,
    /// Number of the invocation.
    Number(Numbering),
    /// Index of an element that the invocation owns while the buffer is in a phase.
    Element {
        /// Position of the buffer.
        buffer: usize,
        /// Phase in which it is owned.
        phase: Phase,
    },
    /// Result of an atomic that depends on the order of invocations. It must not affect results.
    Nondeterministic,
}

/// An earlier expression.
#[derive(Clone, Debug)]
struct Repeatable {
    expr: Expr,
    ty: DataType,
    is_uniform: bool,
    needs_rendezvous: bool,
    depth: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    locals: Vec<Local>,
    /// Number of live variables before each open body.
    bodies: Vec<usize>,
    repeatable: Vec<Repeatable>,
    /// Names of variables that are out of scope.
    free_names: Vec<Name>,
    made: u32,
    odd_names: bool,
}

/// Maximum number of expressions that may be repeated.
const MAX_REPEATABLE: usize = 24;

impl Scope {
    pub(super) fn new(odd_names: bool) -> Scope {
        Scope { odd_names, ..Scope::default() }
    }

    pub(super) fn enter(&mut self) {
        self.bodies.push(self.locals.len());
    }

    pub(super) fn leave(&mut self) {
        let kept = self.bodies.pop().unwrap_or(0);
        self.free_names.extend(self.locals.drain(kept..).map(|local| local.name));
        let depth = self.bodies.len();
        self.repeatable.retain(|entry| entry.depth <= depth);
    }

    /// A name that is not live.
    pub(super) fn fresh_name(&mut self, random: &mut Random) -> Name {
        if !self.free_names.is_empty() && random.chance(30) {
            let at = random.below(self.free_names.len() as u32) as usize;
            return self.free_names.swap_remove(at);
        }
        loop {
            self.made += 1;
            let name = match random.below(4) {
                _ if self.odd_names => Name::from(random.pick(&ODD_NAMES)),
                0 => Name::from(random.pick(&["a", "b", "i", "j", "x", "y", "out", "data", "sum"])),
                _ => Name::from(format!("v{}", self.made)),
            };
            // The supply of odd names is finite, and freed names are reused through the list.
            let taken = self.locals.iter().any(|local| local.name == name) || self.free_names.contains(&name);
            if !taken && !name.is_discard() {
                return name;
            }
            if self.odd_names && self.made > 60 {
                self.odd_names = false;
            }
        }
    }

    pub(super) fn bind(&mut self, local: Local) {
        self.locals.push(local);
    }

    /// A random variable that fits, with a preference for recent ones.
    pub(super) fn pick(&self, random: &mut Random, fits: impl Fn(&Local) -> bool) -> Option<&Local> {
        let usable = |local: &&Local| local.role != Role::Nondeterministic && fits(local);
        let count = self.locals.iter().filter(usable).count() as u32;
        if count == 0 {
            return None;
        }
        let back = random.below(count).min(random.below(count));
        self.locals.iter().rev().filter(usable).nth(back as usize)
    }

    /// A variable with a role.
    pub(super) fn with_role(&self, random: &mut Random, role: Role) -> Option<&Name> {
        let count = self.locals.iter().filter(|local| local.role == role).count() as u32;
        let at = random.below(count) as usize;
        self.locals.iter().filter(|local| local.role == role).nth(at).map(|local| &local.name)
    }

    /// Remembers an expression that may be repeated while variables and buffers are unchanged.
    pub(super) fn remember(&mut self, expr: &Expr, ty: DataType, is_uniform: bool, needs_rendezvous: bool) {
        if self.repeatable.len() >= MAX_REPEATABLE {
            self.repeatable.remove(0);
        }
        let depth = self.bodies.len();
        self.repeatable.push(Repeatable { expr: expr.clone(), ty, is_uniform, needs_rendezvous, depth });
    }

    /// A remembered expression.
    pub(super) fn repeat(
        &self,
        random: &mut Random,
        ty: DataType,
        uniform: bool,
        rendezvous: bool,
    ) -> Option<(Expr, bool)> {
        let fits = |entry: &&Repeatable| {
            entry.ty == ty && (entry.is_uniform || !uniform) && (rendezvous || !entry.needs_rendezvous)
        };
        let count = self.repeatable.iter().filter(fits).count() as u32;
        let at = random.below(count) as usize;
        self.repeatable.iter().filter(fits).nth(at).map(|entry| (entry.expr.clone(), entry.is_uniform))
    }

    /// Forgets all expressions, because buffers are in other phases.
    pub(super) fn forget_expressions(&mut self) {
        self.repeatable.clear();
    }
}
