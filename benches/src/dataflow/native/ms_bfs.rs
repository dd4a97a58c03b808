//! Multi-source BFS with bit-parallel frontiers (Then et al., VLDB 2014): a bit set of sources per node, all levels bottom-up.

use std::time::{Duration, Instant};

use vyre_dataflow::preparation::{DROPPED, PreparedGraph};

use super::super::digest::Found;
use super::emit;

/// Edges that are read between two checks if a node still lacks a source.
const EDGES_PER_CHECK: usize = 32;

/// Set of sources.
type BitSet<const W: usize> = [u64; W];

/// Bit sets of a batch.
struct Frontiers<const W: usize> {
    seen: Vec<BitSet<W>>,
    fronts: [Vec<BitSet<W>>; 2],
    /// A bit per node that was reached in the last level, for this level and the next.
    actives: [Vec<u64>; 2],
    /// Sources that reached a node in the last level.
    alive: BitSet<W>,
}

/// Searches in batches of `64 * W` sources.
pub(super) fn search<const W: usize>(
    prepared: &PreparedGraph,
    sources: &[u32],
    mut receive: impl FnMut(Found),
) -> Duration {
    let start = Instant::now();
    let bit_sets = || vec![[0; W]; prepared.node_count()];
    let active = || vec![0; prepared.node_count().div_ceil(64)];
    let mut frontiers =
        Frontiers { seen: bit_sets(), fronts: [bit_sets(), bit_sets()], actives: [active(), active()], alive: [0; W] };
    let (width, sinks) = (prepared.sinks.len(), prepared.original_sinks());
    let mut depths = vec![0u32; (64 * W).min(sources.len()) * width];
    let mut traversal = start.elapsed();
    for batch in sources.chunks(64 * W) {
        let start = Instant::now();
        depths.fill(0);
        traverse(prepared, batch, &mut frontiers, &mut depths);
        traversal += start.elapsed();
        for (at, &source) in batch.iter().enumerate() {
            emit(source, &sinks, &depths[at * width..(at + 1) * width], &mut receive);
        }
    }
    traversal
}

fn traverse<const W: usize>(prepared: &PreparedGraph, batch: &[u32], frontiers: &mut Frontiers<W>, depths: &mut [u32]) {
    let Frontiers { seen, fronts: [front, next], actives: [active, next_active], alive } = frontiers;
    seen.fill([0; W]);
    active.fill(0);
    front.fill([0; W]);
    *alive = [0; W];
    for (at, &source) in batch.iter().enumerate() {
        let node = prepared.new_ids[source as usize];
        if node != DROPPED {
            let (word, bit) = (at / 64, 1u64 << (at % 64));
            seen[node as usize][word] |= bit;
            front[node as usize][word] |= bit;
            alive[word] |= bit;
            active[node as usize / 64] |= 1 << (node % 64);
        }
    }
    for level in 1.. {
        next_active.fill(0);
        *alive = pull(prepared, *alive, [front, next], seen, [active, next_active]);
        store_depths(prepared, level, next, next_active, depths);
        if alive.iter().all(|&word| word == 0) {
            return;
        }
        std::mem::swap(front, next);
        std::mem::swap(active, next_active);
    }
}

/// Bottom-up step: every node adds the bits of its active predecessors. Returns the sources that have reached a new node.
fn pull<const W: usize>(
    prepared: &PreparedGraph,
    alive: BitSet<W>,
    [front, next]: [&mut Vec<BitSet<W>>; 2],
    seen: &mut [BitSet<W>],
    [active, next_active]: [&mut Vec<u64>; 2],
) -> BitSet<W> {
    let mut used = [0; W];
    // The order by in-degree always has the transposed graph.
    let Some(backward) = &prepared.backward else { return used };
    let ranges = backward.offsets.windows(2);
    for (node, ((known, next), range)) in seen.iter_mut().zip(next.iter_mut()).zip(ranges).enumerate() {
        let missing: BitSet<W> = std::array::from_fn(|at| alive[at] & !known[at]);
        if missing.iter().fold(0, |all, word| all | word) == 0 {
            continue;
        }
        let mut gathered = [0; W];
        for edges in backward.targets[range[0] as usize..range[1] as usize].chunks(EDGES_PER_CHECK) {
            for &source in edges {
                if active[source as usize / 64] >> (source % 64) & 1 != 0 {
                    let bits = &front[source as usize];
                    (0..W).for_each(|at| gathered[at] |= bits[at]);
                }
            }
            if (0..W).fold(0, |all, at| all | (missing[at] & !gathered[at])) == 0 {
                break;
            }
        }
        let new: BitSet<W> = std::array::from_fn(|at| gathered[at] & !known[at]);
        if new.iter().fold(0, |all, word| all | word) != 0 {
            *next = new;
            (0..W).for_each(|at| {
                known[at] |= new[at];
                used[at] |= new[at];
            });
            next_active[node / 64] |= 1 << (node % 64);
        }
    }
    used
}

/// Stores the level of each sink for the sources that have just reached it.
fn store_depths<const W: usize>(
    prepared: &PreparedGraph,
    level: u32,
    front: &[BitSet<W>],
    active: &[u64],
    depths: &mut [u32],
) {
    for (sink, &node) in prepared.sinks.iter().enumerate() {
        if active[node as usize / 64] >> (node % 64) & 1 == 0 {
            continue;
        }
        for (word, &bits) in front[node as usize].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let source = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                depths[source * prepared.sinks.len() + sink] = level;
            }
        }
    }
}
