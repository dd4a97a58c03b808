//! Workgroups that take turns.

use vyre_ir::build::{Body, Buffer as Handle, Var, broadcast, local_id};
use vyre_ir::{AtomicOp, Expr};

/// A workgroup of so many lanes takes positions below `count` from a counter, until there are none. Which ones it gets depends on
/// how fast it is.
pub(super) fn in_turns(
    b: &mut Body<'_>,
    lanes: u32,
    counter: &Handle,
    count: &Var,
    body: impl FnOnce(&mut Body<'_>, Var),
) {
    b.for_("turn", 0u32, count, |b, _| {
        let next = b.let_("next", 0u32);
        b.if_(local_id(0).eq(0u32), |b| {
            b.assign(&next, Expr::atomic(AtomicOp::Add, counter.name(), 0u32, 1u32));
        });
        let position = match lanes {
            1 => next,
            _ => b.let_("position", broadcast(&next, 0u32)),
        };
        b.if_(position.ge(count), |b| b.break_());
        body(b, position);
    });
}
