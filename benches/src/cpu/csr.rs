//! Row sums of a sparse matrix in CSR form (compressed sparse rows).

use rayon::ThreadPool;
use rayon::prelude::*;

use super::workload::{Peer, Scale, Throughput, Workload, workgroups};
use crate::data::Random;

const ROW_SUMS: &str = "\
workgroup_size 256;

buffer offsets: read u32 @0; // offsets of the rows, and the end of the last one
buffer values: read u32 @1;
buffer sums: read_write u32 @2;

entry {
    let row = invocation_id.x;
    if row < len(sums) {
        let sum = 0;
        for at in offsets[row]..offsets[row + 1] {
            sum = sum + values[at];
        }
        sums[row] = sum;
    }
}
";

/// 1 Mi rows with about 16 entries each; one row of 256 has hundreds.
pub(super) fn row_sums(scale: Scale) -> Workload {
    let rows = scale.of(1 << 20);
    let mut random = Random::new(5);
    let mut offsets = vec![0_u32];
    let mut end = 0_u32;
    for _ in 0..rows {
        let length = if random.below(256) == 0 { 256 + random.below(768) } else { random.below(28) };
        end += length as u32;
        offsets.push(end);
    }
    Workload {
        name: "csr",
        program: ROW_SUMS.to_owned(),
        grid: workgroups(rows, 256),
        buffers: vec![offsets, random.words(end as usize), vec![0; rows]],
        results: &[2],
        updates: &[],
        throughput: Throughput::Items(u64::from(end), "entries"),
        peers: vec![Peer::same(1.5, native_row_sums)],
    }
}

/// Rows that a thread takes at a time.
const PART_ROWS: usize = 1 << 12;

fn native_row_sums(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [offsets, values, sums] = buffers else { return };
    let parts = sums.par_chunks_mut(PART_ROWS).enumerate();
    pool.install(|| {
        parts.for_each(|(part, sums)| {
            for (sum, row) in sums.iter_mut().zip(offsets[part * PART_ROWS..].windows(2)) {
                *sum = values[row[0] as usize..row[1] as usize].iter().fold(0, |sum, value| sum.wrapping_add(*value));
            }
        });
    });
}
