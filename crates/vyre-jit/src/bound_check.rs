//! Bound checks: comparisons of an index with a limit.

use vyre_kernel::{Compare, Op, ValueId};

/// A comparison in the form `low < high`, or `low <= high` if `or_equal`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundCheck {
    pub(crate) low: ValueId,
    pub(crate) high: ValueId,
    pub(crate) or_equal: bool,
}

impl BoundCheck {
    /// The bound check that holds exactly where the comparison `op` yields `expected`. Equalities have none.
    pub(crate) fn of(op: Op, expected: bool) -> Option<BoundCheck> {
        let Op::Compare(compare, a, b) = op else { return None };
        let or_equal = match compare {
            Compare::Lt => false,
            Compare::Le => true,
            Compare::Eq | Compare::Ne => return None,
        };
        // The negation of `a < b` is `b <= a`.
        Some(if expected {
            BoundCheck { low: a, high: b, or_equal }
        } else {
            BoundCheck { low: b, high: a, or_equal: !or_equal }
        })
    }
}
