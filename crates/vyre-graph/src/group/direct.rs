//! One-pass parallel counting sort, for keys with locality.
//!
//! Each thread takes a run of chunks and counts its keys. A prefix sum over keys and runs yields the position of each edge: after
//! the edges of smaller keys, and after the edges of the same key in earlier runs.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{Chunk, Grouped, Payload};
use vyre_memory as memory;

/// Number of keys of a step of the prefix sum.
const KEYS_PER_STEP: usize = 1 << 14;

/// Groups edges by key.
pub(super) fn group<C: Chunk>(keys: u32, edges: u32, chunks: &[C]) -> Grouped<C::Payload> {
    // The counters of all runs together have at most as many words as there are edges.
    let max_runs = rayon::current_num_threads().min((edges / keys.max(1)).max(1) as usize);
    let runs: Vec<&[C]> = chunks.chunks(chunks.len().div_ceil(max_runs).max(1)).collect();
    let mut counters: Vec<Vec<u32>> = runs.par_iter().map(|run| count(keys, run)).collect();
    let offsets = prefix_sums(keys, edges, &mut counters);

    let values = <u32 as Payload>::cells(edges as usize);
    let payloads = C::Payload::cells(edges as usize);
    runs.into_par_iter().zip(counters).for_each(|(run, mut positions)| {
        for chunk in run {
            chunk.for_each(|key, value, payload| {
                let position = &mut positions[key as usize];
                values[*position as usize].store(value, Ordering::Relaxed);
                payload.put(&payloads[*position as usize]);
                *position += 1;
            });
        }
    });
    let values = values.into_iter().map(AtomicU32::into_inner).collect();
    let payloads = payloads.into_iter().map(C::Payload::take).collect();
    Grouped { offsets, values, payloads }
}

fn count<C: Chunk>(keys: u32, run: &[C]) -> Vec<u32> {
    let mut counters: Vec<u32> = memory::zeros(keys as usize);
    for chunk in run {
        chunk.for_each_key(|key| counters[key as usize] += 1);
    }
    counters
}

/// Exclusive prefix sums: the offset of each key. The counters of each run become the positions of its first edges.
fn prefix_sums(keys: u32, edges: u32, counters: &mut [Vec<u32>]) -> Vec<u32> {
    let mut offsets: Vec<u32> = memory::zeros(keys as usize + 1);
    offsets[keys as usize] = edges;
    let steps = (keys as usize).div_ceil(KEYS_PER_STEP);
    let mut by_step: Vec<Vec<&mut [u32]>> = (0..steps).map(|_| Vec::with_capacity(counters.len())).collect();
    for run in counters {
        run.chunks_mut(KEYS_PER_STEP).zip(&mut by_step).for_each(|(counters, step)| step.push(counters));
    }
    let total = |step: &Vec<&mut [u32]>| -> u32 { step.iter().flat_map(|counters| counters.iter()).sum() };
    let totals: Vec<u32> = by_step.par_iter().map(total).collect();
    let starts = totals.iter().scan(0u32, |start, total| Some(std::mem::replace(start, *start + total)));
    let starts: Vec<u32> = starts.collect();
    let own = offsets[..keys as usize].par_chunks_mut(KEYS_PER_STEP);
    own.zip(by_step).zip(starts).for_each(|((offsets, mut runs), mut position)| {
        for (key, offset) in offsets.iter_mut().enumerate() {
            *offset = position;
            for counters in &mut runs {
                position += std::mem::replace(&mut counters[key], position);
            }
        }
    });
    offsets
}
