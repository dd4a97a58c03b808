//! Relaxation of edges: a node's distance is propagated to its neighbours.

use vyre_ir::build::{Body, Buffer, ProgramBuilder, Var};
use vyre_ir::{AtomicOp, DataType, Expr};

/// Distance of nodes that no source reaches.
pub const UNREACHED: u32 = u32::MAX;

/// The graph and the distances in a program.
pub(crate) struct Relaxation {
    offsets: Buffer,
    targets: Buffer,
    weights: Buffer,
    pub(crate) distances: Buffer,
}

impl Relaxation {
    /// Declares the buffers after those that the program already has.
    pub(crate) fn declare(p: &mut ProgramBuilder) -> Relaxation {
        Relaxation {
            offsets: p.read("offsets", DataType::U32),
            targets: p.read("targets", DataType::U32),
            weights: p.read("weights", DataType::U32),
            distances: p.read_write("distances", DataType::U32),
        }
    }

    /// Relaxes the edges of a node. `improve` gets each node whose distance decreases, with the distances before and after.
    pub(crate) fn relax(&self, b: &mut Body<'_>, node: &Var, improve: impl FnOnce(&mut Body<'_>, &Var, [&Var; 2])) {
        let Relaxation { offsets, targets, weights, distances } = self;
        let here = b.let_("here", Expr::atomic_load(distances.name(), node));
        b.for_("edge", offsets.load(node), offsets.load(node + 1u32), |b, edge| {
            // An edge without a weight has weight 1.
            let weight = edge.lt(weights.len()).select(weights.load(edge), 1u32);
            let there = b.let_("there", &here + weight);
            let target = b.let_("target", targets.load(edge));
            // A sum beyond 32 bits wraps and is less than its terms. Such paths are dropped; the host detects if they matter. The load
            // before the update is cheaper than an update. Distances only decrease, so a stale one is safe.
            b.if_(there.ge(&here).and(there.lt(Expr::atomic_load(distances.name(), &target))), |b| {
                let before = b.atomic("before", AtomicOp::Min, distances, &target, &there);
                b.if_(there.lt(&before), |b| improve(b, &target, [&before, &there]));
            });
        });
    }
}
