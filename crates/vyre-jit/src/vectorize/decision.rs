//! Vectorization plans: the result of the analysis of one region.

use vyre_kernel::{SlotId, ValueId};

use super::preconditions::Preconditions;

/// Vectorization plan of a region.
#[derive(Debug)]
pub(crate) enum VectorizationPlan {
    /// The region runs one invocation at a time.
    Scalar(ScalarReason),
    /// The region runs one SIMD group at a time in scanlines that satisfy the preconditions, else one invocation at a time.
    Simd(SimdPlan),
}

impl Default for VectorizationPlan {
    fn default() -> VectorizationPlan {
        VectorizationPlan::Scalar(ScalarReason::NoVectors)
    }
}

/// Parameters of the SIMD version of a region.
#[derive(Debug, Default)]
pub(crate) struct SimdPlan {
    pub(crate) preconditions: Preconditions,
    /// Number of SIMD groups in one iteration of the loop over groups.
    pub(crate) unroll_factor: u32,
    /// Slots that hold a vector. Other slots hold the same value in all invocations of a group.
    pub(crate) vector_slots: Vec<SlotId>,
    /// Number of accesses and branches that are tested for each group.
    pub(crate) group_tests: u32,
    /// Number of operations that are scalarized: done for one SIMD lane after the other.
    pub(crate) scalarized: u32,
}

/// Reason for a scalar plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarReason {
    /// The machine has no vectors of 128 bits, or the options turn vectorization off.
    NoVectors,
    /// The width of the workgroup is no multiple of a SIMD group.
    Width(u32),
    /// The region has too many statements for a second version.
    Size(usize),
    /// The SIMD versions of earlier regions have used up the code budget.
    CodeBudget,
    /// Invocations that returned in an earlier region must be skipped.
    EarlierReturns,
    /// The condition of a branch diverges on data.
    DivergentBranch(ValueId),
    /// The bounds of the loop over this variable are not uniform.
    DivergentBounds(ValueId),
    /// Some invocations of a group may leave at this condition.
    DivergentExit(ValueId),
    /// The cost model expects no gain.
    Cost { scalarized: u32, operations: u32 },
}
