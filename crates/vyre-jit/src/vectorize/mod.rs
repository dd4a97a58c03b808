//! Whole-function vectorization of regions (Karrenberg and Hack, CGO 2011).
//!
//! Four neighbouring invocations of a scanline form a *SIMD group*. Within a group a value is uniform, consecutive or varying, see
//! [`Variance`]. The analysis checks legality, finds the preconditions of a SIMD version, and compares costs. Its result is a
//! [`VectorizationPlan`] for each region.
//!
//! Costs: up to eight iterations over a region of at most 2,000 statements. A code budget that is linear in the size of the
//! kernel limits the SIMD versions. Limits: the first axis must be a multiple of four, branches that diverge on data and
//! loops with divergent bounds are not vectorized.

mod analysis;
mod cost;
mod decision;
mod preconditions;
mod variance;
mod vectorizer;

pub(crate) use decision::{ScalarReason, SimdPlan, VectorizationPlan};
pub(crate) use preconditions::{Assumption, MAX_CONDITION_DEPTH};
pub(crate) use variance::{SIMD_LANES, Variance, leaf_variance, result_variance};
pub use vectorizer::VectorizationMode;
pub(crate) use vectorizer::{StorageClasses, Vectorizer};
