//! The bit-parallel path: a row of bits for each node, and every node looks at its incoming edges in every level.

use std::time::{Duration, Instant};

use super::super::answer::Found;
use super::hand_on;
use super::prepare::{DROPPED, Left};

/// How many edges are looked at before a node asks whether it still misses anything.
const STRETCH: usize = 32;

type Row<const W: usize> = [u64; W];

/// The rows of a batch.
struct Rows<const W: usize> {
    seen: Vec<Row<W>>,
    fronts: [Vec<Row<W>>; 2],
    /// A bit for each node that was reached in the last level, and the sources that did so.
    actives: [Vec<u64>; 2],
    alive: Row<W>,
}

/// Batches of `64 * W` sources.
pub(super) fn search<const W: usize>(left: &Left, sources: &[u32], mut receive: impl FnMut(Found)) -> Duration {
    let start = Instant::now();
    let row = || vec![[0; W]; left.nodes];
    let active = || vec![0; left.nodes.div_ceil(64)];
    let mut rows = Rows { seen: row(), fronts: [row(), row()], actives: [active(), active()], alive: [0; W] };
    let width = left.sinks.len();
    let mut depths = vec![0u32; (64 * W).min(sources.len()) * width];
    let mut traversal = start.elapsed();
    for batch in sources.chunks(64 * W) {
        let start = Instant::now();
        depths.fill(0);
        traverse(left, batch, &mut rows, &mut depths);
        traversal += start.elapsed();
        for (at, &source) in batch.iter().enumerate() {
            hand_on(source, &left.sink_nodes, &depths[at * width..(at + 1) * width], &mut receive);
        }
    }
    traversal
}

fn traverse<const W: usize>(left: &Left, batch: &[u32], rows: &mut Rows<W>, depths: &mut [u32]) {
    let Rows { seen, fronts: [front, next], actives: [active, next_active], alive } = rows;
    seen.fill([0; W]);
    active.fill(0);
    front.fill([0; W]);
    *alive = [0; W];
    for (at, &source) in batch.iter().enumerate() {
        let node = left.place[source as usize];
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
        *alive = pull(left, *alive, [front, next], seen, [active, next_active]);
        harvest(left, level, next, next_active, depths);
        if alive.iter().all(|&word| word == 0) {
            return;
        }
        std::mem::swap(front, next);
        std::mem::swap(active, next_active);
    }
}

/// Every node takes over the bits of active nodes that lead to it. Gives the sources that have reached anything.
fn pull<const W: usize>(
    left: &Left,
    alive: Row<W>,
    [front, next]: [&mut Vec<Row<W>>; 2],
    seen: &mut [Row<W>],
    [active, next_active]: [&mut Vec<u64>; 2],
) -> Row<W> {
    let mut used = [0; W];
    let places = left.edges.offsets.windows(2);
    for (node, ((known, next), places)) in seen.iter_mut().zip(next.iter_mut()).zip(places).enumerate() {
        let missing: Row<W> = std::array::from_fn(|at| alive[at] & !known[at]);
        if missing.iter().fold(0, |all, word| all | word) == 0 {
            continue;
        }
        let mut gathered = [0; W];
        for stretch in left.edges.targets[places[0] as usize..places[1] as usize].chunks(STRETCH) {
            for &source in stretch {
                if active[source as usize / 64] >> (source % 64) & 1 != 0 {
                    let row = &front[source as usize];
                    (0..W).for_each(|at| gathered[at] |= row[at]);
                }
            }
            if (0..W).fold(0, |all, at| all | (missing[at] & !gathered[at])) == 0 {
                break;
            }
        }
        let new: Row<W> = std::array::from_fn(|at| gathered[at] & !known[at]);
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

/// Sinks that were reached write the level for each source that is new there.
fn harvest<const W: usize>(left: &Left, level: u32, front: &[Row<W>], active: &[u64], depths: &mut [u32]) {
    for (sink, &node) in left.sinks.iter().enumerate() {
        if active[node as usize / 64] >> (node % 64) & 1 == 0 {
            continue;
        }
        for (word, &bits) in front[node as usize].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let source = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                depths[source * left.sinks.len() + sink] = level;
            }
        }
    }
}
