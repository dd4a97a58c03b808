//! Edge-balanced partition of a CSR graph: each invocation processes a slice of consecutive edges, so that nodes of high degree
//! cause no load imbalance.
//!
//! An invocation finds the source node of its first edge by binary search in the offsets, and then advances from node to node.

use vyre_ir::Expr;
use vyre_ir::build::{Body, Buffer, Var, invocation_id};

/// Number of edges of a slice.
pub(crate) const EDGES_PER_SLICE: u32 = 32;

/// Calls `visit` with the source node and the position of each edge in the slice of this invocation, in order.
pub(crate) fn for_each_edge(
    b: &mut Body<'_>,
    offsets: &Buffer,
    targets: &Buffer,
    visit: impl FnOnce(&mut Body<'_>, &Var, &Var),
) {
    let edges = b.let_("edges", targets.len());
    let slice = b.let_("slice", invocation_id(0));
    let slices = &edges / EDGES_PER_SLICE + (&edges % EDGES_PER_SLICE).ne(0u32);
    b.if_(slice.lt(slices), |b| {
        let first = b.let_("first", &slice * EDGES_PER_SLICE);
        let node = source_of(b, offsets, &first);
        let end = b.let_("end", offsets.load(&node + 1u32));
        let length: Expr = (&edges - &first).min(EDGES_PER_SLICE);
        b.for_("step", 0u32, length, |b, step| {
            let edge = b.let_("edge", &first + step);
            // Skips nodes without edges.
            b.for_("next", 0u32, offsets.len(), |b, _| {
                b.if_(edge.lt(&end), |b| b.break_());
                b.assign(&node, &node + 1u32);
                b.assign(&end, offsets.load(&node + 1u32));
            });
            visit(b, &node, &edge);
        });
    });
}

/// Source node of an edge: the last node whose offset is at most the position of the edge.
fn source_of(b: &mut Body<'_>, offsets: &Buffer, edge: &Var) -> Var {
    let low = b.let_("low", 0u32);
    let high = b.let_("high", offsets.len() - 1u32);
    b.for_("halving", 0u32, 32u32, |b, _| {
        b.if_((&high - &low).le(1u32), |b| b.break_());
        let middle = b.let_("middle", &low + (&high - &low) / 2u32);
        b.if_else(offsets.load(&middle).le(edge), |b| b.assign(&low, &middle), |b| b.assign(&high, &middle));
    });
    low
}
