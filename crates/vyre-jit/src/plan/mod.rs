//! Workgroup plans: the schedule of a workgroup on one thread.
//!
//! A thread runs the invocations of a workgroup in loops. Planning has four passes:
//!
//! 1. [`workgroup_control`] and [`loop_interchange`] find the control flow that the workgroup executes as a whole.
//! 2. [`regions`] splits the invocation loop at barriers and collectives (loop fission).
//! 3. [`spilling`], [`register_pressure`] and [`live_ranges`] assign storage classes to values and slots.
//! 4. [`vectorize`](crate::vectorize) decides for each region whether SIMD groups run it.
//!
//! A barrier costs the end of a loop. Control flow around a rendezvous and uniform values run once per workgroup. All passes
//! are linear in the size of the kernel, apart from small constant numbers of repetitions.

mod live_ranges;
mod loop_interchange;
mod regions;
mod register_pressure;
mod spilling;
mod step;
mod workgroup_control;

use vyre_kernel::Kernel;

use crate::storage::StorageClass;
use crate::vectorize::{ScalarReason, StorageClasses, VectorizationMode, VectorizationPlan, Vectorizer};
pub(crate) use live_ranges::LiveRangeLimit;
pub(crate) use step::{Region, Step};

/// Options of planning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanOptions {
    pub(crate) mode: VectorizationMode,
    pub(crate) live_ranges: LiveRangeLimit,
}

/// Plan of a kernel.
///
/// # Layout of scratch memory
///
/// A thread needs [`bytes`](Plan::bytes) bytes of scratch memory. Each part starts at a multiple of 16 bytes.
///
/// | Start | Bytes | Contents |
/// |---|---|---|
/// | 0 | 4 × `slot_array_words` × `invocations` | arrays of slots, zero at the start of a workgroup |
/// | after the slots | 4 × (`array_words` − `slot_array_words`) × `invocations` | arrays of values |
/// | [`returned_start`](Plan::returned_start) | `invocations`, if `tracks_returns` | a byte per invocation: 1 after it returned |
/// | [`spilled_start`](Plan::spilled_start) | 16 × `spilled_words` | spilled slots and values, a word for each SIMD lane |
///
/// Word `w` of invocation `i` lies at byte 4 × (`w` × `invocations` + `i`), so that a SIMD group loads neighbouring words.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// Storage classes by value.
    pub(crate) values: Vec<StorageClass>,
    /// By value: true if it is in an array and is loaded at each use rather than at the start of a region.
    pub(crate) is_loaded_at_use: Vec<bool>,
    /// Storage classes by slot.
    pub(crate) slots: Vec<StorageClass>,
    /// Words of slot arrays for each invocation.
    pub(crate) slot_array_words: u32,
    /// Words of all arrays for each invocation.
    array_words: u32,
    /// Words of slots and values that are spilled because of register pressure.
    spilled_words: u32,
    /// True if regions must skip invocations that returned in an earlier region.
    pub(crate) tracks_returns: bool,
    /// Number of invocations of a workgroup.
    invocations: u32,
}

impl Plan {
    /// Plans a kernel.
    pub(crate) fn new(kernel: &Kernel, PlanOptions { mode, live_ranges }: PlanOptions) -> Plan {
        let formation = regions::form_regions(kernel);
        let mut storage = spilling::assign_storage(kernel, formation, live_ranges);
        if mode != VectorizationMode::Never {
            let classes = StorageClasses { values: &storage.values, slots: &storage.slots };
            let mut vectorizer = Vectorizer::new(kernel, classes, storage.tracks_returns, mode);
            step::for_each_region(&mut storage.steps, &mut |number, region| {
                region.vectorization = if region.is_scalar_only {
                    VectorizationPlan::Scalar(ScalarReason::Size(region.statements.len()))
                } else {
                    vectorizer.plan(number, &region.statements)
                };
            });
        }
        Plan {
            steps: storage.steps,
            values: storage.values,
            is_loaded_at_use: storage.is_loaded_at_use,
            slots: storage.slots,
            slot_array_words: storage.slot_array_words,
            array_words: storage.array_words,
            spilled_words: storage.spilled_words,
            tracks_returns: storage.tracks_returns,
            invocations: kernel.workgroup_size.iter().product(),
        }
    }

    /// Offset of the bytes that record returned invocations.
    pub(crate) fn returned_start(&self) -> u64 {
        (u64::from(self.array_words) * u64::from(self.invocations) * 4).next_multiple_of(16)
    }

    /// Offset of spilled slots.
    pub(crate) fn spilled_start(&self) -> u64 {
        let returned = if self.tracks_returns { u64::from(self.invocations).next_multiple_of(16) } else { 0 };
        self.returned_start() + returned
    }

    /// Bytes of scratch memory that a thread needs.
    pub(crate) fn bytes(&self) -> u64 {
        self.spilled_start() + u64::from(self.spilled_words) * 16
    }
}
