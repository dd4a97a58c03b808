//! Steps of a workgroup: the program after region formation.

use vyre_kernel::{SlotId, Statement, ValueId};

use crate::vectorize::VectorizationPlan;

/// One step of a workgroup. Steps run in order, each once for the whole workgroup.
#[derive(Debug)]
pub(crate) enum Step {
    /// Computes a uniform value.
    Compute(ValueId),
    /// Computes a collective from the operands of all invocations.
    Collective(ValueId),
    /// Assigns to a slot that the workgroup shares.
    Set {
        slot: SlotId,
        value: ValueId,
    },
    /// Runs an invocation loop.
    Region(Region),
    If {
        cond: ValueId,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Loop {
        variable: ValueId,
        from: ValueId,
        to: ValueId,
        body: Vec<Step>,
    },
    Break,
    Return,
}

/// Statements without a rendezvous: the body of one invocation loop.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) statements: Vec<Statement>,
    /// Live-in values, which other regions compute.
    pub(crate) inputs: Vec<ValueId>,
    /// True if the region cannot run SIMD groups, because values of its invocations are in memory.
    pub(crate) is_scalar_only: bool,
    pub(crate) vectorization: VectorizationPlan,
}

/// Visits all regions in program order. Regions are numbered from 1.
pub(super) fn for_each_region(steps: &mut [Step], visit: &mut impl FnMut(u32, &mut Region)) {
    fn visit_steps(steps: &mut [Step], number: &mut u32, visit: &mut impl FnMut(u32, &mut Region)) {
        for step in steps {
            match step {
                Step::Region(region) => {
                    *number += 1;
                    visit(*number, region);
                }
                Step::If { cond: _, then, otherwise } => {
                    visit_steps(then, number, visit);
                    visit_steps(otherwise, number, visit);
                }
                Step::Loop { body, .. } => visit_steps(body, number, visit),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
    }
    visit_steps(steps, &mut 0, visit);
}
