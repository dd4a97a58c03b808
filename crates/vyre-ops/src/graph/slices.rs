//! Going through all edges of a graph in slices of equal length, so that nodes with many edges hold nobody up.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer, Var, invocation_id};

/// How many edges an invocation goes through.
pub(crate) const EDGES: u32 = 32;

/// Calls `visit` with the node and the position of each edge of the slice of this invocation, in order.
pub(crate) fn for_each_edge(
    b: &mut Body<'_>,
    offsets: &Buffer,
    targets: &Buffer,
    visit: impl FnOnce(&mut Body<'_>, &Var, &Var),
) {
    let edges = b.let_("edges", targets.len());
    let slice = b.let_("slice", invocation_id(0));
    let slices = &edges / EDGES + (&edges % EDGES).ne(0u32);
    b.if_(slice.lt(slices), |b| {
        let first = b.let_("first", &slice * EDGES);
        let node = first_node(b, offsets, &first);
        let end = b.let_("end", offsets.load(&node + 1u32));
        let length: Expr = (&edges - &first).min(EDGES);
        b.for_("step", 0u32, length, |b, step| {
            let edge = b.let_("edge", &first + step);
            // Past nodes without edges.
            b.for_("next", 0u32, offsets.len(), |b, _| {
                b.if_(edge.lt(&end), |b| b.break_());
                b.assign(&node, &node + 1u32);
                b.assign(&end, offsets.load(&node + 1u32));
            });
            visit(b, &node, &edge);
        });
    });
}

/// The node that an edge begins at: the last one whose edges begin at it or before it.
fn first_node(b: &mut Body<'_>, offsets: &Buffer, edge: &Var) -> Var {
    let low = b.let_("low", 0u32);
    let high = b.let_("high", offsets.len() - 1u32);
    b.for_("halving", 0u32, 32u32, |b, _| {
        b.if_((&high - &low).le(1u32), |b| b.break_());
        let middle = b.let_("middle", &low + (&high - &low) / 2u32);
        b.if_else(offsets.load(&middle).le(edge), |b| b.assign(&low, &middle), |b| b.assign(&high, &middle));
    });
    low
}
