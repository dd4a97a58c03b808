//! Scratch memory of compression ops.

use super::zstd_full;
use crate::Op;

/// Number of words of the buffer `scratch` of a compression op, or 0 if its programs have none. `output_words` is the number of words of
/// the buffer `decompressed_data`.
#[must_use]
pub fn scratch_words(op: &Op, output_words: u64) -> u64 {
    if op.id == zstd_full::OP.id { output_words } else { 0 }
}
