//! Histogram of the bytes of a text that is packed into words.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::workload::{NativeCode, Peer, Scale, Throughput, Workload, workgroups};
use crate::data::{packed, prose};

/// `BYTE` and `LOCAL` stand for the strides between the bins of two bytes and of two invocations.
const PRIVATE_BINS: &str = "\
// A workgroup counts 32768 words. Each invocation has private bins, since workgroup memory has no atomics.
workgroup_size 32;

buffer text: read u32 @0;
buffer counts: read_write u32 @1; // 256 bins
buffer bins: workgroup u32[8192];

entry {
    let local = local_id.x;
    let first = workgroup_id.x * 32768 + local;
    for k in 0..1024 {
        let at = first + k * 32;
        if at < len(text) {
            let word = text[at];
            let a = (word & 255) * BYTE + local * LOCAL;
            bins[a] = bins[a] + 1;
            let b = (word >> 8 & 255) * BYTE + local * LOCAL;
            bins[b] = bins[b] + 1;
            let c = (word >> 16 & 255) * BYTE + local * LOCAL;
            bins[c] = bins[c] + 1;
            let d = (word >> 24) * BYTE + local * LOCAL;
            bins[d] = bins[d] + 1;
        }
    }
    barrier;
    for k in 0..8 {
        let bin = k * 32 + local;
        let count = 0;
        for other in 0..32 {
            count = count + bins[bin * BYTE + other * LOCAL];
        }
        let _ = atomic_add(counts[bin], count);
    }
}
";

/// Words that a workgroup counts.
const WORKGROUP_WORDS: usize = 32_768;

/// 64 MiB, counted in workgroup memory first; the bins of an invocation are contiguous.
pub(super) fn private_bins(scale: Scale) -> Workload {
    in_workgroup_memory("histogram", "1", "256", scale)
}

/// As [`private_bins`] with the bins of a byte contiguous, which spreads invocations over the banks of a GPU's memory.
pub(super) fn banked_bins(scale: Scale) -> Workload {
    in_workgroup_memory("histogram_banks", "32", "1", scale)
}

fn in_workgroup_memory(name: &'static str, byte: &str, local: &str, scale: Scale) -> Workload {
    let bytes = scale.of(64 << 20);
    Workload {
        name,
        program: PRIVATE_BINS.replace("BYTE", byte).replace("LOCAL", local),
        grid: workgroups(bytes / 4, WORKGROUP_WORDS),
        buffers: vec![packed(&prose(3, bytes)), vec![0; 256]],
        results: &[1],
        updates: &[1],
        throughput: Throughput::Bytes(bytes as u64),
        peers: vec![
            Peer { name: "private bins per part", code: NativeCode::Words(native_bins_of_parts), goal: Some(1.5) },
            Peer { name: "four private bins per part", code: NativeCode::Words(native_four_bins_of_parts), goal: None },
        ],
    }
}

const GLOBAL_BINS: &str = "\
workgroup_size 256;

buffer text: read u32 @0;
buffer counts: read_write u32 @1; // 256 bins

entry {
    let i = invocation_id.x;
    if i < len(text) {
        let word = text[i];
        let _ = atomic_add(counts[word & 255], 1);
        let _ = atomic_add(counts[word >> 8 & 255], 1);
        let _ = atomic_add(counts[word >> 16 & 255], 1);
        let _ = atomic_add(counts[word >> 24], 1);
    }
}
";

/// 16 MiB, counted in global bins with atomics.
pub(super) fn global_bins(scale: Scale) -> Workload {
    let bytes = scale.of(16 << 20);
    Workload {
        name: "histogram_global",
        program: GLOBAL_BINS.to_owned(),
        grid: workgroups(bytes / 4, 256),
        buffers: vec![packed(&prose(4, bytes)), vec![0; 256]],
        results: &[1],
        updates: &[1],
        throughput: Throughput::Bytes(bytes as u64),
        peers: vec![Peer::same(1.5, native_global_bins)],
    }
}

/// Calls `count` with atomic bins that hold `counts`, and stores their contents back.
fn with_shared_bins(counts: &mut [u32], count: impl FnOnce(&[AtomicU32; 256])) {
    let bins = std::array::from_fn(|bin| AtomicU32::new(counts[bin]));
    count(&bins);
    for (to, bin) in counts.iter_mut().zip(bins) {
        *to = bin.into_inner();
    }
}

fn native_bins_of_parts(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [text, counts] = buffers else { return };
    with_shared_bins(counts, |counts| {
        pool.install(|| {
            text.par_chunks(WORKGROUP_WORDS).for_each(|text| {
                let mut bins = [0_u32; 256];
                for word in text {
                    for byte in word.to_le_bytes() {
                        bins[usize::from(byte)] += 1;
                    }
                }
                for (count, bin) in counts.iter().zip(bins) {
                    count.fetch_add(bin, Ordering::Relaxed);
                }
            });
        });
    });
}

/// As [`native_bins_of_parts`] with bins for each byte of a word, so that consecutive increments are independent.
fn native_four_bins_of_parts(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [text, counts] = buffers else { return };
    with_shared_bins(counts, |counts| {
        pool.install(|| {
            text.par_chunks(WORKGROUP_WORDS).for_each(|text| {
                let mut bins = [[0_u32; 256]; 4];
                for word in text {
                    for (bins, byte) in bins.iter_mut().zip(word.to_le_bytes()) {
                        bins[usize::from(byte)] += 1;
                    }
                }
                for (bin, count) in counts.iter().enumerate() {
                    count.fetch_add(bins.iter().map(|bins| bins[bin]).sum(), Ordering::Relaxed);
                }
            });
        });
    });
}

fn native_global_bins(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [text, counts] = buffers else { return };
    with_shared_bins(counts, |counts| {
        pool.install(|| {
            text.par_chunks(WORKGROUP_WORDS).for_each(|text| {
                for word in text {
                    for byte in word.to_le_bytes() {
                        counts[usize::from(byte)].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        });
    });
}
