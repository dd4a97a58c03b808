//! Ownership of buffer elements by invocations.

use vyre_ir::Expr;

use super::random::Random;

/// Mapping from numbered invocations to the elements that they own. No element has two owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ownership {
    /// The elements `id * each + part` with `part < each`.
    Blocked {
        /// Elements per invocation.
        each: u32,
    },
    /// The elements `part * count + id` with `part < each`.
    Strided {
        /// Number of invocations.
        count: u32,
        /// Elements per invocation.
        each: u32,
    },
    /// The element `id ^ mask`.
    Flipped {
        /// Bits to flip.
        mask: u32,
    },
    /// The element `last - id`.
    Reversed {
        /// Element of invocation 0.
        last: u32,
    },
    /// The element `(id + by) % count`.
    Rotated {
        /// Number of invocations.
        count: u32,
        /// Element of invocation 0.
        by: u32,
    },
    /// The element `id * factor`. The factor is odd, so the mapping is injective.
    Scattered {
        /// The odd factor.
        factor: u32,
    },
}

impl Ownership {
    /// A random mapping for `count` invocations. The elements of a `dense` one are those below `count * each`.
    pub(super) fn random(random: &mut Random, count: u32, dense: bool) -> Ownership {
        let each = random.weighted(&[(45, 1), (20, 2), (15, 3), (15, 4), (5, 8)]);
        match random.below(100) {
            0..55 => Ownership::Blocked { each },
            55..75 => Ownership::Strided { count, each },
            75..82 if !dense => Ownership::Flipped { mask: random.pick(&[1, 3, 5, 15, 16, 31]) },
            75..82 if count.is_power_of_two() => Ownership::Flipped { mask: random.below(count) },
            75..90 => Ownership::Reversed { last: count - 1 },
            90..94 if !dense => Ownership::Scattered { factor: random.pick(&[1, 3, 5, 7, 0xffff_ffff]) },
            _ => Ownership::Rotated { count, by: random.below(count) },
        }
    }

    /// Number of elements that an invocation owns.
    pub(super) fn each(self) -> u32 {
        match self {
            Ownership::Blocked { each } | Ownership::Strided { count: _, each } => each,
            Ownership::Flipped { .. }
            | Ownership::Reversed { .. }
            | Ownership::Rotated { .. }
            | Ownership::Scattered { .. } => 1,
        }
    }

    /// An element of invocation `id`. `part` must be below [`each`](Ownership::each).
    pub(super) fn element(self, id: Expr, part: Expr, random: &mut Random) -> Expr {
        match self {
            Ownership::Blocked { each: 1 } => id,
            Ownership::Blocked { each } if each.is_power_of_two() => match random.below(3) {
                0 => (id << each.ilog2()) | part,
                1 => part + (id << each.ilog2()),
                _ => id * each + part,
            },
            Ownership::Blocked { each } if random.chance(50) => id * each + part,
            Ownership::Blocked { each } => part + each * id,
            Ownership::Strided { count: _, each: 1 } => id,
            Ownership::Strided { count, each: _ } if random.chance(50) => part * count + id,
            Ownership::Strided { count, each: _ } => id + count * part,
            Ownership::Flipped { mask } => id ^ mask,
            Ownership::Reversed { last } => last - id,
            Ownership::Rotated { count, by } => (id + by) % count,
            Ownership::Scattered { factor } => id * factor,
        }
    }

    /// A condition that holds if invocation `id` owns `element`, if the mapping has a simple inverse.
    pub(super) fn test(self, id: Expr, element: Expr, random: &mut Random) -> Option<Expr> {
        match self {
            Ownership::Blocked { each } if each.is_power_of_two() && random.chance(50) => {
                Some((element >> each.ilog2()).eq(id))
            }
            Ownership::Blocked { each } => Some((element / each).eq(id)),
            // Every element has an owner among the first `count`, in range or not.
            Ownership::Strided { count, each: _ } => Some((element % count).eq(id)),
            Ownership::Flipped { mask } => Some((element ^ mask).eq(id)),
            Ownership::Reversed { .. } | Ownership::Rotated { .. } | Ownership::Scattered { .. } => None,
        }
    }
}
