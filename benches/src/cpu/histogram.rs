//! How often each byte occurs in a text that is packed into words.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::data::{packed, prose};
use super::workload::{Amount, Code, Peer, Scale, Workload, workgroups};

/// `BYTE` and `LANE` are how far the bins of two bytes and of two lanes lie apart.
const PRIVATE_BINS: &str = "\
// A workgroup counts 32768 words, each lane in bins of its own: there are no atomics on workgroup memory.
workgroup_size 32;

buffer text: read u32 @0;
buffer counts: read_write u32 @1; // 256 bins
buffer bins: workgroup u32[8192];

entry {
    let lane = local_id.x;
    let first = workgroup_id.x * 32768 + lane;
    for k in 0..1024 {
        let at = first + k * 32;
        if at < len(text) {
            let word = text[at];
            let a = (word & 255) * BYTE + lane * LANE;
            bins[a] = bins[a] + 1;
            let b = (word >> 8 & 255) * BYTE + lane * LANE;
            bins[b] = bins[b] + 1;
            let c = (word >> 16 & 255) * BYTE + lane * LANE;
            bins[c] = bins[c] + 1;
            let d = (word >> 24) * BYTE + lane * LANE;
            bins[d] = bins[d] + 1;
        }
    }
    barrier;
    for k in 0..8 {
        let bin = k * 32 + lane;
        let count = 0;
        for other in 0..32 {
            count = count + bins[bin * BYTE + other * LANE];
        }
        let _ = atomic_add(counts[bin], count);
    }
}
";

/// The words that a workgroup counts.
const WORKGROUP_WORDS: usize = 32_768;

/// 64 MiB, in workgroup memory first, where the bins of a lane lie together.
pub(super) fn private_bins(scale: Scale) -> Workload {
    in_workgroup_memory("histogram", "1", "256", scale)
}

/// The same with the bins of a byte together, which spreads lanes over the banks of a GPU's memory.
pub(super) fn banked_bins(scale: Scale) -> Workload {
    in_workgroup_memory("histogram_banks", "32", "1", scale)
}

fn in_workgroup_memory(name: &'static str, byte: &str, lane: &str, scale: Scale) -> Workload {
    let bytes = scale.of(64 << 20);
    Workload {
        name,
        program: PRIVATE_BINS.replace("BYTE", byte).replace("LANE", lane),
        grid: workgroups(bytes / 4, WORKGROUP_WORDS),
        buffers: vec![packed(&prose(3, bytes)), vec![0; 256]],
        results: &[1],
        updates: &[1],
        amount: Amount::Bytes(bytes as u64),
        peers: vec![
            Peer { name: "bins of each part", code: Code::Words(native_bins_of_parts), goal: Some(1.5) },
            Peer { name: "four times the bins", code: Code::Words(native_four_bins_of_parts), goal: None },
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

/// 16 MiB, straight to the bins that all share.
pub(super) fn global_bins(scale: Scale) -> Workload {
    let bytes = scale.of(16 << 20);
    Workload {
        name: "histogram_global",
        program: GLOBAL_BINS.to_owned(),
        grid: workgroups(bytes / 4, 256),
        buffers: vec![packed(&prose(4, bytes)), vec![0; 256]],
        results: &[1],
        updates: &[1],
        amount: Amount::Bytes(bytes as u64),
        peers: vec![Peer::same(1.5, native_global_bins)],
    }
}

/// Gives bins that threads share to `count`, with the contents of `counts`, and puts their contents back.
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

/// As above, with bins for each place in a word, so that a byte need not wait for the one before it.
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
