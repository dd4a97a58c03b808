//! Checksums of large outputs on several threads.

use crc32fast::Hasher;
use libdeflater::crc32;
use rayon::prelude::*;

/// Size of an output from which several threads compute its checksum.
const MIN_PARALLEL_BYTES: usize = 4 << 20;
/// Size of the part of a thread, in bytes.
const PART_BYTES: usize = 1 << 20;

/// CRC-32 of bytes, as in gzip and zip, on all threads if the bytes are many.
pub(crate) fn crc32_on_all_threads(bytes: &[u8]) -> u32 {
    if bytes.len() < MIN_PARALLEL_BYTES || rayon::current_num_threads() == 1 {
        return crc32(bytes);
    }
    let parts = bytes.par_chunks(PART_BYTES);
    let hashers = parts.map(|part| Hasher::new_with_initial_len(crc32(part), part.len() as u64));
    // The sum of two parts needs both in their order.
    hashers
        .reduce(Hasher::new, |mut before, after| {
            before.combine(&after);
            before
        })
        .finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_checksum_of_the_whole() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        let bytes: Vec<u8> = (0..(5_u32 << 20) + 7).map(|number| (number ^ number >> 9) as u8).collect();
        for length in [0, 1, PART_BYTES, MIN_PARALLEL_BYTES - 1, MIN_PARALLEL_BYTES, 5 << 20, bytes.len()] {
            let part = &bytes[..length];
            assert_eq!(pool.install(|| crc32_on_all_threads(part)), crc32(part), "{length}");
        }
    }
}
