//! The variables that can be used, and expressions that may be repeated.

use vyre_ir::{DataType, Expr, Name};

use super::buffers::Phase;
use super::random::Random;
use super::shape::Numbering;
use crate::pool::ODD_NAMES;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: DataType,
    /// Whether all invocations of a workgroup hold the same value, now and for good.
    pub(super) is_uniform: bool,
    /// Whether statements may assign to it.
    pub(super) is_mutable: bool,
    pub(super) role: Role,
}

/// What is known of the value of a variable that is never assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Any,
    /// The number of the invocation.
    Number(Numbering),
    /// An element of a buffer that the invocation owns while the buffer is in a phase.
    Element {
        /// The position of the buffer.
        buffer: usize,
        /// The phase in which it is owned.
        phase: Phase,
    },
    /// The result of an atomic, which depends on the order of invocations and must not matter.
    Accident,
}

/// An expression that was used before.
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
    /// How many variables were live before each open body.
    bodies: Vec<usize>,
    repeatable: Vec<Repeatable>,
    /// Names that are not live any more.
    free_names: Vec<Name>,
    made: u32,
    odd_names: bool,
}

const MOST_REPEATABLE: usize = 24;

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
            // Odd names run out, and a name that was freed may be handed out by the list.
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

    /// A variable that fits, recent ones before others.
    pub(super) fn pick(&self, random: &mut Random, fits: impl Fn(&Local) -> bool) -> Option<&Local> {
        let usable = |local: &&Local| local.role != Role::Accident && fits(local);
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

    /// Remembers an expression that may stand again wherever variables and buffers are as they are here.
    pub(super) fn remember(&mut self, expr: &Expr, ty: DataType, is_uniform: bool, needs_rendezvous: bool) {
        if self.repeatable.len() >= MOST_REPEATABLE {
            self.repeatable.remove(0);
        }
        let depth = self.bodies.len();
        self.repeatable.push(Repeatable { expr: expr.clone(), ty, is_uniform, needs_rendezvous, depth });
    }

    /// An expression that was used before.
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

    /// Forgets what may be repeated, because buffers may be used in other ways from now on.
    pub(super) fn forget_expressions(&mut self) {
        self.repeatable.clear();
    }
}
