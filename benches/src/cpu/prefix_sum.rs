//! Prefix sums of 256 words each in workgroup memory, doubling the distance in each round.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::data::Random;
use super::workload::{Amount, Code, Peer, Scale, Workload, workgroups};

const WORKGROUPS: &str = "\
workgroup_size 256;

buffer input: read u32 @0;
buffer sums: read_write u32 @1;
buffer tile: workgroup u32[256];

entry {
    let lane = local_id.x;
    let i = invocation_id.x;
    tile[lane] = input[i];
    barrier;
    for round in 0..8 {
        let distance = 1 << round;
        let sum = tile[lane];
        if lane >= distance {
            sum = sum + tile[lane - distance];
        }
        barrier;
        tile[lane] = sum;
        barrier;
    }
    sums[i] = tile[lane];
}
";

const TILE: usize = 256;

/// 16 Mi words.
pub(super) fn tiles(scale: Scale) -> Workload {
    let count = scale.of(16 << 20);
    Workload {
        name: "prefix_sum",
        program: WORKGROUPS.to_owned(),
        grid: workgroups(count, TILE),
        buffers: vec![Random::new(7).words(count), vec![0; count]],
        results: &[1],
        updates: &[],
        amount: Amount::Items(count as u64, "elements"),
        peers: vec![
            Peer::same(2.5, native_doubling),
            Peer { name: "running sum", code: Code::Words(native_running), goal: None },
        ],
    }
}

/// The words that a thread takes at a time.
const PART: usize = 1 << 16;

/// Gives tiles of input and output to `scan`.
fn for_each_tile(buffers: &mut [Vec<u32>], pool: &ThreadPool, scan: impl Fn(&[u32], &mut [u32]) + Sync) {
    let [input, sums] = buffers else { return };
    let parts = input.par_chunks(PART).zip(sums.par_chunks_mut(PART));
    pool.install(|| {
        parts.for_each(|(input, sums)| {
            for (input, sums) in input.chunks_exact(TILE).zip(sums.chunks_exact_mut(TILE)) {
                scan(input, sums);
            }
        });
    });
}

fn native_doubling(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    for_each_tile(buffers, pool, |input, sums| {
        let mut tile = [0_u32; TILE];
        tile.copy_from_slice(input);
        for round in 0..TILE.ilog2() {
            // What the barriers are for: all read before one writes.
            let before = tile;
            for (sum, before) in tile[1 << round..].iter_mut().zip(before) {
                *sum = sum.wrapping_add(before);
            }
        }
        sums.copy_from_slice(&tile);
    });
}

fn native_running(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    for_each_tile(buffers, pool, |input, sums| {
        let mut so_far = 0_u32;
        for (sum, word) in sums.iter_mut().zip(input) {
            so_far = so_far.wrapping_add(*word);
            *sum = so_far;
        }
    });
}
