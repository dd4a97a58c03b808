//! Variance of values within a SIMD group (divergence analysis).
//!
//! The lattice is that of whole-function vectorization (Karrenberg and Hack, CGO 2011): a value is uniform, consecutive or varying
//! across the SIMD lanes of a group. A SIMD group is a run of neighbouring invocations along the first axis.

use vyre_kernel::{Binary, Id, Kernel, Key, Op, ValueId};

use crate::storage::StorageClass;

/// Number of invocations of a SIMD group.
pub(crate) const SIMD_LANES: u32 = 4;

/// Variance of a value across the invocations of a SIMD group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variance {
    /// All invocations have the same value.
    Uniform,
    /// The value grows by one from invocation to invocation, modulo 2^32.
    Consecutive,
    /// Nothing is known.
    Varying,
}

/// Variance of a leaf. SIMD groups lie along the first axis, so ids of that axis are consecutive.
pub(crate) fn leaf_variance(op: Op) -> Variance {
    match op {
        Op::Id(Id::Local | Id::Invocation, 0) => Variance::Consecutive,
        _ => Variance::Uniform,
    }
}

/// Transfer function: the variance of the result of an operation that is not a leaf and does not read a slot.
pub(crate) fn result_variance(op: Op, variance: impl Fn(ValueId) -> Variance) -> Variance {
    let mut all_uniform = true;
    op.for_each_operand(|operand| all_uniform &= variance(operand) == Variance::Uniform);
    match op {
        Op::Atomic { .. } | Op::Collective(_) => Variance::Varying,
        _ if all_uniform => Variance::Uniform,
        Op::Binary(Binary::Add, a, b) => match (variance(a), variance(b)) {
            (Variance::Consecutive, Variance::Uniform) | (Variance::Uniform, Variance::Consecutive) => {
                Variance::Consecutive
            }
            _ => Variance::Varying,
        },
        Op::Binary(Binary::Sub, a, b) if variance(a) == Variance::Consecutive && variance(b) == Variance::Uniform => {
            Variance::Consecutive
        }
        _ => Variance::Varying,
    }
}

/// Variance of all values of a kernel in the region that is analysed.
pub(super) struct VarianceTable<'k> {
    pub(super) kernel: &'k Kernel,
    storage: &'k [StorageClass],
    region: u32,
    /// By value: the region that computed it last, and its variance there.
    computed: Vec<(u32, Variance)>,
}

impl<'k> VarianceTable<'k> {
    /// A table for a kernel whose values have these storage classes.
    pub(super) fn new(kernel: &'k Kernel, storage: &'k [StorageClass]) -> VarianceTable<'k> {
        VarianceTable { kernel, storage, region: 0, computed: vec![(0, Variance::Varying); kernel.values.len()] }
    }

    /// Starts the analysis of a region, which has a number above 0.
    pub(super) fn start_region(&mut self, region: u32) {
        self.region = region;
    }

    /// Records the variance of a value that the region computes.
    pub(super) fn record(&mut self, value: ValueId, variance: Variance) {
        self.computed[value.position()] = (self.region, variance);
    }

    /// Reports whether the region has computed the value so far.
    pub(super) fn is_computed_here(&self, value: ValueId) -> bool {
        self.computed[value.position()].0 == self.region
    }

    /// Reports whether the workgroup computes the value once.
    pub(super) fn is_workgroup_value(&self, value: ValueId) -> bool {
        let class = self.storage[value.position()];
        matches!(class, StorageClass::WorkgroupRegister | StorageClass::Spilled { shared: true, .. })
    }

    /// Variance of a value. Values of other regions are varying, since each invocation loads its own element of an array.
    pub(super) fn variance(&self, value: ValueId) -> Variance {
        let op = self.kernel.op(value);
        if op.is_leaf() {
            leaf_variance(op)
        } else if self.is_workgroup_value(value) {
            Variance::Uniform
        } else {
            match self.computed[value.position()] {
                (region, variance) if region == self.region => variance,
                _ => Variance::Varying,
            }
        }
    }
}
