//! Stride loops: the distribution of positions to workgroups and invocations, whatever the size of the grid.

use vyre_ir::build::{Body, Var, invocation_id, num_workgroups, workgroup_id};

/// Maximum number of workgroups of a dispatch on a GPU.
pub(crate) const MAX_GPU_WORKGROUPS: u32 = 16_384;
/// Maximum number of workgroups of a dispatch on a CPU.
pub(crate) const MAX_CPU_WORKGROUPS: u32 = 64;

/// Distributes the positions below `count` to the workgroups.
pub(crate) fn each_workgroup(b: &mut Body<'_>, count: &Var, body: impl FnOnce(&mut Body<'_>, &Var)) {
    let groups = b.let_("groups", num_workgroups(0));
    b.for_("iteration", 0u32, (count + &groups - 1u32) / &groups, |b, iteration| {
        let position = b.let_("position", iteration * &groups + workgroup_id(0));
        b.if_(position.lt(count), |b| body(b, &position));
    });
}

/// Distributes the positions below `count` to the invocations of workgroups of this size.
pub(crate) fn each_invocation(b: &mut Body<'_>, workgroup: u32, count: &Var, body: impl FnOnce(&mut Body<'_>, &Var)) {
    let stride = b.let_("stride", num_workgroups(0) * workgroup);
    b.for_("iteration", 0u32, (count + &stride - 1u32) / &stride, |b, iteration| {
        let position = b.let_("position", iteration * &stride + invocation_id(0));
        b.if_(position.lt(count), |b| body(b, &position));
    });
}
