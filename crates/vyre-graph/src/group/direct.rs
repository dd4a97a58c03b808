//! A counting sort in one step, for keys that are near those before them.
//!
//! Threads take runs of chunks. Each counts the keys of its run, and then knows the places of its edges: behind those of smaller
//! keys, and behind those of the same key in runs before it.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{Chunk, Grouped, Payload};
use vyre_memory as memory;

/// So many keys are looked at together.
const KEYS: usize = 1 << 14;

/// Groups in one step.
pub(super) fn group<C: Chunk>(keys: u32, edges: u32, chunks: &[C]) -> Grouped<C::Payload> {
    // All counters together have no more words than there are edges.
    let max_runs = rayon::current_num_threads().min((edges / keys.max(1)).max(1) as usize);
    let runs: Vec<&[C]> = chunks.chunks(chunks.len().div_ceil(max_runs).max(1)).collect();
    let mut counters: Vec<Vec<u32>> = runs.par_iter().map(|run| count(keys, run)).collect();
    let offsets = places(keys, edges, &mut counters);

    let values = <u32 as Payload>::cells(edges as usize);
    let payloads = C::Payload::cells(edges as usize);
    runs.into_par_iter().zip(counters).for_each(|(run, mut places)| {
        for chunk in run {
            chunk.for_each(|key, value, payload| {
                let place = &mut places[key as usize];
                values[*place as usize].store(value, Ordering::Relaxed);
                payload.put(&payloads[*place as usize]);
                *place += 1;
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

/// Where the edges of each key begin. Counters of runs become the places of their first edges.
fn places(keys: u32, edges: u32, counters: &mut [Vec<u32>]) -> Vec<u32> {
    let mut offsets: Vec<u32> = memory::zeros(keys as usize + 1);
    offsets[keys as usize] = edges;
    let steps = (keys as usize).div_ceil(KEYS);
    let mut by_step: Vec<Vec<&mut [u32]>> = (0..steps).map(|_| Vec::with_capacity(counters.len())).collect();
    for run in counters {
        run.chunks_mut(KEYS).zip(&mut by_step).for_each(|(counters, step)| step.push(counters));
    }
    let total = |step: &Vec<&mut [u32]>| -> u32 { step.iter().flat_map(|counters| counters.iter()).sum() };
    let totals: Vec<u32> = by_step.par_iter().map(total).collect();
    let starts = totals.iter().scan(0u32, |start, total| Some(std::mem::replace(start, *start + total)));
    let starts: Vec<u32> = starts.collect();
    let own = offsets[..keys as usize].par_chunks_mut(KEYS);
    own.zip(by_step).zip(starts).for_each(|((offsets, mut runs), mut place)| {
        for (key, offset) in offsets.iter_mut().enumerate() {
            *offset = place;
            for counters in &mut runs {
                place += std::mem::replace(&mut counters[key], place);
            }
        }
    });
    offsets
}
