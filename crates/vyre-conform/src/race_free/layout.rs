//! Which elements of a buffer belong to which invocation.

use vyre_ir::Expr;

use super::random::Random;

/// A rule by which numbered invocations own elements. No element has two owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// The elements `id * each + part` with `part < each`.
    Blocked {
        /// Elements of each invocation.
        each: u32,
    },
    /// The elements `part * count + id` with `part < each`.
    Strided {
        /// How many invocations there are.
        count: u32,
        /// Elements of each invocation.
        each: u32,
    },
    /// The element `id ^ mask`.
    Flipped {
        /// The bits that differ.
        mask: u32,
    },
    /// The element `last - id`.
    Reversed {
        /// The element of invocation 0.
        last: u32,
    },
    /// The element `(id + by) % count`.
    Rotated {
        /// How many invocations there are.
        count: u32,
        /// The element of invocation 0.
        by: u32,
    },
    /// The element `id * factor`, with an odd factor and so a different one for each id.
    Scattered {
        /// The odd factor.
        factor: u32,
    },
}

impl Layout {
    /// A layout for `count` invocations. Where it has to be `dense`, elements are those below `count * each`.
    pub(super) fn random(random: &mut Random, count: u32, dense: bool) -> Layout {
        let each = random.weighted(&[(45, 1), (20, 2), (15, 3), (15, 4), (5, 8)]);
        match random.below(100) {
            0..55 => Layout::Blocked { each },
            55..75 => Layout::Strided { count, each },
            75..82 if !dense => Layout::Flipped { mask: random.pick(&[1, 3, 5, 15, 16, 31]) },
            75..82 if count.is_power_of_two() => Layout::Flipped { mask: random.below(count) },
            75..90 => Layout::Reversed { last: count - 1 },
            90..94 if !dense => Layout::Scattered { factor: random.pick(&[1, 3, 5, 7, 0xffff_ffff]) },
            _ => Layout::Rotated { count, by: random.below(count) },
        }
    }

    /// How many elements an invocation owns.
    pub(super) fn each(self) -> u32 {
        match self {
            Layout::Blocked { each } | Layout::Strided { count: _, each } => each,
            Layout::Flipped { .. } | Layout::Reversed { .. } | Layout::Rotated { .. } | Layout::Scattered { .. } => 1,
        }
    }

    /// An element of invocation `id`. `part` must be below [`each`](Layout::each).
    pub(super) fn element(self, id: Expr, part: Expr, random: &mut Random) -> Expr {
        match self {
            Layout::Blocked { each: 1 } => id,
            Layout::Blocked { each } if each.is_power_of_two() => match random.below(3) {
                0 => (id << each.ilog2()) | part,
                1 => part + (id << each.ilog2()),
                _ => id * each + part,
            },
            Layout::Blocked { each } if random.chance(50) => id * each + part,
            Layout::Blocked { each } => part + each * id,
            Layout::Strided { count: _, each: 1 } => id,
            Layout::Strided { count, each: _ } if random.chance(50) => part * count + id,
            Layout::Strided { count, each: _ } => id + count * part,
            Layout::Flipped { mask } => id ^ mask,
            Layout::Reversed { last } => last - id,
            Layout::Rotated { count, by } => (id + by) % count,
            Layout::Scattered { factor } => id * factor,
        }
    }

    /// Whether invocation `id` owns `element`, where a simple test says so.
    pub(super) fn test(self, id: Expr, element: Expr, random: &mut Random) -> Option<Expr> {
        match self {
            Layout::Blocked { each } if each.is_power_of_two() && random.chance(50) => {
                Some((element >> each.ilog2()).eq(id))
            }
            Layout::Blocked { each } => Some((element / each).eq(id)),
            // Every element has an owner among the first `count`, however far it is.
            Layout::Strided { count, each: _ } => Some((element % count).eq(id)),
            Layout::Flipped { mask } => Some((element ^ mask).eq(id)),
            Layout::Reversed { .. } | Layout::Rotated { .. } | Layout::Scattered { .. } => None,
        }
    }
}
