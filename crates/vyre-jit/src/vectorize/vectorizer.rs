//! The vectorizer: decides for each region whether SIMD groups run it.

use std::collections::BTreeMap;

use vyre_kernel::{Kernel, Statement};

use super::analysis::{KernelFacts, RegionAnalysis};
use super::decision::{ScalarReason, VectorizationPlan};
use super::variance::{SIMD_LANES, VarianceTable};
use crate::storage::StorageClass;

/// Selects the regions that are vectorized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorizationMode {
    /// Regions for which the cost model expects a gain.
    #[default]
    Profitable,
    /// All regions that can be vectorized.
    Always,
    /// No region.
    Never,
}

/// Code budget of the SIMD versions of a kernel, in instructions, and its growth per statement of the kernel.
const CODE_BUDGET: u64 = 2_000;
const CODE_BUDGET_PER_STATEMENT: u64 = 4;

/// Number of SIMD groups in an iteration of a small region.
const UNROLL_FACTOR: u32 = 4;

/// Maximum size of a region that is unrolled: operations of one group, and instructions after unrolling.
const MAX_UNROLLED_OPERATIONS: u32 = 16;
const MAX_UNROLLED_INSTRUCTIONS: u64 = 1_200;

/// Maximum number of iterations of the analysis. Slots and assumptions reach their fixpoint after a few.
const MAX_ITERATIONS: usize = 8;

/// Storage classes of a kernel: by value, and by slot.
#[derive(Clone, Copy)]
pub(crate) struct StorageClasses<'k> {
    pub(crate) values: &'k [StorageClass],
    pub(crate) slots: &'k [StorageClass],
}

/// State of the vectorizer across the regions of a kernel.
pub(crate) struct Vectorizer<'k> {
    facts: KernelFacts<'k>,
    tracks_returns: bool,
    mode: VectorizationMode,
    /// Instructions that the remaining regions may take.
    code_budget: u64,
}

impl<'k> Vectorizer<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel,
        storage: StorageClasses<'k>,
        tracks_returns: bool,
        mode: VectorizationMode,
    ) -> Vectorizer<'k> {
        let variance = VarianceTable::new(kernel, storage.values);
        let vector_slots = vec![false; kernel.slots.len()];
        Vectorizer {
            facts: KernelFacts { kernel, slots: storage.slots, variance, vector_slots },
            tracks_returns,
            mode,
            code_budget: CODE_BUDGET + CODE_BUDGET_PER_STATEMENT * kernel.statement_count() as u64,
        }
    }

    /// Vectorization plan of a region. Regions must come in order, with numbers from 1.
    pub(crate) fn plan(&mut self, region: u32, statements: &[Statement]) -> VectorizationPlan {
        let width = self.facts.kernel.workgroup_size[0];
        if !width.is_multiple_of(SIMD_LANES) {
            return VectorizationPlan::Scalar(ScalarReason::Width(width));
        }
        if self.tracks_returns {
            return VectorizationPlan::Scalar(ScalarReason::EarlierReturns);
        }
        self.facts.variance.start_region(region);
        let mut outcomes = BTreeMap::new();
        for _ in 0..MAX_ITERATIONS {
            let analysis = match RegionAnalysis::run(&mut self.facts, outcomes.clone(), statements) {
                Ok(analysis) => analysis,
                Err(reason) => return VectorizationPlan::Scalar(reason),
            };
            let RegionAnalysis { slots_settled, mut plan, cost, code_size, .. } = analysis;
            let settled = plan.preconditions.settle();
            if !slots_settled || *settled != outcomes {
                outcomes = settled.clone();
                continue;
            }
            if self.mode == VectorizationMode::Profitable && !cost.is_profitable() {
                let (scalarized, operations) = (plan.scalarized, cost.operations);
                return VectorizationPlan::Scalar(ScalarReason::Cost { scalarized, operations });
            }
            let can_unroll = cost.operations <= MAX_UNROLLED_OPERATIONS
                && width.is_multiple_of(UNROLL_FACTOR * SIMD_LANES)
                && code_size * u64::from(UNROLL_FACTOR) <= MAX_UNROLLED_INSTRUCTIONS;
            plan.unroll_factor = if can_unroll { UNROLL_FACTOR } else { 1 };
            let code_size = code_size * u64::from(plan.unroll_factor);
            if code_size > self.code_budget {
                return VectorizationPlan::Scalar(ScalarReason::CodeBudget);
            }
            self.code_budget -= code_size;
            return VectorizationPlan::Simd(plan);
        }
        VectorizationPlan::Scalar(ScalarReason::Size(statements.len()))
    }
}
