//! Prefix sums of tiles of 256 words in workgroup memory, by recursive doubling (Hillis and Steele, CACM 1986).

use rayon::ThreadPool;
use rayon::prelude::*;

use super::workload::{NativeCode, Peer, Scale, Throughput, Workload, workgroups};
use crate::data::Random;

const WORKGROUPS: &str = "\
workgroup_size 256;

buffer input: read u32 @0;
buffer sums: read_write u32 @1;
buffer tile: workgroup u32[256];

entry {
    let local = local_id.x;
    let i = invocation_id.x;
    tile[local] = input[i];
    barrier;
    for step in 0..8 {
        let distance = 1 << step;
        let sum = tile[local];
        if local >= distance {
            sum = sum + tile[local - distance];
        }
        barrier;
        tile[local] = sum;
        barrier;
    }
    sums[i] = tile[local];
}
";

const TILE_WORDS: usize = 256;

/// 16 Mi words.
pub(super) fn tiles(scale: Scale) -> Workload {
    let count = scale.of(16 << 20);
    Workload {
        name: "prefix_sum",
        program: WORKGROUPS.to_owned(),
        grid: workgroups(count, TILE_WORDS),
        buffers: vec![Random::new(7).words(count), vec![0; count]],
        results: &[1],
        updates: &[],
        throughput: Throughput::Items(count as u64, "elements"),
        peers: vec![
            Peer::same(2.5, native_doubling),
            Peer { name: "running sum", code: NativeCode::Words(native_running), goal: None },
        ],
    }
}

/// Words that a thread takes at a time; a multiple of a tile.
const PART_WORDS: usize = 1 << 16;

/// Calls `scan` with each tile of the input and of the output.
fn for_each_tile(buffers: &mut [Vec<u32>], pool: &ThreadPool, scan: impl Fn(&[u32], &mut [u32]) + Sync) {
    let [input, sums] = buffers else { return };
    let parts = input.par_chunks(PART_WORDS).zip(sums.par_chunks_mut(PART_WORDS));
    pool.install(|| {
        parts.for_each(|(input, sums)| {
            for (input, sums) in input.chunks_exact(TILE_WORDS).zip(sums.chunks_exact_mut(TILE_WORDS)) {
                scan(input, sums);
            }
        });
    });
}

fn native_doubling(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    for_each_tile(buffers, pool, |input, sums| {
        let mut tile = [0_u32; TILE_WORDS];
        tile.copy_from_slice(input);
        for step in 0..TILE_WORDS.ilog2() {
            // Reads precede all writes, as between the barriers of the program.
            let before = tile;
            for (sum, before) in tile[1 << step..].iter_mut().zip(before) {
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
