//! Dynamic work distribution: workgroups claim units from an atomic counter.

use vyre_ir::build::{Body, Buffer as Handle, Var, broadcast, local_id};
use vyre_ir::{AtomicOp, Expr};

/// Emits a loop in which each workgroup claims positions below `count` from word 0 of `counter`, until none is left.
pub(super) fn for_each_claimed(
    b: &mut Body<'_>,
    invocations: u32,
    counter: &Handle,
    count: &Var,
    body: impl FnOnce(&mut Body<'_>, Var),
) {
    b.for_("claim", 0u32, count, |b, _| {
        let next = b.let_("next", 0u32);
        b.if_(local_id(0).eq(0u32), |b| {
            b.assign(&next, Expr::atomic(AtomicOp::Add, counter.name(), 0u32, 1u32));
        });
        let position = match invocations {
            1 => next,
            _ => b.let_("position", broadcast(&next, 0u32)),
        };
        b.if_(position.ge(count), |b| b.break_());
        body(b, position);
    });
}
