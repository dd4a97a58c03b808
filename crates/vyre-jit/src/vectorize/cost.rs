//! Cost model of the vectorizer, in machine instructions.

use vyre_kernel::{Binary, Op, Unary, ValueId};

use super::variance::{SIMD_LANES, Variance};

/// Assumed number of iterations of a loop.
pub(super) const ASSUMED_ITERATIONS: u64 = 8;

/// Instructions of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpCost {
    /// For one invocation.
    pub(super) scalar: u64,
    /// For a SIMD group.
    pub(super) simd: u64,
}

const fn cost(scalar: u64, simd: u64) -> OpCost {
    OpCost { scalar, simd }
}

/// Instructions of a region, for one SIMD group.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionCost {
    pub(super) scalar: u64,
    pub(super) simd: u64,
    pub(super) operations: u32,
}

impl RegionCost {
    /// The cost of an empty region: the invocation loop itself.
    pub(super) fn of_loop() -> RegionCost {
        RegionCost { scalar: 12, simd: 3, operations: 0 }
    }

    /// Adds one operation that runs `weight` times.
    pub(super) fn add(&mut self, weight: u64, op: OpCost) {
        self.operations += 1;
        // The weight of deeply nested loops exceeds every number.
        let add = |sum: u64, cost: u64| sum.saturating_add(weight.saturating_mul(cost));
        self.scalar = add(self.scalar, u64::from(SIMD_LANES) * op.scalar);
        self.simd = add(self.simd, op.simd);
    }

    /// Reports whether the SIMD version saves at least a tenth.
    pub(super) fn is_profitable(&self) -> bool {
        u128::from(self.simd) * 10 <= u128::from(self.scalar) * 9
    }
}

/// Cost of an operation whose result varies, by the variance of its operands.
pub(super) fn op_cost(op: Op, variance: impl Fn(ValueId) -> Variance) -> OpCost {
    let scalarized = |scalar: u64| cost(scalar, 4 * (scalar + 2));
    match op {
        Op::Unary(unary, _) => match unary {
            Unary::Negate | Unary::BitNot => cost(1, 1),
            Unary::Popcount => cost(1, 12),
            Unary::Clz => cost(2, 23),
            Unary::Ctz => cost(2, 15),
            Unary::ReverseBits => cost(16, 18),
        },
        Op::Binary(binary, _, b) => match binary {
            Binary::Add | Binary::Sub | Binary::And | Binary::Or | Binary::Xor => cost(1, 1),
            Binary::Min | Binary::Max => cost(2, 1),
            Binary::Mul => cost(1, 2),
            Binary::MulHi => cost(4, 8),
            Binary::AbsDiff => cost(4, 3),
            Binary::Shl | Binary::Shr if variance(b) == Variance::Uniform => cost(1, 1),
            Binary::Shl | Binary::Shr => scalarized(2),
            Binary::Div | Binary::Mod => scalarized(10),
        },
        Op::Compare(..) => cost(1, 2),
        Op::Select(..) => cost(2, 2),
        Op::Extract(..) | Op::Pack2(_) | Op::Pack4(_) => cost(0, 0),
        _ => cost(1, 1),
    }
}
